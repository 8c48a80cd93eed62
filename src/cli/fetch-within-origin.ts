import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const REDIRECTS_MAX = 5;

/** Most times that a request to a busy server is repeated, and the longest wait, in seconds. */
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

/** The http or https address in a text; `undefined` for any other text, or with a user name and password. */
export function httpAddress(text: unknown, base?: string): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Requests an address and follows its redirects, within one origin only: every address is checked before it is requested, so that no document and
 * no redirect can send a request elsewhere, such as into the network of this machine. @returns The last response, and its address.
 *
 * @param send Makes one request, without following redirects.
 * @param follows Whether redirects are followed; a request with a body is never repeated elsewhere.
 */
export async function fetchWithinOrigin(
  origin: string,
  address: URL | undefined,
  send: (url: URL) => Promise<Response>,
  follows = true,
): Promise<{ readonly response: Response; readonly url: URL }> {
  let url = address;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    if (url === undefined) throw new UnreadableError('is not an http or https address');
    if (url.origin !== origin)
      throw new UnreadableError(hops === 0 ? `is not on ${origin}, so it was not requested` : `redirects to ${url.origin}, another site`);
    const response = await send(url);
    const location = response.headers.get('Location');
    if (!follows || response.status < 300 || response.status > 399 || location === null) return { response, url };
    await response.body?.cancel();
    url = httpAddress(location, url.href);
  }
  throw new UnreadableError('redirects too often');
}

interface Manners {
  readonly timeoutMs: number;
  /** Least time between two requests. */
  readonly delayMs?: number;
  /** Waits before the first requests that a busy server gets again, where it does not state any. */
  readonly backoffSeconds?: readonly number[];
}

/** Sends requests to one server without following redirects, and again after 429 or 503 (RFC 9110 section 10.2.3): then all requests wait. */
export function politeFetch({ timeoutMs, delayMs = 0, backoffSeconds = [] }: Manners) {
  let nextMs = 0;
  return async (url: URL, settings: RequestInit): Promise<Response> => {
    for (let attempt = 0; ; attempt += 1) {
      const waitMs = nextMs - performance.now();
      nextMs = Math.max(nextMs, performance.now()) + delayMs;
      if (waitMs > 0) await wait(waitMs);
      const response = await fetch(url, { ...settings, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      const stated = response.headers.get('Retry-After') ?? '';
      const seconds = /^\d{1,9}$/.test(stated) ? Number(stated) : (backoffSeconds[attempt] ?? Infinity);
      if (![429, 503].includes(response.status) || seconds > RETRY_AFTER_MAX_SECONDS || attempt === RETRIES_MAX) return response;
      await response.body?.cancel();
      nextMs = Math.max(nextMs, performance.now() + seconds * 1_000);
    }
  };
}

/** The body of a response. @throws {UnreadableError} If it is larger than so many bytes. */
export async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Addresses of this machine, of private networks and of links (RFC 6890), which the internet does not reach. */
const PRIVATE_RANGES =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/3 ::/127 64:ff9b::/96 fc00::/7 fe80::/10 ff00::/8';
const PRIVATE = new BlockList();
for (const range of PRIVATE_RANGES.split(' ')) {
  const [network = '', bits = ''] = range.split('/');
  const isOfVersion4 = !network.includes(':');
  if (isOfVersion4) PRIVATE.addSubnet(network, Number(bits), 'ipv4');
  PRIVATE.addSubnet(isOfVersion4 ? `::ffff:${network}` : network, Number(bits) + (isOfVersion4 ? 96 : 0), 'ipv6');
}

/** Whether a host is this machine or in a private network, as a number or as what its name stands for now. */
export async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host, family: isIP(host) }];
  return addresses.some(({ address, family }) => PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}
