import { LruCache } from '../../src/gateway/memory-caches.ts';
import { BLOCK_CACHE_BYTES } from '../../src/platform/block-stores.ts';
import { below, type Random } from '../eval/random.ts';

export interface TracedBlock {
  readonly name: string;
  readonly bytes: number;
}

export type QueryTrace = readonly TracedBlock[];

export interface Reads {
  readonly blocks: number;
  readonly bytes: number;
}

/** How many locations of the platform a publication is asked from, by far the most from a few of them. */
const LOCATIONS = 200;

/** Requests a second that one isolate takes before the platform starts a second one. The platform names no figure. */
const ISOLATE_REQUESTS_A_SECOND = 100;

/** How long an isolate lives, in seconds: the platform ends idle ones early, and busy ones with its own updates. It names no figure. */
const ISOLATE_LIFE_SECONDS = 3_600;
const ISOLATE_IDLE_SECONDS = 60;

/** Requests of a life that are simulated; the others read as much as the second half of these, when the cache has settled. */
const SIMULATED_REQUESTS = 10_000;

/** One location in so many is simulated; its neighbours in rank behave alike. */
const LOCATION_STEP = 8;

export interface TrafficReads {
  /** Of blocks that the memory of an isolate lacks, from the cache of its location or from KV. */
  readonly ofIsolates: Reads;
  /** From KV, where each location keeps blocks for a day: once a day and location. */
  readonly ofLocations: Reads;
}

/**
 * Simulates isolates that answer queries from their block caches, and says how much they read for each query.
 *
 * Queries come from {@link LOCATIONS} locations with shares by Zipf's law. Half of them repeat one of a few popular questions, by Zipf's law
 * too; the others are drawn evenly. An isolate lives for an hour, unless no request comes for a minute.
 *
 * @param queriesASecond Of all locations together.
 */
export function simulateIsolates(traces: readonly QueryTrace[], queriesASecond: number, random: Random): TrafficReads {
  const shares = Array.from({ length: LOCATIONS }, (_, rank) => 1 / (rank + 1));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const sum = { weight: 0, ofIsolates: { blocks: 0, bytes: 0 }, ofLocations: { blocks: 0, bytes: 0 } };
  for (let rank = 0; rank < LOCATIONS; rank += LOCATION_STEP) {
    const rate = (queriesASecond * (shares[rank] ?? 0)) / all;
    const isolates = Math.max(1, Math.ceil(rate / ISOLATE_REQUESTS_A_SECOND));
    const isolate = liveOnce(traces, rate / isolates, random);
    const location = firstReads(traces, rate * DAY_SECONDS, random);
    sum.weight += rate;
    for (const kind of ['blocks', 'bytes'] as const) {
      sum.ofIsolates[kind] += (isolate[kind] / isolate.requests) * rate;
      sum.ofLocations[kind] += (location[kind] / location.requests) * rate;
    }
  }
  const perQuery = ({ blocks, bytes }: Reads): Reads => ({ blocks: blocks / sum.weight, bytes: bytes / sum.weight });
  return { ofIsolates: perQuery(sum.ofIsolates), ofLocations: perQuery(sum.ofLocations) };
}

const DAY_SECONDS = 86_400;
const DRAWN_A_DAY = 20_000;

/** The blocks that the requests of a day at one location read for the first time. */
function firstReads(traces: readonly QueryTrace[], requests: number, random: Random): Reads & { readonly requests: number } {
  const met = new Map<string, number>();
  for (let request = 0; request < Math.min(requests, DRAWN_A_DAY); request += 1)
    for (const { name, bytes } of draw(traces, random)) met.set(name, bytes);
  return { blocks: met.size, bytes: [...met.values()].reduce((sum, bytes) => sum + bytes, 0), requests: Math.max(1, requests) };
}

