import type { Order, Session } from '../gateway/commerce/cart/checkout-ports.ts';
import { isExpired } from '../gateway/commerce/cart/checkout-sessions.ts';
import { CHARGE_LEASE_MS } from '../gateway/commerce/orders/complete-session.ts';
import { revokeDeliveredKey, revokeOrderKey } from '../gateway/commerce/orders/handle-payment-event.ts';
import { refundStateOf, refundStep, releaseStep } from '../gateway/commerce/orders/order-transitions.ts';
import type { PaymentReservation } from '../gateway/commerce/payments/payment-ports.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../gateway/commerce/payments/payment-terms.ts';
import { paymentIdOf } from '../gateway/commerce/payments/settle-payment.ts';
import { type InsightCount, saleLines } from '../gateway/insights.ts';
import { systemRuntime } from '../platform/clock-and-deadlines.ts';
import { agentStore } from '../platform/d1/agent-store.ts';
import type { Database, TruncatedList } from '../platform/d1/database.ts';
import {
  type DayCount,
  findEvent,
  findOrder,
  markEventReviewed,
  markInvoiceRequest,
  newestCounts,
  newestInvoiceRequests,
  newestOrders,
  type ReviewIssues,
  reviewIssues,
  type StuckSession,
  selectSales,
  stepsOf,
  type UndeliveredWebhook,
  undeliveredWebhooks,
  unsettledEventsOf,
  withdrawOrder,
} from '../platform/d1/order-administration.ts';
import { d1InvoiceRequests, d1Orders } from '../platform/d1/order-store.ts';
import { findPayment, type PaymentVerdict, reviewPayment, unsettledPayments } from '../platform/d1/payment-reservations.ts';
import { CARD } from '../schemas/commerce/capsule-price.ts';
import { minorDigits } from '../schemas/commerce/currency-and-availability.ts';
import { InvoiceReceipt, MessageReceipt } from '../schemas/commerce/orders.ts';
import { paymentNetwork, SignedAuthorization, TransactionHash } from '../schemas/commerce/stablecoin-payments.ts';
import { LIMITS } from '../schemas/limits.ts';
import { formatMoney } from '../text/prices.ts';
import { minuteText, terminalLine } from '../text/terminal-safe-text.ts';
import { ActionError } from './action-error.ts';
import {
  describeInvoice,
  describeOrder,
  describePaymentEvent,
  fieldLines,
  invoiceLine,
  moreLines,
  openedBy,
  orderLine,
  passLine,
  paymentEventLine,
  paymentEventState,
  stepLine,
} from './describe-orders.ts';

export async function listOrders(database: Database, limit: number, nowMs: number): Promise<string[]> {
  const [orders, sales, issues, payments] = await Promise.all([
    newestOrders(database, limit, nowMs),
    selectSales(database, 0, nowMs).all<InsightCount>(),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, limit),
    // Later, the buyer can no longer repeat the request with the same authorization.
    unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, limit),
  ]);
  const sold = saleLines(sales.results);
  return [
    ...linesOf(orders, 'list', 'there are no orders', orderLine),
    ...(sold.length === 0 ? [] : ['', ...sold]),
    ...reviewLines(issues, payments),
  ];
}

export const listDeliveries = async (database: Database, limit: number): Promise<string[]> =>
  linesOf(await undeliveredWebhooks(database, limit), 'notices', 'every webhook was delivered', deliveryLine);

export const listInvoices = async (database: Database, limit: number): Promise<string[]> =>
  linesOf(await newestInvoiceRequests(database, limit), 'invoices', 'there are no invoice requests and no messages', invoiceLine);

export const listCounts = async (database: Database, limit: number): Promise<string[]> =>
  linesOf(await newestCounts(database, limit), 'counts', 'nothing has been counted yet', countLine);

function linesOf<Item>(list: TruncatedList<Item>, task: string, none: string, line: (item: Item) => string): string[] {
  return list.shown.length === 0 ? [none] : [...list.shown.map(line), ...moreLines(list, task)];
}

