import * as z from 'zod';
import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, pageResponse } from '../../http/define-route.ts';
import { queryOfSearch, SearchParameters, type SearchResponse } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

/** Results on a page. */
const PAGE_SIZE = '10';

/** Where the form of the page leads: this site. */
const TARGETS = ["'self'"];

/** Parameters that other sites add are ignored. */
const SearchPageParameters = z.looseObject({
  q: z.string().max(LIMITS.urlMaxLength).optional().describe('Question or keywords. Without it, the page has only the form.'),
  cursor: SearchParameters.shape.cursor.describe('Where the next page of results begins, from the link on the page before.'),
});

/** The search for people: a page with a form and results, for browsers with and without JavaScript. */
export const searchPageRoute = defineRoute({
  id: 'openSearchPage',
  method: 'GET',
  path: PATHS.search,
  summary: 'Search in a browser',
  description:
    'The page with the search of the site: the results of the question q, ten on a page. Programs use the search of the API, which has the same results as JSON. Browsers get a page for errors, too.',
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchPageParameters,
  responses: [pageResponse()],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'search',
  refusalPage: (refusal, { query }) => ({
    page: 'search',
    props: { question: query.get('q') ?? '', refusal },
    visibility: 'unlisted',
    formTargets: TARGETS,
  }),
  handle: async ({ query: { q, cursor }, degrade }, { corpus, deployment }) => {
    const question = q?.trim() ?? '';
    const page = { kind: 'page', page: 'search', visibility: 'unlisted', formTargets: TARGETS } as const;
    if (question === '') return ok({ ...page, props: { question } });
    const request = queryOfSearch({ q: question.slice(0, LIMITS.queryMaxLength), max_results: PAGE_SIZE, ...(cursor && { cursor }) });
    const found = await queryKnowledgeText(request, corpus, deployment, () => degrade('index'));
    return found.ok ? ok({ ...page, props: { question, found: JSON.parse(found.value) as SearchResponse } }) : found;
  },
});
