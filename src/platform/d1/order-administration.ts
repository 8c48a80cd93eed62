import type { Order, PaymentEventRecord } from '../../gateway/commerce/orders/order-ports.ts';
import type { Session } from '../../gateway/commerce/sessions/session.ts';
import {
  columnsOf,
  type Database,
  type Row,
  readFirst,
  readTruncated,
  selectTruncated,
  type TruncatedList,
  truncatedListOf,
} from './database.ts';

/*
 * What a publisher reads and changes of orders and payment events, from the command line. Every function throws if the database cannot be
 * reached.
 */

/** A session whose payment was begun and never settled. */
export interface StuckSession {
  readonly id: string;
  readonly totalMinor: number;
  readonly currency: string;
  readonly updatedAtMs: number;
}

/** A stored event of the payment processor. */
export interface StoredPaymentEvent extends PaymentEventRecord {
  /** Whether the publisher has to review it. */
  readonly needsReview: boolean;
  readonly reviewedAtMs: number | undefined;
  /** The refunds of a payment without an order; for such a refund, the payments. */
  readonly counterparts: readonly Counterpart[];
  /** The order of the same payment. */
  readonly orderId: string | undefined;
}

/** Another event about the same payment. */
export interface Counterpart {
  readonly id: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** What the publisher has to review. */
export interface ReviewIssues {
  /** Payment events that could not be applied. */
  readonly events: TruncatedList<StoredPaymentEvent>;
  /** Sessions whose payment began before `stuckBeforeMs` and was never settled. */
  readonly charging: TruncatedList<StuckSession>;
  /** Webhook deliveries that were given up. */
  readonly givenUp: number;
  readonly newInvoiceRequests: number;
}

/** An entry of the log of a session. */
export interface LoggedStep {
  readonly kind: string;
  readonly atMs: number;
  /** Facts as JSON. */
  readonly detail: string;
}

/** How often something happened with an offer on a day. */
export interface DayCount {
  readonly day: string;
  readonly event: string;
  readonly offerId: string;
  readonly count: number;
}

const STUCK_SESSION = columnsOf<StuckSession>(['id', 'totalMinor', 'currency', 'updatedAtMs']);
const STEP = columnsOf<LoggedStep>(['kind', 'atMs', 'detail']);
const COUNT = columnsOf<DayCount>(['day', 'event', 'offerId', 'count']);

/** Columns of a stored payment event. */
export const PAYMENT_EVENT = columnsOf<PaymentEventRecord>([
  'id',
  'kind',
  'receivedAtMs',
  'sessionId',
  'paymentReference',
  'amountMinor',
  'isRefund',
  'outcome',
  'currency',
]);

const UNSETTLED = "outcome NOT IN ('applied', 'duplicate', 'ignored')";

/**
 * True where a payment without an order was refunded in full: neither it nor its refunds need a review. Both must be unreviewed: reviewed
 * events are deleted after a while, and the other event would need a review again.
 */
const IS_REFUNDED_IN_FULL = `EXISTS (SELECT 1 FROM processor_events AS paid JOIN processor_events AS back ON back.payment_reference = paid.payment_reference AND back.currency = paid.currency AND back.amount_minor = paid.amount_minor WHERE paid.payment_reference = processor_events.payment_reference AND paid.amount_minor >= processor_events.amount_minor AND paid.currency = processor_events.currency AND paid.is_refund = 0 AND paid.${UNSETTLED} AND paid.looked_at_ms IS NULL AND back.outcome = 'waiting' AND back.${UNSETTLED} AND back.looked_at_ms IS NULL)`;

/** A refund event that came before its order needs no review once the order exists, which took it into account. */
const NEEDS_REVIEW = `${UNSETTLED} AND looked_at_ms IS NULL AND NOT (outcome = 'waiting' AND EXISTS (SELECT 1 FROM orders WHERE orders.payment_reference = processor_events.payment_reference)) AND NOT ${IS_REFUNDED_IN_FULL}`;

const COUNTERPARTS = `(SELECT json_group_array(json_object('id', other.id, 'amountMinor', other.amount_minor, 'currency', other.currency)) FROM processor_events AS other WHERE other.payment_reference = processor_events.payment_reference AND other.is_refund <> processor_events.is_refund AND other.${UNSETTLED} AND 'waiting' IN (other.outcome, processor_events.outcome))`;

/** Columns that {@link eventOf} reads. */
const EVENT_COLUMNS = `${PAYMENT_EVENT.names}, looked_at_ms, ${NEEDS_REVIEW} AS needs_review, ${COUNTERPARTS} AS counterparts, (SELECT orders.id FROM orders WHERE orders.payment_reference = processor_events.payment_reference) AS order_id`;

/** The newest orders, newest first. */
export function newestOrders(database: Database, limit: number): Promise<TruncatedList<Order>> {
  return readTruncated(database.prepare(selectTruncated(ORDER.names, 'orders', 'number DESC')).bind(limit), orderOf);
}

/** An order by its id, receipt, session or payment. */
export function findOrder(database: Database, name: string): Promise<Order | undefined> {
  const condition = 'id = ?1 OR receipt = ?1 OR session_id = ?1 OR payment_reference = ?1';
  return readFirst(database.prepare(`SELECT ${ORDER.names} FROM orders WHERE ${condition}`).bind(name), orderOf);
}

/** The log of a session, oldest entry first. */
export async function stepsOf(database: Database, sessionId: string): Promise<LoggedStep[]> {
  const sql = `SELECT ${STEP.names} FROM order_log WHERE session_id = ?1 ORDER BY number`;
  return (await database.prepare(sql).bind(sessionId).all<Row>()).results.map(STEP.read);
}

/** The issues that need a review, at most `limit` of each kind. */
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
export async function unsettledEventsOf(database: Database, paymentReference: string): Promise<StoredPaymentEvent[]> {
  const condition = `payment_reference = ?1 AND ${UNSETTLED}`;
  const statement = database.prepare(`SELECT ${EVENT_COLUMNS} FROM processor_events WHERE ${condition} ORDER BY received_at_ms, id`);
  return (await statement.bind(paymentReference).all<Row>()).results.map(eventOf);
}

/**
 * Marks a payment event as reviewed, and adds an entry to the log of its session, or to a log of its own if it names none.
 *
 * @returns Whether this call did it; `false` if the event needs no review.
 */
export async function markEventReviewed(database: Database, id: string, nowMs: number): Promise<boolean> {
  const [, marked] = await database.batch([
    database
      .prepare(
        `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT COALESCE(session_id, id), 'message_looked_at', ?2, json_object('message', id, 'reason', outcome) FROM processor_events WHERE id = ?1 AND ${NEEDS_REVIEW}`,
      )
      .bind(id, nowMs),
    database.prepare(`UPDATE processor_events SET looked_at_ms = ?2 WHERE id = ?1 AND ${NEEDS_REVIEW} RETURNING id`).bind(id, nowMs),
  ]);
  return (marked?.results.length ?? 0) > 0;
}

/** Counts of the newest days, newest first. */
export function newestCounts(database: Database, limit: number): Promise<TruncatedList<DayCount>> {
  return readTruncated(
    database.prepare(selectTruncated(COUNT.names, 'commerce_counts', 'day DESC, event, offer_id')).bind(limit),
    COUNT.read,
  );
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

/** Number of orders that were not refunded in full, by the id that each offer had when it was bought. */
export async function ordersByOffer(database: Database): Promise<Map<string, number>> {
  const { results } = await database
    .prepare(
      `SELECT json_extract(line.value, '$.offerId') AS offer, COUNT(DISTINCT orders.number) AS count
       FROM orders, json_each(orders.content, '$.lines') AS line
       WHERE orders.refunded_minor < orders.total_minor OR orders.total_minor = 0 GROUP BY offer`,
    )
    .all<{ readonly offer: string; readonly count: number }>();
  return new Map(results.map(({ offer, count }) => [offer, count]));
}

/** Members of a session that no statement reads; they are stored as JSON. */
type SessionContent = Pick<Session, 'lines' | 'buyer' | 'notifyUrl' | 'details' | 'attempt'>;

/** Columns of `checkout_sessions`, without the mark of its last change. */
export const SESSION = columnsOf<Omit<Session, keyof SessionContent> & { readonly content: string }>([
  'id',
  'owner',
  'channel',
  'state',
  'currency',
  'totalMinor',
  'content',
  'revision',
  'createdAtMs',
  'updatedAtMs',
  'expiresAtMs',
]);

/** Members of an order that no statement reads; they are stored as JSON. */
type OrderContent = Pick<Order, 'owner' | 'channel' | 'currency' | 'lines' | 'buyer' | 'notifyUrl'>;

/** Columns of `orders`. */
export const ORDER = columnsOf<Omit<Order, keyof OrderContent> & { readonly content: string }>([
  'id',
  'receipt',
  'sessionId',
  'totalMinor',
  'refundedMinor',
  'paymentReference',
  'content',
  'createdAtMs',
  'updatedAtMs',
]);

/** Values of {@link SESSION}. */
export function sessionValues({ lines, buyer, notifyUrl, details, attempt, ...stored }: Session): ReturnType<typeof SESSION.values> {
  return SESSION.values({ ...stored, content: JSON.stringify({ lines, buyer, notifyUrl, details, attempt } satisfies SessionContent) });
}

/** The column `content` of an order. */
export function orderContent({ owner, channel, currency, lines, buyer, notifyUrl }: Order): string {
  return JSON.stringify({ owner, channel, currency, lines, buyer, notifyUrl } satisfies OrderContent);
}

export function sessionOf(row: Row): Session {
  const { content, ...stored } = SESSION.read(row);
  const members = JSON.parse(content) as SessionContent;
  return { ...stored, ...members, buyer: buyerOf(members.buyer) };
}

export function orderOf(row: Row): Order {
  const { content, ...stored } = ORDER.read(row);
  const members = JSON.parse(content) as OrderContent;
  return { ...stored, ...members, buyer: buyerOf(members.buyer) };
}

/** A stored buyer; older rows have one name instead of its parts. */
function buyerOf(stored: (Session['buyer'] & { readonly name?: string }) | undefined): Session['buyer'] {
  if (stored?.name === undefined) return stored;
  const { name, ...members } = stored;
  return { full_name: name, ...members };
}
