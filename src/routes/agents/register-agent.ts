import { registerAgent } from '../../gateway/agents/register-agent.ts';
import { ANYBODY } from '../../gateway/idempotency/bind-key.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { Registration, RegistrationRequest } from '../../schemas/agents/registration.ts';
import { defineRoute } from '../../http/define-route.ts';
import { bitsForNetwork } from '../../http/rate-limits.ts';

export const registerAgentRoute = defineRoute<undefined, undefined, RegistrationRequest>({
  id: 'registerAgent',
  method: 'POST',
  path: `${PATHS.gateway}/register`,
  summary: 'Register an agent and get an API key',
  description:
    'Issues a key that works at once, everywhere. The key is sent only here and is not stored. With an Idempotency-Key the same request gets the same key again for 24 hours, so a lost answer can be asked for again. A solved challenge is needed where the scope submit is asked for and given on request, and lets a registration through while its network has used up its limit. Members that are not listed are ignored.',
  capability: 'agents',
  access: 'open',
  servedBy: 'function',
  edge: true,
  headers: [
    {
      name: 'Idempotency-Key',
      description: 'Random text that makes a repetition safe; whoever knows it and the body can have the same key answered again.',
      minLength: LIMITS.idempotencyKeyMinLength,
      maxLength: LIMITS.idempotencyKeyMaxLength,
    },
  ],
  keyScope: () => ({ caller: ANYBODY, endpoint: 'registerAgent' }),
  body: RegistrationRequest,
  responses: [{ status: 201, description: 'The agent is registered.', content: { type: 'application/json', schema: Registration } }],
  errors: ['challenge_invalid', 'challenge_required', 'idempotency_conflict', 'quota_exceeded', 'not_configured', 'state_unavailable'],
  rateLimit: 'register',
  handlesOverLimit: true,
  cache: 'no-store',
  handle: async ({ body, idempotencyKey, network, overLimit, takeRateLimit, bindKey, defer }, deps) => {
    const { deployment, clock, randomness, secrets, claims, quotas, registry } = deps;
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const result = await registerAgent(body, idempotencyKey, {
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
    });
    return result.ok ? ok({ kind: 'json', status: 201, value: result.value }) : result;
  },
});
