import type { CountedClicks, PendingClicks } from '../../gateway/commerce/catalog/click-counts.ts';
import type { OrderStore, PaymentEventRecord, SessionChange, StoredSession } from '../../gateway/commerce/orders/order-ports.ts';
import { type IdempotencyKey, IN_FLIGHT } from '../../gateway/idempotency/bind-idempotency-key.ts';
import type { Randomness } from '../../gateway/ports.ts';
import { toHex } from '../../provenance/bytes.ts';
import { compressedText } from '../compressed-text.ts';
import type { Database, Statement } from './database.ts';
import { deleteExpiredRecords, type IdempotencyRow, idempotencyRecord, isTakenFor, readRecord } from './idempotency.ts';
import {
  ORDER_COLUMNS,
  type OrderRow,
  orderContent,
  orderOf,
  SESSION_COLUMNS,
  type SessionRow,
  sessionContent,
  sessionOf,
} from './order-rows.ts';

/** True where the session `?1` bears the mark `?2`: where the change that the statement belongs to was stored. */
const IS_STORED = 'EXISTS (SELECT 1 FROM checkout_sessions WHERE id = ?1 AND mark = ?2)';

/** The same behind the four values of a count. */
const IS_STORED_FOR_COUNT = IS_STORED.replace('?1', '?5').replace('?2', '?6');

/**
 * Sessions and orders in D1. A step is one batch, which is one transaction. Its first statement changes the session, and leaves a mark,
 * only if nothing stands against the step; all others work where that mark is. A step that was stored although its answer was lost is
 * harmless: whoever tries again finds another revision, the answer under the idempotency key, or the event of the processor.
 *
 * @param randomness Marks are random, so that no two steps are taken for each other.
 * @param clicks Clicks that wait to be stored: a step takes them along.
 */
export function d1Orders(database: Database, randomness: Randomness, clicks?: Pick<PendingClicks, 'take'>): OrderStore {
  const known = async (
    given: IdempotencyRow | undefined,
    session: SessionRow | undefined,
    order: OrderRow | undefined,
  ): Promise<StoredSession> => ({
    record: given && (await readRecord(given)),
    session: session && sessionOf(session),
    order: order && orderOf(order),
  });
  return {
    load: async (slot, sessionId, nowMs) => {
      const [given, session, order] = await database.batch<unknown>([
        slot ? idempotencyRecord(database, slot, nowMs) : nothing(database),
        sessionId === undefined
          ? nothing(database)
          : database.prepare(`SELECT ${SESSION_COLUMNS} FROM checkout_sessions WHERE id = ?1`).bind(sessionId),
        sessionId === undefined
          ? nothing(database)
          : database.prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE session_id = ?1`).bind(sessionId),
      ]);
      return known(
        given?.results[0] as IdempotencyRow | undefined,
        session?.results[0] as SessionRow | undefined,
        order?.results[0] as OrderRow | undefined,
      );
    },
    apply: async (change) => {
      const mark = toHex(randomness.bytes(16));
      const response = await compressedText(change.idempotency?.record.response ?? '');
      const results = await database.batch<unknown>([
        ...storedClicks(database, clicks?.take(change.nowMs) ?? []),
        ...statementsOf(database, change, mark, response),
        ...outcomeOf(database, change, mark),
      ]);
      const [given, stored] = results.slice(-2);
      const row = given?.results[0] as IdempotencyRow | undefined;
      return { applied: (stored?.results.length ?? 0) > 0, record: row && (await readRecord(row)) };
    },
    orderByReceipt: async (receipt) => {
      const row = await database.prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE receipt = ?1`).bind(receipt).first<OrderRow>();
      return row === null ? undefined : orderOf(row);
    },
    orderById: async (id) => {
      const row = await database.prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ?1`).bind(id).first<OrderRow>();
      return row === null ? undefined : orderOf(row);
    },
    sessionOfPayment: async (reference) => {
      const [session, order] = await database.batch<unknown>([
        database
          .prepare(
            `SELECT ${SESSION_COLUMNS} FROM checkout_sessions WHERE id = (SELECT session_id FROM orders WHERE payment_reference = ?1)`,
          )
          .bind(reference),
        database.prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE payment_reference = ?1`).bind(reference),
      ]);
      return known(undefined, session?.results[0] as SessionRow | undefined, order?.results[0] as OrderRow | undefined);
    },
    hasEvent: async (eventId) =>
      (await database.prepare('SELECT id FROM processor_events WHERE id = ?1').bind(eventId).first<{ id: string }>()) !== null,
    saveEvent: async (event) => {
      const results = await database.batch<{ id: string }>([
        insertEvent(
          database,
          event,
          event.outcome === 'waiting' ? 'NOT EXISTS (SELECT 1 FROM orders WHERE payment_reference = ?5)' : 'TRUE',
        ),
        database.prepare('SELECT id FROM processor_events WHERE id = ?1').bind(event.id),
      ]);
      return (results.at(-1)?.results.length ?? 0) > 0;
    },
  };
}

