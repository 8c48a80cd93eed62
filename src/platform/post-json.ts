import type { Timers } from '../gateway/ports.ts';
import { withinDeadline } from './deadline.ts';

/** Largest response that is read, in bytes. */
const RESPONSE_MAX_BYTES = 65_536;

/** One request over HTTP, as the global `fetch` makes it. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** The global `fetch`, called as a method of its own global object, as workerd demands. */
export const systemFetch: Fetch = (address, init) => globalThis.fetch(address, init);

/** A response that cannot be taken for one. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/**
 * Posts JSON to a service that is trusted for what it says, and gives the JSON that it responds with, whatever its shape. A refusal with
 * 400 to 499 has a body like any other. Redirects are not followed: whoever they lead to is not trusted.
 *
 * @param what Name of the service, for messages.
 * @throws {ResponseError} For 429, 3xx and 5xx, for more than 64 KiB, and for what is not JSON.
 * @throws {DeadlineError} After `ms` milliseconds; the request is given up.
 */
export async function postJson(address: string, body: unknown, ms: number, what: string, timers: Timers, fetch: Fetch): Promise<unknown> {
  const abort = new AbortController();
  try {
    return await withinDeadline(() => post(address, JSON.stringify(body), what, fetch, abort.signal), ms, what, timers);
  } catch (error) {
    abort.abort();
    throw error;
  }
}

async function post(address: string, body: string, what: string, fetch: Fetch, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body,
    redirect: 'manual',
    signal,
  });
  const text = await boundedText(response, what);
  if (response.status >= 500 || (response.status >= 300 && response.status < 400) || response.status === 429)
    throw new ResponseError(`${what} answered ${response.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ResponseError(`${what} answered ${response.status} without JSON`);
  }
}

async function boundedText(response: Response, what: string): Promise<string> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    size += value.length;
    if (size > RESPONSE_MAX_BYTES) {
      await reader?.cancel();
      throw new ResponseError(`${what} answered more than ${RESPONSE_MAX_BYTES} bytes`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(bytes);
}
