import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { Database } from '../../platform/d1/database.ts';
import { d1InvoiceRequests } from '../../platform/d1/invoice-requests.ts';
import {
  type CutList,
  type DayCount,
  findOrder,
  markInvoiceRequest,
  newestCounts,
  newestInvoiceRequests,
  newestOrders,
  reviewIssues,
  stepsOf,
  type WebhookDelivery,
  undeliveredWebhooks,
} from '../../platform/d1/order-lists.ts';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describeInvoice, describeOrderFully, invoiceLine, moment, moreLines, orderLine, stepLine } from './describe-orders.ts';
import { reviewIssueLines } from './describe-review-issues.ts';
import { terminalLine } from '../terminal-text.ts';
import { isMessage, markDone, showMessage, showPayment, showSession } from './review-issues.ts';
import { noteRefund } from './note-refund.ts';
import type { OrderTask } from './read-order-task.ts';
import { isPayment, paymentsToReview, reviewCapsulePayment, showCapsulePayment } from './review-payments.ts';

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
      return noteRefund(await orderNamed(task.id, database), task.amount, database, nowMs);
    case 'done':
      return markDone(task.id, database, nowMs);
    case 'payment':
      return reviewCapsulePayment(task.id, task.verdict, database, nowMs);
    case 'retry':
      return retry(database, nowMs);
    case 'notices':
      return linesOf(await undeliveredWebhooks(database, task.limit), task.name, 'every notice was taken', noticeLine);
    case 'invoices':
      return linesOf(await newestInvoiceRequests(database, task.limit), task.name, 'nobody has asked for an invoice', invoiceLine);
    case 'invoice':
      return settleInvoice(task.receipt, task.state, database, nowMs);
    case 'counts':
      return linesOf(await newestCounts(database, task.limit), task.name, 'nothing was counted yet', countLine);
  }
}

/** A list, with a line below it that says how many it leaves out. */
function linesOf<Item>(list: CutList<Item>, task: string, none: string, line: (item: Item) => string): string[] {
  return list.shown.length === 0 ? [none] : [...list.shown.map(line), ...moreLines(list, task)];
}

function noticeLine({ order_id, url, kind, state, attempts, fault }: WebhookDelivery): string {
  return `${order_id}  ${kind}  ${state === 'due' ? 'waits' : 'given up'} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${JSON.stringify(url)}${fault === null ? '' : `  ${terminalLine(fault)}`}`;
}

function countLine({ day, event, offer_id, count }: DayCount): string {
  return `${day}  ${event.padEnd(9)}  ${String(count).padStart(6)}  ${terminalLine(offer_id)}`;
}

async function settleInvoice(receipt: string, state: 'answered' | 'closed', database: Database, nowMs: number): Promise<string[]> {
  const changed = await markInvoiceRequest(database, receipt, state, nowMs);
  if (changed !== undefined) return [invoiceLine(changed)];
  const request = await d1InvoiceRequests(database).byReceipt(receipt);
  if (request === undefined) throw noInvoice(receipt);
  const known = `${receipt} was ${request.state} before, ${moment(request.updatedAtMs)}; nothing was changed`;
  if (request.state !== state) throw new BuildSettingError(known);
  return [known];
}

async function show(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (isMessage(id)) return showMessage(id, database);
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

function noInvoice(receipt: string): BuildSettingError {
  return new BuildSettingError(`nobody has asked for an invoice under ${receipt}`);
}

function noOrder(id: string): never {
  throw new BuildSettingError(`there is no order "${terminalLine(id)}"; an order is named by its id, receipt, session or payment`);
}
