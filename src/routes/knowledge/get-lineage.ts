import * as z from 'zod';
import { readLineageDocument, readProvLineage } from '../../gateway/knowledge/read-lineage.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { Lineage, ProvLineage } from '../../schemas/knowledge/lineage.ts';
import { lineageApiPath, lineageFilePath } from '../../schemas/paths.ts';
import { CapsulePathParameters } from './get-capsule.ts';

/** There is no version: a lineage has all of them. */
const GetLineageParameters = z.strictObject({
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'next_cursor of the previous page of the graph. PROV has no graph: it is always the newest version, and cursors are ignored.',
    ),
});

export const getLineageRoute = defineRoute({
  id: 'getCapsuleLineage',
  method: 'GET',
  path: lineageApiPath('{capsule_id}'),
  summary: "Get a capsule's lineage",
  description:
    'The chain of versions with the digest of each record and text, the head, and the graph around the capsule. The graph has the capsules that this one builds on and that build on it, each with its digest and whether its text matches. Without a cursor the bytes are those of the lineage file. Addresses are root-relative; signatures are empty if no signing key is configured. With "Accept: application/ld+json", the chain as PROV-JSONLD, unsigned, with absolute addresses.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: lineageFilePath('{capsule_id}'),
  pathParameters: CapsulePathParameters,
  queryParameters: GetLineageParameters,
  responses: [
    jsonResponse('The lineage.', Lineage),
    {
      status: 200,
      description: 'The chain of versions as PROV.',
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
    const lineage = await readLineageDocument({ id: path.capsule_id, cursor, hasCursors: true }, corpus);
    return lineage.ok ? ok({ kind: 'document', document: lineage.value, headers }) : lineage;
  },
});
