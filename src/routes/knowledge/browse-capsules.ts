import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { BrowseParameters, BrowseResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { PATHS } from '../../schemas/paths.ts';

export const browseCapsulesRoute = defineRoute<undefined, BrowseParameters>({
  id: 'browseCapsules',
  method: 'GET',
  path: `${PATHS.publicCapsules}/browse`,
  summary: 'List the public capsules',
  description:
    'Summaries of the public capsules, most recently changed first, in pages. Totals are exact. A cursor keeps reading the corpus version that it came from.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/browse.json`,
  queryParameters: BrowseParameters,
  responses: [jsonResponse('One page of the list; the static file holds the whole list.', BrowseResponse)],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ query, degrade }, { corpus, deployment }) =>
    jsonOutcome(await browseCapsules(query, corpus, deployment.baseUrl, () => degrade('index'))),
});
