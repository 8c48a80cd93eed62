import * as z from 'zod';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Outcome, type Route, type RouteInput, type RouteResponse } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { queryOfSearch, type SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';
import { NLWEB_BINDING } from './http-binding.ts';
import { AskParameters, AskRequest, AskResponse } from './schemas.ts';
import { answerEvents, makeQueryId, writeAnswer } from './write-answer.ts';

const EVENTS = 'text/event-stream';

const RESPONSES: RouteResponse[] = [
  jsonResponse('What matches the question, best first; a failure with the code NO_RESULTS if nothing does.', AskResponse),
  {
    status: 200,
    description: 'The same as server-sent events, if asked for: start, a result for each, and complete.',
    content: { type: EVENTS, schema: z.string() },
  },
];

const SHARED = {
  path: PATHS.ask,
  capability: 'knowledge',
  access: 'open',
  protocol: NLWEB_BINDING,
  responses: RESPONSES,
  errors: ['index_unavailable'],
  rateLimit: 'search',
} as const satisfies Partial<Route>;

/** NLWeb with the question in the URL. */
export const askByGetRoute = defineRoute({
  ...SHARED,
  id: 'askSite',
  method: 'GET',
  summary: 'Ask the site (NLWeb)',
  description:
    'The keyless search in the form of NLWeb: results of all kinds, each with the passage that answers best, quoted word for word, and the item in the vocabulary of schema.org. No model writes texts, so every mode is answered with a list.',
  queryParameters: AskParameters,
  cache: 300,
  handle: (input, deps) => answer(questionOfParameters(input.query), input, deps),
});

/** NLWeb with the question in the body. */
export const askByPostRoute = defineRoute({
  ...SHARED,
  id: 'askSiteByPost',
  method: 'POST',
  summary: 'Ask the site (NLWeb), with a body',
  description: 'The same answer for clients that send the structured request of NLWeb 0.55.',
  body: AskRequest,
  handle: (input, deps) => answer(questionOfBody(input.body), input, deps),
});

/** A question, whichever way it was asked. */
interface AskedQuestion {
  readonly text: string;
  readonly queryId: string | undefined;
  readonly maxResults: number | undefined;
  readonly isStreamed: boolean;
}

function questionOfParameters({ query, decontextualized_query, streaming, max_results, query_id }: AskParameters): AskedQuestion {
  return {
    text: decontextualized_query ?? query,
    queryId: query_id,
    maxResults: max_results === undefined ? undefined : Number(max_results),
    isStreamed: ['true', 'True', '1'].includes(streaming ?? ''),
  };
}

function questionOfBody({ query, prefer, query_id }: AskRequest): AskedQuestion {
  return {
    text: query.decontextualized_query ?? query.text,
    queryId: query_id,
    maxResults: query.max_results,
    isStreamed: prefer?.streaming === true,
  };
}

async function answer(
  question: AskedQuestion,
  { preferredType, degrade }: Pick<RouteInput<unknown, unknown, unknown>, 'preferredType' | 'degrade'>,
  { corpus, deployment }: GatewayDependencies,
): Promise<Result<Outcome>> {
  const request = queryOfSearch({
    q: question.text,
    ...(question.maxResults === undefined ? {} : { max_results: String(question.maxResults) }),
  });
  const found = await queryKnowledgeText(request, corpus, deployment, () => degrade('index'));
  if (!found.ok) return found;
  const response = JSON.parse(found.value) as SearchResponse;
  const queryId = question.queryId ?? (await makeQueryId(question.text, response.corpus_version));
  const answered = writeAnswer({ text: question.text, queryId }, response, deployment.baseUrl);
  const isStreamed = question.isStreamed || preferredType === EVENTS;
  return ok({
    kind: 'text',
    contentType: isStreamed ? EVENTS : 'application/json',
    body: isStreamed ? answerEvents(answered) : JSON.stringify(answered),
    headers: { Vary: 'Accept' },
  });
}
