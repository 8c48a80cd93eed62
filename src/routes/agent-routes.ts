import * as z from 'zod';
import { agentIdOf } from '../gateway/agents/api-key.ts';
import { replayRotation, revokeKeys, rotateKey, rotationKeyScope } from '../gateway/agents/change-keys.ts';
import { issueChallenge } from '../gateway/agents/proof-of-work.ts';
import { registerAgent } from '../gateway/agents/register-agent.ts';
import { readKey } from '../gateway/agents/scopes.ts';
import { describePasses } from '../gateway/commerce/cart/access-passes.ts';
import { entityTag } from '../gateway/digests-and-base62.ts';
import { ANYBODY } from '../gateway/idempotency/bind-idempotency-key.ts';
import { layerInForce } from '../gateway/limits/quotas.ts';
import { remembered } from '../gateway/memory-caches.ts';
import { ok, type Result } from '../gateway/result.ts';
import {
  CHALLENGE_SOLUTION,
  callerOf,
  defineRoute,
  documentRoute,
  idempotencyKey,
  jsonOutcome,
  jsonResponse,
  type Route,
} from '../http/define-route.ts';
import type { PublishedDocument } from '../http/gateway-dependencies.ts';
import { bitsForNetwork } from '../http/rate-limits.ts';
import { ignoredMembers } from '../http/validate-input.ts';
import {
  KeyDetails,
  type PublishedBudget,
  Registration,
  RegistrationRequest,
  RevokedKeys,
  RevokeRequest,
  RotatedKey,
  RotateRequest,
} from '../schemas/agents.ts';
import { Challenge, scopesOf } from '../schemas/api-keys.ts';
import { Capabilities } from '../schemas/capabilities.ts';
import { LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { fromDigits } from '../schemas/primitives.ts';

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
  errors: ['challenge_invalid', 'challenge_required', 'idempotency_conflict', 'quota_exceeded', 'not_configured', 'state_unavailable'],
  rateLimit: 'register',
  handlesOverLimit: true,
  handle: async ({ body, sentBody, idempotencyKey, network, overLimit: refusal, takeRateLimit, bindKey, defer }, deps) => {
    const registered = await registerAgent(body, idempotencyKey, {
      ...deps,
      ...deps.deployment,
      network,
      bindKey,
      defer,
      challengeBits: bitsForNetwork(network, deps),
      overLimit: refusal && { refusal, takeSolved: () => takeRateLimit('register_solved') },
    });
    return jsonOutcome(withIgnored(sentBody, registered), 201);
  },
});

/** The one value of members of a registration that choose among kinds of credentials, at services that have several. */
const ONLY_SUPPORTED: ReadonlyMap<string, string> = new Map([
  ['type', 'anonymous'],
  ['requested_credential_type', 'api_key'],
]);

/** A registration that names the members of its request that were ignored: unknown ones, and wishes for another kind of credential. */
function withIgnored(sentBody: unknown, registered: Result<Registration>): Result<Registration> {
  if (!registered.ok) return registered;
  const wishes = Object.entries(sentBody ?? {}).flatMap(([name, value]) => {
    const supported = ONLY_SUPPORTED.get(name);
    return supported === undefined || value === supported ? [] : [{ pointer: `/${name}`, did_you_mean: supported }];
  });
  const ignored = [...ignoredMembers(RegistrationRequest, sentBody, 'body'), ...wishes];
  return ignored.length > 0 ? ok({ ...registered.value, ignored }) : registered;
}

const DIFFICULTY = `must be a whole number from ${LIMITS.challengeBitsMin} to ${LIMITS.challengeBitsMax}, such as ${LIMITS.budgetChallengeBits}`;

const ChallengeParameters = z.strictObject({
  difficulty_bits: fromDigits(z.int(DIFFICULTY).min(LIMITS.challengeBitsMin, DIFFICULTY).max(LIMITS.challengeBitsMax, DIFFICULTY))
    .optional()
    .describe(`Leading zero bits, if you need more than your network has to find; a budget requires ${LIMITS.budgetChallengeBits}.`),
});

