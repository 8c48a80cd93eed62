import type { Clock } from './platform-ports.ts';

/** The most recently used values of one isolate. Values must follow from their keys, so that caching never changes a response. */
export class LruCache<K, V> {
  readonly #maxWeight: number;
  readonly #entries = new Map<K, { readonly value: V; readonly weight: number }>();
  #weight = 0;

  /** @param maxWeight Bound on the total weight: a number of values, or of bytes. */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(key: K): V | undefined {
    const known = this.#entries.get(key);
    // While much is free, nothing is evicted soon, and moving an entry to the end costs more than finding it.
    if (known === undefined || 2 * this.#weight <= this.#maxWeight) return known?.value;
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known.value;
  }

  /** Evicts the least recently used others beyond the bound, except those without weight. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key);
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#maxWeight) break;
      if (entry.weight > 0) this.delete(oldest);
    }
    this.#entries.set(key, { value, weight });
  }

  keys(): K[] {
    return [...this.#entries.keys()];
  }

  delete(key: K): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

/** The value under a key, made and kept at the first call. */
export function remembered<K, V>(values: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}

/** How long other requests get the old value while one request reads, in milliseconds: longer than a read may take. */
const READING_MS = 5_000;

export interface CachedRead<T> {
  readonly read: () => Promise<T>;
}

/**
 * A value that each isolate reads again after a while. Meanwhile others get the previous one: no request waits for the work of another.
 *
 * @param read Must not fail.
 */
export function cachedRead<T>(read: (nowMs: number) => Promise<T>, lifetimeMs: number, clock: Clock): CachedRead<T> {
  let cached: { readonly atMs: number; readonly lifetimeMs: number; readonly value: T } | undefined;
  const cachedOrRead = async (): Promise<T> => {
    const nowMs = clock.nowMs();
    if (cached !== undefined && nowMs >= cached.atMs && nowMs - cached.atMs < cached.lifetimeMs) return cached.value;
    if (cached !== undefined) cached = { ...cached, atMs: nowMs, lifetimeMs: READING_MS };
    const value = await read(nowMs);
    cached = { atMs: nowMs, lifetimeMs, value };
    return value;
  };
  return { read: cachedOrRead };
}
