import * as z from 'zod';
import { issueChallenge } from '../../gateway/agents/challenge.ts';
import { registerAgent } from '../../gateway/agents/register-agent.ts';
import { ANYBODY } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { bitsForNetwork } from '../../http/rate-limits.ts';
import { idempotencyKey } from '../../http/route-headers.ts';
import { unknownMembers } from '../../http/validate-input.ts';
import { Challenge, Registration, RegistrationRequest, scopesOf } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const registerAgentRoute = defineRoute({
  id: 'registerAgent',
  method: 'POST',
  path: `${PATHS.gateway}/register`,
  summary: 'Register an agent and get an API key',
  description:
    'Issues a key that works immediately, everywhere. The key appears in this response only and is not stored. The same request with the same Idempotency-Key returns the same key for 24 hours, so you can retry after a lost response. A solved challenge is required for scopes that capabilities describe so, and lets a registration through after its network has used up its limit. Unknown members, and a type or credential type that is not supported, are ignored, and the response names them.',
  capability: 'agents',
  access: 'open',
  headers: [idempotencyKey('Random text that makes a retry safe. Anyone who knows it and the body can get the same key again.')],
  keyScope: () => ({ caller: ANYBODY, endpoint: 'registerAgent' }),
  body: RegistrationRequest,
  bodyOf: (features) => RegistrationRequest.extend({ scopes: scopesOf(features).optional() }),
  responses: [jsonResponse('The agent is registered.', Registration, 201)],
  needs: ['secrets'],
  errors: ['challenge_invalid', 'challenge_required', 'idempotency_conflict', 'quota_exceeded', 'state_unavailable'],
  rateLimit: 'register',
  handlesOverLimit: true,
  handle: async ({ body, sentBody, idempotencyKey: key, network, overLimit, takeRateLimit, bindKey, defer }, deps) => {
    const { deployment, features, clock, randomness, secrets, claims, quotas, registry } = deps;
    return jsonOutcome(
      withIgnored(
        sentBody,
        await registerAgent(body, key, {
          baseUrl: deployment.baseUrl,
          keyPrefix: deployment.keyPrefix,
          intake: deployment.intake,
          features,
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
      ),
      201,
    );
  },
});

/** The one value of members of a registration that choose among kinds of credentials, at services that have several. */
const ONLY_SUPPORTED: ReadonlyMap<string, string> = new Map([
  ['type', 'anonymous'],
  ['requested_credential_type', 'api_key'],
]);

/** A registration that names the members of its request that were ignored: unknown ones, and wishes for another kind of credential. */
function withIgnored(sentBody: unknown, registered: Result<Registration>): Result<Registration> {
  const wishes = Object.entries(sentBody ?? {}).flatMap(([name, value]) => {
    const supported = ONLY_SUPPORTED.get(name);
    return supported === undefined || value === supported ? [] : [{ pointer: `/${name}`, didYouMean: supported }];
  });
  const ignored = [...unknownMembers(RegistrationRequest, sentBody), ...wishes];
  if (!registered.ok || ignored.length === 0) return registered;
  const listed = ignored.map(({ pointer, didYouMean }) => ({
    pointer,
    ...(typeof didYouMean === 'string' ? { did_you_mean: didYouMean } : {}),
  }));
  return ok({ ...registered.value, ignored: listed });
}

const ChallengeParameters = z.looseObject({
  difficulty_bits: z
    .string()
    .regex(/^\d{2}$/)
    .refine((text) => Number(text) >= LIMITS.challengeBitsMin && Number(text) <= LIMITS.challengeBitsMax, {
      message: `must be a whole number from ${LIMITS.challengeBitsMin} to ${LIMITS.challengeBitsMax}`,
    })
    .optional()
    .describe(`Leading zero bits, if you need more than your network has to find; a budget requires ${LIMITS.budgetChallengeBits}.`),
});

export const getChallengeRoute = defineRoute({
  id: 'getChallenge',
  method: 'GET',
  path: `${PATHS.gateway}/challenge`,
  summary: 'Get a challenge',
  description:
    'A solved challenge lets a registration through after its network has used up its limit, is required for some scopes, and admits a request that stores something after callers together have used much of a budget. Find a solution so that the SHA-256 of the token, a full stop and the solution begins with enough zero bits, and send both as "challenge" in the registration. Nothing is stored: a token leads to one agent, however often it is sent. The more a network registers beyond its limit, the harder its challenges become.',
  capability: 'agents',
  access: 'open',
  responses: [jsonResponse('A challenge.', Challenge)],
  queryParameters: ChallengeParameters,
  needs: ['secrets'],
  rateLimit: 'network',
  handle: async ({ network, query }, deps) => {
    const { secrets, clock, randomness } = deps;
    const bits = Math.max(bitsForNetwork(network, deps), Number(query.difficulty_bits ?? 0));
    const challenge = await issueChallenge(bits, secrets, clock.nowMs(), randomness);
    return ok({ kind: 'json', status: 200, value: challenge });
  },
});
