import * as z from 'zod';
import { relatedCapsules } from '../../gateway/knowledge/related-capsules.ts';
import { ok } from '../../gateway/result.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import { RelatedResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { defineRoute } from '../../http/define-route.ts';
import { CapsulePathParameters } from './get-capsule.ts';

/** None is taken: what is near is found at build, and there is nothing to choose. */
const GetRelatedParameters = z.strictObject({});
type GetRelatedParameters = z.infer<typeof GetRelatedParameters>;

export const getRelatedRoute = defineRoute<CapsulePathParameters, GetRelatedParameters>({
  id: 'getRelatedCapsules',
  method: 'GET',
  path: relatedApiPath('{capsule_id}'),
  summary: 'List the capsules near to one',
  description:
    'Short descriptions of the capsules whose words are nearest to those of a capsule, nearest first, with a similarity. The lineage says which capsules rest on each other; this says which are about the same things, whether or not they refer to each other.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: true,
  pathParameters: CapsulePathParameters,
  queryParameters: GetRelatedParameters,
  responses: [{ status: 200, description: 'The capsules near to it.', content: { type: 'application/json', schema: RelatedResponse } }],
  errors: ['capsule_not_found', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path, degrade }, { corpus, deployment }) => {
    const result = await relatedCapsules(path.capsule_id, corpus, deployment.baseUrl, () => degrade('index'));
    return result.ok ? ok({ kind: 'json', status: 200, value: result.value }) : result;
  },
});
