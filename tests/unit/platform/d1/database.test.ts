import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paymentIdOf } from '../../../../src/gateway/commerce/payments/settle-payment.ts';
import { agentStore, registrationStore } from '../../../../src/platform/d1/agent-store.ts';
import { applyMigrations, type SqlValue, statusHistory } from '../../../../src/platform/d1/database.ts';
import { findEvent, newestCounts, stepsOf, undeliveredWebhooks } from '../../../../src/platform/d1/order-administration.ts';
import { d1InvoiceRequests, d1Orders, d1WebhookDeliveries } from '../../../../src/platform/d1/order-store.ts';
import { findPayment, unsettledPayments } from '../../../../src/platform/d1/payment-reservations.ts';
import { listProposals } from '../../../../src/platform/d1/proposal-store.ts';
import { d1Budgets } from '../../../../src/platform/d1/quotas.ts';
import { ROOT } from '../../../support/paths.ts';
import { simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

const FIRST = { name: '0001_a.sql', statements: ['CREATE TABLE a (x INTEGER) STRICT', 'INSERT INTO a (x) VALUES (1)'] };
const SECOND = { name: '0002_b.sql', statements: ['INSERT INTO a (x) VALUES (2)'] };

test('applies each migration once, in order, and rolls back one that fails', async () => {
  const { binding, look, close } = simulatedDatabase(new SimulatedTime(0), { migrations: false });
  const database = binding();
  await applyMigrations(database, [FIRST]);
  const broken = { name: '0002_b.sql', statements: ['INSERT INTO a (x) VALUES (3)', 'INSERT INTO nowhere (x) VALUES (1)'] };
  await expect(applyMigrations(database, [FIRST, broken])).rejects.toThrow('no such table: nowhere');
  for (let times = 0; times < 2; times += 1) await applyMigrations(database, [FIRST, SECOND]);
  expect(look('SELECT x FROM a ORDER BY rowid')).toEqual([{ x: 1 }, { x: 2 }]);
  expect(look('SELECT id, name FROM d1_migrations ORDER BY id').map(({ name }) => name)).toEqual([FIRST.name, SECOND.name]);
  close();
});

const FOLDER = join(ROOT, 'src/platform/d1/migrations');
const MIGRATIONS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({
    name,
    statements: readFileSync(join(FOLDER, name), 'utf8')
      .split(/;\n+(?=CREATE|ALTER|INSERT|DROP|--|$)/)
      .filter((sql) => sql.trim() !== ''),
  }));

const NOW = Date.UTC(2026, 10, 22);
const LATER = NOW + 1_000_000;
const LINE = { id: 'li_1', offerId: 'review', name: 'Review', cadence: 'one_time', unitMinor: 900, quantity: 1, demo: false };
const CONTENT = { owner: 'agt_1', channel: 'acp', currency: 'USD', lines: [LINE], notifyUrl: 'https://a.example/hook' };
const INVOICE = { items: [{ offerId: 'review', name: 'Review', quantity: 2 }], totalMinor: 1_800, name: 'Ada', email: 'a@a.example' };
const KEY = { caller: 'agt_1', route: 'createCheckoutSession', key_sha256: 'k' };

