import { readSearchPage } from '../../gateway/knowledge/search-page.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, pageResponse } from '../../http/define-route.ts';
import { SEARCH_PAGE_SIZE, SearchPageParameters } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';

/** The search for people, with and without JavaScript. */
export const searchPageRoute = defineRoute({
  id: 'viewSearch',
  method: 'GET',
  path: PATHS.search,
  summary: 'Search in a browser',
  description: `The search page of the site: ${SEARCH_PAGE_SIZE} results a page, each with its best passage. Programs use searchKnowledge, which returns the same results as JSON. Errors are pages for browsers.`,
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchPageParameters,
  responses: [pageResponse('The page with the results, or with the empty form.')],
  errors: ['index_unavailable'],
  rateLimit: 'search',
  refusalPage: ({ code, detail, retryAfterSeconds }, { query }) => ({
    page: 'search',
    props: {
      query: query.get('q') ?? '',
      refusal: { code, detail, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
    },
    visibility: 'unlisted',
  }),
  handle: async ({ query, degrade }, { corpus, deployment }) => {
    const question = query.q.trim();
    if (question === '') return ok({ kind: 'page', page: 'search', props: { query: '' }, visibility: 'unlisted' });
    const found = await readSearchPage(question, query.kind, Number(query.page), corpus, deployment, () => degrade('index'));
    if (!found.ok) return found;
    return ok({ kind: 'page', page: 'search', props: { query: question, found: found.value }, visibility: 'unlisted' });
  },
});
