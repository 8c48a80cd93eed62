import type { VerifiedKey } from '../gateway/agents/api-key.ts';
import { challengeBits, redeemChallenge, usedOnce } from '../gateway/agents/proof-of-work.ts';
import { isKnownAgent } from '../gateway/agents/scopes.ts';
import { secondsUntil } from '../gateway/limits/quotas.ts';
import { type Allowance, networkOf, type Quota, type TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type { BudgetAccess, KeyBindings, Quotas, SignedRequest, SolvedChallengeUse } from '../gateway/platform-ports.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { toHex } from '../provenance/bytes-and-sha256.ts';
import { SolvedChallenge } from '../schemas/api-keys.ts';
import { LIMITS, QUOTAS, type QuotaName, RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { type Caller, CHALLENGE_SOLUTION, type Degradation, type RouteInput } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';

export interface RequestContext extends Pick<RouteInput<unknown, unknown, unknown>, 'network' | 'takeRateLimit' | 'defer'> {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  /** The id of a response that caches may give to others: never the one that a client chose. */
  readonly sharedId: string;
  readonly limits: LimitReport;
  readonly degraded: Set<Degradation>;
  challengeSolution?: string;
  /** The key, once its signature is verified. */
  key?: VerifiedKey | undefined;
  /** Set once the key is confirmed. */
  caller?: Caller;
  overLimit?: Refusal;
  /** Origin of the agent that signed the request, if it has a limit of its own. */
  agent?: string;
  signed?: SignedRequest | undefined;
  /** Whether another request asks for this one, whose 404 nobody sees. */
  readonly isSubrequest?: true;
}

export function requestContext(
  request: Request,
  deps: GatewayDependencies,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): RequestContext {
  const sharedId = toHex(deps.randomness.bytes(12));
  const sentId = request.headers.get('x-request-id') ?? '';
  const requestId = /^[A-Za-z0-9_-]{1,64}$/.test(sentId) ? sentId : sharedId;
  return ofRequest(request, deps, {
    requestId,
    sharedId,
    network: networkOf(request.headers.get('cf-connecting-ip') ?? undefined),
    limits: new Map(),
    degraded: new Set(),
    defer(work) {
      const logged = work.catch((error: unknown) => logError(error, requestId));
      waitUntil?.(logged);
    },
  });
}

export function subrequestContext(whole: RequestContext, request: Request, deps: GatewayDependencies): RequestContext {
  return ofRequest(request, deps, { ...whole, isSubrequest: true });
}

function ofRequest(
  request: Request,
  deps: GatewayDependencies,
  state: Omit<RequestContext, 'request' | 'url' | 'takeRateLimit'>,
): RequestContext {
  const takeRateLimit: RequestContext['takeRateLimit'] = (name) => takeAllowance(...countedFor(name, context), deps, context.limits);
  const context: RequestContext = { ...state, request, url: new URL(request.url), takeRateLimit };
  return context;
}

function countedFor(name: RateLimitName, { key, network, agent = network }: RequestContext): [RateLimitName, string] {
  const limit = name === 'query' && key?.payload.isRaised ? 'query_raised' : name;
  return [limit, RATE_LIMITS[limit].per === 'key' ? (key?.payload.agent ?? agent) : agent];
}

export function logError(error: unknown, requestId: string): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: 'error', request_id: requestId, reason }));
}

/** Limits that were counted, by name; `quota` of those that differ from agent to agent. */
export type LimitReport = Map<RateLimitName | QuotaName | 'signed_agent', Allowance & { readonly quota?: Quota }>;

/** Counts a request in this isolate and, if it is allowed there, in the location, after whose refusal the caller waits for a whole window. */
export async function takeAllowance(
  name: RateLimitName,
  caller: string,
  deps: GatewayDependencies,
  report: LimitReport,
): Promise<Result<undefined>> {
  if (deps.limiters === undefined) return ok(undefined);
  const { requests, windowSeconds, per } = RATE_LIMITS[name];
  const nowMs = deps.clock.nowMs();
  const counted = deps.limiters[name].take(caller, nowMs);
  const isFull = counted.allowed && deps.location !== undefined && !(await deps.location.admits(name, caller));
  const allowance = isFull ? { allowed: false, remaining: 0, resetSeconds: windowSeconds } : counted;
  report.set(name, allowance);
  return admitted(allowance, `"${name}" of ${requests} requests in ${windowSeconds} seconds for each ${per}`);
}

