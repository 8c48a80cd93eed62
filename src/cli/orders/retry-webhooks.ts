import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabasePlace } from '../../build/local/database.ts';
import { settingIn } from '../../build/local/local-stores.ts';
import { UserError } from '../../build/user-error.ts';
import { sendWebhooks } from '../../gateway/commerce/orders/send-webhooks.ts';
import type { Database } from '../../platform/d1/database.ts';
import { d1Orders } from '../../platform/d1/orders.ts';
import { d1WebhookDeliveries, requeueWebhooks } from '../../platform/d1/webhook-deliveries.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { readSigningSecrets } from '../../platform/signing-secrets.ts';
import { webhookSender } from '../../platform/webhook-sender.ts';
import { writeAcpOrderEvent } from '../../protocols/acp/order-event.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';

/** Webhooks in one batch. */
const BATCH_SIZE = 10;

/** Settings of webhook deliveries. */
interface RetrySettings {
  readonly baseUrl: string;
  /** Hosts that webhooks may be sent to. */
  readonly hosts: readonly string[];
  /** Value of `SIGNING_SECRETS`. */
  readonly secrets: string | undefined;
}

/**
 * Settings of a deployment. The local secret is in `.dev.vars`; secrets at Cloudflare cannot be read back, so theirs is in the environment.
 *
 * @throws {InvalidContentError} If publisher.yaml has a mistake.
 */
export async function readRetrySettings(root: string, place: DatabasePlace, environment: NodeJS.ProcessEnv): Promise<RetrySettings> {
  const baseUrl = environment['BASE_URL'] ?? (place === 'local' ? LOCAL_BASE_URL : undefined);
  const publisher = await loadPublisher(root, { baseUrl });
  const local = place === 'local' ? await readFile(join(root, '.dev.vars'), 'utf8').catch(() => '') : '';
  return {
    baseUrl: publisher.base_url,
    hosts: publisher.commerce.webhook_hosts,
    secrets: environment['SIGNING_SECRETS'] ?? settingIn(local, 'SIGNING_SECRETS'),
  };
}

/**
 * Sends every undelivered webhook, including those that were given up, and returns the lines to print.
 *
 * @throws {UserError} Without a secret to sign them.
 */
export async function retryWebhooks(
  database: Database,
  { baseUrl, hosts, secrets: text }: RetrySettings,
  nowMs: number,
): Promise<string[]> {
  const secrets = await readSigningSecrets(text, 'local');
  if ('missing' in secrets)
    throw new UserError(
      'SIGNING_SECRETS is not set; webhooks are signed with it: set it to the secret of the deployment in the environment',
    );
  const { results } = await requeueWebhooks(database, nowMs).all<{ number: number }>();
  if (results.length === 0) return ['no webhooks are waiting'];
  const sending = {
    deliveries: d1WebhookDeliveries(database),
    orders: d1Orders(database, systemRuntime.randomness),
    writeOrderEvent: writeAcpOrderEvent,
    sendWebhook: webhookSender(hosts, systemRuntime.timers),
    secrets,
    baseUrl,
  };
  let [sent, failed] = [0, 0];
  for (;;) {
    const report = await sendWebhooks(sending, nowMs, BATCH_SIZE);
    sent += report.sent;
    failed += report.putOff + report.givenUp;
    if (report.sent + report.putOff + report.givenUp === 0) break;
  }
  return [
    `${sent} of ${results.length === 1 ? '1 webhook' : `${results.length} webhooks`} delivered`,
    ...(failed === 0 ? [] : [`${failed} failed and will be retried; npm run orders -- notices shows why`]),
  ];
}
