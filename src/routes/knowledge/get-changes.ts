import { readChanges } from '../../gateway/knowledge/read-changes.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';
import { ChangesParameters, ChangesResponse, CorpusManifest } from '../../schemas/knowledge/changes.ts';
import { PATHS } from '../../schemas/paths.ts';

/** Manifests that were read: a deployment has one, and reading it at each request would cost more than the rest of the answer. */
const manifests = new WeakMap<PublishedDocument, CorpusManifest>();

function manifestOf(document: PublishedDocument): CorpusManifest {
  const known = manifests.get(document);
  if (known !== undefined) return known;
  const manifest = CorpusManifest.parse(JSON.parse(document.body));
  manifests.set(document, manifest);
  return manifest;
}

export const getChangesRoute = defineRoute<undefined, ChangesParameters>({
  id: 'listChanges',
  method: 'GET',
  path: `${PATHS.publicCapsules}/changes`,
  summary: 'List changes',
  description:
    'What was added, revised, superseded, retracted, restored or removed, in the order of publication, with the digests of records and texts. Events are about content: heads and the manifest are also signed again every month and after a change of keys, without an event. Keep the cursor of the response and send it next time, however much later, to get everything that happened since. The manifest describes the whole corpus as it is now and where to download it as a bundle.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/changes.json`,
  queryParameters: ChangesParameters,
  responses: [jsonResponse('Events after the cursor; a file holds all of them.', ChangesResponse)],
  errors: ['feed_restarted', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ query }, { corpus, deployment, documents }) => {
    const manifest = manifestOf(documents.corpusManifest);
    return jsonOutcome(await readChanges(query, corpus, { manifest, baseUrl: deployment.baseUrl }));
  },
});