function nothing(database: Database): Statement {
  return database.prepare('SELECT 1 AS one WHERE FALSE');
}

/** @param response Body of the answer as it is stored. */
function statementsOf(database: Database, change: SessionChange, mark: string, response: string): Statement[] {
  const { session, order, idempotency: answer, releaseIdempotencyKey, paymentEvent: processorEvent, log, counts, notify, nowMs } = change;
  return [
    ...(answer ? deleteExpiredRecords(database, answer.key, nowMs) : []),
    changeOfSession(database, change, mark),
    ...(order ? [insertOrder(database, order, session.id, mark), updateOrder(database, order, session.id, mark)] : []),
    ...(order?.paymentReference === undefined ? [] : earlierMessages(database, order, order.paymentReference, change, mark)),
    ...log.map(({ kind, atMs, detail }) =>
      database
        .prepare(`INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT ?1, ?3, ?4, ?5 WHERE ${IS_STORED}`)
        .bind(session.id, mark, kind, atMs, JSON.stringify(detail)),
    ),
    ...counts.map(({ event, offerId }) => counted(database, event, offerId, nowMs, IS_STORED_FOR_COUNT, [session.id, mark])),
    ...(notify && order?.notifyUrl !== undefined
      ? [
          database
            .prepare(
              `INSERT INTO order_notices (order_id, url, kind, due_at_ms, created_at_ms) SELECT ?3, ?4, ?5, ?6, ?6 WHERE ${IS_STORED}`,
            )
            .bind(session.id, mark, order.id, order.notifyUrl, notify, nowMs),
        ]
      : []),
    ...(processorEvent
      ? [insertEvent(database, processorEvent, IS_STORED.replace('?1', '?10').replace('?2', '?11'), [session.id, mark])]
      : []),
    ...(answer ? [insertAnswer(database, answer, response, session.id, mark)] : []),
    ...(releaseIdempotencyKey ? [freedKey(database, releaseIdempotencyKey, session.id, mark)] : []),
  ];
}

/** What stands after a step: the answer under its key, and whether the session bears its mark. */
function outcomeOf(database: Database, { session, idempotency: answer, nowMs }: SessionChange, mark: string): Statement[] {
  return [
    answer ? idempotencyRecord(database, answer.key, nowMs) : nothing(database),
    database.prepare('SELECT id FROM checkout_sessions WHERE id = ?1 AND mark = ?2').bind(session.id, mark),
  ];
}

