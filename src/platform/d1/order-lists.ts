import type { Order } from '../../gateway/commerce/orders/order.ts';
import type { PaymentEventRecord } from '../../gateway/commerce/orders/order-ports.ts';
import type { InvoiceRequestRecord } from '../../gateway/commerce/orders/request-invoice.ts';
import type { Database } from './database.ts';
import { INVOICE_COLUMNS, type InvoiceRow, invoiceRequestOf } from './invoice-requests.ts';
import { ORDER_COLUMNS, type OrderRow, orderOf } from './order-rows.ts';

/** The first rows of a list, and how many it has beyond them. */
export interface CutList<Item> {
  readonly shown: readonly Item[];
  readonly left: number;
}

/** A notice of an order that was not taken yet. */
export interface WebhookDelivery {
  readonly order_id: string;
  readonly url: string;
  readonly kind: string;
  readonly state: 'due' | 'given_up';
  readonly attempts: number;
  readonly fault: string | null;
}

/** A session whose payment was begun and never settled. */
export interface StuckSession {
  readonly id: string;
  readonly total_minor: number;
  readonly currency: string;
  readonly updated_at_ms: number;
}

/** A message of the processor, and whether the publisher has to look at it. */
export interface StoredPaymentEvent extends PaymentEventRecord {
  readonly needsReview: boolean;
  /** When the publisher said that it was looked at. */
  readonly reviewedAtMs: number | undefined;
  /** Of a payment that made no order, the refunds; of such a refund, the payments. */
  readonly counterparts: readonly Counterpart[];
  /** The order that has the same payment. */
  readonly orderId: string | undefined;
}

