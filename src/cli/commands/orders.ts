import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { LIST_LINES_MAX } from '../../administration/describe-orders.ts';
import {
  listCounts,
  listDeliveries,
  listInvoices,
  listOrders,
  markDone,
  markInvoice,
  orderNamed,
  readAmount,
  readTransaction,
  recordRefund,
  reviewCapsulePayment,
  showRecord,
  withdrawDelivery,
} from '../../administration/orders.ts';
import type { DatabasePlace } from '../../build/local/d1-connections.ts';
import { settingIn } from '../../build/local/local-stores.ts';
import { sendWebhooks } from '../../gateway/commerce/orders/send-webhooks.ts';
import { systemRuntime } from '../../platform/clock-and-deadlines.ts';
import type { Database } from '../../platform/d1/database.ts';
import { requeueWebhooks } from '../../platform/d1/order-administration.ts';
import { d1Orders, d1WebhookDeliveries } from '../../platform/d1/order-store.ts';
import { readSigningSecrets } from '../../platform/environment.ts';
import { webhookSender } from '../../platform/outgoing-requests.ts';
import { writeAcpOrderEvent } from '../../protocols/acp/order-event.ts';
import { UserError } from '../../publication/content-problem.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { InvoiceReceipt, MessageReceipt } from '../../schemas/commerce/orders.ts';
import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, readAsField, wholeNumber } from '../define-command.ts';

const LISTS = {
  list: ['list the newest orders, texts sold by way, and what needs review', listOrders],
  notices: ['list webhook deliveries that have not succeeded', listDeliveries],
  invoices: ['list invoice requests and messages', listInvoices],
  counts: ['list carts, orders and refunds by day and offer, and texts sold by way', listCounts],
} as const;

function readReceipt(text: string): string {
  if (InvoiceReceipt.or(MessageReceipt).safeParse(text).success) return text;
  throw new InvalidArgumentError('A receipt is inv_ (invoice request) or msg_ (message), followed by 32 hexadecimal digits.');
}

export function ordersCommand(run: TaskRunner) {
  const { command, onDatabase, act } = databaseCommand(run);
  command
    .description('List orders, record refunds and resolve payments that match no order.')
    .addHelpText(
      'after',
      examples('npm run orders -- list', 'npm run orders -- refund ord_0123 19.50', 'npm run orders -- retry --remote'),
    );
  for (const [name, [description, list]] of Object.entries(LISTS))
    command
      .command(name)
      .description(description)
      .option('--limit <lines>', 'most lines to list', wholeNumber(1, LIST_LINES_MAX), 50)
      .action(({ limit }) => onDatabase((database, { nowMs }) => list(database, limit, nowMs)));
  command
    .command('show')
    .description('print an order, session, payment event, capsule payment, invoice request or message')
    .argument('<id>', 'ord_…, rct_…, cs_…, evt_…, pi_…, pay_…, inv_… or msg_…')
    .action((id) => onDatabase((database, { nowMs }) => showRecord(id, database, nowMs)));
  command
    .command('refund')
    .description('record a refund that was made at the payment processor')
    .argument('<order>', 'id, receipt, session or payment of the order')
    .addArgument(new Argument('[amount]', 'total refunded so far; the whole price by default').argParser(readAsField(readAmount)))
    .action((id, amount) =>
      act('orders refund', id, async (database, { nowMs }) => recordRefund(await orderNamed(id, database), amount, database, nowMs)),
    );
  command
    .command('withdraw')
    .description('end what an order delivers, such as a pass, without a refund')
    .argument('<order>', 'id, receipt, session or payment of the order')
    .action((id) =>
      act('orders withdraw', id, async (database, { nowMs }) => withdrawDelivery(await orderNamed(id, database), database, nowMs)),
    );
  command
    .command('done')
    .description('mark a payment event as reviewed, or reopen a session whose payment did not complete')
    .argument('<id>', 'evt_… or cs_…')
    .action((id) => act('orders done', id, (database, { nowMs }) => markDone(id, database, nowMs)));
  const payment = command
    .command('payment')
    .description('record the outcome of a payment for a capsule')
    .argument('<payment>', 'pay_…')
    .addArgument(new Argument('<outcome>').choices(['settled', 'unpaid'] as const))
    .addArgument(new Argument('[transaction]', 'hash of the transaction that settled it').argParser(readAsField(readTransaction)))
    .action((id, state, transaction) => {
      if ((state === 'settled') !== (transaction !== undefined))
        return payment.error(`error: "settled" needs a transaction, and "unpaid" has none`);
      const verdict = state === 'settled' && transaction !== undefined ? { state, transaction } : { state: 'unpaid' as const };
      return act('orders payment', `${id} ${state}`, (database, { nowMs }) => reviewCapsulePayment(id, verdict, database, nowMs));
    });
  command
    .command('retry')
    .description('retry webhook deliveries now')
    .action(() =>
      act('orders retry', '', async (database, { root, place, nowMs }) =>
        retryWebhooks(database, await readRetrySettings(root, place, process.env), nowMs),
      ),
    );
  command
    .command('invoice')
    .description('mark an invoice request or a message as answered or closed')
    .addArgument(new Argument('<receipt>', 'inv_… or msg_…').argParser(readReceipt))
    .addArgument(new Argument('<state>').choices(['answered', 'closed'] as const))
    .action((receipt, state) =>
      act('orders invoice', `${receipt} ${state}`, (database, { nowMs }) => markInvoice(receipt, state, database, nowMs)),
    );
  return command;
}

export const command = ordersCommand(runOnDatabase);

const BATCH_SIZE = 10;

/** Settings of a deployment. The local secret is in `.dev.vars`; secrets at Cloudflare cannot be read back, so theirs is in the environment. */
export async function readRetrySettings(root: string, place: DatabasePlace, environment: NodeJS.ProcessEnv) {
  const baseUrl = environment['BASE_URL'] ?? (place === 'local' ? LOCAL_BASE_URL : undefined);
  const publisher = await loadPublisher(root, { baseUrl });
  const local = place === 'local' ? await readFile(join(root, '.dev.vars'), 'utf8').catch(() => '') : '';
  return {
    baseUrl: publisher.base_url,
    hosts: publisher.commerce.webhook_hosts,
    secrets: environment['SIGNING_SECRETS'] ?? settingIn(local, 'SIGNING_SECRETS'),
  };
}

/** Sends every undelivered webhook, including those that were given up. @throws {UserError} Without a secret to sign them. */
export async function retryWebhooks(
  database: Database,
  settings: Awaited<ReturnType<typeof readRetrySettings>>,
  nowMs: number,
): Promise<string[]> {
  const secrets = await readSigningSecrets(settings.secrets, 'local');
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
    sendWebhook: webhookSender(settings.hosts, systemRuntime.timers),
    secrets,
    baseUrl: settings.baseUrl,
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
