import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import type { DatabasePlace } from '../../build/local/database.ts';
import { settingIn } from '../../build/local/local-stores.ts';
import { UserError } from '../../build/user-error.ts';
import type { Order } from '../../gateway/commerce/cart/checkout-ports.ts';
import { revokeDeliveredKey } from '../../gateway/commerce/orders/handle-payment-event.ts';
import { refundStateOf, refundStep } from '../../gateway/commerce/orders/order-transitions.ts';
import { sendWebhooks } from '../../gateway/commerce/orders/send-webhooks.ts';
import { agentStore } from '../../platform/d1/agent-store.ts';
import type { Database } from '../../platform/d1/database.ts';
import { requeueWebhooks } from '../../platform/d1/order-administration.ts';
import { d1Orders, d1WebhookDeliveries } from '../../platform/d1/order-store.ts';
import { webhookSender } from '../../platform/outgoing-requests.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { readSigningSecrets } from '../../platform/signing-secrets.ts';
import { writeAcpOrderEvent } from '../../protocols/acp/order-event.ts';
import { loadPublisher } from '../../publication/read-publisher.ts';
import { InvoiceReceipt, MessageReceipt } from '../../schemas/commerce/orders.ts';
import { TransactionHash } from '../../schemas/commerce/stablecoin-payments.ts';
import { minorDigits } from '../../schemas/commerce/terms.ts';
import { LOCAL_BASE_URL } from '../../schemas/deployment.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { formatMoney } from '../../text/prices.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, wholeNumber } from '../define-command.ts';
import { LIST_LINES_MAX } from '../orders/describe-orders.ts';
import {
  listCounts,
  listDeliveries,
  listInvoices,
  listOrders,
  markDone,
  markInvoice,
  orderNamed,
  reviewCapsulePayment,
  showRecord,
} from '../orders/list-orders.ts';

const LISTS = {
  list: ['list the newest orders, and what needs review', listOrders],
  notices: ['list webhook deliveries that have not succeeded', listDeliveries],
  invoices: ['list invoice requests and messages', listInvoices],
  counts: ['list checkout clicks, orders and refunds by day and offer', listCounts],
} as const;

/** Transactions are compared in lower case. */
function readTransaction(text: string): string {
  if (TransactionHash.safeParse(text).success) return text.toLowerCase();
  throw new InvalidArgumentError('A transaction looks like 0x and 64 hexadecimal digits.');
}

function readReceipt(text: string): string {
  if (InvoiceReceipt.or(MessageReceipt).safeParse(text).success) return text;
  throw new InvalidArgumentError('A receipt is inv_ (invoice request) or msg_ (message), followed by 32 hexadecimal digits.');
}

/** The number of decimals depends on the currency of the order, so it is checked later. */
function readAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0) return text;
  throw new InvalidArgumentError(
    'An amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far.',
  );
}

export function ordersCommand(run: TaskRunner) {
  const { command, onDatabase } = databaseCommand(run);
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
    .addArgument(new Argument('[amount]', 'total refunded so far; the whole price by default').argParser(readAmount))
    .action((id, amount) =>
      onDatabase(async (database, { nowMs }) => recordRefund(await orderNamed(id, database), amount, database, nowMs)),
    );
  command
    .command('done')
    .description('mark a payment event as reviewed, or reopen a session whose payment did not complete')
    .argument('<id>', 'evt_… or cs_…')
    .action((id) => onDatabase((database, { nowMs }) => markDone(id, database, nowMs)));
  const payment = command
    .command('payment')
    .description('record the outcome of a payment for a capsule')
    .argument('<payment>', 'pay_…')
    .addArgument(new Argument('<outcome>').choices(['settled', 'unpaid'] as const))
    .addArgument(new Argument('[transaction]', 'hash of the transaction that settled it').argParser(readTransaction))
    .action((id, state, transaction) => {
      if ((state === 'settled') !== (transaction !== undefined))
        return payment.error(`error: "settled" needs a transaction, and "unpaid" has none`);
      const verdict = state === 'settled' && transaction !== undefined ? { state, transaction } : { state: 'unpaid' as const };
      return onDatabase((database, { nowMs }) => reviewCapsulePayment(id, verdict, database, nowMs));
    });
  command
    .command('retry')
    .description('retry webhook deliveries now')
    .action(() =>
      onDatabase(async (database, { root, place, nowMs }) =>
        retryWebhooks(database, await readRetrySettings(root, place, process.env), nowMs),
      ),
    );
  command
    .command('invoice')
    .description('mark an invoice request or a message as answered or closed')
    .addArgument(new Argument('<receipt>', 'inv_… or msg_…').argParser(readReceipt))
    .addArgument(new Argument('<state>').choices(['answered', 'closed'] as const))
    .action((receipt, state) => onDatabase((database, { nowMs }) => markInvoice(receipt, state, database, nowMs)));
  return command;
}

