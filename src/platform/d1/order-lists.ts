import type { InvoiceRequestRecord } from '../../gateway/orders/invoice-ports.ts';
import type { ProcessorEvent } from '../../gateway/orders/order-ports.ts';
import type { Order } from '../../gateway/orders/order.ts';
import type { Database } from './database.ts';
import { INVOICE_COLUMNS, invoiceRequestOf, type InvoiceRow } from './invoice-requests.ts';
import { ORDER_COLUMNS, orderOf, type OrderRow } from './order-rows.ts';

/** A notice of an order that was not taken yet. */
export interface WaitingNotice {
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
export interface KeptEvent extends ProcessorEvent {
  readonly isToLookAt: boolean;
  /** When the publisher said that it was looked at. */
  readonly lookedAtMs: number | undefined;
}

/** What the publisher has to look at. */
export interface Puzzles {
  /** Messages of the processor that could not be applied. */
  readonly events: readonly ProcessorEvent[];
  /** Sessions whose payment began before `stuckBeforeMs` and was never settled. */
  readonly charging: readonly StuckSession[];
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
}

const EVENT_COLUMNS = 'id, kind, received_at_ms, session_id, payment_reference, amount_minor, is_refund, outcome, currency';

/** A message about a refund that came before its order waits for nobody once the order is there: it took the refund into account. */
const TO_LOOK_AT =
  "outcome NOT IN ('applied', 'duplicate', 'ignored') AND looked_at_ms IS NULL AND NOT (outcome = 'waiting' AND EXISTS (SELECT 1 FROM orders WHERE orders.payment_reference = processor_events.payment_reference))";

/** The newest orders, the newest first. Throws, like all of these, if the database cannot be reached. */
export async function newestOrders(database: Database, limit: number): Promise<Order[]> {
  const { results } = await database
    .prepare(`SELECT ${ORDER_COLUMNS} FROM orders ORDER BY number DESC LIMIT ?1`)
    .bind(limit)
    .all<OrderRow>();
  return results.map(orderOf);
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
export async function puzzles(database: Database, stuckBeforeMs: number, limit: number): Promise<Puzzles> {
  const [events, charging, givenUp, invoices] = await database.batch<unknown>([
    database.prepare(`SELECT ${EVENT_COLUMNS} FROM processor_events WHERE ${TO_LOOK_AT} ORDER BY received_at_ms DESC LIMIT ?1`).bind(limit),
    database
      .prepare(
        "SELECT id, total_minor, currency, updated_at_ms FROM checkout_sessions WHERE state = 'charging' AND updated_at_ms < ?1 ORDER BY updated_at_ms LIMIT ?2",
      )
      .bind(stuckBeforeMs, limit),
    database.prepare("SELECT COUNT(*) AS count FROM order_notices WHERE state = 'given_up'"),
    database.prepare("SELECT COUNT(*) AS count FROM invoice_requests WHERE state = 'new'"),
  ]);
  return {
    events: ((events?.results ?? []) as EventRow[]).map(eventOf),
    charging: (charging?.results ?? []) as Puzzles['charging'],
    givenUp: countOf(givenUp?.results),
    newInvoiceRequests: countOf(invoices?.results),
  };
}

/** A message of the processor by its id. */
export async function findEvent(database: Database, id: string): Promise<KeptEvent | undefined> {
  const row = await database
    .prepare(`SELECT ${EVENT_COLUMNS}, looked_at_ms, ${TO_LOOK_AT} AS is_to_look_at FROM processor_events WHERE id = ?1`)
    .bind(id)
    .first<EventRow & { readonly looked_at_ms: number | null; readonly is_to_look_at: number }>();
  if (row === null) return undefined;
  return { ...eventOf(row), isToLookAt: row.is_to_look_at === 1, lookedAtMs: row.looked_at_ms ?? undefined };
}

/**
 * Takes a message from what needs a look, and leaves a line in the log of its session, or in one of its own where it names none.
 *
 * @returns Whether this call did; if not, nobody had to look at it any more.
 */
export async function markEventLookedAt(database: Database, id: string, nowMs: number): Promise<boolean> {
  const [, marked] = await database.batch<{ id: string }>([
    database
      .prepare(
        `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT COALESCE(session_id, id), 'message_looked_at', ?2, json_object('message', id, 'reason', outcome) FROM processor_events WHERE id = ?1 AND ${TO_LOOK_AT}`,
      )
      .bind(id, nowMs),
    database.prepare(`UPDATE processor_events SET looked_at_ms = ?2 WHERE id = ?1 AND ${TO_LOOK_AT} RETURNING id`).bind(id, nowMs),
  ]);
  return (marked?.results.length ?? 0) > 0;
}

/** Notices that were not taken yet, the newest first. */
export async function waitingNotices(database: Database, limit: number): Promise<WaitingNotice[]> {
  const { results } = await database
    .prepare("SELECT order_id, url, kind, state, attempts, fault FROM order_notices WHERE state <> 'sent' ORDER BY number DESC LIMIT ?1")
    .bind(limit)
    .all<WaitingNotice>();
  return results;
}

/** The newest requests for invoices, the newest first. */
export async function newestInvoiceRequests(database: Database, limit: number): Promise<InvoiceRequestRecord[]> {
  const { results } = await database
    .prepare(`SELECT ${INVOICE_COLUMNS} FROM invoice_requests ORDER BY number DESC LIMIT ?1`)
    .bind(limit)
    .all<InvoiceRow>();
  return results.map(invoiceRequestOf);
}

/** Notes that a request for an invoice was answered or closed; `undefined` if there is none with this receipt. */
export async function markInvoiceRequest(
  database: Database,
  receipt: string,
  state: 'answered' | 'closed',
  nowMs: number,
): Promise<InvoiceRequestRecord | undefined> {
  const row = await database
    .prepare(`UPDATE invoice_requests SET state = ?2, updated_at_ms = ?3 WHERE receipt = ?1 RETURNING ${INVOICE_COLUMNS}`)
    .bind(receipt, state, nowMs)
    .first<InvoiceRow>();
  return row === null ? undefined : invoiceRequestOf(row);
}

/** Counts of the newest days, the newest first. */
export async function newestCounts(database: Database, limit: number): Promise<DayCount[]> {
  const { results } = await database
    .prepare('SELECT day, event, offer_id, count FROM commerce_counts ORDER BY day DESC, event, offer_id LIMIT ?1')
    .bind(limit)
    .all<DayCount>();
  return results;
}

function countOf(rows: readonly unknown[] = []): number {
  return (rows[0] as { count: number } | undefined)?.count ?? 0;
}

function eventOf(row: EventRow): ProcessorEvent {
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
  };
}
