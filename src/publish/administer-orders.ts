import { CHARGE_LEASE_MS } from '../gateway/orders/complete-session.ts';
import type { Order } from '../gateway/orders/order.ts';
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
import { InvoiceReceipt } from '../schemas/orders.ts';
import { BuildSettingError } from './deployment.ts';
import { describeInvoice, describeOrderFully, invoiceLine, orderLine, stepLine } from './describe-orders.ts';
import { puzzleLines } from './describe-puzzles.ts';
import { terminalLine } from './intake/terminal-text.ts';
import { isMessage, markDone, showMessage, showSession } from './look-at-puzzles.ts';
import { noteRefund } from './note-refund.ts';
import type { OrderTask } from './read-order-task.ts';

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
      return show(task.id, database, nowMs);
    case 'refund':
      return noteRefund(await orderNamed(task.id, database), task.amount, database, nowMs);
    case 'done':
      return markDone(task.id, database, nowMs);
    case 'retry':
      return retry(database, nowMs);
    case 'notices': {
      const notices = await waitingNotices(database, task.limit);
      if (notices.length === 0) return ['every notice was taken'];
      return notices.map(
        ({ order_id, url, kind, state, attempts, fault }) =>
          `${order_id}  ${kind}  ${state === 'due' ? 'waits' : 'given up'} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${JSON.stringify(url)}${fault === null ? '' : `  ${terminalLine(fault)}`}`,
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

async function show(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (isMessage(id)) return showMessage(id, database);
  if (InvoiceReceipt.safeParse(id).success) {
    const request = await d1InvoiceRequests(database).byReceipt(id);
    if (request === undefined) throw new BuildSettingError(`nobody has asked for an invoice under ${id}`);
    return describeInvoice(request);
  }
  const order = await findOrder(database, id);
  if (order === undefined) return (await showSession(id, database, nowMs)) ?? noOrder(id);
  return [...describeOrderFully(order), ...(await stepsOf(database, order.sessionId)).map(stepLine)];
}

async function orderNamed(id: string, database: Database): Promise<Order> {
  return (await findOrder(database, id)) ?? noOrder(id);
}

function noOrder(id: string): never {
  throw new BuildSettingError(`there is no order "${terminalLine(id)}"; an order is named by its id, receipt, session or payment`);
}