export const command = ordersCommand(runOnDatabase);

/**
 * Records a refund that was made at the payment processor and not reported by its webhook. The amount is a running total, as in webhooks,
 * so that recording it twice, or besides a webhook, counts once.
 *
 * @param amount Total refunded so far, as a number in the currency of the order; `undefined` for the whole price.
 * @returns The lines to print.
 * @throws {UserError} If the amount is invalid, above the price, or not above the recorded total.
 */
export async function recordRefund(order: Order, amount: string | undefined, database: Database, nowMs: number): Promise<string[]> {
  const { id, currency, totalMinor } = order;
  const text = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const refunded = amount === undefined ? totalMinor : minorOf(amount, currency);
  if (refunded > totalMinor) throw new UserError(`${id} cost ${text(totalMinor)}; give an amount of at most that`);
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order: before } = await store.load(undefined, order.sessionId, nowMs);
  if (session === undefined || before === undefined) throw new UserError(`the session of ${id} was deleted, so nothing can be recorded`);
  const step = refundStep(session, before, refunded, nowMs);
  if (step === undefined) throw new UserError(`${id}: nothing was changed. ${whyUnchanged(before, refunded, text)}`);
  const isAll = refundStateOf({ totalMinor, refundedMinor: refunded }) === 'all';
  await revokeDeliveredKey(step.order ?? before, { agents: agentStore(database) }, nowMs);
  const { applied } = await store.apply(step);
  if (!applied) throw new UserError(`${id} was changed at the same time; show it, then try again`);
  return [
    `${id}: ${text(refunded)} of ${text(totalMinor)} recorded as refunded in total; it was ${text(before.refundedMinor)} before`,
    isAll
      ? `That is the whole price: the order no longer delivers anything. A key that it delivered is revoked: changes refuse it at once, everything else within ${LIMITS.revocationMaxSeconds} seconds.`
      : 'It delivers until the whole price is refunded.',
    'No money was moved: make the refund itself at the payment processor.',
  ];
}

function whyUnchanged({ id, currency, totalMinor, refundedMinor }: Order, refunded: number, text: (amountMinor: number) => string): string {
  if (totalMinor === 0) return 'It cost nothing.';
  if (refundedMinor >= totalMinor) return `Its whole price, ${text(totalMinor)}, is recorded as refunded already.`;
  const recorded = `${text(refundedMinor)} of ${text(totalMinor)} is recorded as refunded already, and the amount is the total refunded so far.`;
  const sum = refunded + refundedMinor;
  if (sum > totalMinor) return recorded;
  return `${recorded} If ${text(refunded)} more was refunded, the total is ${text(sum)}: npm run orders -- refund ${id} ${plainAmount(sum, currency)}`;
}

/** Minor units of a typed amount; `6.5` is `6.50`. */
function minorOf(amount: string, currency: string): number {
  const [whole = '', decimals = ''] = amount.split('.');
  const digits = minorDigits(currency);
  if (decimals.length > digits) throw new UserError(`"${amount}" is not an amount in ${currency}, such as ${plainAmount(1_950, currency)}`);
  return Number(whole) * 10 ** digits + Number(decimals.padEnd(digits, '0'));
}

function plainAmount(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency);
  const major = amountMinor / 10 ** digits;
  return Number.isInteger(major) ? String(major) : major.toFixed(digits);
}

const BATCH_SIZE = 10;

interface RetrySettings {
  readonly baseUrl: string;
  readonly hosts: readonly string[];
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
