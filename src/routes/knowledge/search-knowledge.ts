import { defineRoute } from '../../http/define-route.ts';
import { deployedFeatures } from '../../schemas/features.ts';
import { queryOfSearch, SearchParameters } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';
import { answerQuery, answerResponses } from './query-knowledge.ts';

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
});