function deliveryLine({ orderId, url, kind, state, attempts, failure }: UndeliveredWebhook): string {
  return `${orderId}  ${kind}  ${state === 'due' ? 'waiting' : 'given up'} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${JSON.stringify(url)}${failure === undefined ? '' : `  ${terminalLine(failure)}`}`;
}

function countLine({ day, event, offerId, count }: DayCount): string {
  return `${day}  ${event.padEnd(9)}  ${String(count).padStart(6)}  ${terminalLine(offerId)}`;
}

function reviewLines(issues: ReviewIssues, payments: TruncatedList<PaymentReservation>): string[] {
  const { events, charging, givenUp, newInvoiceRequests } = issues;
  const listed = <Item>(list: TruncatedList<Item>, line: (item: Item) => string): string[] => [
    ...list.shown.map(line),
    ...moreLines(list, 'list', '  '),
  ];
  const lines = [...listed(events, paymentEventLine), ...listed(charging, stuckLine), ...listed(payments, paymentLine)];
  const hint = lines.length === 0 ? '' : ' (npm run orders -- show <id> says what to do)';
  if (givenUp > 0)
    lines.push(`  ${givenUp === 1 ? '1 webhook was' : `${givenUp} webhooks were`} given up: npm run orders -- notices, then retry`);
  if (newInvoiceRequests > 0)
    lines.push(
      `  ${newInvoiceRequests === 1 ? '1 invoice request or message is waiting' : `${newInvoiceRequests} invoice requests or messages are waiting`}: npm run orders -- invoices`,
    );
  return lines.length === 0 ? [] : ['', `needs review:${hint}`, ...lines];
}

export function stuckLine({ id, totalMinor, currency, updatedAtMs }: StuckSession): string {
  return `  ${id}  ${minuteText(updatedAtMs)}  payment of ${formatMoney({ amountMinor: totalMinor, currency })} began, and its outcome is unknown: find it at Stripe`;
}

/** Everything about an order, session, payment event, payment or invoice request. @throws {ActionError} If it does not exist. */
export async function showRecord(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (id.startsWith('evt_')) return showPaymentEvent(id, database);
  if (id.startsWith('pay_')) return showCapsulePayment(id, database);
  if (InvoiceReceipt.or(MessageReceipt).safeParse(id).success) {
    const request = await d1InvoiceRequests(database).byReceipt(id);
    return describeInvoice(request ?? noInvoice(id));
  }
  const order = await findOrder(database, id);
  if (order === undefined) return (await showSession(id, database, nowMs)) ?? (await showPayment(id, database)) ?? noOrder(id);
  const passes = await d1Orders(database, systemRuntime.randomness).passes({ orderId: order.id }, undefined, nowMs);
  const steps = await stepsOf(database, order.sessionId);
  return [...describeOrder(order), ...passes.map(passLine), ...steps.map(stepLine)];
}

/** Marks an invoice request. Repeating it changes nothing. @throws {ActionError} If it does not exist, or was closed before. */
export async function markInvoice(receipt: string, state: 'answered' | 'closed', database: Database, nowMs: number): Promise<string[]> {
  const changed = await markInvoiceRequest(database, receipt, state, nowMs);
  if (changed !== undefined) return [invoiceLine(changed)];
  const request = (await d1InvoiceRequests(database).byReceipt(receipt)) ?? noInvoice(receipt);
  const line = `${receipt} was ${request.state} before, ${minuteText(request.updatedAtMs)}; nothing was changed`;
  if (request.state !== state) throw new ActionError(line);
  return [line];
}

/** The order with an id, receipt, session or payment. @throws {ActionError} If it does not exist. */
export async function orderNamed(id: string, database: Database): Promise<Order> {
  return (await findOrder(database, id)) ?? noOrder(id);
}

function noInvoice(receipt: string): never {
  throw new ActionError(`there is no invoice request or message ${receipt}`);
}

function noOrder(id: string): never {
  throw new ActionError(`there is no order "${terminalLine(id)}"; give its id, receipt, session or payment`);
}

async function showPaymentEvent(id: string, database: Database): Promise<string[]> {
  const [event, steps] = await Promise.all([findEvent(database, id), stepsOf(database, id)]);
  return [...describePaymentEvent(event ?? noPaymentEvent(id)), ...steps.map(stepLine)];
}