/** Counts a request of an agent that signs its requests against its own limit, which replaces that of its network. */
export function takeAgentAllowance(agent: string, buckets: TokenBuckets, nowMs: number, report: LimitReport): Result<undefined> {
  const { quota } = buckets;
  const allowance = buckets.take(agent, nowMs);
  report.set('signed_agent', { ...allowance, quota });
  return admitted(allowance, `of ${quota.requests} requests in ${quota.windowSeconds} seconds for ${agent}`);
}

function admitted({ allowed, resetSeconds }: Allowance, limit: string): Result<undefined> {
  if (allowed) return ok(undefined);
  return refuse('rate_limited', `The limit ${limit} is reached.`, { retryAfterSeconds: Math.max(1, resetSeconds) });
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitHeaders(report: LimitReport): [string, string][] {
  if (report.size === 0) return [];
  const policies: Readonly<Record<string, Quota>> = { ...RATE_LIMITS, ...QUOTAS };
  const entries = [...report];
  const policyOf = ([name, { quota = policies[name] }]: (typeof entries)[number]): string =>
    `"${name}";q=${quota?.requests};w=${quota?.windowSeconds}`;
  return [
    ['RateLimit-Policy', entries.map(policyOf).join(', ')],
    ['RateLimit', entries.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', ')],
  ];
}

export function bitsForNetwork(network: string, { limiters, clock }: Pick<GatewayDependencies, 'limiters' | 'clock'>): number {
  if (limiters === undefined) return LIMITS.challengeBitsMin;
  return challengeBits(limiters.register_solved.remaining(network, clock.nowMs()));
}

/** The quotas of one request, taken with the access of its caller and reported. An invalid solution counts only if one is required. */
export function requestQuotas(quotas: Quotas, context: RequestContext, deps: GatewayDependencies): Quotas {
  const { caller, limits } = context;
  const isKnown = caller !== undefined && isKnownAgent(caller.key, caller.scopes);
  return {
    take: async (name, subject, nowMs, own) => {
      const solved = await redeemSolution(context, deps, nowMs);
      const access: BudgetAccess = { isKnown, solvedChallenge: solved?.ok ? solved.value : undefined, ...own };
      const taken = await quotas.take(name, subject, nowMs, access);
      const { allowed, remaining, endsAtMs, refusedBy } = taken;
      // What remains of the caller's quota does not explain a refusal by a budget.
      if (allowed || refusedBy === 'quota') limits.set(name, { allowed, remaining, resetSeconds: secondsUntil(endsAtMs, nowMs) });
      return solved?.ok === false && refusedBy === 'challenge' ? { ...taken, challengeError: solved.refusal.detail } : taken;
    },
  };
}

async function redeemSolution(
  context: RequestContext,
  deps: GatewayDependencies,
  nowMs: number,
): Promise<Result<SolvedChallengeUse> | undefined> {
  const text = context.challengeSolution ?? context.request.headers.get(CHALLENGE_SOLUTION.name);
  if (text === null || 'missing' in deps.secrets) return undefined;
  const at = text.indexOf('.');
  const sent = SolvedChallenge.safeParse({ token: text.slice(0, at).trim(), solution: text.slice(at + 1).trim() });
  // A malformed solution counts as one of a challenge that was never issued.
  const challenge = sent.success ? sent.data : { token: '', solution: '' };
  const bits = Math.max(LIMITS.budgetChallengeBits, bitsForNetwork(context.network, deps));
  const agent = await redeemChallenge(challenge, bits, deps.secrets, nowMs);
  return agent.ok ? ok(usedOnce(agent.value)) : agent;
}

/** Bindings of refused requests. Each stores a row, so it uses a quota; once that is used up, the key stays free. */
export function boundedBindings(keys: KeyBindings, quotas: Quotas, network: string): KeyBindings {
  return {
    ...keys,
    bind: async (slot, bodySha256, nowMs, expiresAtMs) => {
      const bound = await keys.find(slot, nowMs);
      if (bound !== undefined) return bound;
      const { allowed } = await quotas.take('network_key_bindings', network, nowMs);
      return allowed ? keys.bind(slot, bodySha256, nowMs, expiresAtMs) : bodySha256;
    },
  };
}
