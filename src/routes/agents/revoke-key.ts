import { revokeKeys } from '../../gateway/agents/revoke-keys.ts';
import { callerOf, defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';
import { RevokedKeys, RevokeRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const revokeKeyRoute = defineRoute<undefined, undefined, RevokeRequest>({
  id: 'revokeKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/revoke`,
  summary: 'Revoke a key, or all keys of an agent',
  description: `Operations that change something refuse a revoked key at once, all others within ${LIMITS.revocationMaxSeconds} seconds, in every location that reaches the database. If the response is lost, send the request again: api_key_revoked means that the revocation is stored.`,
  capability: 'agents',
  access: 'key',
  edge: true,
  headers: [CHALLENGE_SOLUTION],
  body: RevokeRequest,
  bodyOptional: true,
  responses: [jsonResponse('The revoked keys.', RevokedKeys)],
  errors: ['quota_exceeded'],
  rateLimit: 'revoke',
  cache: 'no-store',
  handle: async (input, deps) => jsonOutcome(await revokeKeys(input.body, callerOf(input).key, { ...deps, network: input.network })),
});
