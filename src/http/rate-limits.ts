import { challengeBits } from '../gateway/agents/challenge.ts';
import type { Allowance } from '../gateway/limits/token-bucket.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import { LIMITS, QUOTAS, type QuotaName, RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';

/** What rate limits and quotas counted for one request, for the headers of its response. */
export type LimitReport = Map<RateLimitName | QuotaName, Allowance>;

/**
 * Counts a request against one limit and notes the result in `report`: in this isolate and, if the isolate allows it, in the location. A
 * location does not report what is left; a request that it refuses is to wait for a whole window.
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

/** `RateLimit-Policy` and `RateLimit` for what was counted (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitHeaders(report: LimitReport): [string, string][] {
  if (report.size === 0) return [];
  const policies = { ...RATE_LIMITS, ...QUOTAS };
  const entries = [...report];
  return [
    ['RateLimit-Policy', entries.map(([name]) => `"${name}";q=${policies[name].requests};w=${policies[name].windowSeconds}`).join(', ')],
    ['RateLimit', entries.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', ')],
  ];
}

/** Leading zero bits that a network's challenges have now. */
export function bitsForNetwork(network: string, { limiters, clock }: Pick<GatewayDependencies, 'limiters' | 'clock'>): number {
  if (limiters === undefined) return LIMITS.challengeBitsMin;
  return challengeBits(limiters.register_solved.remaining(network, clock.nowMs()));
}
