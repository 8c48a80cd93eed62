import { readFile } from 'node:fs/promises';

/** Longest time that one address may take to answer in full, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Largest body that is read, in bytes. */
const LARGEST_BODY = 64 * 1024 * 1024;
/** Most redirects that are followed. */
const MOST_REDIRECTS = 5;
/** Most addresses that are asked at a time. */
const MOST_AT_A_TIME = 8;

/** Thrown when something that was named cannot be read, or may not be. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Bytes of a file. */
export async function readNamedFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new UnreadableError(`${path}: ${error instanceof Error && 'code' in error ? error.code : error}`);
  }
}

/** Bytes of a file that may be missing. */
export async function readFileIfThere(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch(() => undefined);
}

/** Whether a name is that of this machine. */
export const isLoopback = (hostname: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);

/** Address in a text, if it is one of http or https without a name and password. */
export function httpAddress(text: unknown, base?: string): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Reads addresses of one origin and of no other: a document must not send its reader anywhere else. Sends no credentials.
 */
export class SiteReader {
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /**
   * Bytes at an address, or at a path of the site.
   *
   * @throws {UnreadableError} If it is elsewhere, leads elsewhere, is too large or slow, or does not answer with 200.
   */
  async read(address: unknown): Promise<Uint8Array> {
    let url = httpAddress(address instanceof URL ? address.href : address, this.origin);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      for (let step = 0; step <= MOST_REDIRECTS; step += 1) {
        if (url === undefined) throw new UnreadableError(`${address}: is no address that can be read`);
        if (url.origin !== this.origin) throw new UnreadableError(`${url.href}: is not on ${this.origin}, so it was not asked`);
        const response = await fetch(url, { redirect: 'manual', credentials: 'omit', signal });
        const location = response.headers.get('Location');
        if (response.status < 300 || response.status > 399 || location === null) return await bodyOf(response, url);
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
}

async function bodyOf(response: Response, url: URL): Promise<Uint8Array> {
  if (response.status !== 200) throw new UnreadableError(`${url.href}: answered with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new UnreadableError(`${url.href}: is larger than ${LARGEST_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What `work` gives for every item, in their order; a few at a time. */
export async function forEachAtATime<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: MOST_AT_A_TIME }, worker));
  return done;
}
