import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { deployedFeatures } from '../../schemas/features.ts';
import { queryOfSearch, SearchParameters, SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';

export const searchKnowledgeRoute = defineRoute({
  id: 'searchKnowledge',
  method: 'GET',
  path: `${PATHS.gateway}/search`,
  summary: 'Search everything, without a key',
  description:
    'The same search for clients that can only send GET requests, and for people with a browser: the question is the parameter q, and no key is needed. Unlike a query, it searches all kinds by default, and has no filters. Limits are lower than with a key. A response may be cached for a few minutes, and a pinned one for good if the corpus alone decides it.',
  capability: 'knowledge',
  access: 'open',
  queryParameters: SearchParameters,
  responses: [jsonResponse('What matches, best first.', SearchResponse)],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'search',
  cache: 300,
  handle: async ({ query, degrade }, { corpus, deployment }) => {
    const request = queryOfSearch(query);
    const result = await queryKnowledgeText(request, corpus, deployment, () => degrade('index'));
    if (!result.ok) return result;
    // Prices are those of the catalog now, whatever the corpus version.
    const hasPrices = deployedFeatures(deployment).shop && request.kind?.includes('offer') === true;
    const isPinned = request.corpus_version !== undefined && !hasPrices;
    return ok({ kind: 'text', contentType: 'application/json', body: result.value, ...(isPinned ? { cache: 'immutable' as const } : {}) });
  },
});
