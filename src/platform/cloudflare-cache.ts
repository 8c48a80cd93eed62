import type { DocumentCache, LocationBlocks, Timers } from '../gateway/platform-ports.ts';
import { withinDeadline } from './clock-and-deadlines.ts';

/** Deadline of the cache, which is in the same location, in milliseconds; after it an entry counts as missing. */
const CACHE_DEADLINE_MS = 300;

interface LocationCache {
  match(address: string): Promise<Response | undefined>;
  put(address: string, response: Response): Promise<void>;
  delete(address: string): Promise<boolean>;
}

/** The cache of the location (developers.cloudflare.com/workers/runtime-apis/cache); `undefined` in an environment without it. */
function locationCache(): LocationCache | undefined {
  return (globalThis as { readonly caches?: { readonly default?: LocationCache } }).caches?.default;
}

const inTime = <T>(timers: Timers, call: () => Promise<T>): Promise<T | undefined> =>
  withinDeadline(call, CACHE_DEADLINE_MS, 'the cache of the location', timers).catch(() => undefined);

/** How long a location keeps an entry, in seconds. Entries never change; the next deployment has other addresses for its documents. */
const LIFETIME_SECONDS = 86_400;

/** `undefined` in an environment without a cache. `scope` begins all addresses and names the deployment. */
export function locationDocuments(scope: string, timers: Timers): DocumentCache | undefined {
  const cache = locationCache();
  if (cache === undefined) return undefined;
  return {
    read: (path) =>
      inTime(timers, async () => {
        const response = await cache.match(scope + path);
        if (response === undefined) return undefined;
        const { headers } = response;
        return { contentType: headers.get('Content-Type') ?? '', body: await response.text(), etag: headers.get('ETag') ?? '' };
      }),
    write: async (path, { contentType, body, etag }) => {
      const headers = { 'Content-Type': contentType, ETag: etag, 'Cache-Control': `public, max-age=${LIFETIME_SECONDS}` };
      await cache.put(scope + path, new Response(body, { headers }));
    },
  };
}

/** Blocks in the cache of the location. Reads from it are free, whereas every read of KV is billed, also one that KV serves from its own cache. */
export interface LocationBlockCache extends LocationBlocks {
  /** Writes what was read since the last call, after the response and in the context of a request. Never fails. */
  readonly flush: () => Promise<unknown> | undefined;
}

/**
 * Blocks are written only by `flush`: the request that reads a block is not known here, and its work ends with its response. No route and no file is
 * at the addresses that begin with `scope`; whatever else is cached there does not have the digest of the block.
 */
export function locationBlocks(scope: string, timers: Timers): LocationBlockCache | undefined {
  const cache = locationCache();
  if (cache === undefined) return undefined;
  let unwritten = new Map<string, Uint8Array>();
  return {
    read: (sha256) =>
      inTime(timers, async () => {
        const response = await cache.match(scope + sha256);
        return response && new Uint8Array(await response.arrayBuffer());
      }),
    write: (sha256, bytes) => {
      unwritten.set(sha256, bytes);
    },
    remove: async (sha256) => {
      unwritten.delete(sha256);
      await inTime(timers, () => cache.delete(scope + sha256));
    },
    flush: () => {
      if (unwritten.size === 0) return undefined;
      const blocks = unwritten;
      unwritten = new Map();
      const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': `public, max-age=${LIFETIME_SECONDS}` };
      const put = async ([sha256, bytes]: readonly [string, Uint8Array]): Promise<void> =>
        cache.put(scope + sha256, new Response(bytes as BodyInit, { headers }));
      return Promise.allSettled([...blocks].map(put));
    },
  };
}
