import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paymentIdOf } from '../../../../src/gateway/commerce/payments/settle-payment.ts';
import { agentStore, registrationStore } from '../../../../src/platform/d1/agent-store.ts';
import { applyMigrations, statusHistory } from '../../../../src/platform/d1/database.ts';
import { findEvent, newestCounts, stepsOf, undeliveredWebhooks } from '../../../../src/platform/d1/order-administration.ts';
import { d1InvoiceRequests, d1Orders, d1WebhookDeliveries } from '../../../../src/platform/d1/order-store.ts';
import { findPayment, unsettledPayments } from '../../../../src/platform/d1/payment-reservations.ts';
import { listProposals } from '../../../../src/platform/d1/proposal-store.ts';
import { d1Budgets } from '../../../../src/platform/d1/quotas.ts';
import { ROOT } from '../../../support/paths.ts';
import { simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';
import { insertRow, LATER, LINE, NOW, ROWS } from './table-rows.ts';

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

test.each(MIGRATIONS.map(({ name }, index) => [name, index + 1] as const))(
  'rows from the time of %s outlast a migration that fails, and are read by the stores of today',
  async (_, count) => {
    const { binding, look, close } = simulatedDatabase(new SimulatedTime(0), { migrations: false });
    const database = binding();
    await applyMigrations(database, MIGRATIONS.slice(0, count));
    const filled = new Set<string>();
    const fill = (): void => {
      for (const table of Object.keys(ROWS)) {
        if (filled.has(table) || look('SELECT 1 FROM sqlite_master WHERE name = ?', table).length === 0) continue;
        filled.add(table);
        insertRow(look, table);
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
    expect(await registrationStore(database).find('k', NOW)).toMatchObject({ keyPayload: '00', createdAtMs: NOW });
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

    expect((await d1Budgets(database)(NOW)).get('registrations')).toEqual({ requests: 4, rowsStored: 1 });
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
  insertRow(look, 'payments', { state: 'unresolved' });
  expect(
    look("SELECT name FROM sqlite_master WHERE tbl_name = 'payments' AND type = 'index' AND sql IS NOT NULL ORDER BY name"),
  ).toHaveLength(4);
  close();
});
