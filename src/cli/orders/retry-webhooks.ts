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
import { type ContentProblem, InvalidContentError } from '../../publication/content-problem.ts';
import { readPublisher } from '../../publication/read-publisher.ts';
import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';

/** Webhooks that are sent at a time. */
const AT_A_TIME = 10;

/** Settings of webhook deliveries. */
export interface RetrySettings {
  readonly baseUrl: string;
  /** Hosts that webhooks may be sent to. */
  readonly hosts: readonly string[];
  /** As `SIGNING_SECRETS` holds them. */
  readonly secrets: string | undefined;
}

/**
 * Settings of a deployment: the local one takes its secret from `.dev.vars`, one at Cloudflare, whose secrets nobody can read back, from
 * the environment.
 *
 * @throws {InvalidContentError} If publisher.yaml cannot be read.
 */
export async function readRetrySettings(root: string, place: DatabasePlace, environment: NodeJS.ProcessEnv): Promise<RetrySettings> {
  const problems: ContentProblem[] = [];
  const baseUrl = environment['BASE_URL'] ?? (place === 'local' ? LOCAL_BASE_URL : undefined);
  const publisher = (await readPublisher(root, { baseUrl }, problems))?.data;
  if (publisher === undefined || problems.length > 0) throw new InvalidContentError(problems);
  const local = place === 'local' ? await readFile(join(root, '.dev.vars'), 'utf8').catch(() => '') : '';
  return {
    baseUrl: publisher.base_url,
    hosts: publisher.commerce.webhook_hosts,
    secrets: environment['SIGNING_SECRETS'] ?? settingIn(local, 'SIGNING_SECRETS'),
  };
}

/**
 * Sends every webhook that was not delivered yet, including those that were given up, and returns the lines to print.
 *
 * @throws {UserError} If there is no secret to sign them with.
 */
export async function retryWebhooks(
  database: Database,
  { baseUrl, hosts, secrets: text }: RetrySettings,
  nowMs: number,
): Promise<string[]> {
  const secrets = await readSigningSecrets(text, 'local');
  if ('missing' in secrets)
    throw new UserError('webhooks are signed with SIGNING_SECRETS: put the secret of the deployment into the environment of this command');
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
    const report = await sendWebhooks(sending, nowMs, AT_A_TIME);
    sent += report.sent;
    failed += report.putOff + report.givenUp;
    if (report.sent + report.putOff + report.givenUp === 0) break;
  }
  return [
    `${sent} of ${results.length === 1 ? '1 webhook' : `${results.length} webhooks`} delivered`,
    ...(failed === 0 ? [] : [`${failed} failed and will be tried again; npm run orders -- notices shows why`]),
  ];
}
