import { expect, test } from 'vitest';
import { applyMigrations } from '../../../../src/platform/d1/migrate.ts';
import { simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

const FIRST = { name: '0001_a.sql', statements: ['CREATE TABLE a (x INTEGER) STRICT', 'INSERT INTO a (x) VALUES (1)'] };
const SECOND = { name: '0002_b.sql', statements: ['INSERT INTO a (x) VALUES (2)'] };

test('applies each migration once, in order, and one that fails leaves nothing of itself', async () => {
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
