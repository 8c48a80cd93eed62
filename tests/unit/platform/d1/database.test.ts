import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyMigrations } from '../../../../src/platform/d1/database.ts';
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

test('the recreated table of payments keeps its rows', async () => {
  const folder = join(ROOT, 'src/platform/d1/migrations');
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      statements: readFileSync(join(folder, name), 'utf8')
        .split(/;\n+(?=CREATE|ALTER|INSERT|DROP|--|$)/)
        .filter((sql) => sql.trim() !== ''),
    }));
  const { binding, look, close } = simulatedDatabase(new SimulatedTime(0), { migrations: false });
  const at = migrations.findIndex(({ name }) => name === '0009_unresolved_payments.sql');
  await applyMigrations(binding(), migrations.slice(0, at));
  const row = {
    ...{ network: 'n', asset: 'a', payer: 'p', nonce: 'x', identifier: 'i', resource: 'r', capsule_id: 'c', version: 'v', amount: '1' },
    ...{ pay_to: 't', fingerprint: 'f', is_secret: 1, signed: 's', state: 'settling', attempt: 3, lease_until_ms: 4, tx: 'h' },
    ...{ claimed_at_ms: 5, settled_at_ms: null },
  };
  const columns = Object.keys(row);
  look(`INSERT INTO payments (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...Object.values(row));
  await applyMigrations(binding(), migrations);
  expect(look('SELECT * FROM payments').map((one) => ({ ...one }))).toEqual([{ ...row, reviewed_at_ms: null }]);
  look("UPDATE payments SET state = 'unresolved'");
  expect(
    look("SELECT name FROM sqlite_master WHERE tbl_name = 'payments' AND type = 'index' AND sql IS NOT NULL ORDER BY name"),
  ).toHaveLength(4);
  close();
});
