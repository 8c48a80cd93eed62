import type { Capabilities } from '../../schemas/capabilities.ts';
import type { RateLimitName } from '../../schemas/limits.ts';

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