async function showSession(id: string, database: Database, nowMs: number): Promise<string[] | undefined> {
  const { session } = await d1Orders(database, systemRuntime.randomness).load(undefined, id, nowMs);
  return session && [...describeSession(session, nowMs), ...(await stepsOf(database, id)).map(stepLine)];
}

async function showPayment(reference: string, database: Database): Promise<string[] | undefined> {
  const events = await unsettledEventsOf(database, reference);
  if (events.length === 0) return undefined;
  return [`no order has the payment ${terminalLine(reference)}; its events:`, ...events.flatMap(describePaymentEvent)];
}

/**
 * Marks a payment event as reviewed, or reopens a session whose payment did not complete, and logs it. Repeating it changes nothing.
 *
 * @throws {ActionError} If nothing with this id needs review.
 */
export function markDone(id: string, database: Database, nowMs: number): Promise<string[]> {
  return id.startsWith('evt_') ? markReviewed(id, database, nowMs) : releaseSession(id, database, nowMs);
}

async function markReviewed(id: string, database: Database, nowMs: number): Promise<string[]> {
  if (await markEventReviewed(database, id, nowMs)) return [`${terminalLine(id)} is marked as reviewed and no longer listed`];
  const event = (await findEvent(database, id)) ?? noPaymentEvent(id);
  if (event.reviewedAtMs === undefined) throw new ActionError(`${terminalLine(id)} needs no review: ${paymentEventState(event)}`);
  return [`${terminalLine(id)} was reviewed before, ${minuteText(event.reviewedAtMs)}; nothing was changed`];
}

async function releaseSession(id: string, database: Database, nowMs: number): Promise<string[]> {
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order } = await store.load(undefined, id, nowMs);
  if (session === undefined)
    throw new ActionError(
      `there is no payment event or session "${terminalLine(id)}"; run "npm run orders -- list" to see what needs review`,
    );
  if (order !== undefined) throw new ActionError(`${id} needs no review: it is paid, and its order is ${order.id}`);
  if (session.state !== 'charging') return [`${id}: no payment is in progress; nothing was changed`];
  if (nowMs < session.updatedAtMs + CHARGE_LEASE_MS)
    throw new ActionError(`the payment of ${id} began less than a minute ago; try again later`);
  const { applied } = await store.apply(releaseStep(session, 'given_up_by_publisher', nowMs));
  if (!applied) throw new ActionError(`${id} was changed at the same time; show it, then try again`);
  return [
    `${id}: its payment is recorded as not made; the session is open again unless it has expired`,
    'If the payment processor still reports it as paid, the order is created.',
  ];
}

function noPaymentEvent(id: string): never {
  throw new ActionError(
    `there is no payment event "${terminalLine(id)}"; reviewed events are deleted after a while, and events not about orders are not stored`,
  );
}

function describeSession(session: Session, nowMs: number): string[] {
  const { id, state, lines, totalMinor, currency, createdAtMs, updatedAtMs } = session;
  const isStuck = state === 'charging' && nowMs >= updatedAtMs + CHARGE_LEASE_MS;
  return [
    `${id}  ${isExpired(session, nowMs) ? 'expired' : state}`,
    `  opened    ${minuteText(createdAtMs)} ${openedBy(session)}`,
    ...lines.map(
      ({ quantity, offerId, unitMinor }) => `  line      ${quantity} × ${offerId} at ${formatMoney({ amountMinor: unitMinor, currency })}`,
    ),
    `  total     ${formatMoney({ amountMinor: totalMinor, currency })}`,
    ...(isStuck
      ? [
          `  problem   a payment began ${minuteText(updatedAtMs)}, and its outcome is unknown`,
          `  to do     find the payment at Stripe whose metadata names checkout_session_id ${id}`,
          '            paid: resend its event payment_intent.succeeded from the Dashboard; that creates the order',
          '            processing: wait for its event',
          `            none, or failed or canceled: npm run orders -- done ${id}`,
        ]
      : []),
  ];
}

