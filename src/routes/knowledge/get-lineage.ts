import * as z from 'zod';
import { readLineage, readProvLineage } from '../../gateway/knowledge/read-lineage.ts';
import { ok } from '../../gateway/result.ts';
import { Lineage, ProvLineage } from '../../schemas/knowledge/lineage.ts';
import { lineageApiPath, lineageFilePath } from '../../schemas/paths.ts';
import { defineRoute } from '../../http/define-route.ts';
import { CapsulePathParameters } from './get-capsule.ts';

/** No version: a lineage has all of them. */
const GetLineageParameters = z.strictObject({
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'next_cursor of the graph before, for the capsules beyond its page. PROV has no graph: it is always the newest, and cursors are ignored.',
    ),
});
type GetLineageParameters = z.infer<typeof GetLineageParameters>;

export const getLineageRoute = defineRoute<CapsulePathParameters, GetLineageParameters>({
  id: 'getCapsuleLineage',
  method: 'GET',
  path: lineageApiPath('{capsule_id}'),
  summary: 'Read the lineage of a capsule',
  description:
    'The chain of versions with the digest of each record and text, the sources, the signed head, and the graph of capsules that this one rests on and that rest on it, each with its digest and whether its text has that digest. Without a cursor the bytes are those of the lineage file. Addresses are root-relative; signatures are empty while no signing key is configured. With "Accept: application/ld+json" the chain and the sources as PROV-JSONLD, which is signed by nobody, with absolute addresses.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: lineageFilePath('{capsule_id}'),
  pathParameters: CapsulePathParameters,
  queryParameters: GetLineageParameters,
  responses: [
    { status: 200, description: 'The lineage.', content: { type: 'application/json', schema: Lineage } },
    {
      status: 200,
      description: 'The chain of versions and the sources as PROV.',
      content: { type: 'application/ld+json', schema: ProvLineage },
    },
  ],
  errors: ['capsule_not_found', 'not_acceptable', 'invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path, query: { cursor }, preferredType }, { corpus, deployment }) => {
    const headers = { Vary: 'Accept' };
    if (preferredType === 'application/ld+json') {
      const prov = await readProvLineage(path.capsule_id, corpus, deployment.baseUrl);
      if (!prov.ok) return prov;
      return ok({ kind: 'text', contentType: preferredType, body: prov.value, headers });
    }
    const result = await readLineage({ id: path.capsule_id, cursor, hasCursors: true }, corpus);
    return result.ok ? ok({ kind: 'text', contentType: 'application/json', body: result.value, headers }) : result;
  },
});
