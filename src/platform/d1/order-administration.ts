import type { Order, PaymentEventRecord, Session } from '../../gateway/commerce/cart/checkout-ports.ts';
import type { InvoiceRequestRecord } from '../../gateway/commerce/orders/order-ports.ts';
import { DEMO_SALE } from '../../gateway/insights.ts';
import { CAPSULE, CREDIT } from '../../schemas/commerce/access-passes.ts';
import { CARD } from '../../schemas/commerce/capsule-price.ts';
import { DEMO_REFERENCES } from '../../schemas/commerce/stablecoin-payments.ts';
import {
  columnsOf,
  type Database,
  type Row,
  readAll,
  readFirst,
  readTruncated,
  type Statement,
  selectTruncated,
  type TruncatedList,
  truncatedListOf,
} from './database.ts';
import { CREDIT_OF_ORDER, ORDER, orderOf, PAYMENT_EVENT, REQUEST, requestOf } from './order-store.ts';

/* The publisher's commands about orders and payment events. Every function throws if the database cannot be reached. */

export type StuckSession = Pick<Session, 'id' | 'totalMinor' | 'currency' | 'updatedAtMs'>;

export interface StoredPaymentEvent extends PaymentEventRecord {
  readonly needsReview: boolean;
  readonly reviewedAtMs: number | undefined;
  /** The refunds of a payment without an order; for such a refund, the payments. */
  readonly counterparts: readonly Counterpart[];
  readonly orderId: string | undefined;
}

