import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import { ok } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import { BrowseResponse, BrowseParameters } from '../../schemas/knowledge/corpus-lists.ts';
import { defineRoute } from '../../http/define-route.ts';

export const browseCapsulesRoute = defineRoute<undefined, BrowseParameters>({
  id: 'browseCapsules',
  method: 'GET',
  path: `${PATHS.publicCapsules}/browse`,
  summary: 'List the public capsules',
  description:
    'Short descriptions of the public capsules, newest change first, in pages. Totals are exact. A cursor keeps reading the corpus version that it came from.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: `${PATHS.data}/browse.json`,
  queryParameters: BrowseParameters,
  responses: [
    {
      status: 200,
      description: 'One page of the list; a file holds the whole list.',
      content: { type: 'application/json', schema: BrowseResponse },
    },
  ],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ query, degrade }, { corpus, deployment }) => {
    const result = await browseCapsules(query, corpus, deployment.baseUrl, () => degrade('index'));
    return result.ok ? ok({ kind: 'json', status: 200, value: result.value }) : result;
  },
});