/** The first statement of a step: it alone decides whether the step counts. */
function changeOfSession(
  database: Database,
  { session, isNew, idempotency: answer, paymentEvent: processorEvent }: SessionChange,
  mark: string,
): Statement {
  const { key: slot } = answer ?? {};
  const guards = `NOT EXISTS (SELECT 1 FROM idempotency WHERE caller = ?12 AND route = ?13 AND key_sha256 = ?14 AND NOT (status = ?15 AND body_sha256 = ?18) AND ${isTakenFor('?18')}) AND NOT EXISTS (SELECT 1 FROM processor_events WHERE id = ?16)`;
  const sql = isNew
    ? `INSERT INTO checkout_sessions (id, owner, channel, state, currency, total_minor, content, revision, created_at_ms, updated_at_ms, expires_at_ms, mark) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?17 WHERE ${guards} ON CONFLICT DO NOTHING`
    : `UPDATE checkout_sessions SET owner = ?2, channel = ?3, state = ?4, currency = ?5, total_minor = ?6, content = ?7, revision = ?8, created_at_ms = ?9, updated_at_ms = ?10, expires_at_ms = ?11, mark = ?17 WHERE id = ?1 AND revision = ?8 - 1 AND ${guards}`;
  return database
    .prepare(sql)
    .bind(
      session.id,
      session.owner,
      session.channel,
      session.state,
      session.currency,
      session.totalMinor,
      sessionContent(session),
      session.revision,
      session.createdAtMs,
      session.updatedAtMs,
      session.expiresAtMs,
      slot?.caller ?? null,
      slot?.route ?? null,
      slot?.keySha256 ?? null,
      IN_FLIGHT,
      processorEvent?.id ?? null,
      mark,
      answer?.record.bodySha256 ?? null,
    );
}

/** An order that is new takes refunds into account whose messages came before it, as far as they are in its currency. */
function insertOrder(database: Database, order: NonNullable<SessionChange['order']>, sessionId: string, mark: string): Statement {
  return database
    .prepare(
      `INSERT INTO orders (id, receipt, session_id, total_minor, refunded_minor, payment_reference, content, created_at_ms, updated_at_ms) SELECT ?3, ?4, ?1, ?5, MIN(?5, MAX(?6, COALESCE((SELECT MAX(amount_minor) FROM processor_events WHERE is_refund = 1 AND payment_reference = ?7 AND ${inCurrency('?11')}), 0))), ?7, ?8, ?9, ?10 WHERE ${IS_STORED} ON CONFLICT (session_id) DO NOTHING`,
    )
    .bind(
      sessionId,
      mark,
      order.id,
      order.receipt,
      order.totalMinor,
      order.refundedMinor,
      order.paymentReference ?? null,
      orderContent(order),
      order.createdAtMs,
      order.updatedAtMs,
      order.currency,
    );
}

/** True where a message is in the currency `value`; those of before currencies were kept are. */
function inCurrency(value: string): string {
  return `COALESCE(currency, ${value}) = ${value}`;
}

/**
 * What follows for messages about the payment that came before the order: refunds are counted and logged like others, and nobody has to
 * look at any of them any more but at refunds in another currency, and at payments of another sum or currency than the order. Without such a
 * message nothing happens.
 */
function earlierMessages(
  database: Database,
  { id, lines, totalMinor, currency }: NonNullable<SessionChange['order']>,
  reference: string,
  { session, nowMs }: SessionChange,
  mark: string,
): Statement[] {
  const waits = (payment: string, value: string): string =>
    `EXISTS (SELECT 1 FROM processor_events WHERE is_refund = 1 AND payment_reference = ${payment} AND outcome = 'waiting' AND ${inCurrency(value)})`;
  const isBack = 'EXISTS (SELECT 1 FROM orders WHERE session_id = ?5 AND total_minor > 0 AND refunded_minor >= total_minor)';
  return [
    ...lines.map(({ offerId }) =>
      counted(database, 'refund', offerId, nowMs, `${IS_STORED_FOR_COUNT} AND ${waits('?7', '?8')} AND ${isBack}`, [
        session.id,
        mark,
        reference,
        currency,
      ]),
    ),
    database
      .prepare(
        `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT ?1, 'order_refunded', ?3, json_object('order', ?4, 'refunded_minor', refunded_minor) FROM orders WHERE session_id = ?1 AND refunded_minor > 0 AND ${IS_STORED} AND ${waits('?5', '?6')}`,
      )
      .bind(session.id, mark, nowMs, id, reference, currency),
    database
      .prepare(
        `UPDATE processor_events SET outcome = CASE WHEN ${inCurrency('?4')} THEN 'applied' ELSE 'currency_differs' END, looked_at_ms = CASE WHEN ${inCurrency('?4')} THEN looked_at_ms END, session_id = ?1 WHERE payment_reference = ?3 AND outcome NOT IN ('applied', 'duplicate', 'ignored') AND (is_refund = 1 OR (amount_minor = ?5 AND ${inCurrency('?4')})) AND ${IS_STORED}`,
      )
      .bind(session.id, mark, reference, currency, totalMinor),
  ];
}

