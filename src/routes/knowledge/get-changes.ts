import { readChanges } from '../../gateway/knowledge/read-changes.ts';
import { ok } from '../../gateway/result.ts';
import { ChangesResponse, ChangesParameters, CorpusManifest } from '../../schemas/knowledge/changes.ts';
import { PATHS } from '../../schemas/paths.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';

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
  summary: 'Follow what changes',
  description:
    'What was added, revised, superseded, retracted, restored or removed, in the order in which it was published, with the digests of records and texts. Events tell of content: heads and the manifest are also issued and signed again every month and after a change of keys, without an event. Keep the cursor of the answer and send it the next time, however much later: one request then says all that happened in between. The manifest states what the whole corpus is now, and where it can be had as a bundle.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: `${PATHS.data}/changes.json`,
  queryParameters: ChangesParameters,
  responses: [
    {
      status: 200,
      description: 'Events after the cursor; a file holds all of them.',
      content: { type: 'application/json', schema: ChangesResponse },
    },
  ],
  errors: ['feed_restarted', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ query }, { corpus, deployment, documents }) => {
    const manifest = manifestOf(documents.corpusManifest);
    const result = await readChanges(query, corpus, { manifest, baseUrl: deployment.baseUrl });
    return result.ok ? ok({ kind: 'json', status: 200, value: result.value }) : result;
  },
});
