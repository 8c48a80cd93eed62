import { CHARGE_LEASE_MS } from '../gateway/orders/complete-session.ts';
import { type Order, refundStateOf } from '../gateway/orders/order.ts';
import { priceText } from '../gateway/orders/price-text.ts';
import { refundStep, takeBackKey } from '../gateway/orders/take-processor-event.ts';
import { agentStore } from '../platform/d1/agent-store.ts';
import type { Database } from '../platform/d1/database.ts';
import { d1InvoiceRequests } from '../platform/d1/invoice-requests.ts';
import {
  findOrder,
  markInvoiceRequest,
  newestCounts,
  newestInvoiceRequests,
  newestOrders,
  puzzles,
  stepsOf,
  waitingNotices,
} from '../platform/d1/order-lists.ts';
import { d1Orders } from '../platform/d1/orders.ts';
import { REAL_WORLD } from '../platform/world.ts';
import { InvoiceReceipt } from '../schemas/orders.ts';
import { BuildSettingError } from './deployment.ts';
import { describeInvoice, describeOrderFully, invoiceLine, moment, orderLine, puzzleLines } from './describe-orders.ts';
import { terminalLine } from './intake/terminal-text.ts';

/** What the publisher can do with orders. */
export type OrderTask =
  | { readonly name: 'list' | 'invoices' | 'notices' | 'counts'; readonly limit: number }
  | { readonly name: 'show'; readonly id: string }
  /** Without an amount, all of it. */
  | { readonly name: 'refund'; readonly id: string; readonly amountMinor: number | undefined }
  | { readonly name: 'invoice'; readonly receipt: string; readonly state: 'answered' | 'closed' }
  | { readonly name: 'retry' };

const USAGE =
  'say what to do: npm run orders -- list, show <id>, refund <order> [amount], retry, notices, invoices, invoice <receipt> answered|closed, or counts; with --limit for lists, and --remote at Cloudflare';

/**
 * What words on the command line ask for.
 *
 * @throws {BuildSettingError} If that is not clear.
 */
export function readOrderTask([name, id, word, ...rest]: readonly string[], limit: string | undefined): OrderTask {
  const fault = new BuildSettingError(USAGE);
  if (rest.length > 0) throw fault;
  if (id === undefined) {
    if (name === 'retry') return { name };
    if (name === 'list' || name === 'invoices' || name === 'notices' || name === 'counts') return { name, limit: readLimit(limit) };
    throw fault;
  }
  if (name === 'show' && word === undefined) return { name, id };
  if (name === 'refund') return { name, id, amountMinor: word === undefined ? undefined : readAmount(word) };
  if (name !== 'invoice' || (word !== 'answered' && word !== 'closed')) throw fault;
  if (!InvoiceReceipt.safeParse(id).success)
    throw new BuildSettingError(
      `"${terminalLine(id)}" is no receipt of a request for an invoice; it looks like inv_ and 32 hexadecimal digits`,
    );
  return { name, receipt: id, state: word };
}

function readLimit(text = '50'): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new BuildSettingError(`--limit ${terminalLine(text)} is not a number from 1 to 10000`);
  return limit;
}

/** Dollars and cents as minor units. */
function readAmount(text: string): number {
  const [, dollars, cents = ''] = /^\$?(\d{1,7})(?:\.(\d{2}))?$/.exec(text) ?? [];
  const minor = dollars === undefined ? 0 : Number(dollars) * 100 + Number(cents);
  if (minor === 0) throw new BuildSettingError(`"${terminalLine(text)}" is no amount in US dollars, such as 120 or 19.50`);
  return minor;
}

/**
 * Does one task and gives the lines to show.
 *
 * @param retry Sends the notices that were not taken yet.
 * @throws {BuildSettingError} If what the task names is not there, or cannot be done with it.
 */
