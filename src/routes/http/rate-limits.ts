import type { Allowance } from '../../gateway/limits/token-bucket.ts';
import { type Result, ok, refuse } from '../../gateway/result.ts';
import { RATE_LIMITS, type RateLimitName } from '../../schemas/limits.ts';
import type { GatewayDependencies } from '../define-route.ts';

/** What limiters said to one request, for its headers. */
export type LimitReport = Map<RateLimitName, Allowance>;

/** Counts a request against one limit and notes the outcome in `report`. */
export function takeAllowance(name: RateLimitName, caller: string, deps: GatewayDependencies, report: LimitReport): Result<undefined> {
  if (deps.limiters === undefined) return ok(undefined);
  const allowance = deps.limiters[name].take(caller, deps.clock.nowMs());
  report.set(name, allowance);
  if (allowance.allowed) return ok(undefined);
  const { requests, windowSeconds, per } = RATE_LIMITS[name];
  return refuse('rate_limited', `The limit "${name}" of ${requests} requests in ${windowSeconds} seconds for each ${per} is reached.`, {
    retryAfterSeconds: Math.max(1, allowance.resetSeconds),
  });
}

/** `RateLimit-Policy` and `RateLimit` for what was counted (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitHeaders(report: LimitReport): [string, string][] {
  if (report.size === 0) return [];
  const entries = [...report];
  return [
    [
      'RateLimit-Policy',
      entries.map(([name]) => `"${name}";q=${RATE_LIMITS[name].requests};w=${RATE_LIMITS[name].windowSeconds}`).join(', '),
    ],
    ['RateLimit', entries.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', ')],
  ];
}
