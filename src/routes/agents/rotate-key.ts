import { rotateKey, rotationKeyScope } from '../../gateway/agents/rotate-key.ts';
import { refuse } from '../../gateway/result.ts';
import { callerOf, defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';
import { RotatedKey, RotateRequest } from '../../schemas/agents/agent-keys.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const rotateKeyRoute = defineRoute<undefined, undefined, RotateRequest>({
  id: 'rotateKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/rotate`,
  summary: 'Rotate a key',
  description: `Issues a new key for the same agent, with the same scopes or fewer. It works immediately and for ${LIMITS.keyTtlDays} days; the current key works until the overlap ends. The same request with the same Idempotency-Key returns the same new key while the current key works. Any other rotation of a replaced key is refused.`,
  capability: 'agents',
  access: 'key',
  edge: true,
  headers: [
    CHALLENGE_SOLUTION,
    {
      name: 'Idempotency-Key',
      description: 'Random text that makes a retry after a lost response safe.',
      minLength: LIMITS.idempotencyKeyMinLength,
      maxLength: LIMITS.idempotencyKeyMaxLength,
    },
  ],
  keyScope: (input) => rotationKeyScope(callerOf(input).key),
  body: RotateRequest,
  bodyOptional: true,
  responses: [jsonResponse('The new key.', RotatedKey, 201)],
  errors: ['insufficient_scope', 'api_key_replaced', 'idempotency_conflict', 'quota_exceeded'],
  rateLimit: 'keys',
  cache: 'no-store',
  handle: async (input, { deployment, secrets, ...deps }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const { baseUrl, keyPrefix } = deployment;
    return jsonOutcome(
      await rotateKey(input.body, callerOf(input).key, input, {
        ...deps,
        baseUrl,
        keyPrefix,
        secrets,
        network: input.network,
      }),
      201,
    );
  },
});
