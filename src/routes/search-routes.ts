import * as z from 'zod';
import { post } from '../gateway/error-next-actions.ts';
import { JSON_ANSWER, MARKDOWN_ANSWER } from '../gateway/knowledge/query-answer-formats.ts';
import { queryKnowledgeText } from '../gateway/knowledge/query-knowledge.ts';
import { readSearchAsTyped, readSearchPage } from '../gateway/knowledge/search-results-page.ts';
import { ok, type Result } from '../gateway/result.ts';
import { preferredLanguage } from '../http/content-negotiation.ts';
import {
  defineRoute,
  jsonOutcome,
  jsonResponse,
  type Outcome,
  pageResponse,
  type Route,
  type RouteInput,
  type RouteResponse,
} from '../http/define-route.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { withOtherOperation } from '../http/validate-input.ts';
import { deployedFeatures } from '../schemas/feature-switches.ts';
import { SEARCH_PAGE_SIZE } from '../schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import { PublishedSearchResponse, queryOfSearch, SearchPageParameters, SearchParameters } from '../schemas/knowledge/search.ts';
import { buyPath, PATHS } from '../schemas/paths.ts';

function answerResponses(description: string): RouteResponse[] {
  return [
    jsonResponse(description, PublishedSearchResponse),
    {
      status: 200,
      description:
        'The same as text for a prompt, with "Accept: text/markdown": passages as quotations, each with its address and what is needed to verify it. token_budget counts the whole text, of which the lines around the results are always sent; fields has no effect.',
      content: { type: 'text/markdown', schema: z.string() },
    },
  ];
}

/** The response to a query, in the form that the caller prefers. @param cache Instead of that of the route. */
async function answerQuery(
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

export const searchKnowledgeRoute = defineRoute({
  id: 'searchKnowledge',
  path: `${PATHS.gateway}/search`,
  summary: 'Search everything, without a key',
  description:
    'Searches everything that is published for the question in the parameter q, without a key. It is a query without filters, of all kinds by default. Limits are lower than with a key. A response may be cached for a few minutes, and a pinned one for good if the corpus alone decides it.',
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchParameters,
  responses: answerResponses('What matches, best first.'),
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'search',
  cache: 300,
  handle: (input, deps) => {
    const request = queryOfSearch(input.query);
    // Prices are those of the catalog now, whatever the corpus version.
    const hasPrices = deployedFeatures(deps.deployment).shop && request.kind?.includes('offer') === true;
    const isPinned = request.corpus_version !== undefined && !hasPrices;
    return answerQuery(request, input, deps, isPinned ? 'immutable' : undefined);
  },
  onInvalid: async (_path, refusal) =>
    withOtherOperation(refusal, QueryRequest, (member) => post(`Send a query, whose body takes "${member}".`, `${PATHS.gateway}/query`)),
});

const searchPageRoute = defineRoute({
  id: 'viewSearch',
  path: PATHS.search,
  summary: 'Search in a browser',
  description: `The search page of the site: ${SEARCH_PAGE_SIZE} results a page, each with its best passage. Programs use searchKnowledge, which returns the same results as JSON. Errors are pages for browsers.`,
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchPageParameters,
  responses: [
    pageResponse('The page with the results, or with the empty form.'),
    { status: 302, description: 'The last page, if the requested one is after it.' },
  ],
  errors: ['index_unavailable'],
  rateLimit: 'search',
  refusalPage: ({ code, detail, retryAfterSeconds }, { query }) => ({
    page: 'search',
    props: { query: query.get('q') ?? '', refusal: { code, detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) } },
    visibility: 'unlisted',
  }),
  handle: async ({ query, rawQuery, rawHeader, degrade }, { corpus, deployment }) => {
    const question = query.q.trim();
    if (question === '') return ok({ kind: 'page', page: 'search', props: { query: '' }, visibility: 'unlisted' });
    const prefer_language = query.prefer_language ?? preferredLanguage(rawHeader('accept-language'));
    const asked = { query: question, kind: query.kind, page: query.page ?? 1, prefer_language };
    const found = await readSearchPage(asked, corpus, deployment, () => degrade('index'));
    if (!found.ok) return found;
    if (found.value.page < asked.page) {
      const last = new URLSearchParams(rawQuery);
      last.set('page', String(found.value.page));
      return ok({ kind: 'redirect', status: 302, location: `${deployment.baseUrl}${PATHS.search}?${last}` });
    }
    const offers = deployment.offers.filter(({ id }) => found.value.hits.some(({ path }) => path === buyPath(id)));
    return ok({ kind: 'page', page: 'search', props: { query: question, found: found.value, offers }, visibility: 'unlisted' });
  },
});

/** What {@link searchPageRoute} shows, for a script of the site that searches while its reader types; programs use {@link searchKnowledgeRoute}. */
export const searchAsTypedRoute = defineRoute({
  id: 'searchAsTyped',
  path: PATHS.searchAsTyped,
  summary: 'Search while a reader types',
  description: 'The first page of results for a text whose last word may be incomplete. Its form is no part of the interface.',
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchPageParameters,
  responses: [jsonResponse('What the page of the search shows.', z.looseObject({}))],
  errors: ['index_unavailable'],
  rateLimit: 'search_as_typed',
  cache: 300,
  handle: async ({ query, degrade }, { corpus, deployment }) =>
    jsonOutcome(await readSearchAsTyped(query.q, query.prefer_language, corpus, deployment, () => degrade('index'))),
});

export function routes(): readonly Route[] {
  return [queryKnowledgeRoute, searchKnowledgeRoute, searchPageRoute, searchAsTypedRoute];
}
