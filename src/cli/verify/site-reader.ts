import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fetchWithinOrigin, httpAddress, readBody, UnreadableError } from '../fetch-within-origin.ts';

/** Timeout of a request and its whole response, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Largest body that is read, in bytes. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;
/** Most requests at a time. */
const CONCURRENCY = 8;

/** Most retries after 429 or 503 with `Retry-After`, and the longest wait, in seconds. */
const RETRIES_MAX = 10;
const RETRY_AFTER_MAX_SECONDS = 120;

const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
]);

/** Bytes of a file. */
export async function readNamedFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnreadableError(`${path}: ${FILE_ERRORS.get(code) ?? code}`);
  }
}

/** Bytes of a file; `undefined` if it is missing. */
export async function readFileIfThere(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch(() => undefined);
}

/** Whether a host name is a loopback name. */
export const isLoopback = (hostname: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);

/** A request with a JSON body. */
export interface Post {
  readonly json: unknown;
  /** API key, sent only to the origin of the reader. */
  readonly key?: string;
}

/**
 * Reads addresses of one origin only, so that no document can send the reader elsewhere. Sends no credentials except the key of a
 * request. If the site responds with `Retry-After` (RFC 9110 section 10.2.3), all requests wait.
 */
export class SiteReader {
  readonly origin: string;
  #pausedUntilMs = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  /**
   * Bytes at an address, or at a path of the site; of the response to a `post`, if one is given.
   *
   * @throws {UnreadableError} If it is on another origin or redirects there, is too large or slow, or does not respond with 200.
   */
  async read(address: unknown, post?: Post): Promise<Uint8Array> {
    const from = httpAddress(address instanceof URL ? address.href : address, this.origin);
    const name = from?.href ?? String(address);
    try {
      const { response } = await fetchWithinOrigin(this.origin, from, (url) => this.#request(url, post), post === undefined);
      if (response.status !== 200) throw new UnreadableError(`responded with ${response.status}`, response.status);
      return await readBody(response, BODY_MAX_BYTES);
    } catch (error) {
      if (error instanceof UnreadableError) throw new UnreadableError(`${name}: ${error.message}`, error.status);
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new UnreadableError(`${name}: ${cause instanceof Error ? cause.message || cause.name : cause}`);
    }
  }

  /** The first response without `Retry-After`. */
  async #request(url: URL, post: Post | undefined): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const pause = this.#pausedUntilMs - Date.now();
      if (pause > 0) await wait(pause);
      const response = await fetch(url, {
        redirect: 'manual',
        credentials: 'omit',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(post && {
          method: 'POST',
          body: JSON.stringify(post.json),
          headers: { 'Content-Type': 'application/json', ...(post.key === undefined ? {} : { Authorization: `Bearer ${post.key}` }) },
        }),
      });
      const seconds = retryAfterSeconds(response);
      if (seconds === undefined || attempt === RETRIES_MAX) return response;
      await response.body?.cancel();
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, Date.now() + seconds * 1000);
    }
  }
}

/** Seconds to wait, if the response states them and they are within the limit. */
function retryAfterSeconds({ status, headers }: Response): number | undefined {
  const text = headers.get('Retry-After');
  if ((status !== 429 && status !== 503) || text === null || !/^\d{1,9}$/.test(text)) return undefined;
  return Number(text) <= RETRY_AFTER_MAX_SECONDS ? Number(text) : undefined;
}

/** Results of `work` for all items, in order, with limited concurrency. */
export async function forEachConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return done;
}

/** A JSON object of unknown form. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value if it is an object; otherwise an empty one. */
export const looseObject = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};

/** Nonempty objects of a list; none if it is not a list. */
export const looseObjects = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.filter((item) => Object.keys(looseObject(item)).length > 0) : [];

/** The JSON object in unverified bytes; an empty one if there is none. */
export function readLoosely(bytes: Uint8Array): Loose {
  try {
    return looseObject(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}

export const recordsOf = (lineage: Loose): Loose[] => looseObjects(lineage['versions']).map((entry) => looseObject(entry['record']));

/** Parts that a manifest names. */
export const partsOf = (manifest: Loose): Loose[] => looseObjects(looseObject(looseObject(manifest['statement'])['bundle'])['parts']);
