import { UserError } from '../../build/user-error.ts';
import type { Order } from '../../gateway/commerce/orders/order.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import type { Database, TruncatedList } from '../../platform/d1/database.ts';
import { d1InvoiceRequests, markInvoiceRequest, newestInvoiceRequests } from '../../platform/d1/invoice-requests.ts';
import { type DayCount, findOrder, newestCounts, newestOrders, reviewIssues, stepsOf } from '../../platform/d1/order-administration.ts';
import type { PaymentVerdict } from '../../platform/d1/payment-claims.ts';
import { type UndeliveredWebhook, undeliveredWebhooks } from '../../platform/d1/webhook-deliveries.ts';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { terminalLine } from '../terminal-text.ts';
import { describeInvoice, describeOrderFully, invoiceLine, moment, moreLines, orderLine, stepLine } from './describe-orders.ts';
import { reviewIssueLines } from './describe-review-issues.ts';
import { recordRefund } from './record-refund.ts';
import { isPaymentEvent, markDone, showPayment, showPaymentEvent, showSession } from './review-issues.ts';
import { isPayment, paymentsToReview, reviewCapsulePayment, showCapsulePayment } from './review-payments.ts';

/** What the publisher can do with orders. */
export type OrderTask =
  | { readonly name: 'list' | 'invoices' | 'notices' | 'counts'; readonly limit: number }
  /** An order, a session, a payment event, a payment for a capsule or a request for an invoice. */
  | { readonly name: 'show'; readonly id: string }
  /** `amount` is the total refunded so far, as a number in the currency of the order; `undefined` for the whole price. */
  | { readonly name: 'refund'; readonly id: string; readonly amount: string | undefined }
  /** A payment event that was reviewed, or a session whose payment was. */
  | { readonly name: 'done'; readonly id: string }
  /** The outcome of a payment for a capsule. */
  | { readonly name: 'payment'; readonly id: string; readonly verdict: PaymentVerdict }
  | { readonly name: 'invoice'; readonly receipt: string; readonly state: 'answered' | 'closed' }
  | { readonly name: 'retry' };

/**
 * Does one task.
 *
 * @param retry Delivers waiting webhooks.
 * @returns The lines to print.
 * @throws {UserError} If what the task names does not exist, or does not allow the task.
 */
export async function administerOrders(
  task: OrderTask,
  database: Database,
  nowMs: number,
  retry: (database: Database, nowMs: number) => Promise<string[]>,
): Promise<string[]> {
  switch (task.name) {
    case 'list': {
      const [orders, open, payments] = await Promise.all([
        newestOrders(database, task.limit),
        reviewIssues(database, nowMs - CHARGE_LEASE_MS, task.limit),
        paymentsToReview(database, nowMs, task.limit),
      ]);
      return [...linesOf(orders, task.name, 'there are no orders', orderLine), ...reviewIssueLines(open, payments)];
    }
    case 'show':
      return show(task.id, database, nowMs);
    case 'refund':
      return recordRefund(await orderNamed(task.id, database), task.amount, database, nowMs);
    case 'done':
      return markDone(task.id, database, nowMs);
    case 'payment':
      return reviewCapsulePayment(task.id, task.verdict, database, nowMs);
    case 'retry':
      return retry(database, nowMs);
    case 'notices':
      return linesOf(await undeliveredWebhooks(database, task.limit), task.name, 'every webhook was delivered', webhookLine);
    case 'invoices':
      return linesOf(await newestInvoiceRequests(database, task.limit), task.name, 'there are no invoice requests', invoiceLine);
    case 'invoice':
      return settleInvoice(task.receipt, task.state, database, nowMs);
    case 'counts':
      return linesOf(await newestCounts(database, task.limit), task.name, 'nothing has been counted yet', countLine);
  }
}

/** A list, with a line below it that counts what it leaves out. */
function linesOf<Item>(list: TruncatedList<Item>, task: string, none: string, line: (item: Item) => string): string[] {
  return list.shown.length === 0 ? [none] : [...list.shown.map(line), ...moreLines(list, task)];
}

function webhookLine({ orderId, url, kind, state, attempts, fault }: UndeliveredWebhook): string {
  return `${orderId}  ${kind}  ${state === 'due' ? 'waiting' : 'given up'} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${JSON.stringify(url)}${fault === undefined ? '' : `  ${terminalLine(fault)}`}`;
}

function countLine({ day, event, offerId, count }: DayCount): string {
  return `${day}  ${event.padEnd(9)}  ${String(count).padStart(6)}  ${terminalLine(offerId)}`;
}

async function settleInvoice(receipt: string, state: 'answered' | 'closed', database: Database, nowMs: number): Promise<string[]> {
  const changed = await markInvoiceRequest(database, receipt, state, nowMs);
  if (changed !== undefined) return [invoiceLine(changed)];
  const request = await d1InvoiceRequests(database).byReceipt(receipt);
  if (request === undefined) throw noInvoice(receipt);
  const known = `${receipt} was ${request.state} before, ${moment(request.updatedAtMs)}; nothing was changed`;
  if (request.state !== state) throw new UserError(known);
  return [known];
}

async function show(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (isPaymentEvent(id)) return showPaymentEvent(id, database);
  if (isPayment(id)) return showCapsulePayment(id, database);
  if (InvoiceReceipt.safeParse(id).success) {
    const request = await d1InvoiceRequests(database).byReceipt(id);
    if (request === undefined) throw noInvoice(id);
    return describeInvoice(request);
  }
  const order = await findOrder(database, id);
  if (order === undefined) return (await showSession(id, database, nowMs)) ?? (await showPayment(id, database)) ?? noOrder(id);
  return [...describeOrderFully(order), ...(await stepsOf(database, order.sessionId)).map(stepLine)];
}

async function orderNamed(id: string, database: Database): Promise<Order> {
  return (await findOrder(database, id)) ?? noOrder(id);
}

function noInvoice(receipt: string): UserError {
  return new UserError(`there is no invoice request ${receipt}`);
}

function noOrder(id: string): never {
  throw new UserError(`there is no order "${terminalLine(id)}"; an order is named by its id, receipt, session or payment`);
}
