import { type StoreWeather, throughWeather } from './faults.ts';
import type { SimulatedTime } from './time.ts';

/** Least time that a location keeps what it read, in seconds, and for which it may not see a change (developers.cloudflare.com/kv/concepts/how-kv-works). */
const CACHE_SECONDS_MIN = 60;

/** Keys of one bulk read and of one page of a list (developers.cloudflare.com/kv/api). */
const BULK_MAX_KEYS = 100;
const LIST_MAX_KEYS = 1_000;
const LOST = 'KV GET failed: 500 Internal Server Error';

export interface KeyValueOptions {
  /** How long a write takes to reach a location that has not cached the key, in milliseconds; at once by default. */
  readonly propagationMs?: (key: string, location: string) => number;
  /** How long "there is no such key" is kept; `cacheTtl` keeps it as long as a value. */
  readonly missing?: 'minute' | 'cacheTtl';
}

export interface SimulatedKeyValue {
  readonly binding: (location: string, weather?: StoreWeather) => KVNamespace;
  /** Writes past the limit of writes and without caching in any location, as a test prepares a store. */
  readonly fill: (entries: Iterable<readonly [string, Uint8Array]>) => void;
  readonly stored: ReadonlyMap<string, Uint8Array>;
}

interface Written {
  readonly value: Uint8Array | undefined;
  readonly before: Written | undefined;
  readonly atMs: number;
}

interface Cached {
  readonly value: Uint8Array | null;
  readonly readAtMs: number;
}

/**
 * A KV namespace that several locations read. Each keeps what it read, also that there is nothing, for at least a minute and as long as
 * the caller's `cacheTtl` says; until then it does not see a write. A key takes one write a second.
 */
export function simulatedKeyValue(
  time: SimulatedTime,
  { propagationMs = () => 0, missing = 'minute' }: KeyValueOptions = {},
): SimulatedKeyValue {
  const central = new Map<string, Written>();
  const stored = new Map<string, Uint8Array>();
  const caches = new Map<string, Map<string, Cached>>();

  const write = (key: string, value: Uint8Array | undefined, atMs: number): void => {
    central.set(key, { value, before: central.get(key), atMs });
    if (value === undefined) stored.delete(key);
    else stored.set(key, value);
  };
  const limited = (key: string, value: Uint8Array | undefined): void => {
    if (time.nowMs - (central.get(key)?.atMs ?? Number.NEGATIVE_INFINITY) < 1_000) throw new Error('KV PUT failed: 429 Too Many Requests');
    write(key, value, time.nowMs);
  };
  const arrived = (key: string, location: string): Uint8Array | undefined => {
    let written = central.get(key);
    while (written !== undefined && written.atMs + propagationMs(key, location) > time.nowMs) written = written.before;
    return written?.value;
  };
  const read = (key: string, location: string, cacheTtl = CACHE_SECONDS_MIN): Uint8Array | null => {
    const cache = caches.get(location) ?? new Map<string, Cached>();
    caches.set(location, cache);
    const known = cache.get(key);
    const seconds = known?.value === null && missing === 'minute' ? CACHE_SECONDS_MIN : Math.max(CACHE_SECONDS_MIN, cacheTtl);
    if (known && time.nowMs - known.readAtMs < seconds * 1_000) return known.value;
    const value = arrived(key, location) ?? null;
    cache.set(key, { value, readAtMs: time.nowMs });
    return value;
  };

  return {
    stored,
    fill: (entries) => {
      for (const [key, value] of entries) write(key, value, Number.NEGATIVE_INFINITY);
    },
    binding: (location, weather = {}) => {
      const call = <T>(operation: string, what: readonly string[], apply: () => T): Promise<T> =>
        throughWeather({ store: 'key-value', operation, what }, weather, time, LOST, apply);
      const get = (keys: string | string[], options: { type?: string; cacheTtl?: number } = {}): Promise<unknown> => {
        const wanted = [keys].flat();
        return call('get', wanted, () => {
          if (wanted.length > BULK_MAX_KEYS) throw new Error('KV GET_BULK failed: 400 Bad Request');
          const values = wanted.map(
            (key) => [key, asType(read(key, location, options.cacheTtl), options.type, Array.isArray(keys))] as const,
          );
          return Array.isArray(keys) ? new Map(values) : values[0]?.[1];
        });
      };
      return {
        get: get as KVNamespace['get'],
        put: (key, value) => call('put', [key], () => limited(key, toBytes(value))),
        delete: (key) => call('delete', [key], () => limited(key, undefined)),
        list: ({ prefix = '', limit = LIST_MAX_KEYS, cursor = '' } = {}) =>
          call('list', [prefix], () => {
            const after = [...stored.keys()].filter((name) => name.startsWith(prefix) && name > cursor).sort();
            const page = after.slice(0, Math.min(limit, LIST_MAX_KEYS));
            const last = page.at(-1);
            return {
              keys: page.map((name) => ({ name })),
              list_complete: page.length === after.length,
              ...(page.length < after.length && last !== undefined ? { cursor: last } : {}),
            };
          }),
      };
    },
  };
}

/** Bytes of its own for every reader, or text in which what is no UTF-8 is replaced; a bulk read drops a leading byte order mark. */
function asType(value: Uint8Array | null, type = 'text', isBulk = false): ArrayBuffer | string | null {
  if (value === null) return null;
  if (type === 'text') return new TextDecoder('utf-8', { ignoreBOM: !isBulk }).decode(value);
  return value.slice().buffer;
}

function toBytes(value: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value);
  return value instanceof ArrayBuffer
    ? new Uint8Array(value.slice(0))
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
}