/** An order that is there takes what was paid back; it never goes down. */
function updateOrder(database: Database, order: NonNullable<SessionChange['order']>, sessionId: string, mark: string): Statement {
  return database
    .prepare(
      `UPDATE orders SET refunded_minor = MAX(refunded_minor, ?3), updated_at_ms = ?4 WHERE session_id = ?1 AND id = ?5 AND refunded_minor < ?3 AND ${IS_STORED}`,
    )
    .bind(sessionId, mark, order.refundedMinor, order.updatedAtMs, order.id);
}

/** A message of the processor. Its own values are `?1` to `?9`, those of the condition come after them. */
function insertEvent(database: Database, event: PaymentEventRecord, condition: string, values: readonly string[] = []): Statement {
  return database
    .prepare(
      `INSERT INTO processor_events (id, kind, received_at_ms, session_id, payment_reference, amount_minor, is_refund, outcome, currency) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${condition} ON CONFLICT DO NOTHING`,
    )
    .bind(
      event.id,
      event.kind,
      event.receivedAtMs,
      event.sessionId ?? null,
      event.paymentReference ?? null,
      event.amountMinor ?? null,
      event.isRefund ? 1 : 0,
      event.outcome,
      event.currency ?? null,
      ...values,
    );
}

/** Adds one to a count. Its own values are `?1` to `?4`, those of the condition come after them. */
function counted(
  database: Database,
  event: string,
  offerId: string,
  nowMs: number,
  condition: string,
  values: readonly string[],
): Statement {
  return database
    .prepare(
      `INSERT INTO commerce_counts (day, event, offer_id, count) SELECT ?1, ?2, ?3, ?4 WHERE ${condition} ON CONFLICT (day, event, offer_id) DO UPDATE SET count = count + 1`,
    )
    .bind(new Date(nowMs).toISOString().slice(0, 10), event, offerId, 1, ...values);
}

/** Adds clicks to those of their days, in one statement if there are any. */
function storedClicks(database: Database, clicks: readonly CountedClicks[]): Statement[] {
  if (clicks.length === 0) return [];
  return [
    database
      .prepare(
        "INSERT INTO commerce_counts (day, event, offer_id, count) SELECT value ->> '$.day', 'buy_click', value ->> '$.offerId', value ->> '$.clicks' FROM json_each(?1) WHERE TRUE ON CONFLICT (day, event, offer_id) DO UPDATE SET count = count + excluded.count",
      )
      .bind(JSON.stringify(clicks)),
  ];
}

/** The answer of a step; one in flight is replaced by it. */
function insertAnswer(
  database: Database,
  { key: slot, record: given, expiresAtMs }: NonNullable<SessionChange['idempotency']>,
  response: string,
  sessionId: string,
  mark: string,
): Statement {
  return database
    .prepare(
      `INSERT INTO idempotency (caller, route, key_sha256, body_sha256, status, response, expires_at_ms) SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${IS_STORED} ON CONFLICT DO UPDATE SET status = excluded.status, response = excluded.response, expires_at_ms = excluded.expires_at_ms`,
    )
    .bind(sessionId, mark, slot.caller, slot.route, slot.keySha256, given.bodySha256, given.status, response, expiresAtMs);
}

function freedKey(database: Database, { caller, route, keySha256 }: IdempotencyKey, sessionId: string, mark: string): Statement {
  return database
    .prepare(`DELETE FROM idempotency WHERE caller = ?3 AND route = ?4 AND key_sha256 = ?5 AND status = ?6 AND ${IS_STORED}`)
    .bind(sessionId, mark, caller, route, keySha256, IN_FLIGHT);
}
