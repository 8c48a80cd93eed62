import type { SendWebhook } from '../gateway/commerce/orders/order-ports.ts';
import type { Timers } from '../gateway/platform-ports.ts';
import { attempt } from '../gateway/result.ts';
import { DeadlineError, withinDeadline } from './clock-and-deadlines.ts';

const RESPONSE_MAX_BYTES = 65_536;

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** The global `fetch`, called as a method of the global object, as workerd requires. */
export const systemFetch: Fetch = (address, init) => globalThis.fetch(address, init);

/** A response that cannot be used: an error, too long, or not JSON. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/**
 * Posts JSON to a trusted service and returns the JSON of its response, unvalidated, also for 400 to 499. Redirects are not followed: their
 * targets are not trusted.
 * @throws {ResponseError} For 429, 3xx and 5xx, for more than 64 KiB, and for a body that is not JSON.
 * @throws {DeadlineError} At the deadline.
 */
export async function postJson(address: string, body: unknown, request: OutgoingRequest): Promise<unknown> {
  const { name } = request;
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const read = async (response: Response): Promise<unknown> => {
    const text = await boundedText(response, name);
    if (response.status >= 500 || (response.status >= 300 && response.status < 400) || response.status === 429)
      throw new ResponseError(`${name} returned ${response.status}`);
    const value = attempt((): unknown => JSON.parse(text));
    if (value === undefined) throw new ResponseError(`${name} returned ${response.status} without JSON`);
    return value;
  };
  return sendInTime(address, { method: 'POST', headers, body: JSON.stringify(body) }, read, request);
}

interface OutgoingRequest {
  /** For messages. */
  readonly name: string;
  readonly deadlineMs: number;
  readonly timers: Timers;
  readonly fetch: Fetch;
}

/** What `read` makes of the response. The request is aborted at its deadline, and when the response has been read. */
export async function sendInTime<T>(
  address: string,
  init: RequestInit,
  read: (response: Response) => Promise<T>,
  { name, deadlineMs, timers, fetch }: OutgoingRequest,
): Promise<T> {
  const abort = new AbortController();
  const send = async (): Promise<T> => read(await fetch(address, { ...init, redirect: 'manual', signal: abort.signal }));
  return withinDeadline(send, deadlineMs, name, timers).finally(() => abort.abort());
}

/** The text of a response of at most 64 KiB, once decoded. @throws {ResponseError} If it is longer. */
export async function boundedText(response: Response, name: string): Promise<string> {
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

/** Time in which an agent has to respond to a webhook, in milliseconds. */
const SEND_DEADLINE_MS = 5_000;

/** Bytes of a response that are read and ignored: a connection whose response was read can be used again. */
const IGNORED_MAX_BYTES = 4_096;

/** Hosts of this machine; only a deployment at a loopback address lists them. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|[a-z0-9.-]+\.localhost)(:\d+)?$/;

/** Sends webhooks by https, on this machine also by http, to `hosts`, with any port that is not the default. Redirects are not followed. */
export function webhookSender(hosts: readonly string[], timers: Timers, fetch: Fetch = systemFetch): SendWebhook {
  return async ({ url, body, headers }) => {
    const issue = addressIssue(url, hosts);
    if (issue !== undefined) return issue;
    const request = { name: 'the receiver of a webhook', deadlineMs: SEND_DEADLINE_MS, timers, fetch };
    try {
      const { ok, status } = await sendInTime(url, { method: 'POST', headers: { ...headers }, body }, readSome, request);
      return ok ? undefined : `returned ${status}`;
    } catch (error) {
      return error instanceof DeadlineError ? `no response within ${SEND_DEADLINE_MS} ms` : 'could not be reached';
    }
  };
}

function addressIssue(text: string, hosts: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return 'the address cannot be read';
  if (!hosts.includes(url.host)) return 'the host is not in commerce.webhook_hosts';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.host))) return undefined;
  return 'the address is not https';
}

async function readSome(response: Response): Promise<Response> {
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size >= IGNORED_MAX_BYTES) break;
  }
  return response;
}
