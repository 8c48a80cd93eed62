import { errorOf } from './gateway-error.ts';

/** How requests are sent and repeated. */
export interface RequestSettings {
  /** Sends a request; the global `fetch` by default. */
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  /** Waits before a request is repeated; a timer by default. */
  readonly sleep: (ms: number) => Promise<unknown>;
  /** The time, in milliseconds since the epoch; that of the machine by default. */
  readonly nowMs: () => number;
  /** How often a request is repeated; 3 by default. */
  readonly retriesMax: number;
  /** Longest wait before a request is repeated; where the service names a longer one, its error is thrown at once. 30 seconds by default. */
  readonly waitMaxMs: number;
}

/** First wait after a lost connection; it doubles each time. */
const FIRST_WAIT_MS = 500;

export const DEFAULT_SETTINGS: RequestSettings = {
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  nowMs: () => Date.now(),
  retriesMax: 3,
  waitMaxMs: 30_000,
};

/**
 * Sends a request that is safe to repeat, and repeats it after a lost connection, and after 429 and 503 with `Retry-After` (RFC 9110,
 * section 10.2.3).
 *
 * @returns The bytes of the response.
 * @throws {GatewayError} If the response is an error.
 */
export async function sendRequest(url: URL, init: RequestInit, settings: RequestSettings): Promise<Uint8Array> {
  for (let sent = 0; ; sent += 1) {
    let response: Response | undefined;
    let fault: unknown;
    let waitMs = FIRST_WAIT_MS * 2 ** sent;
    try {
      response = await settings.fetch(url, init);
      const body = new Uint8Array(await response.arrayBuffer());
      if (response.ok) return body;
      fault = errorOf(response, new TextDecoder().decode(body));
      waitMs = retryAfterMs(response, settings.nowMs());
    } catch (error) {
      fault = error;
    }
    if (sent >= settings.retriesMax || !(waitMs <= settings.waitMaxMs)) throw fault;
    await settings.sleep(waitMs);
  }
}

/** The wait that a response names, in seconds or as a date; `NaN` if it names none. */
function retryAfterMs({ status, headers }: Response, nowMs: number): number {
  const value = (status === 429 || status === 503) && headers.get('Retry-After');
  if (!value) return Number.NaN;
  return /^\d+$/.test(value) ? Number(value) * 1_000 : Math.max(0, Date.parse(value) - nowMs);
}
