import type { SendWebhook } from '../gateway/commerce/orders/send-webhooks.ts';
import type { Timers } from '../gateway/ports.ts';
import { DeadlineError, withinDeadline } from './deadline.ts';

/** Longest time until an agent has answered a notice, in milliseconds. */
const SEND_DEADLINE_MS = 5_000;

/** How much of an answer is read, in bytes; nobody looks at it, and a connection whose answer was read can be used again. */
const ANSWER_MAX_BYTES = 4_096;

/** Hosts of the machine itself. They are listed on a deployment at a loopback address only. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|[a-z0-9.-]+\.localhost)(:\d+)?$/;

/** What is asked of the world: one request over HTTP. */
export type SendRequest = (address: string, init: RequestInit) => Promise<Response>;

/**
 * Sends notices to agents over HTTP. Only hosts of the list are sent to, by https (on the machine itself also by http), redirects are
 * not followed, and an answer that is late counts as none.
 *
 * @param hosts Hosts, with their ports where they are not the usual ones.
 */
export function webhookSender(
  hosts: readonly string[],
  timers: Timers,
  send: SendRequest = (address, init) => globalThis.fetch(address, init),
): SendWebhook {
  return async ({ url, body, headers }) => {
    const fault = addressFault(url, hosts);
    if (fault !== undefined) return fault;
    const abort = new AbortController();
    const post = async (): Promise<number> => {
      const response = await send(url, { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal: abort.signal });
      await readSome(response);
      return response.status;
    };
    try {
      const status = await withinDeadline(post, SEND_DEADLINE_MS, 'the receiver of a notice', timers);
      return status >= 200 && status < 300 ? undefined : `answered ${status}`;
    } catch (error) {
      abort.abort();
      return error instanceof DeadlineError ? `no answer within ${SEND_DEADLINE_MS} ms` : 'could not be reached';
    }
  };
}

/** Why nothing is sent to an address. */
function addressFault(text: string, hosts: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return 'the address cannot be read';
  if (!hosts.includes(url.host)) return 'the host is not in commerce.webhook_hosts';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.host))) return undefined;
  return 'the address is not https';
}

async function readSome({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  for (let size = 0; size < ANSWER_MAX_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
  }
  await reader.cancel();
}
