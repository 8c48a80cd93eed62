import type { Clock, LocationLimiter, Timers } from '../gateway/ports.ts';
import { RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { withinDeadline } from './deadline.ts';

/** Header in which the companion names the limits that it counts. */
export const COUNTED_LIMITS_HEADER = 'Counted-Limits';

/** Windows that the rate limits of the platform can have, in seconds (developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit). */
const PLATFORM_WINDOWS: readonly number[] = [10, 60];

/** Limits that a location can count: those with a window of the platform. */
export const LOCATION_LIMITS: readonly RateLimitName[] = (Object.keys(RATE_LIMITS) as RateLimitName[]).filter((name) =>
  PLATFORM_WINDOWS.includes(RATE_LIMITS[name].windowSeconds),
);

/** Longest time that a request waits for the companion, in milliseconds. */
const ASK_DEADLINE_MS = 250;

/** How long a companion that failed is not asked again, in milliseconds, so that a slow one does not slow down every request. */
const REST_MS = 10_000;

/**
 * Limits that the companion counts with the rate limits of the platform: over all isolates of a location, approximately. While it
 * does not answer, or not in time, the count of the isolate is the only one.
 */
export function locationLimiter(companion: Fetcher, clock: Clock, timers: Timers): LocationLimiter {
  let enforced: ReadonlySet<RateLimitName> = new Set();
  let restsUntilMs = 0;
  return {
    get enforced() {
      return enforced;
    },
    admits: async (name, caller) => {
      if (!LOCATION_LIMITS.includes(name) || clock.nowMs() < restsUntilMs) return true;
      try {
        const response = await withinDeadline(
          () => companion.fetch(`https://companion/limits/${name}`, { method: 'POST', body: caller }),
          ASK_DEADLINE_MS,
          'the companion',
          timers,
        );
        if (response.status !== 204 && response.status !== 429) throw new Error(`the companion answered ${response.status}`);
        const counted = (response.headers.get(COUNTED_LIMITS_HEADER) ?? '').split(', ');
        enforced = new Set(LOCATION_LIMITS.filter((limit) => counted.includes(limit)));
        return response.status === 204;
      } catch {
        enforced = new Set();
        restsUntilMs = clock.nowMs() + REST_MS;
        return true;
      }
    },
  };
}
