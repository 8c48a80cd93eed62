import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import robotsParser from 'robots-parser';
import { UserError } from '../../../publication/content-problem.ts';
import { fetchWithinOrigin, httpAddress, readBody, UnreadableError } from '../../fetch-within-origin.ts';
import { decodeHtml } from '../html/read-html.ts';

export interface FetchedPage {
  /** Address after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** The bytes as text, in the charset that the response or the page states. */
  readonly text: string;
  readonly mediaType: string;
  /** Whether the response asks not to be listed (`X-Robots-Tag`). */
  readonly isHidden: boolean;
}

export type PageFetcher = Awaited<ReturnType<typeof openSite>>;

const USER_AGENT = 'akg-import';

const TIMEOUT_MS = 30_000;
const PAGE_MAX_BYTES = 10_000_000;
const RETRIES = 2;
const RETRY_AFTER_MAX_SECONDS = 60;

/** Fetches pages of one origin: as its robots.txt allows (RFC 9309), at most so many a second, slower if it asks for that. @throws {UserError} */
export async function openSite(origin: string, requestsPerSecond: number) {
  const robotsUrl = `${origin}/robots.txt`;
  const response = await request(robotsUrl);
  if ('problem' in response && response.status === 0)
    throw new UserError(`${origin} cannot be reached: ${response.problem}; check the address and the network`);
  // Without a robots.txt everything is allowed; one that fails with a server error forbids everything (RFC 9309, section 2.3.1).
  const isForbidden = 'problem' in response && response.status >= 500;
  const robots = robotsParser(robotsUrl, 'problem' in response ? '' : response.text);
  const delayMs = Math.max(1_000 / requestsPerSecond, (robots.getCrawlDelay(USER_AGENT) ?? 0) * 1_000);
  let nextMs = 0;
  return {
    origin,
    sitemaps: robots.getSitemaps(),
    fetchPage: async (url: string): Promise<FetchedPage | { readonly problem: string }> => {
      if (httpAddress(url)?.origin !== origin) return { problem: `is on another site than ${origin}` };
      if (isForbidden) return { problem: 'may not be fetched: robots.txt of the site answers with an error' };
      if (robots.isDisallowed(url, USER_AGENT) === true) return { problem: 'may not be fetched, says robots.txt' };
      for (let attempt = 0; ; attempt += 1) {
        const waitMs = nextMs - performance.now();
        nextMs = Math.max(nextMs, performance.now()) + delayMs;
        if (waitMs > 0) await setTimeout(waitMs);
        const result = await request(url);
        if (!('problem' in result)) return result;
        const seconds = Number.isFinite(result.retryAfterSeconds) ? Number(result.retryAfterSeconds) : 2 ** attempt;
        if (![429, 503].includes(result.status) || attempt === RETRIES || seconds > RETRY_AFTER_MAX_SECONDS) return result;
        await setTimeout(seconds * 1_000);
      }
    },
  };
}

/** A fetched page, or why the fetch failed. The status is 0 if the site did not respond. */
async function request(address: string): Promise<FetchedPage | { problem: string; status: number; retryAfterSeconds?: number }> {
  try {
    const { response, url } = await fetchWithinOrigin(new URL(address).origin, httpAddress(address), (hop) =>
      fetch(hop, {
        // Markdown of a site is in the dialect of its generator; its HTML says what readers see.
        headers: { 'user-agent': USER_AGENT, accept: 'text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.1' },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    if (!response.ok) {
      await response.body?.cancel();
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      return { problem: `answers ${response.status}`, status: response.status, retryAfterSeconds: retryAfter };
    }
    const received = await readBody(response, PAGE_MAX_BYTES);
    const isGzip = received[0] === 0x1f && received[1] === 0x8b;
    const bytes = isGzip ? gunzipSync(received, { maxOutputLength: PAGE_MAX_BYTES * 10 }) : received;
    const contentType = response.headers.get('content-type') ?? '';
    const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
    const isHidden = /\b(?:noindex|none)\b/i.test(response.headers.get('x-robots-tag') ?? '');
    const text = /^(?:image|font|audio|video)\//.test(mediaType) ? '' : decodeHtml(bytes, contentType);
    if (text !== undefined) return { url: url.href, bytes, text, mediaType, isHidden };
    return { problem: 'is no text in the charset that it states, or in UTF-8', status: response.status };
  } catch (error) {
    if (error instanceof UnreadableError) return { problem: error.message, status: 200 };
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    return { problem: `cannot be fetched: ${cause instanceof Error ? cause.message : message}`, status: 0 };
  }
}