export async function administerOrders(
  task: OrderTask,
  database: Database,
  nowMs: number,
  retry: (database: Database, nowMs: number) => Promise<string[]>,
): Promise<string[]> {
  switch (task.name) {
    case 'list': {
      const [orders, open] = await Promise.all([
        newestOrders(database, task.limit),
        puzzles(database, nowMs - CHARGE_LEASE_MS, task.limit),
      ]);
      return [...(orders.length === 0 ? ['there are no orders'] : orders.map(orderLine)), ...puzzleLines(open)];
    }
    case 'show':
      return show(task.id, database);
    case 'refund':
      return noteRefund(task, database, nowMs);
    case 'retry':
      return retry(database, nowMs);
    case 'notices': {
      const notices = await waitingNotices(database, task.limit);
      if (notices.length === 0) return ['every notice was taken'];
      return notices.map(
        ({ order_id, url, kind, state, attempts, fault }) =>
          `${order_id}  ${kind}  ${state === 'due' ? 'waits' : 'given up'} after ${attempts} attempts  ${JSON.stringify(url)}${fault === null ? '' : `  ${terminalLine(fault)}`}`,
      );
    }
    case 'invoices': {
      const requests = await newestInvoiceRequests(database, task.limit);
      return requests.length === 0 ? ['nobody has asked for an invoice'] : requests.map(invoiceLine);
    }
    case 'invoice': {
      const request = await markInvoiceRequest(database, task.receipt, task.state, nowMs);
      if (request === undefined) throw new BuildSettingError(`nobody has asked for an invoice under ${task.receipt}`);
      return [invoiceLine(request)];
    }
    case 'counts': {
      const counts = await newestCounts(database, task.limit);
      if (counts.length === 0) return ['nothing was counted yet'];
      return counts.map(
        ({ day, event, offer_id, count }) => `${day}  ${event.padEnd(9)}  ${String(count).padStart(6)}  ${terminalLine(offer_id)}`,
      );
    }
  }
}

async function show(id: string, database: Database): Promise<string[]> {
  if (InvoiceReceipt.safeParse(id).success) {
    const request = await d1InvoiceRequests(database).byReceipt(id);
    if (request === undefined) throw new BuildSettingError(`nobody has asked for an invoice under ${id}`);
    return describeInvoice(request);
  }
  const order = await orderNamed(id, database);
  const steps = await stepsOf(database, order.sessionId);
  return [...describeOrderFully(order), ...steps.map(({ kind, at_ms, detail }) => `  ${moment(at_ms)}  ${kind}  ${terminalLine(detail)}`)];
}

/** Notes what was given back at the processor by hand, where its message did not come. */
async function noteRefund(
  { id, amountMinor }: OrderTask & { readonly name: 'refund' },
  database: Database,
  nowMs: number,
): Promise<string[]> {
  const order = await orderNamed(id, database);
  const refunded = amountMinor ?? order.totalMinor;
  if (refunded > order.totalMinor)
    throw new BuildSettingError(`${order.id} cost ${priceText(order.totalMinor)}, so not more than that can be given back`);
  const store = d1Orders(database, REAL_WORLD.randomness);
  const { session, order: newest } = await store.look(undefined, order.sessionId, nowMs);
  if (session === undefined || newest === undefined) throw new BuildSettingError(`${order.id} has no session any more`);
  const step = refundStep(session, newest, refunded, nowMs);
  if (step === undefined)
    return [`${order.id}: ${priceText(newest.refundedMinor)} of ${priceText(newest.totalMinor)} were noted as given back already`];
  await takeBackKey(step.order ?? newest, { agents: agentStore(database) }, nowMs);
  const { applied } = await store.apply(step);
  if (!applied) throw new BuildSettingError(`${order.id} was changed at the same moment; look at it and try again`);
  return [
    `${order.id}: ${priceText(refunded)} of ${priceText(order.totalMinor)} noted as given back${refundStateOf({ ...order, refundedMinor: refunded }) === 'all' ? ', which is all' : ''}`,
    'This moves no money: the refund itself is made at the payment processor.',
  ];
}

async function orderNamed(id: string, database: Database): Promise<Order> {
  const order = await findOrder(database, id);
  if (order === undefined)
    throw new BuildSettingError(`there is no order "${terminalLine(id)}"; an order is named by its id, receipt, session or payment`);
  return order;
}
