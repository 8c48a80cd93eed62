import { runUpkeep } from '../gateway/upkeep/run-upkeep.ts';
import { d1Upkeep } from '../platform/d1/upkeep.ts';
import { COUNTED_LIMITS_HEADER, LOCATION_LIMITS } from '../platform/location-limiter.ts';
import type { RateLimitName } from '../schemas/limits.ts';

/** Bindings, as wrangler.toml beside this file gives them. */
interface CompanionEnvironment {
  readonly STATE?: D1Database;
  readonly LIMIT_QUERY?: RateLimit;
  readonly LIMIT_NETWORK?: RateLimit;
}

/**
 * A small Worker beside the Pages project, which lacks two things that a Worker has: rate limits of the platform and a schedule.
 * It has no address; only the project reaches it, by a service binding.
 */
export default {
  /** `POST /limits/<name>` with the caller as body counts one request: 204 if it is within the limit, 429 if not. */
  fetch: async (request, environment) => {
    const limiters = limitersOf(environment);
    const [, name] = /^\/limits\/([a-z_]+)$/.exec(new URL(request.url).pathname) ?? [];
    const limiter = limiters.get(name as RateLimitName);
    const caller = await request.text();
    if (request.method !== 'POST' || limiter === undefined) return new Response(null, { status: 404 });
    const { success } = await limiter.limit({ key: caller });
    return new Response(null, { status: success ? 204 : 429, headers: { [COUNTED_LIMITS_HEADER]: [...limiters.keys()].join(', ') } });
  },
  /** Does what is due. Runs of the schedule may be late, missing or doubled; each piece of work bears that. */
  scheduled: async ({ scheduledTime }, { STATE }) => {
    if (STATE === undefined) return;
    const report = await runUpkeep(d1Upkeep(STATE), scheduledTime);
    console.log(JSON.stringify({ level: 'info', upkeep: report }));
  },
} satisfies ExportedHandler<CompanionEnvironment>;

/** Limits that are bound, by name. */
function limitersOf({ LIMIT_QUERY, LIMIT_NETWORK }: CompanionEnvironment): ReadonlyMap<RateLimitName, RateLimit> {
  const bound: Partial<Record<RateLimitName, RateLimit | undefined>> = { query: LIMIT_QUERY, network: LIMIT_NETWORK };
  return new Map(
    LOCATION_LIMITS.flatMap((name) => {
      const limiter = bound[name];
      return limiter === undefined ? [] : [[name, limiter] as const];
    }),
  );
}
