import { parseArgs } from 'node:util';
import type { PaymentVerdict } from '../../platform/d1/payment-claims.ts';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { TransactionHash } from '../../protocols/x402/schemas.ts';
import type { DatabasePlace } from '../../build/local/database.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { terminalLine } from '../terminal-text.ts';

/** What the publisher can do with orders. */
export type OrderTask =
  | { readonly name: 'list' | 'invoices' | 'notices' | 'counts'; readonly limit: number }
  /** An order, a session, a message of the processor, a payment for a capsule or a request for an invoice. */
  | { readonly name: 'show'; readonly id: string }
  /** All that was given back so far, as a number in the currency of the order; without one, the whole price. */
  | { readonly name: 'refund'; readonly id: string; readonly amount: string | undefined }
  /** A message of the processor that was looked at, or a session whose payment was. */
  | { readonly name: 'done'; readonly id: string }
  /** What the publisher found out about a payment for a capsule. */
  | { readonly name: 'payment'; readonly id: string; readonly verdict: PaymentVerdict }
  | { readonly name: 'invoice'; readonly receipt: string; readonly state: 'answered' | 'closed' }
  | { readonly name: 'retry' };

/** Most lines that a list can be asked for. */
export const LIST_LINES_MAX = 10_000;

/** A task, and where the database is that it is about. */
export interface OrderCommand {
  readonly task: OrderTask;
  readonly place: DatabasePlace;
}

/** How the command is used. */
export const ORDER_USAGE = `usage: npm run orders -- <what> [--limit <lines of a list>] [--remote, for the database at Cloudflare]
  list                       the newest orders, and below them whatever needs a look
  show <id>                  an order, a session cs_…, a message evt_…, a payment pay_… or a request inv_…
  refund <order> [<amount>]  notes what was given back: the amount is all that was given back so far,
                             earlier refunds included; without one, the whole price
  done <id>                  takes a message evt_…, or a session cs_… whose payment never ended, from what needs a look
  payment <pay_…> settled <transaction> | unpaid
                             notes what you found out about a payment for a capsule
  notices                    what agents were not told yet
  retry                      tells them now
  invoices                   requests for invoices
  invoice <receipt> answered|closed
  counts                     ways to a checkout, orders and refunds by day and offer`;

/**
 * What the arguments of the command ask for: a task, or how it is used.
 *
 * @throws {BuildSettingError} If that is not clear; it says what is wrong on one line, and the usage below it.
 */
export function readOrderCommand(args: readonly string[]): OrderCommand | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help || positionals[0] === 'help') return 'help';
  return { task: readTask(positionals, values.limit), place: values.remote ? 'remote' : 'local' };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { remote: { type: 'boolean' }, limit: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const negative = args.find((word) => /^-[\d.]/.test(word));
    const [message = ''] = error.message.split('. ');
    throw negative === undefined ? misuse(message) : noAmount(negative);
  }
}

function readTask([name, id, word, ...rest]: readonly string[], limit: string | undefined): OrderTask {
  if (name === undefined) throw misuse('nothing is asked for');
  const isAlone = id === undefined;
  const isAboutOne = id !== undefined && word === undefined;
  const isLong = rest.length > 0;
  switch (name) {
    case 'retry':
      if (isAlone) return { name };
      break;
    case 'list':
    case 'invoices':
    case 'notices':
    case 'counts':
      if (isAlone) return { name, limit: readLimit(limit) };
      break;
    case 'show':
    case 'done':
      if (isAboutOne) return { name, id };
      break;
    case 'refund':
      if (id !== undefined && !isLong) return { name, id, amount: word === undefined ? undefined : readAmount(word) };
      break;
    case 'payment':
      if (id === undefined || rest.length > 1) break;
      if (word === 'unpaid' && rest.length === 0) return { name, id, verdict: { state: word } };
      if (word === 'settled') return { name, id, verdict: { state: word, transaction: readTransaction(rest[0]) } };
      break;
    case 'invoice':
      if (id !== undefined && !isLong && (word === 'answered' || word === 'closed')) return { name, receipt: readReceipt(id), state: word };
      break;
    default:
      throw misuse(`"${terminalLine(name)}" is nothing that can be done with orders`);
  }
  throw misuse(`"${name}" is used in another way`);
}

function readReceipt(text: string): string {
  if (InvoiceReceipt.safeParse(text).success) return text;
  throw misuse(`"${terminalLine(text)}" is no receipt of a request for an invoice; it looks like inv_ and 32 hexadecimal digits`);
}

function readTransaction(text = ''): string {
  if (TransactionHash.safeParse(text).success) return text.toLowerCase();
  throw misuse(`"${terminalLine(text)}" is no transaction; it looks like 0x and 64 hexadecimal digits`);
}

function readLimit(text = '50'): number {
  const limit = Number(text);
  if (text.trim() === '' || !Number.isInteger(limit) || limit < 1 || limit > LIST_LINES_MAX)
    throw misuse(`--limit ${terminalLine(text)} is not a number from 1 to ${LIST_LINES_MAX}`);
  return limit;
}

/** How many decimals it may have is known with the currency of the order. */
function readAmount(text: string): string {
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(text) || Number(text) === 0) throw noAmount(text);
  return text;
}

function noAmount(text: string): BuildSettingError {
  return misuse(
    `"${terminalLine(text)}" is no amount: it is a number above zero without the sign of a currency, such as 120 or 19.50, and says what was given back in all so far`,
  );
}

function misuse(fault: string): BuildSettingError {
  return new BuildSettingError(`${fault}\n${ORDER_USAGE}`);
}
