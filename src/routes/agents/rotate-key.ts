import { rotateKey, rotationKeyScope } from '../../gateway/agents/rotate-key.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { RotatedKey, RotateRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { callerOf, defineRoute } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';

export const rotateKeyRoute = defineRoute<undefined, undefined, RotateRequest>({
  id: 'rotateKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/rotate`,
  summary: 'Replace the key that is sent by a new one',
  description: `Issues a new key of the same agent, which works at once and for ${LIMITS.keyTtlDays} days, with the same scopes or fewer. The present key works for the overlap and then stops. With an Idempotency-Key the same request gets the same new key again while the present key works; any other rotation of a key that was replaced is refused.`,
  capability: 'agents',
  access: 'key',
  servedBy: 'function',
  edge: true,
  headers: [
    CHALLENGE_SOLUTION,
    {
      name: 'Idempotency-Key',
      description: 'Random text that makes a repetition safe: a lost answer can be asked for again.',
      minLength: LIMITS.idempotencyKeyMinLength,
      maxLength: LIMITS.idempotencyKeyMaxLength,
    },
  ],
  keyScope: (input) => rotationKeyScope(callerOf(input).key),
  body: RotateRequest,
  bodyOptional: true,
  responses: [{ status: 201, description: 'The new key.', content: { type: 'application/json', schema: RotatedKey } }],
  errors: ['insufficient_scope', 'api_key_replaced', 'idempotency_conflict', 'quota_exceeded'],
  rateLimit: 'keys',
  cache: 'no-store',
  handle: async (input, { deployment, secrets, ...deps }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const { baseUrl, keyPrefix } = deployment;
    const rotated = await rotateKey(input.body, callerOf(input).key, input, {
      ...deps,
      baseUrl,
      keyPrefix,
      secrets,
      network: input.network,
    });
    return rotated.ok ? ok({ kind: 'json', status: 201, value: rotated.value }) : rotated;
  },
});
