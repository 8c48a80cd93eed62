import { readFile } from 'node:fs/promises';
import { fetchWithinOrigin, httpAddress, politeFetch, readBody, UnreadableError } from '../fetch-within-origin.ts';

/** Timeout of a request and its whole response, in milliseconds. */
const TIMEOUT_MS = 15_000;
const BODY_MAX_BYTES = 64 * 1024 * 1024;
const CONCURRENCY = 8;

const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
]);

export async function readNamedFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnreadableError(`${path}: ${FILE_ERRORS.get(code) ?? code}`);
  }
}

export const isLoopback = (hostname: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);

export interface Post {
  readonly json: unknown;
  /** API key, sent only to the origin of the reader. */
  readonly key?: string;
}

/** Reads addresses of one origin only, so that no document can send the reader elsewhere, and sends no credentials but the key of a request. */
export class SiteReader {
  readonly origin: string;
  readonly #site: string;
  readonly #fetch = politeFetch({ timeoutMs: TIMEOUT_MS });

  /** @param site Address of the site: an origin, or one with the path below which the site is, without a slash at the end. */
  constructor(site: string) {
    this.origin = new URL(site).origin;
    this.#site = site;
  }

  /**
   * Bytes at an address, or at a path of the site; of the response to a `post`, if one is given.
   *
   * @throws {UnreadableError} If it is on another origin or redirects there, is too large or slow, or does not respond with 200.
   */
  async read(address: unknown, post?: Post): Promise<Uint8Array> {
    const isOfSite = typeof address === 'string' && /^\/(?![/\\])/.test(address);
    const from = httpAddress(address instanceof URL ? address.href : isOfSite ? this.#site + address : address, this.origin);
    const name = from?.href ?? String(address);
    const headers = { 'Content-Type': 'application/json', ...(post?.key !== undefined && { Authorization: `Bearer ${post.key}` }) };
    const settings: RequestInit = { credentials: 'omit', ...(post && { method: 'POST', body: JSON.stringify(post.json), headers }) };
    try {
      const { response } = await fetchWithinOrigin(this.origin, from, (url) => this.#fetch(url, settings), post === undefined);
      if (response.status !== 200) throw new UnreadableError(`responded with ${response.status}`, response.status);
      return await readBody(response, BODY_MAX_BYTES);
    } catch (error) {
      if (error instanceof UnreadableError) throw new UnreadableError(`${name}: ${error.message}`, error.status);
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new UnreadableError(`${name}: ${cause instanceof Error ? cause.message || cause.name : cause}`);
    }
  }
}

/** What a work reads; `undefined`, with a message in `unread`, if something cannot be read. */
export async function readOrNote<T>(unread: string[], read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    unread.push(error.message);
    return undefined;
  }
}

export async function forEachConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return done;
}

export type Loose = Readonly<Record<string, unknown>>;

export const looseObject = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};

export const looseObjects = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.filter((item) => Object.keys(looseObject(item)).length > 0) : [];

export function readLoosely(bytes: Uint8Array): Loose {
  try {
    return looseObject(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}

export const recordsOf = (lineage: Loose): Loose[] => looseObjects(lineage['versions']).map((entry) => looseObject(entry['record']));

export const partsOf = (manifest: Loose): Loose[] => looseObjects(looseObject(looseObject(manifest['statement'])['bundle'])['parts']);