export function paymentLine(payment: PaymentReservation): string {
  return `  ${paymentIdOf(payment)}  ${minuteText(payment.reservedAtMs)}  ${amountOf(payment)} for ${payment.capsuleId} may have been paid${isByCard(payment) ? ': find it at Stripe' : ` by ${payment.payer}: look it up on the network`}`;
}

async function showCapsulePayment(id: string, database: Database): Promise<string[]> {
  const payment = (await findPayment(database, id)) ?? noPayment(id);
  const isOpen = payment.state === 'settling' || payment.state === 'unresolved';
  const isCard = isByCard(payment);
  return [
    `${id}  ${payment.state}`,
    ...fieldLines({
      created: `${minuteText(payment.reservedAtMs)}${payment.reviewedAtMs === undefined ? '' : `, reviewed ${minuteText(payment.reviewedAtMs)}`}`,
      for: `${terminalLine(payment.resource)}, version ${payment.version}`,
      amount: `${amountOf(payment)}${isCard ? ' by card' : ` on ${networkOf(payment)}`}`,
      payer: isCard ? undefined : payment.payer,
      payee: payment.payTo,
      nonce: payment.nonce,
      by: payment.transaction === '' ? undefined : `${payment.transaction}${isOpen ? ', named by the facilitator and not confirmed' : ''}`,
      problem: isOpen ? 'its settlement began, and the outcome is unknown' : undefined,
    }),
    ...(isOpen ? (isCard ? cardSteps : transferSteps)(id, payment) : []),
  ];
}

function isByCard({ network }: PaymentReservation): boolean {
  return network === CARD.network;
}

function cardSteps(id: string, { nonce }: PaymentReservation): string[] {
  return [
    `  to do     find the payment at Stripe whose metadata names mpp_challenge_id ${terminalLine(nonce)}`,
    `            paid: npm run orders -- payment ${id} settled pi_…`,
    `            none, or failed or canceled: npm run orders -- payment ${id} unpaid`,
  ];
}

function transferSteps(id: string, payment: PaymentReservation): string[] {
  const { authorization } = SignedAuthorization.parse(JSON.parse(payment.signed));
  return [
    `  to do     look in a block explorer of ${networkOf(payment)} for the event AuthorizationUsed of ${payment.asset} with this payer and nonce`,
    `            the next event of its transaction is a Transfer of ${payment.amount} units from payer to payee:`,
    `              npm run orders -- payment ${id} settled <transaction>`,
    `            another Transfer, AuthorizationCanceled instead, or no event although ${expiry(authorization.validBefore)} is past:`,
    `              npm run orders -- payment ${id} unpaid`,
  ];
}

/** Reads the id of a settled payment as typed; a transaction hash is returned in lower case. @throws {ActionError} If the text is neither. */
export function readTransaction(text: string): string {
  if (TransactionHash.safeParse(text).success) return text.toLowerCase();
  if (/^pi_[A-Za-z0-9_]{1,250}$/.test(text)) return text;
  throw new ActionError('A transaction looks like 0x and 64 hexadecimal digits, and a payment at Stripe like pi_….');
}

/**
 * Records the outcome of a payment that the publisher found. Repeating it changes nothing.
 *
 * @throws {ActionError} If the payment does not exist, a request is settling it, or another outcome is recorded.
 */
export async function reviewCapsulePayment(id: string, verdict: PaymentVerdict, database: Database, nowMs: number): Promise<string[]> {
  if ((await reviewPayment(database, id, verdict, nowMs)) !== undefined)
    return verdict.state === 'settled'
      ? [`${id} is recorded as settled: for ${LIMITS.paymentRepeatHours} hours, the same payment gets the text`]
      : [`${id} is recorded as unpaid: the same payment is refused, unless it can still be settled`];
  const payment = (await findPayment(database, id)) ?? noPayment(id);
  if (payment.state === 'settling' || payment.state === 'unresolved')
    throw new ActionError(`a request is settling ${id} now; try again in a minute`);
  const isSame =
    verdict.state === 'settled' ? payment.state === 'settled' && payment.transaction === verdict.transaction : payment.state === 'failed';
  const line = `${id} was recorded as ${payment.state === 'failed' ? 'unpaid' : `settled by ${payment.transaction || 'an unnamed transaction'}`} before; nothing was changed`;
  if (!isSame) throw new ActionError(line);
  return [line];
}

