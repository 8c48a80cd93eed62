import { registerAgent } from '../../gateway/agents/register-agent.ts';
import { ANYBODY } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { refuse } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { bitsForNetwork } from '../../http/rate-limits.ts';
import { Registration, RegistrationRequest } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const registerAgentRoute = defineRoute<undefined, undefined, RegistrationRequest>({
  id: 'registerAgent',
  method: 'POST',
  path: `${PATHS.gateway}/register`,
  summary: 'Register an agent and get an API key',
  description:
    'Issues a key that works immediately, everywhere. The key appears in this response only and is not stored. The same request with the same Idempotency-Key returns the same key for 24 hours, so you can retry after a lost response. A solved challenge is required to request the scope submit where it is granted on request, and lets a registration through after its network has used up its limit. Unknown members are ignored.',
  capability: 'agents',
  access: 'open',
  edge: true,
  headers: [
    {
      name: 'Idempotency-Key',
      description: 'Random text that makes a retry safe. Whoever knows it and the body can get the same key again.',
      minLength: LIMITS.idempotencyKeyMinLength,
      maxLength: LIMITS.idempotencyKeyMaxLength,
    },
  ],
  keyScope: () => ({ caller: ANYBODY, endpoint: 'registerAgent' }),
  body: RegistrationRequest,
  responses: [jsonResponse('The agent is registered.', Registration, 201)],
  errors: ['challenge_invalid', 'challenge_required', 'idempotency_conflict', 'quota_exceeded', 'not_configured', 'state_unavailable'],
  rateLimit: 'register',
  handlesOverLimit: true,
  cache: 'no-store',
  handle: async ({ body, idempotencyKey, network, overLimit, takeRateLimit, bindKey, defer }, deps) => {
    const { deployment, clock, randomness, secrets, claims, quotas, registry } = deps;
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    return jsonOutcome(
      await registerAgent(body, idempotencyKey, {
        baseUrl: deployment.baseUrl,
        keyPrefix: deployment.keyPrefix,
        intake: deployment.intake,
        clock,
        randomness,
        secrets,
        claims,
        quotas,
        registry,
        network,
        challengeBits: bitsForNetwork(network, deps),
        overLimit: overLimit && { refusal: overLimit, takeSolved: () => takeRateLimit('register_solved') },
        bindKey,
        defer,
      }),
      201,
    );
  },
});