/** A row of each table, as the version of the service wrote it whose newest migration made the table. */
const ROWS: Readonly<Record<string, Readonly<Record<string, SqlValue>>>> = {
  registrations: {
    ...{ idempotency_key_sha256: 'k', body_sha256: 'b', key_payload: '00', agent_name: 'A', platform: null, contact: null },
    ...{ created_at_ms: NOW, expires_at_ms: LATER },
  },
  agents: {
    ...{ agent: 'a1', name: 'A', platform: null, contact: 'a@a.example', key_id: 'key_1', created_at_ms: NOW, rotated_at_ms: null },
    ...{ granted_scopes: 'submit', expires_at_ms: LATER },
  },
  revocations: { agent: 'a1', serial: 7, issued_minute: 3, effective_at_ms: 0, expires_at_ms: LATER, created_at_ms: NOW },
  idempotency: { ...KEY, body_sha256: 'b', status: 201, response: '{}', expires_at_ms: LATER },
  proposals: {
    ...{
      sha256: 's',
      kind: 'capsule',
      capsule_id: 'c',
      body: '{}',
      received_at_ms: NOW,
      state: 'pending',
      decided_at_ms: null,
      reason: null,
    },
  },
  receipts: { proposal_sha256: 's', agent: 'a1', receipt: 'rcp_1', note: 'a note', response: '{}', received_at_ms: NOW },
  quotas: { ends_at_ms: Date.UTC(2026, 10, 23), name: 'budget registrations', subject: 'anybody', count: 4 },
  checkout_sessions: {
    ...{ id: 'cs_1', owner: 'agt_1', channel: 'acp', state: 'open', currency: 'USD', total_minor: 900, revision: 2, mark: 'm' },
    ...{ content: JSON.stringify({ lines: [LINE], details: {} }), created_at_ms: NOW, updated_at_ms: NOW, expires_at_ms: LATER },
  },
  orders: {
    ...{ id: 'ord_1', receipt: 'rct_1', session_id: 'cs_1', total_minor: 900, refunded_minor: 100, payment_reference: 'pi_1' },
    ...{ content: JSON.stringify(CONTENT), created_at_ms: NOW, updated_at_ms: NOW },
  },
  passes: { order_id: 'ord_1', opens: 'all', agent: 'agt_1', ends_at_ms: LATER },
  order_log: { session_id: 'cs_1', kind: 'order_created', at_ms: NOW, detail: '{}' },
  processor_events: {
    ...{ id: 'evt_1', kind: 'charge.refunded', received_at_ms: NOW, session_id: null, payment_reference: 'pi_2', amount_minor: 5 },
    ...{ is_refund: 1, outcome: 'waiting' },
  },
  order_notices: {
    ...{ order_id: 'ord_1', url: 'https://a.example/hook', kind: 'order_create', state: 'due', attempts: 1, due_at_ms: NOW, fault: 'no' },
    created_at_ms: NOW,
  },
  invoice_requests: { receipt: 'inv_1', content: JSON.stringify(INVOICE), state: 'new', created_at_ms: NOW, updated_at_ms: NOW },
  commerce_counts: { day: '2026-11-22', event: 'order', offer_id: 'review', count: 3 },
  payments: {
    ...{ network: 'n', asset: 'a', payer: 'p', nonce: 'x', identifier: 'i', resource: 'r', capsule_id: 'c', version: 'v', amount: '1' },
    ...{ pay_to: 't', fingerprint: 'f', is_secret: 1, signed: 's', state: 'settling', attempt: 3, lease_until_ms: 4, tx: 'h' },
    ...{ claimed_at_ms: 5, settled_at_ms: null },
  },
  status_days: { day_ms: Date.UTC(2026, 10, 20), checks: 2, failures: 1 },
  insights: { day_ms: Date.UTC(2026, 10, 20), kind: 'gap', name: 'zeppelins', count: 2 },
  admin_sessions: { id_sha256: 's', expires_at_ms: LATER },
  publisher_notices: { id: 'order_ord_1', channel: 'mail', kind: 'order.created', data: '{}', due_at_ms: NOW, created_at_ms: NOW },
  audit_log: { at_ms: NOW, actor: 'command', action: 'orders refund', subject: 'ord_1', is_done: 1, outcome: 'refunded' },
};