export interface Counterpart {
  readonly id: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

export interface ReviewIssues {
  readonly events: TruncatedList<StoredPaymentEvent>;
  readonly charging: TruncatedList<StuckSession>;
  readonly givenUp: number;
  readonly newInvoiceRequests: number;
}

export interface LoggedStep {
  readonly kind: string;
  readonly atMs: number;
  readonly detail: string;
}

export interface DayCount {
  readonly day: string;
  readonly event: string;
  readonly offerId: string;
  readonly count: number;
}

const STUCK_SESSION = columnsOf<StuckSession>(['id', 'totalMinor', 'currency', 'updatedAtMs']);
const STEP = columnsOf<LoggedStep>(['kind', 'atMs', 'detail']);
const COUNT = columnsOf<DayCount>(['day', 'event', 'offerId', 'count']);

const UNSETTLED = "outcome NOT IN ('applied', 'duplicate', 'ignored')";

/** True where a payment without an order was refunded in full. Both must be unreviewed: reviewed events are deleted after a while. */
const IS_REFUNDED_IN_FULL = `EXISTS (SELECT 1 FROM processor_events AS paid JOIN processor_events AS back ON back.payment_reference = paid.payment_reference AND back.currency = paid.currency AND back.amount_minor = paid.amount_minor WHERE paid.payment_reference = processor_events.payment_reference AND paid.amount_minor >= processor_events.amount_minor AND paid.currency = processor_events.currency AND paid.is_refund = 0 AND paid.${UNSETTLED} AND paid.looked_at_ms IS NULL AND back.outcome = 'waiting' AND back.${UNSETTLED} AND back.looked_at_ms IS NULL)`;

/** A refund event that came before its order needs no review once the order exists, which took it into account. */
const NEEDS_REVIEW = `${UNSETTLED} AND looked_at_ms IS NULL AND NOT (outcome = 'waiting' AND EXISTS (SELECT 1 FROM orders WHERE orders.payment_reference = processor_events.payment_reference)) AND NOT ${IS_REFUNDED_IN_FULL}`;

const COUNTERPARTS = `(SELECT json_group_array(json_object('id', other.id, 'amountMinor', other.amount_minor, 'currency', other.currency)) FROM processor_events AS other WHERE other.payment_reference = processor_events.payment_reference AND other.is_refund <> processor_events.is_refund AND other.${UNSETTLED} AND 'waiting' IN (other.outcome, processor_events.outcome))`;

const EVENT_COLUMNS = `${PAYMENT_EVENT.names}, looked_at_ms, ${NEEDS_REVIEW} AS needs_review, ${COUNTERPARTS} AS counterparts, (SELECT orders.id FROM orders WHERE orders.payment_reference = processor_events.payment_reference) AS order_id`;

export interface ListedOrder extends Order {
  /** What is left of its credit, in cents; `undefined` if it has none in force. */
  readonly creditLeftMinor: number | undefined;
}

export function newestOrders(database: Database, limit: number, nowMs: number): Promise<TruncatedList<ListedOrder>> {
  const columns = `${ORDER.names}, ${CREDIT_OF_ORDER} AS credit_left_minor`.replaceAll('?1', '?2');
  const read = (row: Row) => ({ ...orderOf(row), creditLeftMinor: (row['credit_left_minor'] ?? undefined) as number | undefined });
  return readTruncated(database.prepare(selectTruncated(columns, 'orders', 'number DESC')).bind(limit, nowMs), read);
}

export function findOrder(database: Database, name: string): Promise<Order | undefined> {
  const condition = 'id = ?1 OR receipt = ?1 OR session_id = ?1 OR payment_reference = ?1';
  return readFirst(database.prepare(`SELECT ${ORDER.names} FROM orders WHERE ${condition}`).bind(name), orderOf);
}

/** Ends what an order delivers, passes included, and logs it. `false` if that was done before. */
export async function withdrawOrder(database: Database, { id, sessionId }: Order, nowMs: number): Promise<boolean> {
  const isDelivering = 'FROM orders WHERE id = ?1 AND withdrawn_at_ms IS NULL';
  const log = `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT ?3, 'order_withdrawn', ?2, json_object('order', id) ${isDelivering}`;
  const end = 'UPDATE orders SET withdrawn_at_ms = ?2, updated_at_ms = ?2 WHERE id = ?1 AND withdrawn_at_ms IS NULL RETURNING id';
  const [, withdrawn] = await database.batch([database.prepare(log).bind(id, nowMs, sessionId), database.prepare(end).bind(id, nowMs)]);
  return (withdrawn?.results.length ?? 0) > 0;
}

export function stepsOf(database: Database, sessionId: string): Promise<LoggedStep[]> {
  const sql = `SELECT ${STEP.names} FROM order_log WHERE session_id = ?1 ORDER BY number`;
  return readAll(database.prepare(sql).bind(sessionId), STEP.read);
}

export async function reviewIssues(database: Database, stuckBeforeMs: number, limit: number): Promise<ReviewIssues> {
  const stuck = "checkout_sessions WHERE state = 'charging' AND updated_at_ms < ?2";
  const [events, charging, givenUp, invoices] = await database.batch<Row>([
    database.prepare(selectTruncated(EVENT_COLUMNS, `processor_events WHERE ${NEEDS_REVIEW}`, 'received_at_ms DESC')).bind(limit),
    database.prepare(selectTruncated(STUCK_SESSION.names, stuck, 'updated_at_ms')).bind(limit, stuckBeforeMs),
    database.prepare("SELECT COUNT(*) AS count FROM order_notices WHERE state = 'given_up'"),
    database.prepare("SELECT COUNT(*) AS count FROM invoice_requests WHERE state = 'new'"),
  ]);
  return {
    events: truncatedListOf(events?.results ?? [], eventOf),
    charging: truncatedListOf(charging?.results ?? [], STUCK_SESSION.read),
    givenUp: Number(givenUp?.results[0]?.['count'] ?? 0),
    newInvoiceRequests: Number(invoices?.results[0]?.['count'] ?? 0),
  };
}

export function findEvent(database: Database, id: string): Promise<StoredPaymentEvent | undefined> {
  return readFirst(database.prepare(`SELECT ${EVENT_COLUMNS} FROM processor_events WHERE id = ?1`).bind(id), eventOf);
}

/** Events about a payment that could not be applied, reviewed or not, oldest first. */
export function unsettledEventsOf(database: Database, paymentReference: string): Promise<StoredPaymentEvent[]> {
  const condition = `payment_reference = ?1 AND ${UNSETTLED}`;
  const sql = `SELECT ${EVENT_COLUMNS} FROM processor_events WHERE ${condition} ORDER BY received_at_ms, id`;
  return readAll(database.prepare(sql).bind(paymentReference), eventOf);
}

/** Also logs it, in the log of its session or in one of its own. `false` if the event needs no review. */
export async function markEventReviewed(database: Database, id: string, nowMs: number): Promise<boolean> {
  const log = `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT COALESCE(session_id, id), 'message_looked_at', ?2, json_object('message', id, 'reason', outcome) FROM processor_events WHERE id = ?1 AND ${NEEDS_REVIEW}`;
  const [, marked] = await database.batch([
    database.prepare(log).bind(id, nowMs),
    database.prepare(`UPDATE processor_events SET looked_at_ms = ?2 WHERE id = ?1 AND ${NEEDS_REVIEW} RETURNING id`).bind(id, nowMs),
  ]);
  return (marked?.results.length ?? 0) > 0;
}

const PAID_TO_DEMO = `CASE WHEN ${Object.values(DEMO_REFERENCES)
  .map((start) => `substr(tx, 1, ${start.length}) = '${start}'`)
  .join(' OR ')} THEN '${DEMO_SALE}' ELSE '' END`;
/** An order is a demonstration if all its lines are: one that has others was paid. */
const OF_DEMO = `CASE WHEN EXISTS (SELECT 1 FROM json_each(orders.content, '$.lines') WHERE NOT value ->> '$.demo') THEN '' ELSE '${DEMO_SALE}' END`;

/** What was sold, as counts of `InsightKind`. Names of what demonstrations gave contain {@link DEMO_SALE}. */
const SALES = `SELECT claimed_at_ms AS at_ms, 'text' AS kind, capsule_id || ${PAID_TO_DEMO} || CASE WHEN network = '${CARD.network}' THEN ' by MPP stripe' WHEN identifier IS NULL AND is_secret = 1 THEN ' by MPP evm' ELSE ' by x402' END AS name, 1 AS count FROM payments WHERE state = 'settled'
  UNION ALL SELECT created_at_ms, 'text', CASE WHEN opens LIKE '${CAPSULE}%' THEN substr(opens, ${CAPSULE.length + 1}) || ${OF_DEMO} || ' by checkout' ELSE opens || ${OF_DEMO} || ' by pass' END, 1 FROM passes JOIN orders ON id = order_id WHERE paid_at_ms IS NULL AND opens <> '${CREDIT}'
  UNION ALL SELECT paid_at_ms, 'text', substr(opens, ${CAPSULE.length + 1}) || ${OF_DEMO} || ' by credit', 1 FROM passes JOIN orders ON id = order_id WHERE paid_at_ms IS NOT NULL GROUP BY agent, opens, paid_at_ms
  UNION ALL SELECT COALESCE(paid_at_ms, created_at_ms), 'credit', ${OF_DEMO} || CASE WHEN paid_at_ms IS NULL THEN 'sold' ELSE 'spent' END, ABS(credit_minor) FROM passes JOIN orders ON id = order_id WHERE credit_minor IS NOT NULL`;

export function selectSales(database: Database, sinceMs: number, nowMs: number): Statement {
  const sold = `SELECT kind, name, SUM(count) AS count FROM (${SALES}) WHERE at_ms > ?2 GROUP BY kind, name`;
  const left = `SELECT 'credit', ${OF_DEMO} || 'left', SUM(${CREDIT_OF_ORDER}) AS left_minor FROM orders GROUP BY 2 HAVING left_minor > 0`;
  return database.prepare(`${sold} UNION ALL ${left} ORDER BY 3 DESC, name`).bind(nowMs, sinceMs);
}

export function newestCounts(database: Database, limit: number): Promise<TruncatedList<DayCount>> {
  const carts = "SELECT date(day_ms / 1000, 'unixepoch'), 'cart', name, count FROM insights WHERE kind = 'cart'";
  const texts = `SELECT date(at_ms / 1000, 'unixepoch'), kind, name, SUM(count) FROM (${SALES}) WHERE kind = 'text' GROUP BY 1, 3`;
  const all = `(SELECT ${COUNT.names} FROM commerce_counts UNION ALL ${carts} UNION ALL ${texts})`;
  return readTruncated(database.prepare(selectTruncated(COUNT.names, all, 'day DESC, event, offer_id')).bind(limit), COUNT.read);
}

function eventOf(row: Row): StoredPaymentEvent {
  return {
    ...PAYMENT_EVENT.read(row),
    needsReview: row['needs_review'] === 1,
    reviewedAtMs: typeof row['looked_at_ms'] === 'number' ? row['looked_at_ms'] : undefined,
    counterparts: JSON.parse(String(row['counterparts'])) as Counterpart[],
    orderId: typeof row['order_id'] === 'string' ? row['order_id'] : undefined,
  };
}

export async function ordersByOffer(database: Database): Promise<Map<string, number>> {
  const sql = `SELECT json_extract(line.value, '$.offerId') AS offer, COUNT(DISTINCT orders.number) AS count
    FROM orders, json_each(orders.content, '$.lines') AS line
    WHERE orders.refunded_minor < orders.total_minor OR orders.total_minor = 0 GROUP BY offer`;
  const { results } = await database.prepare(sql).all<{ readonly offer: string; readonly count: number }>();
  return new Map(results.map(({ offer, count }) => [offer, count]));
}

export interface UndeliveredWebhook {
  readonly orderId: string;
  readonly url: string;
  readonly kind: string;
  readonly state: 'due' | 'given_up';
  readonly attempts: number;
  readonly failure: string | undefined;
}

const UNDELIVERED = columnsOf<UndeliveredWebhook>(['orderId', 'url', 'kind', 'state', 'attempts', 'failure'], { failure: 'fault' });

export function undeliveredWebhooks(database: Database, limit: number): Promise<TruncatedList<UndeliveredWebhook>> {
  const undelivered = "order_notices WHERE state <> 'sent'";
  return readTruncated(database.prepare(selectTruncated(UNDELIVERED.names, undelivered, 'number DESC')).bind(limit), UNDELIVERED.read);
}

/** Makes every webhook due now that was not accepted yet, including those that were given up, and resets its attempts. */
export function requeueWebhooks(database: Database, nowMs: number): Statement {
  const sql = "UPDATE order_notices SET state = 'due', attempts = 0, due_at_ms = ?1 WHERE state <> 'sent' RETURNING number";
  return database.prepare(sql).bind(nowMs);
}

export function newestInvoiceRequests(database: Database, limit: number): Promise<TruncatedList<InvoiceRequestRecord>> {
  return readTruncated(database.prepare(selectTruncated(REQUEST.names, 'invoice_requests', 'number DESC')).bind(limit), requestOf);
}

/** Answered requests can be closed; closed ones stay closed. `undefined` if nothing changed. */
export function markInvoiceRequest(
  database: Database,
  receipt: string,
  state: 'answered' | 'closed',
  nowMs: number,
): Promise<InvoiceRequestRecord | undefined> {
  const sql = `UPDATE invoice_requests SET state = ?2, updated_at_ms = ?3 WHERE receipt = ?1 AND (state = 'new' OR (state = 'answered' AND ?2 = 'closed')) RETURNING ${REQUEST.names}`;
  return readFirst(database.prepare(sql).bind(receipt, state, nowMs), requestOf);
}
