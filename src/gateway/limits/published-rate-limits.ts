import { type QuotaName, QUOTAS, RATE_LIMITS, type RateLimitName } from '../../schemas/limits.ts';
import type { Capabilities } from '../../schemas/capabilities.ts';

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

/**
 * Rate limits as the build published them, with the layer that counts each of them at present.
 *
 * @param located Limits that are counted for the whole location.
 */
export function layerInForce(published: Capabilities['rate_limits'], located: ReadonlySet<RateLimitName>): Capabilities['rate_limits'] {
  const names: ReadonlySet<string> = located;
  const policies = published.policies.map((policy) => (names.has(policy.name) ? { ...policy, enforcement: 'location' as const } : policy));
  return { enforcement: policies.some(({ enforcement }) => enforcement === 'location') ? 'location' : published.enforcement, policies };
}
