import { browseCapsules } from '../gateway/knowledge/browse-capsules.ts';
import { readChanges } from '../gateway/knowledge/read-changes.ts';
import { reportStatus } from '../gateway/knowledge/report-status.ts';
import { remembered } from '../gateway/lru-cache.ts';
import { ok } from '../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse, type RouteInput } from '../http/define-route.ts';
import type { GatewayDependencies, PublishedDocument } from '../http/gateway-dependencies.ts';
import {
  BrowseParameters,
  BrowseResponse,
  ChangesParameters,
  ChangesResponse,
  CorpusManifest,
  SectionedBrowseParameters,
  StatusResponse,
} from '../schemas/knowledge/corpus-responses.ts';
import { PATHS } from '../schemas/paths.ts';

const BROWSE = {
  id: 'browseCapsules',
  path: `${PATHS.publicCapsules}/browse`,
  summary: 'List the public capsules',
  description:
    'Summaries of the public capsules, most recently changed first, in pages. Totals are exact. A cursor keeps reading the corpus version that it came from.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/browse.json`,
  responses: [jsonResponse('One page of the list; the static file contains the whole list.', BrowseResponse)],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  cache: 60,
  handle: async (
    { query, degrade }: { readonly query: SectionedBrowseParameters } & Pick<RouteInput<undefined, undefined, undefined>, 'degrade'>,
    { corpus, deployment }: GatewayDependencies,
  ) => jsonOutcome(await browseCapsules(query, corpus, deployment.baseUrl, () => degrade('index'), deployment.sections)),
} as const;

export const browseCapsulesRoute = defineRoute({ ...BROWSE, queryParameters: BrowseParameters });

/** {@link browseCapsulesRoute} of a publication with sections. */
export const browseSectionsRoute = defineRoute({ ...BROWSE, queryParameters: SectionedBrowseParameters });

/** Parsed manifests: parsing at each request would cost more than everything else in the response. */
const manifests = new WeakMap<PublishedDocument, CorpusManifest>();

export const getChangesRoute = defineRoute({
  id: 'listChanges',
  path: `${PATHS.publicCapsules}/changes`,
  summary: 'List changes',
  description:
    'What was added, revised, superseded, retracted, restored or removed, in the order of publication, with the digests of records and texts. Events are about content: heads and the manifest are also issued again every month and after a change of keys, without an event. Keep the cursor of the response and send it next time, however much later, to get everything that happened since. The manifest describes the whole corpus as it is now and where to download it as a bundle.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/changes.json`,
  queryParameters: ChangesParameters,
  responses: [jsonResponse('Events after the cursor; a file contains all of them.', ChangesResponse)],
  errors: ['feed_restarted', 'index_unavailable'],
  cache: 60,
  handle: async ({ query }, { corpus, deployment, documents }) => {
    const document = documents.corpusManifest;
    const manifest = remembered(manifests, document, () => CorpusManifest.parse(JSON.parse(document.body)));
    return jsonOutcome(await readChanges(query, corpus, { manifest, baseUrl: deployment.baseUrl }));
  },
});

export const getStatusRoute = defineRoute({
  id: 'getStatus',
  path: `${PATHS.publicCapsules}/status`,
  summary: 'Get service status',
  description:
    'Corpus version, counts and the most recent change. A live service checks its main operations while it responds: a query, a capsule, keys and the database.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/status.json`,
  responses: [jsonResponse('The status.', StatusResponse)],
  handle: async (_input, { corpus, deployment, secrets, checkDatabase, budgets }) => {
    const status = await reportStatus(corpus, deployment.baseUrl, { keysConfigured: !('missing' in secrets), checkDatabase, budgets });
    return jsonOutcome(ok(status));
  },
});
