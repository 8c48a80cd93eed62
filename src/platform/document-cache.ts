import type { DocumentCache, Timers } from '../gateway/ports.ts';
import { withinDeadline } from './deadline.ts';

/** How long a location keeps a document, in seconds; the next deployment has other keys. */
const KEPT_SECONDS = 86_400;

/** Deadline of the cache, which is in the same location, in milliseconds: after it a document is made anew. */
const CACHE_DEADLINE_MS = 300;

/** The cache of the location, as workerd has it beside the named ones of browsers. */
interface LocationCaches {
  readonly caches?: {
    readonly default?: { match(address: string): Promise<Response | undefined>; put(address: string, response: Response): Promise<void> };
  };
}

/**
 * Documents in the cache of the location (developers.cloudflare.com/workers/runtime-apis/cache); `undefined` where there is none.
 *
 * @param scope Beginning of the addresses under which they are kept; it names the deployment, so that no other one finds them.
 */
export function locationDocuments(scope: string, timers: Timers): DocumentCache | undefined {
  const cache = (globalThis as LocationCaches).caches?.default;
  if (cache === undefined) return undefined;
  return {
    read: async (path) => {
      const read = async () => {
        const response = await cache.match(scope + path);
        if (response === undefined) return undefined;
        return {
          contentType: response.headers.get('Content-Type') ?? '',
          body: await response.text(),
          etag: response.headers.get('ETag') ?? '',
        };
      };
      return withinDeadline(read, CACHE_DEADLINE_MS, 'the cache of the location', timers).catch(() => undefined);
    },
    write: async (path, { contentType, body, etag }) => {
      const headers = { 'Content-Type': contentType, ETag: etag, 'Cache-Control': `public, max-age=${KEPT_SECONDS}` };
      await cache.put(scope + path, new Response(body, { headers }));
    },
  };
}
