import { UserError } from '../../build/user-error.ts';
import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { PaymentClaim } from '../../gateway/commerce/payments/payment-ports.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/sessions/complete-session.ts';
import type { Database, TruncatedList } from '../../platform/d1/database.ts';
import { d1InvoiceRequests, markInvoiceRequest, newestInvoiceRequests } from '../../platform/d1/invoice-requests.ts';
import {
  type DayCount,
  findOrder,
  newestCounts,
  newestOrders,
  type ReviewIssues,
  reviewIssues,
  type StuckSession,
  stepsOf,
} from '../../platform/d1/order-administration.ts';
import { type UndeliveredWebhook, undeliveredWebhooks } from '../../platform/d1/webhook-deliveries.ts';
import { formatMoney } from '../../publication/offers/money.ts';
import { InvoiceReceipt } from '../../schemas/commerce/orders.ts';
import { minuteText, terminalLine } from '../terminal-text.ts';
import { describeInvoice, describeOrder, invoiceLine, moreLines, orderLine, stepLine } from './describe-orders.ts';
import { paymentEventLine } from './describe-payment-event.ts';
import { isPaymentEvent, showPayment, showPaymentEvent, showSession } from './review-issues.ts';
import { isPayment, paymentLine, paymentsToReview, showCapsulePayment } from './review-payments.ts';

/** The newest orders, and below them what needs review. */
export async function listOrders(database: Database, limit: number, nowMs: number): Promise<string[]> {
  const [orders, issues, payments] = await Promise.all([
    newestOrders(database, limit),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, limit),
    paymentsToReview(database, nowMs, limit),
  ]);
  return [...linesOf(orders, 'list', 'there are no orders', orderLine), ...reviewLines(issues, payments)];
}

/** Webhook deliveries that have not succeeded. */
export async function listDeliveries(database: Database, limit: number): Promise<string[]> {
  return linesOf(await undeliveredWebhooks(database, limit), 'notices', 'every webhook was delivered', deliveryLine);
}

/** The newest invoice requests. */
export async function listInvoices(database: Database, limit: number): Promise<string[]> {
  return linesOf(await newestInvoiceRequests(database, limit), 'invoices', 'there are no invoice requests', invoiceLine);
}

/** Checkout clicks, orders and refunds by day and offer. */
export async function listCounts(database: Database, limit: number): Promise<string[]> {
  return linesOf(await newestCounts(database, limit), 'counts', 'nothing has been counted yet', countLine);
}

/** Lines of a list, and how many more there are. */
function linesOf<Item>(list: TruncatedList<Item>, task: string, none: string, line: (item: Item) => string): string[] {
  return list.shown.length === 0 ? [none] : [...list.shown.map(line), ...moreLines(list, task)];
}

function deliveryLine({ orderId, url, kind, state, attempts, fault }: UndeliveredWebhook): string {
  return `${orderId}  ${kind}  ${state === 'due' ? 'waiting' : 'given up'} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${JSON.stringify(url)}${fault === undefined ? '' : `  ${terminalLine(fault)}`}`;
}

function countLine({ day, event, offerId, count }: DayCount): string {
  return `${day}  ${event.padEnd(9)}  ${String(count).padStart(6)}  ${terminalLine(offerId)}`;
}

/** What needs review, under a heading; no lines if nothing does. */
function reviewLines({ events, charging, givenUp, newInvoiceRequests }: ReviewIssues, payments: TruncatedList<PaymentClaim>): string[] {
  const lines = [
    ...events.shown.map(paymentEventLine),
    ...moreLines(events, 'list', '  '),
    ...charging.shown.map(stuckLine),
    ...moreLines(charging, 'list', '  '),
    ...payments.shown.map(paymentLine),
    ...moreLines(payments, 'list', '  '),
  ];
  const hint = lines.length === 0 ? '' : ' (npm run orders -- show <id> says what to do)';
  if (givenUp > 0)
    lines.push(`  ${givenUp === 1 ? '1 webhook was' : `${givenUp} webhooks were`} given up: npm run orders -- notices, then retry`);
  if (newInvoiceRequests > 0)
    lines.push(
      `  ${newInvoiceRequests === 1 ? '1 invoice request is waiting' : `${newInvoiceRequests} invoice requests are waiting`}: npm run orders -- invoices`,
    );
  return lines.length === 0 ? [] : ['', `needs review:${hint}`, ...lines];
}

function stuckLine({ id, totalMinor, currency, updatedAtMs }: StuckSession): string {
  return `  ${id}  ${minuteText(updatedAtMs)}  payment of ${formatMoney({ amountMinor: totalMinor, currency })} began, and its outcome is unknown: find it at Stripe`;
}

/**
 * Everything about an order, session, payment event, payment or invoice request.
 *
 * @throws {UserError} If it does not exist.
 */
export async function showRecord(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (isPaymentEvent(id)) return showPaymentEvent(id, database);
  if (isPayment(id)) return showCapsulePayment(id, database);
  if (InvoiceReceipt.safeParse(id).success) {
    const request = await d1InvoiceRequests(database).byReceipt(id);
    if (request === undefined) throw noInvoice(id);
    return describeInvoice(request);
  }
  const order = await findOrder(database, id);
  if (order === undefined) return (await showSession(id, database, nowMs)) ?? (await showPayment(id, database)) ?? noOrder(id);
  return [...describeOrder(order), ...(await stepsOf(database, order.sessionId)).map(stepLine)];
}

/**
 * Marks an invoice request. Repeating it changes nothing.
 *
 * @throws {UserError} If it does not exist, or was closed before.
 */
export async function markInvoice(receipt: string, state: 'answered' | 'closed', database: Database, nowMs: number): Promise<string[]> {
  const changed = await markInvoiceRequest(database, receipt, state, nowMs);
  if (changed !== undefined) return [invoiceLine(changed)];
  const request = await d1InvoiceRequests(database).byReceipt(receipt);
  if (request === undefined) throw noInvoice(receipt);
  const line = `${receipt} was ${request.state} before, ${minuteText(request.updatedAtMs)}; nothing was changed`;
  if (request.state !== state) throw new UserError(line);
  return [line];
}

/**
 * The order with an id, receipt, session or payment.
 *
 * @throws {UserError} If it does not exist.
 */
export async function orderNamed(id: string, database: Database): Promise<Order> {
  return (await findOrder(database, id)) ?? noOrder(id);
}

function noInvoice(receipt: string): UserError {
  return new UserError(`there is no invoice request ${receipt}`);
}

function noOrder(id: string): never {
  throw new UserError(`there is no order "${terminalLine(id)}"; give its id, receipt, session or payment`);
}
