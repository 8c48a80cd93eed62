import * as z from 'zod';
import { relatedCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { RelatedResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import { CapsulePathParameters } from './get-capsule.ts';

/** There are no parameters: related capsules are found at build. */
const GetRelatedParameters = z.strictObject({});
type GetRelatedParameters = z.infer<typeof GetRelatedParameters>;

export const getRelatedRoute = defineRoute<CapsulePathParameters, GetRelatedParameters>({
  id: 'getRelatedCapsules',
  method: 'GET',
  path: relatedApiPath('{capsule_id}'),
  summary: 'List related capsules',
  description:
    'Summaries of the capsules with the most similar text, most similar first, with a similarity score. The lineage shows which capsules build on each other; this shows which are about the same subject, whether or not they refer to each other.',
  capability: 'capsules',
  access: 'open',
  edge: true,
  pathParameters: CapsulePathParameters,
  queryParameters: GetRelatedParameters,
  responses: [jsonResponse('The related capsules.', RelatedResponse)],
  errors: ['capsule_not_found', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path, degrade }, { corpus, deployment }) =>
    jsonOutcome(await relatedCapsules(path.capsule_id, corpus, deployment.baseUrl, () => degrade('index'))),
});
