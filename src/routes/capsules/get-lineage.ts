import * as z from 'zod';
import { readLineage } from '../../gateway/capsules/read-capsule.ts';
import { ok } from '../../gateway/result.ts';
import { Lineage } from '../../schemas/lineage.ts';
import { lineageApiPath, lineageFilePath } from '../../schemas/paths.ts';
import { defineRoute } from '../define-route.ts';
import { CapsulePathParameters } from './get-capsule.ts';

/** None is taken: a lineage has all versions, so a `?version=` would be ignored. */
const GetLineageParameters = z.strictObject({});
type GetLineageParameters = z.infer<typeof GetLineageParameters>;

export const getLineageRoute = defineRoute<CapsulePathParameters, GetLineageParameters>({
  id: 'getCapsuleLineage',
  method: 'GET',
  path: lineageApiPath('{capsule_id}'),
  summary: 'Read the lineage of a capsule',
  description:
    'The chain of versions with the digest of each record and text, the sources, and the graph of capsules that this one rests on and that rest on it. The bytes are those of the lineage file. Addresses are root-relative; signatures are empty while no signing key is configured.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: lineageFilePath('{capsule_id}'),
  pathParameters: CapsulePathParameters,
  queryParameters: GetLineageParameters,
  answers: [{ status: 200, description: 'The lineage.', content: { type: 'application/json', schema: Lineage } }],
  errors: ['capsule_not_found', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path }, { corpus }) => {
    const result = await readLineage(path.capsule_id, corpus);
    return result.ok ? ok({ kind: 'text', contentType: 'application/json', body: result.value }) : result;
  },
});