/** A message that has the same payment as another one. */
export interface Counterpart {
  readonly id: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** What the publisher has to look at. */
export interface ReviewIssues {
  /** Messages of the processor that could not be applied. */
  readonly events: CutList<StoredPaymentEvent>;
  /** Sessions whose payment began before `stuckBeforeMs` and was never settled. */
  readonly charging: CutList<StuckSession>;
  readonly givenUp: number;
  readonly newInvoiceRequests: number;
}

/** An entry of the log of a session, as it is shown. */
export interface LoggedStep {
  readonly kind: string;
  readonly at_ms: number;
  /** Facts as JSON. */
  readonly detail: string;
}

/** How often something happened with an offer on a day. */
export interface DayCount {
  readonly day: string;
  readonly event: string;
  readonly offer_id: string;
  readonly count: number;
}

interface EventRow {
  readonly id: string;
  readonly kind: string;
  readonly received_at_ms: number;
  readonly session_id: string | null;
  readonly payment_reference: string | null;
  readonly amount_minor: number | null;
  readonly is_refund: number;
  readonly outcome: string;
  readonly currency: string | null;
  readonly looked_at_ms: number | null;
  readonly is_to_look_at: number;
  /** JSON of {@link Counterpart}. */
  readonly counterparts: string;
  readonly order_id: string | null;
}

/** A row of a list that is cut, with how many the whole list has. */
export type Counted<Row> = Row & { readonly total: number };

const UNSETTLED = "outcome NOT IN ('applied', 'duplicate', 'ignored')";

/**
 * A payment that made no order was given back whole: it and its refunds need no look. Both must be there without one: what was looked at
 * is removed after a while, and the other would come back without what explains it.
 */
const IS_GIVEN_BACK = `EXISTS (SELECT 1 FROM processor_events AS paid JOIN processor_events AS back ON back.payment_reference = paid.payment_reference AND back.currency = paid.currency AND back.amount_minor = paid.amount_minor WHERE paid.payment_reference = processor_events.payment_reference AND paid.amount_minor >= processor_events.amount_minor AND paid.currency = processor_events.currency AND paid.is_refund = 0 AND paid.${UNSETTLED} AND paid.looked_at_ms IS NULL AND back.outcome = 'waiting' AND back.${UNSETTLED} AND back.looked_at_ms IS NULL)`;

/** A message about a refund that came before its order waits for nobody once the order is there: it took the refund into account. */
const NEEDS_REVIEW = `${UNSETTLED} AND looked_at_ms IS NULL AND NOT (outcome = 'waiting' AND EXISTS (SELECT 1 FROM orders WHERE orders.payment_reference = processor_events.payment_reference)) AND NOT ${IS_GIVEN_BACK}`;

const COUNTERPARTS = `(SELECT json_group_array(json_object('id', other.id, 'amountMinor', other.amount_minor, 'currency', other.currency)) FROM processor_events AS other WHERE other.payment_reference = processor_events.payment_reference AND other.is_refund <> processor_events.is_refund AND other.${UNSETTLED} AND 'waiting' IN (other.outcome, processor_events.outcome))`;

/** Columns of {@link EventRow}. */
const EVENT_COLUMNS = `id, kind, received_at_ms, session_id, payment_reference, amount_minor, is_refund, outcome, currency, looked_at_ms, ${NEEDS_REVIEW} AS is_to_look_at, ${COUNTERPARTS} AS counterparts, (SELECT orders.id FROM orders WHERE orders.payment_reference = processor_events.payment_reference) AS order_id`;

/** The newest orders, the newest first. Throws, like all of these, if the database cannot be reached. */
export async function newestOrders(database: Database, limit: number): Promise<CutList<Order>> {
  const { results } = await database
    .prepare(cutList(ORDER_COLUMNS, 'orders', 'number DESC'))
    .bind(limit)
    .all<Counted<OrderRow>>();
  return cutListOf(results, orderOf);
}

/** An order by its id, its receipt, its session or its payment. */
export async function findOrder(database: Database, name: string): Promise<Order | undefined> {
  const row = await database
    .prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ?1 OR receipt = ?1 OR session_id = ?1 OR payment_reference = ?1`)
    .bind(name)
    .first<OrderRow>();
  return row === null ? undefined : orderOf(row);
}

/** What happened to a session, the oldest first. */
export async function stepsOf(database: Database, sessionId: string): Promise<LoggedStep[]> {
  const { results } = await database
    .prepare('SELECT kind, at_ms, detail FROM order_log WHERE session_id = ?1 ORDER BY number')
    .bind(sessionId)
    .all<LoggedStep>();
  return results;
}

/** Whatever needs a look, at most `limit` of each kind. */
export async function reviewIssues(database: Database, stuckBeforeMs: number, limit: number): Promise<ReviewIssues> {
  const [events, charging, givenUp, invoices] = await database.batch<unknown>([
    database.prepare(cutList(EVENT_COLUMNS, `processor_events WHERE ${NEEDS_REVIEW}`, 'received_at_ms DESC')).bind(limit),
    database
      .prepare(
        cutList(
          'id, total_minor, currency, updated_at_ms',
          "checkout_sessions WHERE state = 'charging' AND updated_at_ms < ?2",
          'updated_at_ms',
        ),
      )
      .bind(limit, stuckBeforeMs),
    database.prepare("SELECT COUNT(*) AS count FROM order_notices WHERE state = 'given_up'"),
    database.prepare("SELECT COUNT(*) AS count FROM invoice_requests WHERE state = 'new'"),
  ]);
  return {
    events: cutListOf((events?.results ?? []) as Counted<EventRow>[], eventOf),
    charging: cutListOf((charging?.results ?? []) as Counted<StuckSession>[], (row) => row),
    givenUp: countOf(givenUp?.results),
    newInvoiceRequests: countOf(invoices?.results),
  };
}

/** A message of the processor by its id. */
export async function findEvent(database: Database, id: string): Promise<StoredPaymentEvent | undefined> {
  const row = await database.prepare(`SELECT ${EVENT_COLUMNS} FROM processor_events WHERE id = ?1`).bind(id).first<EventRow>();
  return row === null ? undefined : eventOf(row);
}

/** Messages about a payment that could not be applied, looked at or not, the oldest first. */
export async function unsettledEventsOf(database: Database, paymentReference: string): Promise<StoredPaymentEvent[]> {
  const { results } = await database
    .prepare(`SELECT ${EVENT_COLUMNS} FROM processor_events WHERE payment_reference = ?1 AND ${UNSETTLED} ORDER BY received_at_ms, id`)
    .bind(paymentReference)
    .all<EventRow>();
  return results.map(eventOf);
}

/**
 * Takes a message from what needs a look, and leaves a line in the log of its session, or in one of its own where it names none.
 *
 * @returns Whether this call did; if not, nobody had to look at it any more.
 */
export async function markEventReviewed(database: Database, id: string, nowMs: number): Promise<boolean> {
  const [, marked] = await database.batch<{ id: string }>([
    database
      .prepare(
        `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT COALESCE(session_id, id), 'message_looked_at', ?2, json_object('message', id, 'reason', outcome) FROM processor_events WHERE id = ?1 AND ${NEEDS_REVIEW}`,
      )
      .bind(id, nowMs),
    database.prepare(`UPDATE processor_events SET looked_at_ms = ?2 WHERE id = ?1 AND ${NEEDS_REVIEW} RETURNING id`).bind(id, nowMs),
  ]);
  return (marked?.results.length ?? 0) > 0;
}

/** Notices that were not taken yet, the newest first. */
export async function undeliveredWebhooks(database: Database, limit: number): Promise<CutList<WebhookDelivery>> {
  const { results } = await database
    .prepare(cutList('order_id, url, kind, state, attempts, fault', "order_notices WHERE state <> 'sent'", 'number DESC'))
    .bind(limit)
    .all<Counted<WebhookDelivery>>();
  return cutListOf(results, (row) => row);
}

/** The newest requests for invoices, the newest first. */
export async function newestInvoiceRequests(database: Database, limit: number): Promise<CutList<InvoiceRequestRecord>> {
  const { results } = await database
    .prepare(cutList(INVOICE_COLUMNS, 'invoice_requests', 'number DESC'))
    .bind(limit)
    .all<Counted<InvoiceRow>>();
  return cutListOf(results, invoiceRequestOf);
}

/**
 * Notes that a request for an invoice was answered or closed. One that is answered can be closed, and not the other way round.
 *
 * @returns The request; `undefined` if this call changed none.
 */
export async function markInvoiceRequest(
  database: Database,
  receipt: string,
  state: 'answered' | 'closed',
  nowMs: number,
): Promise<InvoiceRequestRecord | undefined> {
  const row = await database
    .prepare(
      `UPDATE invoice_requests SET state = ?2, updated_at_ms = ?3 WHERE receipt = ?1 AND (state = 'new' OR (state = 'answered' AND ?2 = 'closed')) RETURNING ${INVOICE_COLUMNS}`,
    )
    .bind(receipt, state, nowMs)
    .first<InvoiceRow>();
  return row === null ? undefined : invoiceRequestOf(row);
}

/** Counts of the newest days, the newest first. */
export async function newestCounts(database: Database, limit: number): Promise<CutList<DayCount>> {
  const { results } = await database
    .prepare(cutList('day, event, offer_id, count', 'commerce_counts', 'day DESC, event, offer_id'))
    .bind(limit)
    .all<Counted<DayCount>>();
  return cutListOf(results, (row) => row);
}

/** A statement for the first `?1` rows of a list, each with how many the whole list has. */
export function cutList(columns: string, from: string, order: string): string {
  return `SELECT ${columns}, (SELECT COUNT(*) FROM ${from}) AS total FROM ${from} ORDER BY ${order} LIMIT ?1`;
}

/** The list of its rows. */
export function cutListOf<Row, Item>(rows: readonly Counted<Row>[], read: (row: Row) => Item): CutList<Item> {
  return { shown: rows.map(read), left: (rows[0]?.total ?? 0) - rows.length };
}

function countOf(rows: readonly unknown[] = []): number {
  return (rows[0] as { count: number } | undefined)?.count ?? 0;
}

function eventOf(row: EventRow): StoredPaymentEvent {
  return {
    id: row.id,
    kind: row.kind,
    receivedAtMs: row.received_at_ms,
    sessionId: row.session_id ?? undefined,
    paymentReference: row.payment_reference ?? undefined,
    amountMinor: row.amount_minor ?? undefined,
    currency: row.currency ?? undefined,
    isRefund: row.is_refund === 1,
    outcome: row.outcome,
    needsReview: row.is_to_look_at === 1,
    reviewedAtMs: row.looked_at_ms ?? undefined,
    counterparts: JSON.parse(row.counterparts) as Counterpart[],
    orderId: row.order_id ?? undefined,
  };
}