test.each(MIGRATIONS.map(({ name }, index) => [name, index + 1] as const))(
  'rows from the time of %s outlast a migration that fails, and are read by the stores of today',
  async (_, count) => {
    const { binding, look, close } = simulatedDatabase(new SimulatedTime(0), { migrations: false });
    const database = binding();
    await applyMigrations(database, MIGRATIONS.slice(0, count));
    const filled = new Set<string>();
    const fill = (): void => {
      for (const [table, row] of Object.entries(ROWS)) {
        if (filled.has(table) || look('SELECT 1 FROM sqlite_master WHERE name = ?', table).length === 0) continue;
        filled.add(table);
        const columns = Object.keys(row);
        look(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...Object.values(row));
      }
    };
    fill();
    const tables = (): unknown[] =>
      look("SELECT name, sql FROM sqlite_master WHERE type = 'table'").map((table) => [table, look(`SELECT * FROM ${table['name']}`)]);
    const before = tables();
    const { name = 'next.sql', statements = [] } = MIGRATIONS[count] ?? {};
    const broken = { name, statements: [...statements, 'INSERT INTO nowhere VALUES (1)'] };
    await expect(applyMigrations(database, [broken])).rejects.toThrow('no such table: nowhere');
    expect(tables()).toEqual(before);
    await applyMigrations(database, MIGRATIONS);
    fill();
    expect(
      look("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'd1_migrations'").length - 1,
    ).toBe(filled.size);

    const days = await statusHistory(database, { nowMs: () => Date.UTC(2026, 10, 21) })();
    expect(days).toEqual([{ date: '2026-11-20', checks: 2, failures: 1 }]);
    expect(await registrationStore(database).find('k', NOW)).toMatchObject({ keyPayload: '00', agentName: 'A', createdAtMs: NOW });
    const { record, revocations } = await agentStore(database).status({ agent: 'a1', serial: 7, issuedMinute: 3 });
    expect(record).toMatchObject({ keyId: 'key_1', contact: 'a@a.example', granted: ['submit'] });
    expect(revocations).toMatchObject([{ serial: 7, effectiveAtMs: 0 }]);
    expect(await listProposals(database, true)).toMatchObject([
      { capsuleId: 'c', state: 'pending', proposers: [{ name: 'A', note: 'a note' }] },
    ]);
    const orders = d1Orders(database, { bytes: (length) => new Uint8Array(length) });
    const stored = await orders.load({ caller: 'agt_1', route: 'createCheckoutSession', keySha256: 'k' }, 'cs_1', NOW);
    expect(stored.record).toEqual({ bodySha256: 'b', status: 201, response: '{}' });
    expect(stored.session).toMatchObject({ state: 'open', lines: [LINE], revision: 2, expiresAtMs: LATER });
    expect(stored.order).toMatchObject({ receipt: 'rct_1', refundedMinor: 100, paymentReference: 'pi_1', channel: 'acp' });
    expect(await stepsOf(database, 'cs_1')).toEqual([{ kind: 'order_created', atMs: NOW, detail: '{}' }]);
    expect(await findEvent(database, 'evt_1')).toMatchObject({
      isRefund: true,
      amountMinor: 5,
      needsReview: true,
      reviewedAtMs: undefined,
    });
    expect(await d1InvoiceRequests(database).byReceipt('inv_1')).toMatchObject({ totalMinor: 1_800, currency: 'USD', state: 'new' });
    expect((await newestCounts(database, 9)).shown).toMatchObject([
      { event: 'order', offerId: 'review', count: 3 },
      { offerId: 'all by pass' },
    ]);
    expect((await undeliveredWebhooks(database, 9)).shown).toMatchObject([{ orderId: 'ord_1', attempts: 1, failure: 'no' }]);
    expect(await d1WebhookDeliveries(database).takeDue(NOW, 9, [1])).toMatchObject([{ orderId: 'ord_1', attempts: 2 }]);
    const payment = await findPayment(database, paymentIdOf({ fingerprint: 'f' }));
    expect(payment).toMatchObject({ identifier: 'i', isSecret: true, reservedAtMs: 5, transaction: 'h', reviewedAtMs: undefined });
    expect((await unsettledPayments(database, NOW, 9)).shown).toEqual([payment]);

    const budgets = await d1Budgets(database)(NOW);
    expect(budgets.get('registrations')).toEqual({ requests: 4, rowsStored: 1 });
    expect(look('SELECT name, count FROM row_counts ORDER BY name').map((row) => ({ ...row }))).toEqual([
      { name: 'agents', count: 1 },
      { name: 'checkout_sessions', count: 1 },
      { name: 'free_orders', count: 0 },
      { name: 'invoice_requests', count: 1 },
      { name: 'receipts', count: 1 },
    ]);
    close();
  },
);

test('the recreated table of payments has its indexes, and takes payments without an outcome', async () => {
  const { binding, look, close } = simulatedDatabase(new SimulatedTime(0), { migrations: false });
  await applyMigrations(binding(), MIGRATIONS);
  const columns = Object.keys(ROWS['payments'] ?? {});
  look(`INSERT INTO payments (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...Object.values(ROWS['payments'] ?? {}));
  look("UPDATE payments SET state = 'unresolved'");
  expect(
    look("SELECT name FROM sqlite_master WHERE tbl_name = 'payments' AND type = 'index' AND sql IS NOT NULL ORDER BY name"),
  ).toHaveLength(4);
  close();
});