/** What an isolate reads from its first request to its last, added up over lives until enough requests were answered. */
function liveOnce(traces: readonly QueryTrace[], rate: number, random: Random): Reads & { readonly requests: number } {
  const sum = { blocks: 0, bytes: 0, requests: 0 };
  while (sum.requests < SIMULATED_REQUESTS) {
    const reads = oneLife(traces, rate, random);
    const settled = reads.slice(SIMULATED_REQUESTS / 2);
    const unseen = reads.length < SIMULATED_REQUESTS ? 0 : Math.max(0, rate * ISOLATE_LIFE_SECONDS - reads.length);
    for (const kind of ['blocks', 'bytes'] as const) {
      const total = (of: readonly Reads[]): number => of.reduce((all, read) => all + read[kind], 0);
      sum[kind] += total(reads) + (unseen === 0 ? 0 : (total(settled) / settled.length) * unseen);
    }
    sum.requests += reads.length + unseen;
  }
  return sum;
}

/** What each request of a life reads: until it is old, was idle for too long, or has had as many requests as are simulated. */
function oneLife(traces: readonly QueryTrace[], rate: number, random: Random): Reads[] {
  const cache = new LruCache<string, true>(BLOCK_CACHE_BYTES);
  const reads: Reads[] = [];
  for (let age = 0, gap = 0; age < ISOLATE_LIFE_SECONDS && gap < ISOLATE_IDLE_SECONDS && reads.length < SIMULATED_REQUESTS; age += gap) {
    const missing = draw(traces, random).filter(({ name }) => !cache.get(name));
    for (const { name, bytes } of missing) cache.set(name, true, bytes);
    reads.push({ blocks: missing.length, bytes: missing.reduce((all, { bytes }) => all + bytes, 0) });
    gap = -Math.log(1 - random()) / rate;
  }
  return reads;
}

const POPULAR = 100;
const POPULAR_SHARE = 0.5;

function draw(traces: readonly QueryTrace[], random: Random): QueryTrace {
  // Uniform in the logarithm of the rank: Zipf's law.
  const rank = random() < POPULAR_SHARE ? Math.floor(POPULAR ** random()) - 1 : below(random, traces.length);
  return traces[rank] ?? [];
}

/**
 * Prices of the paid plan of Workers, in US dollars, and what a month includes for the base fee.
 *
 * @see {@link https://developers.cloudflare.com/workers/platform/pricing/ Workers pricing}, read on 2026-11-23: requests, CPU, KV.
 */
const PRICES = {
  baseFee: 5,
  requests: { included: 10e6, perMillion: 0.3 },
  cpuMs: { included: 30e6, perMillion: 0.02 },
  kvReads: { included: 10e6, perMillion: 0.5 },
  kvStorageGb: { included: 1, perGb: 0.5 },
} as const;

/** Seconds of a month of thirty days. */
export const MONTH_SECONDS = 30 * 86_400;

/** What a month of queries uses. */
interface Usage {
  readonly requests: number;
  readonly cpuMs: number;
  readonly kvReads: number;
  readonly storedBytes: number;
}

export interface Cost {
  readonly requests: number;
  readonly cpu: number;
  readonly kvReads: number;
  readonly storage: number;
  readonly total: number;
}

export function costOf({ requests, cpuMs, kvReads, storedBytes }: Usage): Cost {
  const beyond = (used: number, { included, perMillion }: { readonly included: number; readonly perMillion: number }): number =>
    (Math.max(0, used - included) / 1e6) * perMillion;
  const parts = {
    requests: beyond(requests, PRICES.requests),
    cpu: beyond(cpuMs, PRICES.cpuMs),
    kvReads: beyond(kvReads, PRICES.kvReads),
    storage: Math.max(0, storedBytes / 1e9 - PRICES.kvStorageGb.included) * PRICES.kvStorageGb.perGb,
  };
  return { ...parts, total: PRICES.baseFee + Object.values(parts).reduce((sum, part) => sum + part, 0) };
}
