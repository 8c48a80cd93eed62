import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { TransactionHash } from '../../schemas/commerce/payments.ts';
import { databaseCommand, runOnDatabase, type TaskRunner } from '../database-command.ts';
import { examples, wholeNumber } from '../define-command.ts';
import { LIST_LINES_MAX } from '../orders/describe-orders.ts';
import { listCounts, listDeliveries, listInvoices, listOrders, markInvoice, orderNamed, showRecord } from '../orders/list-orders.ts';
import { recordRefund } from '../orders/record-refund.ts';
import { readRetrySettings, retryWebhooks } from '../orders/retry-webhooks.ts';
import { markDone } from '../orders/review-issues.ts';
import { reviewCapsulePayment } from '../orders/review-payments.ts';

const LISTS = {
  list: ['list the newest orders, and what needs review', listOrders],
  notices: ['list webhook deliveries that have not succeeded', listDeliveries],
  invoices: ['list invoice requests', listInvoices],
  counts: ['list checkout clicks, orders and refunds by day and offer', listCounts],
} as const;

/** Transactions are compared in lower case. */
function readTransaction(text: string): string {
  if (TransactionHash.safeParse(text).success) return text.toLowerCase();
  throw new InvalidArgumentError('A transaction looks like 0x and 64 hexadecimal digits.');
}

function readReceipt(text: string): string {
  if (InvoiceReceipt.safeParse(text).success) return text;
  throw new InvalidArgumentError('The receipt of an invoice request looks like inv_ and 32 hexadecimal digits.');
}

/** The number of decimals depends on the currency of the order, so it is checked later. */
function readAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0) return text;
  throw new InvalidArgumentError(
    'An amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far.',
  );
}

/** The command `orders`. */
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
    .description('print an order, session, payment event, capsule payment or invoice request')
    .argument('<id>', 'ord_…, rct_…, cs_…, evt_…, pi_…, pay_… or inv_…')
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
    .description('mark an invoice request as answered or closed')
    .addArgument(new Argument('<receipt>', 'inv_…').argParser(readReceipt))
    .addArgument(new Argument('<state>').choices(['answered', 'closed'] as const))
    .action((receipt, state) => onDatabase((database, { nowMs }) => markInvoice(receipt, state, database, nowMs)));
  return command;
}

export const command = ordersCommand(runOnDatabase);