export const getChallengeRoute = defineRoute({
  id: 'getChallenge',
  path: `${PATHS.gateway}/challenge`,
  summary: 'Get a challenge',
  description:
    'A solved challenge admits a registration beyond the limit of its network, is required for some scopes, and admits a request that stores something after callers together have used much of a budget. Find a solution so that the SHA-256 of the token, a full stop and the solution begins with enough zero bits, and send both as "challenge" in the registration. Nothing is stored: a token leads to one agent, however often it is sent. The more a network registers beyond its limit, the harder its challenges become.',
  capability: 'agents',
  access: 'open',
  responses: [jsonResponse('A challenge.', Challenge)],
  queryParameters: ChallengeParameters,
  needs: ['secrets'],
  handle: async ({ network, query }, deps) => {
    const bits = Math.max(bitsForNetwork(network, deps), query.difficulty_bits ?? 0);
    return jsonOutcome(ok(await issueChallenge(bits, deps.secrets, deps.clock.nowMs(), deps.randomness)));
  },
});

export const getKeyRoute = defineRoute({
  id: 'getKey',
  path: `${PATHS.agentKeys}/self`,
  summary: "Check a key's permissions",
  description:
    'The agent, its scopes and expiry, and its entry in the registry with the scopes that the publisher granted. The key itself is never returned.',
  capability: 'agents',
  access: 'key',
  responses: [jsonResponse('Details of the key.', KeyDetails)],
  rateLimit: 'keys',
  handle: async (input, deps) => {
    const { key } = callerOf(input);
    const { orders } = deps.commerce;
    const holder = { agent: agentIdOf(key.payload) };
    const held = deps.features.payments ? orders?.passes(holder, undefined, deps.clock.nowMs()).catch(() => undefined) : undefined;
    const [details, passes] = await Promise.all([readKey(key, deps, input.degrade), held]);
    return jsonOutcome(details.ok && passes ? ok({ ...details.value, passes: describePasses(passes) }) : details);
  },
});

export const rotateKeyRoute = defineRoute({
  id: 'rotateKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/rotate`,
  summary: 'Rotate a key',
  description: `Issues a new key for the same agent, with the same scopes or fewer. It works immediately, and for as many days as the current key was issued for; the current key works until the overlap ends. The same request with the same Idempotency-Key returns the same new key for ${LIMITS.idempotencyHours} hours, also after the current key has ended. Any other rotation of a replaced key is refused.`,
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
  handle: async (input, deps) => {
    const { baseUrl, keyPrefix, intake } = deps.deployment;
    const { network } = input;
    return jsonOutcome(await rotateKey(input.body, callerOf(input).key, input, { ...deps, baseUrl, keyPrefix, intake, network }), 201);
  },
});

export const revokeKeyRoute = defineRoute({
  id: 'revokeKey',
  method: 'POST',
  path: `${PATHS.agentKeys}/revoke`,
  summary: 'Revoke a key, or all keys of an agent',
  description: `Operations that change something refuse a revoked key at once, all others within ${LIMITS.revocationMaxSeconds} seconds. If the response is lost, send the request again: api_key_revoked means that the revocation is stored.`,
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

export const getCapabilitiesRoute = documentRoute('capabilities', {
  id: 'getCapabilities',
  path: `${PATHS.gateway}/capabilities`,
  staticPath: `${PATHS.data}/capabilities.json`,
  summary: 'Get capabilities',
  description: 'Operations, limits, authentication, scopes, active protocols and corpus statistics.',
  capability: 'agents',
  schema: Capabilities,
  cache: 60,
  atRunTime: async (built, { location, budgets }) => capabilitiesInForce(built, location?.enforced ?? new Set(), await budgets.read()),
});

/** By the built document and what is added to it; each is made once per isolate. */
const adapted = new WeakMap<PublishedDocument, Map<string, Promise<PublishedDocument>>>();

/** The capabilities document with what the build cannot know: limits that the location counts, and levels of budgets. */
export function capabilitiesInForce(
  built: PublishedDocument,
  located: ReadonlySet<RateLimitName>,
  budgets: readonly PublishedBudget[],
): Promise<PublishedDocument> {
  if (located.size === 0 && budgets.every(({ level }) => level === 'unknown')) return Promise.resolve(built);
  const known = remembered(adapted, built, () => new Map<string, Promise<PublishedDocument>>());
  const key = [...[...located].sort(), ...budgets.map(({ level }) => level)].join();
  return remembered(known, key, async () => {
    const document = JSON.parse(built.body) as Capabilities;
    const rate_limits = layerInForce(document.rate_limits, located);
    const body = JSON.stringify({ ...document, rate_limits, budgets: document.budgets.length === 0 ? [] : budgets });
    return { contentType: built.contentType, body, etag: await entityTag(body) };
  });
}

export function routes(): readonly Route[] {
  return [getCapabilitiesRoute, registerAgentRoute, getChallengeRoute, getKeyRoute, rotateKeyRoute, revokeKeyRoute];
}
