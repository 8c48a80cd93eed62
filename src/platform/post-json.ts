import type { Timers } from '../gateway/ports.ts';
import { withinDeadline } from './deadline.ts';

const RESPONSE_MAX_BYTES = 65_536;

/** The part of the global `fetch` that is used here. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** The global `fetch`, called as a method of the global object, as workerd requires. */
export const systemFetch: Fetch = (address, init) => globalThis.fetch(address, init);

/** A response that cannot be used: an error, too long, or not JSON. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/**
 * Posts JSON to a trusted service and returns the JSON of its response, unvalidated. Responses 400 to 499 count too, but 429 does not.
 * Redirects are not followed: their targets are not trusted.
 *
 * @param name Name of the service, for messages.
 * @throws {ResponseError} For 429, 3xx and 5xx, for more than 64 KiB, and for a body that is not JSON.
 * @throws {DeadlineError} After `ms` milliseconds; the request is aborted.
 */
export async function postJson(address: string, body: unknown, ms: number, name: string, timers: Timers, fetch: Fetch): Promise<unknown> {
  const abort = new AbortController();
  try {
    return await withinDeadline(() => post(address, JSON.stringify(body), name, fetch, abort.signal), ms, name, timers);
  } catch (error) {
    abort.abort();
    throw error;
  }
}

async function post(address: string, body: string, name: string, fetch: Fetch, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body,
    redirect: 'manual',
    signal,
  });
  const text = await boundedText(response, name);
  if (response.status >= 500 || (response.status >= 300 && response.status < 400) || response.status === 429)
    throw new ResponseError(`${name} returned ${response.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ResponseError(`${name} returned ${response.status} without JSON`);
  }
}

async function boundedText(response: Response, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > RESPONSE_MAX_BYTES) throw new ResponseError(`${name} returned more than ${RESPONSE_MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
