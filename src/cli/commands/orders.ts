import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { withDatabase } from '../../build/local/database.ts';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { TransactionHash } from '../../schemas/commerce/payments.ts';
import { defineCommand, examples, wholeNumber } from '../define-command.ts';
import { administerOrders, type OrderTask } from '../orders/administer-orders.ts';
import { LIST_LINES_MAX } from '../orders/describe-orders.ts';
import { readRetrySettings, retryWebhooks } from '../orders/retry-webhooks.ts';

const LISTS = {
  list: 'list the newest orders, and below them what needs review',
  notices: 'list webhooks that were not delivered yet',
  invoices: 'list requests for invoices',
  counts: 'list clicks to a checkout, orders and refunds by day and offer',
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

/** How many decimals an amount may have depends on the currency of the order. */
function readAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0) return text;
  throw new InvalidArgumentError(
    'An amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far.',
  );
}

/** The command `orders`. @param run Does a task on the local database or the one at Cloudflare. */
export function ordersCommand(run: (task: OrderTask, place: 'local' | 'remote') => Promise<void>) {
  const command = defineCommand()
    .description('List orders, record refunds and reconcile what could not be matched.')
    .option('--remote', 'use the database at Cloudflare instead of the local one')
    .addHelpText(
      'after',
      examples('npm run orders -- list', 'npm run orders -- refund ord_0123 19.50', 'npm run orders -- retry --remote'),
    );
  const start = (task: OrderTask): Promise<void> => run(task, command.opts().remote ? 'remote' : 'local');
  for (const name of Object.keys(LISTS) as (keyof typeof LISTS)[])
    command
      .command(name)
      .description(LISTS[name])
      .option('--limit <lines>', 'most lines to list', wholeNumber(1, LIST_LINES_MAX), 50)
      .action(({ limit }) => start({ name, limit }));
  command
    .command('show')
    .description('print an order, session, payment event, capsule payment or invoice request')
    .argument('<id>', 'ord_…, rct_…, cs_…, evt_…, pi_…, pay_… or inv_…')
    .action((id) => start({ name: 'show', id }));
  command
    .command('refund')
    .description('record a refund that was made at the payment processor')
    .argument('<order>', 'id, receipt, session or payment of the order')
    .addArgument(new Argument('[amount]', 'total refunded so far; the whole price by default').argParser(readAmount))
    .action((id, amount) => start({ name: 'refund', id, amount }));
  command
    .command('done')
    .description('mark a payment event as reviewed, or release a session whose payment never ended')
    .argument('<id>', 'evt_… or cs_…')
    .action((id) => start({ name: 'done', id }));
  const payment = command
    .command('payment')
    .description('record the outcome of a payment for a capsule')
    .argument('<payment>', 'pay_…')
    .addArgument(new Argument('<outcome>').choices(['settled', 'unpaid'] as const))
    .addArgument(new Argument('[transaction]', 'hash of the transaction that settled it').argParser(readTransaction))
    .action((id, outcome, transaction) => {
      if (outcome === 'unpaid' && transaction === undefined) return start({ name: 'payment', id, verdict: { state: outcome } });
      if (outcome === 'settled' && transaction !== undefined)
        return start({ name: 'payment', id, verdict: { state: outcome, transaction } });
      return payment.error(`error: "settled" needs a transaction, and "unpaid" has none`);
    });
  command
    .command('retry')
    .description('deliver waiting webhooks now')
    .action(() => start({ name: 'retry' }));
  command
    .command('invoice')
    .description('mark a request for an invoice')
    .addArgument(new Argument('<receipt>', 'inv_…').argParser(readReceipt))
    .addArgument(new Argument('<state>').choices(['answered', 'closed'] as const))
    .action((receipt, state) => start({ name: 'invoice', receipt, state }));
  return command;
}

export const command = ordersCommand(async (task, place) => {
  const root = process.cwd();
  const lines = await withDatabase(root, place, (database) =>
    administerOrders(task, database, Date.now(), async (store, nowMs) =>
      retryWebhooks(store, await readRetrySettings(root, place, process.env), nowMs),
    ),
  );
  for (const line of lines) console.log(line);
});
