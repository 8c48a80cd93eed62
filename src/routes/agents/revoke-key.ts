import { revokeKeys } from '../../gateway/agents/revoke-keys.ts';
import { ok } from '../../gateway/result.ts';
import { RevokedKeys, RevokeRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { callerOf, defineRoute } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';

export const revokeKeyRoute = defineRoute<undefined, undefined, RevokeRequest>({
  id: 'revokeKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/revoke`,
  summary: 'Revoke the key that is sent, or all keys of its agent',
  description: `A revoked key is refused at once by operations that change something, and within ${LIMITS.revocationMaxSeconds} seconds by all others, in every location that reaches the database. If the answer was lost, send the request again: it is answered with api_key_revoked when the revocation was stored.`,
  capability: 'agents',
  access: 'key',
  servedBy: 'function',
  edge: true,
  headers: [CHALLENGE_SOLUTION],
  body: RevokeRequest,
  bodyOptional: true,
  responses: [{ status: 200, description: 'The keys are revoked.', content: { type: 'application/json', schema: RevokedKeys } }],
  errors: ['quota_exceeded'],
  rateLimit: 'revoke',
  cache: 'no-store',
  handle: async (input, deps) => {
    const revoked = await revokeKeys(input.body, callerOf(input).key, { ...deps, network: input.network });
    return revoked.ok ? ok({ kind: 'json', status: 200, value: revoked.value }) : revoked;
  },
});
