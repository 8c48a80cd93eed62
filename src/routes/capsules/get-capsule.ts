import * as z from 'zod';
import { readCapsule } from '../../gateway/capsules/read-capsule.ts';
import { ok } from '../../gateway/result.ts';
import { Capsule } from '../../schemas/capsule.ts';
import { capsuleApiPath, capsuleFilePath, capsuleVersionPath } from '../../schemas/paths.ts';
import { Id, Version } from '../../schemas/primitives.ts';
import { defineRoute } from '../define-route.ts';

/** Path parameter of the routes of one capsule. */
export const CapsulePathParameters = z.object({ capsule_id: Id.describe('Id of the capsule.') });
export type CapsulePathParameters = z.infer<typeof CapsulePathParameters>;

const GetCapsuleParameters = z.strictObject({ version: Version.optional().describe('Version wanted; the current one without it.') });
type GetCapsuleParameters = z.infer<typeof GetCapsuleParameters>;

export const getCapsuleRoute = defineRoute<CapsulePathParameters, GetCapsuleParameters>({
  id: 'getCapsule',
  method: 'GET',
  path: capsuleApiPath('{capsule_id}'),
  summary: 'Read one capsule',
  description:
    'Metadata, text, sources and digest of a capsule. With "Accept: text/markdown" the exact bytes of the text that content_sha256 names. Superseded and retracted capsules answer too, with their state and the reason.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: capsuleFilePath('{capsule_id}'),
  pathParameters: CapsulePathParameters,
  queryParameters: GetCapsuleParameters,
  answers: [
    { status: 200, description: 'The capsule.', content: { type: 'application/json', schema: Capsule } },
    { status: 200, description: 'The text alone.', content: { type: 'text/markdown', schema: z.string() } },
  ],
  errors: ['capsule_not_found', 'not_acceptable', 'index_unavailable'],
  rateLimit: 'network',
  cache: 60,
  handle: async ({ path, query, preferredType }, { corpus, deployment }) => {
    const result = await readCapsule(path.capsule_id, query.version, corpus, deployment.baseUrl);
    if (!result.ok) return result;
    const { capsule_id, version, markdown } = result.value;
    const headers = { Vary: 'Accept' };
    if (preferredType !== 'text/markdown') return ok({ kind: 'json', status: 200, value: result.value, headers });
    return ok({
      kind: 'text',
      contentType: 'text/markdown; charset=utf-8',
      body: markdown,
      headers: { ...headers, 'Content-Location': capsuleVersionPath(capsule_id, version) },
    });
  },
});
