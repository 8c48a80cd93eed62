import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Timeout of a request and its whole response, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Largest body that is read, in bytes. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;
/** Most redirects that are followed. */
const REDIRECTS_MAX = 5;
/** Most requests at a time. */
const CONCURRENCY = 8;

/** Most retries after 429 or 503 with `Retry-After`, and the longest wait, in seconds. */
const RETRIES_MAX = 10;
const RETRY_AFTER_MAX_SECONDS = 120;

/** A named document cannot or must not be read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  /** Status of the response, if it is not 200. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

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

/** The http or https address in a text; `undefined` for any other text, or with a user name and password. */
export function httpAddress(text: unknown, base?: string): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}

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
    let url = httpAddress(address instanceof URL ? address.href : address, this.origin);
    try {
      for (let step = 0; step <= REDIRECTS_MAX; step += 1) {
        if (url === undefined) throw new UnreadableError(`${address}: is not an http or https address`);
        if (url.origin !== this.origin) throw new UnreadableError(`${url.href}: is not on ${this.origin}, so it was not requested`);
        const response = await this.#request(url, post);
        const location = response.headers.get('Location');
        if (response.status < 300 || response.status > 399 || location === null || post) return await bodyOf(response, url);
        await response.body?.cancel();
        url = httpAddress(location, url.href);
      }
    } catch (error) {
      if (error instanceof UnreadableError) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new UnreadableError(`${url?.href}: ${cause instanceof Error ? cause.message || cause.name : cause}`);
    }
    throw new UnreadableError(`${url?.href}: redirects too often`);
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

async function bodyOf(response: Response, url: URL): Promise<Uint8Array> {
  if (response.status !== 200) throw new UnreadableError(`${url.href}: responded with ${response.status}`, response.status);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new UnreadableError(`${url.href}: is larger than ${BODY_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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

/** Records of a lineage. */
export const recordsOf = (lineage: Loose): Loose[] => looseObjects(lineage['versions']).map((entry) => looseObject(entry['record']));

/** Parts that a manifest names. */
export const partsOf = (manifest: Loose): Loose[] => looseObjects(looseObject(looseObject(manifest['statement'])['bundle'])['parts']);
