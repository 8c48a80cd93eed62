import type { Clock, LocationLimiter, Timers } from '../gateway/platform-ports.ts';
import { RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import { withinDeadline } from './clock-and-deadlines.ts';

export const COUNTED_LIMITS_HEADER = 'Counted-Limits';

/** Windows of the rate limiting binding, in seconds (developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit). */
const PLATFORM_WINDOWS: readonly number[] = [10, 60];

/** Limits that a location can count: those with a window of the binding. */
export const LOCATION_LIMITS: readonly RateLimitName[] = (Object.keys(RATE_LIMITS) as RateLimitName[]).filter((name) =>
  PLATFORM_WINDOWS.includes(RATE_LIMITS[name].windowSeconds),
);

const COMPANION_DEADLINE_MS = 250;

/** How long a failed companion is not called, in milliseconds, so that a slow one does not delay every request. */
const RETRY_AFTER_MS = 10_000;

/** Limits that the companion counts for a location, approximately. While it does not respond in time, only the isolate counts. */
export function locationLimiter(companion: Fetcher, clock: Clock, timers: Timers): LocationLimiter {
  let enforced: ReadonlySet<RateLimitName> = new Set();
  let retryAtMs = 0;
  return {
    get enforced() {
      return enforced;
    },
    admits: async (name, caller) => {
      if (!LOCATION_LIMITS.includes(name) || clock.nowMs() < retryAtMs) return true;
      try {
        const response = await withinDeadline(
          () => companion.fetch(`https://companion/limits/${name}`, { method: 'POST', body: caller }),
          COMPANION_DEADLINE_MS,
          'the companion',
          timers,
        );
        if (response.status !== 204 && response.status !== 429) throw new Error(`the companion returned ${response.status}`);
        const counted = (response.headers.get(COUNTED_LIMITS_HEADER) ?? '').split(', ');
        enforced = new Set(LOCATION_LIMITS.filter((limit) => counted.includes(limit)));
        return response.status === 204;
      } catch {
        enforced = new Set();
        retryAtMs = clock.nowMs() + RETRY_AFTER_MS;
        return true;
      }
    },
  };
}
