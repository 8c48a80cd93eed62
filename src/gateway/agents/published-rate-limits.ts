import { QUOTAS, type QuotaName, RATE_LIMITS, type RateLimitName } from '../../schemas/limits.ts';

/**
 * Rate limits and quotas in the form in which they are published. Rate limits stand with the layer that is always there, the isolate;
 * quotas are always counted by the database.
 */
export function publishedRateLimits() {
  const limits = Object.entries(RATE_LIMITS).map(([name, { requests, windowSeconds, per }]) => ({
    name: name as RateLimitName,
    requests,
    window_seconds: windowSeconds,
    per,
    enforcement: 'isolate' as const,
  }));
  const quotas = Object.entries(QUOTAS).map(([name, { requests, windowSeconds, per }]) => ({
    name: name as QuotaName,
    requests,
    window_seconds: windowSeconds,
    per,
    enforcement: 'exact' as const,
  }));
  return [...limits, ...quotas];
}
