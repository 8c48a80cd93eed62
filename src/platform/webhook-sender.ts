import type { SendWebhook } from '../gateway/commerce/orders/send-webhooks.ts';
import type { Timers } from '../gateway/ports.ts';
import { DeadlineError, withinDeadline } from './deadline.ts';
import { type Fetch, systemFetch } from './post-json.ts';

/** Time in which an agent has to respond to a webhook, in milliseconds. */
const SEND_DEADLINE_MS = 5_000;

/** Bytes of a response that are read and ignored: a connection whose response was read can be used again. */
const IGNORED_MAX_BYTES = 4_096;

/** Hosts of this machine; only a deployment at a loopback address lists them. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|[a-z0-9.-]+\.localhost)(:\d+)?$/;

/**
 * Sends webhooks to agents by https, on this machine also by http. Redirects are not followed, and a late response counts as none.
 *
 * @param hosts Hosts that may receive webhooks, with any port that is not the default.
 */
export function webhookSender(hosts: readonly string[], timers: Timers, fetch: Fetch = systemFetch): SendWebhook {
  return async ({ url, body, headers }) => {
    const fault = addressFault(url, hosts);
    if (fault !== undefined) return fault;
    const abort = new AbortController();
    const post = async (): Promise<number> => {
      const response = await fetch(url, { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal: abort.signal });
      await readSome(response);
      return response.status;
    };
    try {
      const status = await withinDeadline(post, SEND_DEADLINE_MS, 'the receiver of a webhook', timers);
      return status >= 200 && status < 300 ? undefined : `returned ${status}`;
    } catch (error) {
      abort.abort();
      return error instanceof DeadlineError ? `no response within ${SEND_DEADLINE_MS} ms` : 'could not be reached';
    }
  };
}

/** Why a webhook cannot be sent to an address. */
function addressFault(text: string, hosts: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return 'the address cannot be read';
  if (!hosts.includes(url.host)) return 'the host is not in commerce.webhook_hosts';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.host))) return undefined;
  return 'the address is not https';
}

async function readSome({ body }: Response): Promise<void> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size >= IGNORED_MAX_BYTES) return;
  }
}
