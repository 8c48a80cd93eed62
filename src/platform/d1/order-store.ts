import type { Order, OrderStore, Pass, PaymentEventRecord, Session, SessionChange } from '../../gateway/commerce/cart/checkout-ports.ts';
import type { DueWebhook, InvoiceRequestRecord, InvoiceStore, WebhookDeliveries } from '../../gateway/commerce/orders/order-ports.ts';
import { IN_FLIGHT } from '../../gateway/idempotency/bind-idempotency-key.ts';
import type { IdempotencyKey, Randomness } from '../../gateway/platform-ports.ts';
import { toHex } from '../../provenance/bytes-and-sha256.ts';
import type { SoldPass } from '../../schemas/commerce/access-passes.ts';
import { dayOf } from '../../schemas/time.ts';
import { columnsOf, type Database, type Row, readAll, readFirst, type SqlValue, type Statement, type StatementResult } from './database.ts';
import {
  compress,
  deleteExpiredRecords,
  type IdempotencyRow,
  INSERT_RECORD,
  idempotencyRecordOf,
  isTakenFor,
  selectIdempotencyRecord,
} from './idempotency.ts';

type SessionContent = Pick<Session, 'lines' | 'buyer' | 'holder' | 'passes' | 'notifyUrl' | 'details' | 'attempt'>;

const SESSION = columnsOf<Omit<Session, keyof SessionContent> & { readonly content: string }>([
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

type OrderContent = Pick<Order, 'owner' | 'channel' | 'currency' | 'lines' | 'buyer' | 'notifyUrl'>;

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
  'withdrawnAtMs',
]);

const PASS = columnsOf<Pass>(['orderId', 'opens', 'endsAtMs', 'creditMinor', 'leftMinor', 'paidAtMs']);

/** True for a pass in force at the time ?1. A full refund ends a pass; a free order has none. */
const IN_FORCE =
  '(passes.ends_at_ms IS NULL OR passes.ends_at_ms > ?1) AND orders.withdrawn_at_ms IS NULL AND (orders.total_minor = 0 OR orders.refunded_minor < orders.total_minor)';

/** What is left of credit: less what it paid, and less the share of it that was refunded, rounded up. */
const CREDIT_LEFT =
  "CASE passes.opens WHEN 'credit' THEN MAX(0, (SELECT SUM(own.credit_minor) FROM passes AS own WHERE own.order_id = passes.order_id) - (passes.credit_minor * orders.refunded_minor + MAX(orders.total_minor, 1) - 1) / MAX(orders.total_minor, 1)) END AS left_minor";

const PASSES_IN_FORCE = `passes JOIN orders ON orders.id = passes.order_id WHERE ${IN_FORCE}`;

/** What is left at the time ?1 of the credit of an order in the statement around; NULL if it has none in force. */
export const CREDIT_OF_ORDER = `(SELECT ${CREDIT_LEFT} FROM passes WHERE passes.order_id = orders.id AND passes.opens = 'credit' AND ${IN_FORCE})`;

const PASSES_OF_HOLDER = `${PASSES_IN_FORCE} AND (passes.agent = ?2 OR passes.order_id = ?3)`;

