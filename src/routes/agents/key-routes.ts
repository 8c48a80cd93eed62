import { readKey } from '../../gateway/agents/key-status.ts';
import { revokeKeys } from '../../gateway/agents/revoke-keys.ts';
import { replayRotation, rotateKey, rotationKeyScope } from '../../gateway/agents/rotate-key.ts';
import { callerOf, defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION, idempotencyKey } from '../../http/route-headers.ts';
import { KeyDetails, RevokedKeys, RevokeRequest, RotatedKey, RotateRequest } from '../../schemas/agents/agent-keys.ts';
import { scopesOf } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const getKeyRoute = defineRoute({
  id: 'getKey',
  method: 'GET',
  path: `${PATHS.agentKeys}/self`,
  summary: "Check a key's permissions",
  description:
    'The agent, its scopes and expiry, and its entry in the registry with the scopes that the publisher granted. The key itself is never returned.',
  capability: 'agents',
  access: 'key',
  responses: [jsonResponse('Details of the key.', KeyDetails)],
  rateLimit: 'keys',
  handle: async (input, deps) => jsonOutcome(await readKey(callerOf(input).key, deps, input.degrade)),
});

export const rotateKeyRoute = defineRoute({
  id: 'rotateKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/rotate`,
  summary: 'Rotate a key',
  description: `Issues a new key for the same agent, with the same scopes or fewer. It works immediately and for ${LIMITS.keyTtlDays} days; the current key works until the overlap ends. The same request with the same Idempotency-Key returns the same new key for ${LIMITS.idempotencyHours} hours, also after the current key has ended. Any other rotation of a replaced key is refused.`,
  capability: 'agents',
  access: 'key',
  headers: [CHALLENGE_SOLUTION, idempotencyKey('Random text that makes a retry after a lost response safe.')],
  keyScope: (input) => rotationKeyScope(callerOf(input).key),
  body: RotateRequest,
  bodyOf: (features) => RotateRequest.extend({ scopes: scopesOf(features).min(1).optional() }),
  bodyOptional: true,
  responses: [jsonResponse('The new key.', RotatedKey, 201)],
  errors: ['insufficient_scope', 'api_key_replaced', 'idempotency_conflict', 'quota_exceeded'],
  replay: async (input, key, { deployment: { baseUrl, keyPrefix }, secrets, ...deps }) => {
    if ('missing' in secrets) return undefined;
    const replayed = await replayRotation(key, input, { ...deps, baseUrl, keyPrefix, secrets });
    return replayed && jsonOutcome(replayed, 201);
  },
  rateLimit: 'keys',
  needs: ['secrets', 'agents', 'quotas'],
  handle: async (input, { deployment, secrets, ...deps }) => {
    const { baseUrl, keyPrefix, intake } = deployment;
    return jsonOutcome(
      await rotateKey(input.body, callerOf(input).key, input, { ...deps, baseUrl, keyPrefix, intake, secrets, network: input.network }),
      201,
    );
  },
});

export const revokeKeyRoute = defineRoute({
  id: 'revokeKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/revoke`,
  summary: 'Revoke a key, or all keys of an agent',
  description: `Operations that change something refuse a revoked key at once, all others within ${LIMITS.revocationMaxSeconds} seconds, in every location that reaches the database. If the response is lost, send the request again: api_key_revoked means that the revocation is stored.`,
  capability: 'agents',
  access: 'key',
  headers: [CHALLENGE_SOLUTION],
  body: RevokeRequest,
  bodyOptional: true,
  responses: [jsonResponse('The revoked keys.', RevokedKeys)],
  errors: ['quota_exceeded'],
  rateLimit: 'revoke',
  needs: ['agents', 'quotas'],
  handle: async (input, deps) => jsonOutcome(await revokeKeys(input.body, callerOf(input).key, { ...deps, network: input.network })),
});
