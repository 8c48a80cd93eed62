import { challengeBits, redeemChallenge, usedOnce } from '../gateway/agents/challenge.ts';
import { isKnownAgent } from '../gateway/agents/scopes.ts';
import type { KeyBindings } from '../gateway/idempotency/bind-idempotency-key.ts';
import { secondsUntil } from '../gateway/limits/consume-quota.ts';
import type { Allowance } from '../gateway/limits/token-bucket.ts';
import type { Quotas, SolvedChallengeUse, Standing } from '../gateway/ports.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import { SolvedChallenge } from '../schemas/agents/registration.ts';
import { LIMITS, QUOTAS, type QuotaName, RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './request-context.ts';
import { CHALLENGE_SOLUTION } from './route-headers.ts';

/** Limits and quotas that counted a request, for the headers of its response. */
export type LimitReport = Map<RateLimitName | QuotaName, Allowance>;

/**
 * Counts a request against one limit, in this isolate and, if it is allowed there, in the location, and reports the result. A location does
 * not say how many requests remain: after its refusal the caller waits for a whole window.
 */
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
  if (allowance.allowed) return ok(undefined);
  return refuse('rate_limited', `The limit "${name}" of ${requests} requests in ${windowSeconds} seconds for each ${per} is reached.`, {
    retryAfterSeconds: Math.max(1, allowance.resetSeconds),
  });
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitHeaders(report: LimitReport): [string, string][] {
  if (report.size === 0) return [];
  const policies = { ...RATE_LIMITS, ...QUOTAS };
  const entries = [...report];
  return [
    ['RateLimit-Policy', entries.map(([name]) => `"${name}";q=${policies[name].requests};w=${policies[name].windowSeconds}`).join(', ')],
    ['RateLimit', entries.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', ')],
  ];
}

/** Leading zero bits that solutions of a network currently need. */
export function bitsForNetwork(network: string, { limiters, clock }: Pick<GatewayDependencies, 'limiters' | 'clock'>): number {
  if (limiters === undefined) return LIMITS.challengeBitsMin;
  return challengeBits(limiters.register_solved.remaining(network, clock.nowMs()));
}

/** The quotas, with every use reported. */
export function reportedQuotas(quotas: Quotas, report: LimitReport): Quotas {
  return {
    take: async (name, subject, nowMs, standing) => {
      const taken = await quotas.take(name, subject, nowMs, standing);
      const { allowed, remaining, endsAtMs, refusedBy } = taken;
      // What remains of the caller's quota does not explain a refusal by a budget.
      if (allowed || refusedBy === 'quota') report.set(name, { allowed, remaining, resetSeconds: secondsUntil(endsAtMs, nowMs) });
      return taken;
    },
  };
}

/** The quotas of one request, reported in its response and taken with its caller's standing. An invalid solution counts only if one is required. */
export function requestQuotas(quotas: Quotas, context: RequestContext, deps: GatewayDependencies): Quotas {
  const reported = reportedQuotas(quotas, context.limits);
  const { caller } = context;
  const isKnown = caller !== undefined && isKnownAgent(caller.key, caller.scopes);
  return {
    take: async (name, subject, nowMs, own) => {
      const solved = await redeemChallengeOf(context, deps, nowMs);
      const standing: Standing = { isKnown, solvedChallenge: solved?.ok ? solved.value : undefined, ...own };
      const taken = await reported.take(name, subject, nowMs, standing);
      return solved?.ok === false && taken.refusedBy === 'challenge' ? { ...taken, challengeFault: solved.refusal.detail } : taken;
    },
  };
}

async function redeemChallengeOf(
  { request, network, challengeSolution }: RequestContext,
  deps: GatewayDependencies,
  nowMs: number,
): Promise<Result<SolvedChallengeUse> | undefined> {
  const text = challengeSolution ?? request.headers.get(CHALLENGE_SOLUTION.name);
  if (text === null || 'missing' in deps.secrets) return undefined;
  const at = text.indexOf('.');
  const sent = SolvedChallenge.safeParse({ token: text.slice(0, at).trim(), solution: text.slice(at + 1).trim() });
  // A malformed solution counts as one of a challenge that was never issued.
  const challenge = sent.success ? sent.data : { token: '', solution: '' };
  const bits = Math.max(LIMITS.budgetChallengeBits, bitsForNetwork(network, deps));
  const agent = await redeemChallenge(challenge, bits, deps.secrets, nowMs);
  return agent.ok ? ok(usedOnce(agent.value)) : agent;
}

/**
 * Idempotency-key bindings of refused requests. Each binding stores a row, so it uses a quota; once that is used up, the key stays free.
 */
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