function sessionOf(row: Row): Session {
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

/** True if the change with the mark `mark` of a session was stored: the other statements of a step apply only then. */
const isStored = (session = '?1', mark = '?2'): string =>
  `EXISTS (SELECT 1 FROM checkout_sessions WHERE id = ${session} AND mark = ${mark})`;

const IS_STORED = isStored();

/** {@link IS_STORED} for a statement whose first four parameters are those of a count. */
const IS_STORED_FOR_COUNT = isStored('?5', '?6');

const SELECT_SESSION = `SELECT ${SESSION.names} FROM checkout_sessions WHERE id =`;
const SELECT_ORDER = `SELECT ${ORDER.names} FROM orders WHERE`;

/**
 * Sessions and orders in D1. A step is one batch, which is one transaction. Its first statement changes the session and stores a mark, if the step is
 * allowed; all others apply only where the mark is. A step that was stored although its response was lost is harmless: a retry finds it.
 */
export function d1Orders(database: Database, randomness: Randomness): OrderStore {
  return {
    load: async (key, sessionId, nowMs) => {
      const [records, sessions, orders] = await database.batch<unknown>([
        key ? selectIdempotencyRecord(database, key, nowMs) : nothing(database),
        database.prepare(`${SELECT_SESSION} ?1`).bind(sessionId ?? null),
        database.prepare(`${SELECT_ORDER} session_id = ?1`).bind(sessionId ?? null),
      ]);
      const row = records?.results[0] as IdempotencyRow | undefined;
      return { record: row && (await idempotencyRecordOf(row)), ...sessionAndOrder(sessions, orders) };
    },
    apply: async (change) => {
      const mark = toHex(randomness.bytes(16));
      const response = await compress(change.idempotency?.record.response ?? '');
      const results = await database.batch<unknown>([
        ...statementsOf(database, change, mark, response),
        ...outcomeOf(database, change, mark),
      ]);
      const [records, stored] = results.slice(-2);
      const row = records?.results[0] as IdempotencyRow | undefined;
      return { applied: (stored?.results.length ?? 0) > 0, record: row && (await idempotencyRecordOf(row)) };
    },
    orderByReceipt: (receipt) => readFirst(database.prepare(`${SELECT_ORDER} receipt = ?1`).bind(receipt), orderOf),
    passes: ({ agent = null, orderId = null }, opens, nowMs) => {
      const wanted = '(?4 IS NULL OR passes.opens IN (SELECT value FROM json_each(?4)))';
      const sql = `SELECT passes.*, ${CREDIT_LEFT} FROM ${PASSES_OF_HOLDER} AND ${wanted} ORDER BY ends_at_ms IS NULL DESC, ends_at_ms DESC`;
      return readAll(database.prepare(sql).bind(nowMs, agent, orderId, opens === undefined ? null : JSON.stringify(opens)), PASS.read);
    },
    payByCredit: async ({ agent = null, orderId = null }, opens, amountMinor, nowMs) => {
      const credit = `SELECT passes.order_id, passes.ends_at_ms, ${CREDIT_LEFT} FROM ${PASSES_OF_HOLDER} AND passes.opens = 'credit'`;
      const inTurn = `SELECT *, SUM(left_minor) OVER (ORDER BY ends_at_ms IS NULL, ends_at_ms, order_id) - left_minor AS earlier, SUM(left_minor) OVER () AS total FROM (${credit})`;
      const isOpen = `EXISTS (SELECT 1 FROM ${PASSES_OF_HOLDER} AND passes.opens IN (SELECT value FROM json_each(?4)))`;
      const sql = `INSERT INTO passes (order_id, opens, agent, credit_minor, paid_at_ms) SELECT order_id, ?4 ->> '$[0]', ?2, -MIN(left_minor, ?5 - earlier), ?1 FROM (${inTurn}) WHERE left_minor > 0 AND total >= ?5 AND earlier < ?5 AND NOT ${isOpen} ON CONFLICT DO NOTHING`;
      await database.prepare(sql).bind(nowMs, agent, orderId, JSON.stringify(opens), amountMinor).all();
    },
    orderById: (id) => readFirst(database.prepare(`${SELECT_ORDER} id = ?1`).bind(id), orderOf),
    sessionOfPayment: async (reference) => {
      const [sessions, orders] = await database.batch<Row>([
        database.prepare(`${SELECT_SESSION} (SELECT session_id FROM orders WHERE payment_reference = ?1)`).bind(reference),
        database.prepare(`${SELECT_ORDER} payment_reference = ?1`).bind(reference),
      ]);
      return { record: undefined, ...sessionAndOrder(sessions, orders) };
    },
    hasEvent: async (eventId) => (await selectEvent(database, eventId).first()) !== null,
    saveEvent: async (event) => {
      const condition = event.outcome === 'waiting' ? 'NOT EXISTS (SELECT 1 FROM orders WHERE payment_reference = ?5)' : 'TRUE';
      const results = await database.batch([insertEvent(database, event, condition), selectEvent(database, event.id)]);
      return (results.at(-1)?.results.length ?? 0) > 0;
    },
  };
}

function sessionAndOrder(...[sessions, orders]: readonly (StatementResult<unknown> | undefined)[]) {
  const [session, order] = [sessions?.results[0] as Row | undefined, orders?.results[0] as Row | undefined];
  return { session: session && sessionOf(session), order: order && orderOf(order) };
}

function selectEvent(database: Database, id: string): Statement {
  return database.prepare('SELECT id FROM processor_events WHERE id = ?1').bind(id);
}

function nothing(database: Database): Statement {
  return database.prepare('SELECT 1 AS one WHERE FALSE');
}

/** A statement of a step, whose session is `?1` and whose mark is `?2`; its own values follow. */
type StepStatement = (sql: string, ...values: readonly SqlValue[]) => Statement;

/** @param response Body of the response in its stored form. */
function statementsOf(database: Database, change: SessionChange, mark: string, response: string): Statement[] {
  const { session, order, idempotency, releaseIdempotencyKey, paymentEvent, log, counts, notify, nowMs } = change;
  const step: StepStatement = (sql, ...values) => database.prepare(sql).bind(session.id, mark, ...values);
  const logged = `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT ?1, ?3, ?4, ?5 WHERE ${IS_STORED}`;
  const notified = `INSERT INTO order_notices (order_id, url, kind, due_at_ms, created_at_ms) SELECT ?3, ?4, ?5, ?6, ?6 WHERE ${IS_STORED}`;
  return [
    ...(idempotency ? deleteExpiredRecords(database, idempotency.key, nowMs) : []),
    changeSession(database, change, mark),
    ...(order ? [insertOrder(database, order, mark), updateOrder(step, order)] : []),
    ...(order && session.passes ? session.passes.map((pass) => insertPass(step, pass, session.holder, order.id, nowMs)) : []),
    ...(order?.paymentReference === undefined ? [] : applyEarlierEvents(database, step, order, order.paymentReference, change, mark)),
    ...log.map(({ kind, atMs, detail }) => step(logged, kind, atMs, JSON.stringify(detail))),
    ...counts.map(({ event, offerId }) => increment(database, event, offerId, nowMs, IS_STORED_FOR_COUNT, [session.id, mark])),
    ...(notify && order?.notifyUrl !== undefined ? [step(notified, order.id, order.notifyUrl, notify, nowMs)] : []),
    ...(paymentEvent ? [insertEvent(database, paymentEvent, isStored('?10', '?11'), [session.id, mark])] : []),
    ...(idempotency ? [insertResponse(step, idempotency, response)] : []),
    ...(releaseIdempotencyKey ? [releaseKey(step, releaseIdempotencyKey)] : []),
  ];
}

function outcomeOf(database: Database, { session, idempotency, nowMs }: SessionChange, mark: string): Statement[] {
  return [
    idempotency ? selectIdempotencyRecord(database, idempotency.key, nowMs) : nothing(database),
    database.prepare('SELECT id FROM checkout_sessions WHERE id = ?1 AND mark = ?2').bind(session.id, mark),
  ];
}

const CHANGED = {
  names: `${SESSION.names}, mark`.replace(/^id, /, ''),
  parameters: `${SESSION.parameters}, ?17`.replace(/^\?1, /, ''),
};

/** True if what a session opens, ?19, is neither held by its owner nor in another payment. */
const ONE_PASS = ` AND NOT EXISTS (SELECT 1 FROM ${PASSES_IN_FORCE.replace('?1', '?10')} AND passes.agent = ?2 AND passes.opens IN (SELECT value FROM json_each(?19))) AND NOT EXISTS (SELECT 1 FROM checkout_sessions AS other, json_each(other.content, '$.passes') AS pass WHERE other.owner = ?2 AND other.state = 'charging' AND other.id <> ?1 AND pass.value ->> '$.opens' IN (SELECT value FROM json_each(?19)))`;

/** The first statement of a step, which alone decides whether the step is applied. */
function changeSession(database: Database, change: SessionChange, mark: string): Statement {
  const { session, isNew, idempotency, paymentEvent, unlessHeld = [] } = change;
  const guards = `NOT EXISTS (SELECT 1 FROM idempotency WHERE caller = ?12 AND route = ?13 AND key_sha256 = ?14 AND NOT (status = ?15 AND body_sha256 = ?18) AND ${isTakenFor('?18')}) AND NOT EXISTS (SELECT 1 FROM processor_events WHERE id = ?16)${unlessHeld.length > 0 ? ONE_PASS : ''}`;
  const sql = isNew
    ? `INSERT INTO checkout_sessions (${SESSION.names}, mark) SELECT ${SESSION.parameters}, ?17 WHERE ${guards} ON CONFLICT DO NOTHING`
    : `UPDATE checkout_sessions SET (${CHANGED.names}) = (${CHANGED.parameters}) WHERE id = ?1 AND revision = ?8 - 1 AND ${guards}`;
  const { key, record } = idempotency ?? {};
  const { lines, buyer, holder, passes, notifyUrl, details, attempt, ...stored } = session;
  const content: SessionContent = { lines, buyer, holder, passes, notifyUrl, details, attempt };
  return database
    .prepare(sql)
    .bind(
      ...SESSION.values({ ...stored, content: JSON.stringify(content) }),
      key?.caller ?? null,
      key?.route ?? null,
      key?.keySha256 ?? null,
      IN_FLIGHT,
      paymentEvent?.id ?? null,
      mark,
      record?.bodySha256 ?? null,
      ...(unlessHeld.length > 0 ? [JSON.stringify(unlessHeld)] : []),
    );
}

function insertOrder(database: Database, order: NonNullable<SessionChange['order']>, mark: string): Statement {
  const { owner, channel, currency, lines, buyer, notifyUrl, ...stored } = order;
  const content: OrderContent = { owner, channel, currency, lines, buyer, notifyUrl };
  const refunded = `MIN(?4, MAX(?5, COALESCE((SELECT MAX(amount_minor) FROM processor_events WHERE is_refund = 1 AND payment_reference = ?6 AND ${inCurrency('?12')}), 0)))`;
  const values = ORDER.parameters.replace('?5', refunded);
  const sql = `INSERT INTO orders (${ORDER.names}) SELECT ${values} WHERE ${isStored('?3', '?11')} ON CONFLICT (session_id) DO NOTHING`;
  return database.prepare(sql).bind(...ORDER.values({ ...stored, content: JSON.stringify(content) }), mark, currency);
}

/** True for a payment event in the currency `value`, and for an event that was stored before events had currencies. */
function inCurrency(value: string): string {
  return `COALESCE(currency, ${value}) = ${value}`;
}

/** Counts and logs refunds that came before their order. Other amounts and currencies still need a review. */
function applyEarlierEvents(
  database: Database,
  step: StepStatement,
  { id, lines, totalMinor, currency }: NonNullable<SessionChange['order']>,
  reference: string,
  { session, nowMs }: SessionChange,
  mark: string,
): Statement[] {
  const hasWaitingRefund = (payment: string, value: string): string =>
    `EXISTS (SELECT 1 FROM processor_events WHERE is_refund = 1 AND payment_reference = ${payment} AND outcome = 'waiting' AND ${inCurrency(value)})`;
  const isRefunded = 'EXISTS (SELECT 1 FROM orders WHERE session_id = ?5 AND total_minor > 0 AND refunded_minor >= total_minor)';
  const logged = `INSERT INTO order_log (session_id, kind, at_ms, detail) SELECT ?1, 'order_refunded', ?3, json_object('order', ?4, 'refunded_minor', refunded_minor) FROM orders WHERE session_id = ?1 AND refunded_minor > 0 AND ${IS_STORED} AND ${hasWaitingRefund('?5', '?6')}`;
  const applied = `UPDATE processor_events SET outcome = CASE WHEN ${inCurrency('?4')} THEN 'applied' ELSE 'currency_differs' END, looked_at_ms = CASE WHEN ${inCurrency('?4')} THEN looked_at_ms END, session_id = ?1 WHERE payment_reference = ?3 AND outcome NOT IN ('applied', 'duplicate', 'ignored') AND (is_refund = 1 OR (amount_minor = ?5 AND ${inCurrency('?4')})) AND ${IS_STORED}`;
  return [
    ...lines.map(({ offerId }) =>
      increment(database, 'refund', offerId, nowMs, `${IS_STORED_FOR_COUNT} AND ${hasWaitingRefund('?7', '?8')} AND ${isRefunded}`, [
        session.id,
        mark,
        reference,
        currency,
      ]),
    ),
    step(logged, nowMs, id, reference, currency),
    step(applied, reference, currency, totalMinor),
  ];
}

/** Raises the refunded amount of a stored order; it never goes down. */
function updateOrder(step: StepStatement, { id, refundedMinor, updatedAtMs }: NonNullable<SessionChange['order']>): Statement {
  const sql = `UPDATE orders SET refunded_minor = MAX(refunded_minor, ?3), updated_at_ms = ?4 WHERE session_id = ?1 AND id = ?5 AND refunded_minor < ?3 AND ${IS_STORED}`;
  return step(sql, refundedMinor, updatedAtMs, id);
}

/** Stores a pass of an order. A second one of an agent for the same is added to the time of the first; credit has a time of its own. */
function insertPass(step: StepStatement, pass: SoldPass, holder: string | undefined, orderId: string, nowMs: number): Statement {
  const before = `SELECT MAX(passes.ends_at_ms) FROM ${PASSES_IN_FORCE.replace('?1', '?7')} AND passes.agent = ?5 AND passes.opens = ?4 AND ?8 IS NULL`;
  const sql = `INSERT INTO passes (order_id, opens, agent, ends_at_ms, credit_minor) SELECT ?3, ?4, ?5, COALESCE((${before}), ?7) + ?6, ?8 WHERE ${IS_STORED} ON CONFLICT DO NOTHING`;
  return step(sql, orderId, pass.opens, holder ?? null, pass.lastsMs ?? null, nowMs, pass.creditMinor ?? null);
}

function insertEvent(database: Database, event: PaymentEventRecord, condition: string, values: readonly SqlValue[] = []): Statement {
  const sql = `INSERT INTO processor_events (${PAYMENT_EVENT.names}) SELECT ${PAYMENT_EVENT.parameters} WHERE ${condition} ON CONFLICT DO NOTHING`;
  return database.prepare(sql).bind(...PAYMENT_EVENT.values(event), ...values);
}

/** Increments a count. Its values are `?1` to `?4`; those of the condition follow. */
function increment(
  database: Database,
  event: string,
  offerId: string,
  nowMs: number,
  condition: string,
  values: readonly string[],
): Statement {
  const sql = `INSERT INTO commerce_counts (day, event, offer_id, count) SELECT ?1, ?2, ?3, ?4 WHERE ${condition} ON CONFLICT (day, event, offer_id) DO UPDATE SET count = count + 1`;
  return database.prepare(sql).bind(dayOf(nowMs), event, offerId, 1, ...values);
}

function insertResponse(step: StepStatement, idempotency: NonNullable<SessionChange['idempotency']>, response: string): Statement {
  const { key, record, expiresAtMs } = idempotency;
  const sql = `${INSERT_RECORD} SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${IS_STORED} ON CONFLICT DO UPDATE SET status = excluded.status, response = excluded.response, expires_at_ms = excluded.expires_at_ms`;
  return step(sql, key.caller, key.route, key.keySha256, record.bodySha256, record.status, response, expiresAtMs);
}

function releaseKey(step: StepStatement, { caller, route, keySha256 }: IdempotencyKey): Statement {
  const sql = `DELETE FROM idempotency WHERE caller = ?3 AND route = ?4 AND key_sha256 = ?5 AND status = ?6 AND ${IS_STORED}`;
  return step(sql, caller, route, keySha256, IN_FLIGHT);
}

const DUE = columnsOf<DueWebhook>(['number', 'orderId', 'url', 'kind', 'attempts']);

/** Webhook deliveries in D1. Deliveries of one order are sequential: each waits until the earlier ones are accepted or given up. */
export function d1WebhookDeliveries(database: Database): WebhookDeliveries {
  return {
    takeDue: (nowMs, limit, waitsMs) => {
      const sql = `UPDATE order_notices SET attempts = attempts + 1, due_at_ms = ?1 + json_extract(?3, '$[' || MIN(attempts, json_array_length(?3) - 1) || ']') WHERE number IN (SELECT number FROM order_notices AS due WHERE state = 'due' AND due_at_ms <= ?1 AND NOT EXISTS (SELECT 1 FROM order_notices AS earlier WHERE earlier.order_id = due.order_id AND earlier.state = 'due' AND earlier.number < due.number) ORDER BY due_at_ms, number LIMIT ?2) RETURNING ${DUE.names}`;
      return readAll(database.prepare(sql).bind(nowMs, limit, JSON.stringify(waitsMs)), DUE.read);
    },
    markSent: async (number) => {
      const sql = "UPDATE order_notices SET state = 'sent', fault = NULL WHERE number = ?1 AND state = 'due'";
      await database.prepare(sql).bind(number).all();
    },
    markFailed: async (number, failure, isLast) => {
      const sql = "UPDATE order_notices SET state = ?2, fault = ?3 WHERE number = ?1 AND state = 'due'";
      const state = isLast ? 'given_up' : 'due';
      await database.prepare(sql).bind(number, state, failure).all();
    },
  };
}

type StoredMembers = 'receipt' | 'state' | 'createdAtMs' | 'updatedAtMs';

export const REQUEST = columnsOf<Pick<InvoiceRequestRecord, StoredMembers> & { readonly content: string }>([
  'receipt',
  'content',
  'state',
  'createdAtMs',
  'updatedAtMs',
]);

/** Members that no statement reads, as JSON. Older requests have no currency. */
type Content = Omit<InvoiceRequestRecord, StoredMembers | 'currency'> & Partial<Pick<InvoiceRequestRecord, 'currency'>>;

export function d1InvoiceRequests(database: Database): InvoiceStore {
  return {
    save: async ({ receipt, state, createdAtMs, updatedAtMs, ...content }) => {
      const sql = `INSERT INTO invoice_requests (${REQUEST.names}) VALUES (${REQUEST.parameters}) ON CONFLICT DO NOTHING`;
      await database
        .prepare(sql)
        .bind(...REQUEST.values({ receipt, state, createdAtMs, updatedAtMs, content: JSON.stringify(content satisfies Content) }))
        .all();
    },
    byReceipt: (receipt) =>
      readFirst(database.prepare(`SELECT ${REQUEST.names} FROM invoice_requests WHERE receipt = ?1`).bind(receipt), requestOf),
  };
}

export function requestOf(row: Row): InvoiceRequestRecord {
  const { content, ...stored } = REQUEST.read(row);
  const { currency = 'USD', ...members } = JSON.parse(content) as Content;
  return { ...members, ...stored, currency };
}

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