function amountOf({ amount, network, asset: currency }: PaymentReservation): string {
  if (network === CARD.network) return formatMoney({ amountMinor: Number(amount), currency: currency.toUpperCase() });
  const { asset } = paymentNetwork(network) ?? {};
  return asset === undefined ? `${amount} units` : `${Number(amount) / 10 ** asset.decimals} USDC`;
}

function networkOf({ network }: PaymentReservation): string {
  return paymentNetwork(network)?.name ?? network;
}

/** End of an authorization; its seconds can exceed the range of a date. */
function expiry(validBefore: string): string {
  const ms = Number(validBefore) * 1_000;
  return ms <= 8.64e15 ? minuteText(ms) : `second ${validBefore}`;
}

function noPayment(id: string): never {
  throw new ActionError(`there is no payment "${terminalLine(id)}"; run "npm run orders -- list" to see those that need review`);
}

/** Checks an amount as typed; how many decimals it may have depends on the currency of the order. @throws {ActionError} If the text is no amount. */
export function readAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0) return text;
  throw new ActionError('An amount is a positive number without a currency sign, such as 120 or 19.50: the total refunded so far.');
}

/**
 * Records a refund that was made at the payment processor and not reported by its webhook. The amount is a running total, as in webhooks,
 * so that recording it twice, or in addition to a webhook, counts once.
 *
 * @param amount Total refunded so far, in the currency of the order; `undefined` for the whole price.
 * @throws {ActionError} If the amount is invalid, above the price, or not above the recorded total.
 */
export async function recordRefund(order: Order, amount: string | undefined, database: Database, nowMs: number): Promise<string[]> {
  const { id, currency, totalMinor } = order;
  const text = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const refunded = amount === undefined ? totalMinor : minorOf(amount, currency);
  if (refunded > totalMinor) throw new ActionError(`${id} cost ${text(totalMinor)}; give an amount of at most that`);
  const store = d1Orders(database, systemRuntime.randomness);
  const { session, order: before } = await store.load(undefined, order.sessionId, nowMs);
  if (session === undefined || before === undefined) throw new ActionError(`the session of ${id} was deleted, so nothing can be recorded`);
  const step = refundStep(session, before, refunded, nowMs);
  if (step === undefined) throw new ActionError(`${id}: nothing was changed. ${whyUnchanged(before, refunded, text)}`);
  const isAll = refundStateOf({ totalMinor, refundedMinor: refunded }) === 'all';
  await revokeDeliveredKey(step.order ?? before, { agents: agentStore(database) }, nowMs);
  const { applied } = await store.apply(step);
  if (!applied) throw new ActionError(`${id} was changed at the same time; show it, then try again`);
  return [
    `${id}: ${text(refunded)} of ${text(totalMinor)} recorded as refunded in total; it was ${text(before.refundedMinor)} before`,
    isAll
      ? `That is the whole price: the order no longer delivers anything. A key that it delivered is revoked: changes refuse it at once, everything else within ${LIMITS.revocationMaxSeconds} seconds.`
      : 'It delivers until the whole price is refunded.',
    'No money was moved: make the refund itself at the payment processor.',
  ];
}

/** Ends what an order delivers, its passes and its key included, without a refund. @throws {ActionError} If that was done before. */
export async function withdrawDelivery(order: Order, database: Database, nowMs: number): Promise<string[]> {
  await revokeOrderKey(order, { agents: agentStore(database) }, nowMs);
  if (!(await withdrawOrder(database, order, nowMs))) throw new ActionError(`${order.id} was withdrawn before; nothing was changed`);
  return [`${order.id}: it no longer delivers anything, and its passes open nothing. No money was moved.`];
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
  if (decimals.length > digits)
    throw new ActionError(`"${amount}" is not an amount in ${currency}, such as ${plainAmount(1_950, currency)}`);
  return Number(whole) * 10 ** digits + Number(decimals.padEnd(digits, '0'));
}

function plainAmount(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency);
  const major = amountMinor / 10 ** digits;
  return Number.isInteger(major) ? String(major) : major.toFixed(digits);
}
