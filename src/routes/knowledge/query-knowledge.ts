import * as z from 'zod';
import { JSON_ANSWER, MARKDOWN_ANSWER } from '../../gateway/knowledge/query-answer.ts';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Outcome, type Route, type RouteInput, type RouteResponse } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import { SearchResponseWithFields } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';

/** The forms of the response to a query. */
export function answerResponses(description: string): RouteResponse[] {
  return [
    jsonResponse(description, SearchResponseWithFields),
    {
      status: 200,
      description:
        'The same as text for a prompt, with "Accept: text/markdown": passages as quotations, each with its address and what is needed to verify it. token_budget counts the whole text, of which the lines around the results are always sent; fields has no effect.',
      content: { type: 'text/markdown', schema: z.string() },
    },
  ];
}

/** The response to a query, in the form that the caller prefers. @param cache Instead of that of the route. */
export async function answerQuery(
  request: QueryRequest,
  { preferredType, degrade }: Pick<RouteInput<unknown, unknown, unknown>, 'preferredType' | 'degrade'>,
  { corpus, deployment }: Pick<GatewayDependencies, 'corpus' | 'deployment'>,
  cache?: Route['cache'],
): Promise<Result<Outcome>> {
  const isMarkdown = preferredType === 'text/markdown';
  const form = isMarkdown ? MARKDOWN_ANSWER : JSON_ANSWER;
  const result = await queryKnowledgeText(request, corpus, deployment, () => degrade('index'), form);
  if (!result.ok) return result;
  const contentType = isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json';
  const own = cache === undefined ? {} : { cache };
  return ok({ kind: 'text', contentType, body: result.value, headers: { Vary: 'Accept' }, ...own });
}

export const queryKnowledgeRoute = defineRoute({
  id: 'queryKnowledge',
  method: 'POST',
  path: `${PATHS.gateway}/query`,
  summary: 'Search the capsules',
  description:
    'Ranks the public capsules for a question or keywords. Each result names the capsule, its version and the digest of its text, and quotes the best matching passage with exact offsets. Ranking uses no model and no randomness: the same request on the same corpus_version returns the same bytes.',
  capability: 'knowledge',
  access: 'read',
  body: QueryRequest,
  responses: answerResponses('Matching capsules, or other kinds that were asked for, best first.'),
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'query',
  handle: (input, deps) => answerQuery(input.body, input, deps),
});
