import { expect, test } from 'vitest';
import type { SentProposal } from '../../../../src/gateway/intake/proposal-queue.ts';
import type { Database } from '../../../../src/platform/d1/database.ts';
import { d1Proposals } from '../../../../src/platform/d1/proposal-store.ts';
import { deleteOldRows, runMaintenance } from '../../../../src/platform/d1/retention.ts';
import { INSIGHT_DAYS, LIMITS } from '../../../../src/schemas/limits.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { insertRow } from './table-rows.ts';

const NOW = Date.UTC(2027, 0, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const database = useDatabase(NOW);
const rowsOf = (table: string): unknown => database.look(`SELECT count(*) AS rows FROM ${table}`)[0]?.['rows'];
const insert = (table: string, changes: Parameters<typeof insertRow>[2]): void => insertRow(database.look, table, changes);
const insertSession = (id: string, state: string, expiresAtMs: number): void =>
  insert('checkout_sessions', { id, state, expires_at_ms: expiresAtMs });

/** Tables that are never emptied: counts, with one row for each day, event and offer, or for each kind of rows; or emptied by what fills them. */
const KEPT_FOR_GOOD = ['commerce_counts', 'row_counts', 'status_days'];

/** Tables of the publisher from which a new row deletes the old ones. */
const PRUNED_BY_INSERTS = ['admin_sessions', 'audit_log', 'publisher_notices'];

const GO_WITH_OTHERS = ['receipts', 'order_log', 'passes'];
const KIND_OF_TABLE: Readonly<Record<string, string>> = { proposals: 'receipts', orders: 'free_orders' };

const FREE = { total_minor: 0, refunded_minor: 0, payment_reference: null };

/** A row of each table that was needed until `untilMs`. */
const FILL: Readonly<Record<string, (id: string, untilMs: number) => void>> = {
  registrations: (id, untilMs) => insert('registrations', { idempotency_key_sha256: id, expires_at_ms: untilMs }),
  agents: (id, untilMs) => insert('agents', { agent: id, expires_at_ms: untilMs }),
  revocations: (id, untilMs) => insert('revocations', { agent: id, expires_at_ms: untilMs }),
  idempotency: (id, untilMs) => insert('idempotency', { caller: id, expires_at_ms: untilMs }),
  proposals: (id, untilMs) => {
    insert('proposals', { sha256: id, state: 'rejected', decided_at_ms: untilMs - LIMITS.decisionKeptDays * DAY });
    for (const agent of ['a', 'b']) insert('receipts', { proposal_sha256: id, agent, receipt: `${id}${agent}` });
  },
  payments: (id, untilMs) =>
    insert('payments', { nonce: id, identifier: id, state: 'settled', claimed_at_ms: untilMs - LIMITS.paymentKeptDays * DAY }),
  checkout_sessions: (id, untilMs) => {
    insertSession(`s_${id}`, 'canceled', untilMs - LIMITS.sessionKeptDays * DAY);
    insert('order_log', { session_id: `s_${id}` });
  },
  order_notices: (id, untilMs) =>
    insert('order_notices', { order_id: id, state: 'sent', created_at_ms: untilMs - LIMITS.handledKeptDays * DAY }),
  processor_events: (id, untilMs) =>
    insert('processor_events', { id, outcome: 'applied', received_at_ms: untilMs - LIMITS.handledKeptDays * DAY }),
  orders: (id, untilMs) => {
    insertSession(id, 'completed', 0);
    insert('order_log', { session_id: id });
    const createdAtMs = untilMs - LIMITS.freeOrderKeptDays * DAY;
    insert('orders', { id, receipt: `r_${id}`, session_id: id, ...FREE, created_at_ms: createdAtMs });
    insert('order_notices', { order_id: id, state: 'given_up' });
    insert('passes', { order_id: id });
  },
  invoice_requests: (id, untilMs) => insert('invoice_requests', { receipt: id, updated_at_ms: untilMs - LIMITS.invoiceWaitsDays * DAY }),
  insights: (id, untilMs) => insert('insights', { day_ms: untilMs - INSIGHT_DAYS.counts * DAY, name: id }),
  quotas: (id, untilMs) => insert('quotas', { ends_at_ms: untilMs - HOUR, subject: id }),
};

test('every table that requests fill has a retention rule', () => {
  const tables = database.look("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(({ name }) => name);
  expect(tables.sort()).toEqual([...Object.keys(FILL), ...PRUNED_BY_INSERTS, ...GO_WITH_OTHERS, ...KEPT_FOR_GOOD].sort());
});

test.each(Object.entries(FILL))('deletes old rows of %s, and no others', async (table, fill) => {
  fill('old', NOW - HOUR);
  fill('just over', NOW - HOUR + 1);
  fill('needed', NOW + DAY);
  expect((await runMaintenance(database.binding(), NOW))[KIND_OF_TABLE[table] ?? table]).toEqual({ deleted: 1 });
  expect(rowsOf(table)).toBe(2);
  const again = await runMaintenance(database.binding(), NOW);
  expect(Object.values(again)).toEqual(Object.values(again).map(() => ({ deleted: 0 })));
});

test('deletes a decided proposal with its receipts, never a pending one', async () => {
  FILL['proposals']?.('old', NOW - DAY);
  insert('proposals', { sha256: 'waits' });
  insert('receipts', { proposal_sha256: 'waits', receipt: 'r' });
  await runMaintenance(database.binding(), NOW);
  expect(database.look('SELECT sha256 FROM proposals')).toMatchObject([{ sha256: 'waits' }]);
  expect(database.look('SELECT receipt FROM receipts')).toMatchObject([{ receipt: 'r' }]);
});

const slot = { caller: 'a', route: 'r', keySha256: 'k' };
const record = { bodySha256: 'b', status: 202, response: '{"new":1}' };
const sentProposal = (sha256: string): SentProposal => ({
  ...{ slot, sha256, kind: 'capsule', capsuleId: 'c', body: '{}', agent: 'a', receipt: 'new', note: undefined, record },
  ...{ recordExpiresAtMs: NOW + DAY, receivedAtMs: NOW },
});

test('stores a repeated proposal as new after its decision is old', async () => {
  for (let row = 0; row < 6; row += 1) FILL['proposals']?.(`older ${row}`, NOW - DAY);
  FILL['proposals']?.('again', NOW);
  FILL['proposals']?.('kept', NOW + 1);
  const proposals = d1Proposals(database.binding());
  expect(await proposals.load(slot, 'a', 'kept', NOW)).toMatchObject({ own: '{}', state: 'rejected' });
  expect(await proposals.load(slot, 'a', 'again', NOW)).toMatchObject({ own: undefined, state: undefined });
  expect(await proposals.store(sentProposal('again'))).toEqual(record);
  expect(await proposals.read('new', 'a')).toMatchObject({ state: 'pending', receivedAtMs: NOW });
  expect(await proposals.load(slot, 'a', 'again', NOW)).toMatchObject({ own: record.response, state: 'pending' });
  expect(database.look("SELECT receipt FROM receipts WHERE proposal_sha256 = 'again'")).toMatchObject([{ receipt: 'new' }]);
});

test('stores nothing of a second body at once under one key, and gives it what the key belongs to', async () => {
  const proposals = d1Proposals(database.binding());
  await proposals.store(sentProposal('first'));
  const second = { ...sentProposal('second'), receipt: 'other', record: { ...record, bodySha256: 'b2', response: '{"new":2}' } };
  expect(await proposals.store(second)).toEqual(record);
  expect([rowsOf('proposals'), rowsOf('receipts')]).toEqual([1, 1]);
  insert('proposals', { sha256: 'second' });
  expect(await proposals.store(second)).toEqual(record);
  expect(rowsOf('receipts')).toBe(1);
});

test('deletes a few old proposals when one is stored', async () => {
  for (let row = 0; row < 7; row += 1) FILL['proposals']?.(`old ${row}`, NOW);
  await d1Proposals(database.binding()).store(sentProposal('new'));
  expect(database.look('SELECT sha256 FROM proposals ORDER BY number')).toMatchObject([
    { sha256: 'old 5' },
    { sha256: 'old 6' },
    { sha256: 'new' },
  ]);
  expect(rowsOf('receipts')).toBe(5);
});

test('keeps paid sessions, and events and deliveries that need attention', async () => {
  insertSession('paid', 'completed', 0);
  insertSession('charged', 'charging', 0);
  for (const id of ['paid', 'charged']) insert('order_log', { session_id: id });
  FILL['checkout_sessions']?.('old', NOW - DAY);
  for (const state of ['due', 'given_up']) insert('order_notices', { state, created_at_ms: 0 });
  const event = (id: string, outcome: string, more: object = {}) => insert('processor_events', { id, received_at_ms: 0, outcome, ...more });
  for (const outcome of ['waiting', 'no_session', 'already_paid', 'session_canceled', 'amount_differs']) event(outcome, outcome);
  event('looked_at', 'no_session', { looked_at_ms: 0 });
  await runMaintenance(database.binding(), NOW);
  expect(database.look('SELECT id FROM checkout_sessions')).toEqual([{ id: 'charged' }, { id: 'paid' }]);
  expect(database.look('SELECT session_id FROM order_log')).toEqual([{ session_id: 'charged' }, { session_id: 'paid' }]);
  expect([rowsOf('order_notices'), rowsOf('processor_events')]).toEqual([2, 5]);
});

test('deletes a free order with its rows, never a paid order', async () => {
  FILL['orders']?.('old', NOW - HOUR);
  insertSession('paid', 'completed', 0);
  insert('orders', { id: 'o', session_id: 'paid', created_at_ms: 0 });
  await runMaintenance(database.binding(), NOW);
  expect(database.look('SELECT id FROM orders')).toEqual([{ id: 'o' }]);
  expect(database.look('SELECT id FROM checkout_sessions')).toEqual([{ id: 'paid' }]);
  expect([rowsOf('order_log'), rowsOf('order_notices'), rowsOf('passes')]).toEqual([0, 0, 0]);
});

test('keeps an answered invoice request longer than an unanswered one', async () => {
  const answered = (receipt: string, days: number): void =>
    insert('invoice_requests', { receipt, state: 'answered', updated_at_ms: NOW - HOUR - days * DAY });
  answered('kept', LIMITS.invoiceKeptDays - 1);
  answered('old', LIMITS.invoiceKeptDays);
  await runMaintenance(database.binding(), NOW);
  expect(database.look('SELECT receipt FROM invoice_requests')).toEqual([{ receipt: 'kept' }]);
});

test('keeps row counts exact through inserts, updates and deletes', async () => {
  const tables: Readonly<Record<string, string>> = {
    agents: 'agents',
    receipts: 'receipts',
    checkout_sessions: "checkout_sessions WHERE state <> 'completed'",
    invoice_requests: "invoice_requests WHERE state = 'new'",
    free_orders: 'orders WHERE total_minor = 0',
  };
  const expectExact = (): void => {
    for (const [kind, rows] of Object.entries(tables))
      expect([kind, database.look('SELECT count FROM row_counts WHERE name = ?', kind)[0]?.['count']]).toEqual([kind, rowsOf(rows)]);
  };
  for (const fill of Object.values(FILL))
    for (const [id, at] of [
      ['a', NOW - HOUR],
      ['b', NOW + DAY],
    ] as const)
      fill(id, at);
  expectExact();
  database.look("UPDATE checkout_sessions SET state = 'completed' WHERE id = 'b'");
  database.look("UPDATE invoice_requests SET state = 'answered' WHERE receipt = 'b'");
  expectExact();
  database.look("UPDATE invoice_requests SET state = 'new' WHERE receipt = 'b'");
  expectExact();
  await runMaintenance(database.binding(), NOW);
  expectExact();
});

test('deletes at most a thousand rows of a table in one run', async () => {
  for (let row = 0; row < 1_700; row += 1) database.look("INSERT INTO quotas VALUES (1, 'registry', ?, 1)", String(row));
  let statements = 0;
  const counting = database.binding({
    fault: ({ what }) => {
      statements += what.length;
      return 'none';
    },
  });
  expect(await runMaintenance(counting, NOW)).toMatchObject({ quotas: { deleted: 1_000 } });
  expect(statements).toBeLessThanOrEqual(32);
  expect(await runMaintenance(counting, NOW)).toMatchObject({ quotas: { deleted: 700 } });
});

test.each([
  ['registrations', ['k']],
  ['idempotency', ['a', 'r', 'k']],
  ['receipts', ['sha256']],
  ['agents', []],
  ['revocations', []],
  ['quotas', []],
  ['payments', []],
  ['checkout_sessions', []],
  ['invoice_requests', []],
] as const)('finds old %s by an index', (kind, key) => {
  const prepared: string[] = [];
  const recording: Pick<Database, 'prepare'> = {
    prepare: (sql) => {
      prepared.push(sql);
      return database.binding().prepare(sql);
    },
  };
  deleteOldRows(recording as Database, kind, NOW, 3, key);
  expect(prepared).not.toHaveLength(0);
  for (const sql of prepared) {
    const plan = database.look(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);
    expect(plan).not.toContainEqual(expect.stringMatching(/^SCAN (?!\()/));
  }
});

test('continues with other kinds when one fails', async () => {
  for (const table of ['agents', 'quotas']) FILL[table]?.('old', NOW - DAY);
  const report = await runMaintenance(
    database.binding({ fault: ({ what }) => (what.join().includes('DELETE FROM agents') ? 'refused' : 'none') }),
    NOW,
  );
  expect(report).toMatchObject({ agents: { failed: 'D1_ERROR: Network connection lost.' }, quotas: { deleted: 1 } });
});

test('reports each kind as failed when the database is unreachable', async () => {
  const report = await runMaintenance(database.binding({ fault: () => 'refused' }), NOW);
  expect(Object.values(report).length).toBeGreaterThan(1);
  for (const outcome of Object.values(report)) expect(outcome).toEqual({ failed: 'D1_ERROR: Network connection lost.' });
});
