import { expect, test } from 'vitest';
import { runMaintenance } from '../../../../src/gateway/maintenance/run-maintenance.ts';

test('runMaintenance does one task after another at the given time, and one that fails keeps no other from being done', async () => {
  const seen: string[] = [];
  const task = (name: string, run: () => Promise<number>) => ({
    name,
    run: async (nowMs: number) => {
      seen.push(`${name} begins at ${nowMs}`);
      const done = await run();
      seen.push(`${name} ends`);
      return done;
    },
  });
  const report = await runMaintenance(
    [
      task('first', async () => 2),
      task('broken', () => Promise.reject(new Error('it is broken'))),
      task('odd', () => Promise.reject('no error')),
      task('last', async () => 0),
    ],
    7,
  );
  expect(report).toEqual({ first: { done: 2 }, broken: { failed: 'it is broken' }, odd: { failed: 'no error' }, last: { done: 0 } });
  expect(seen).toEqual(['first begins at 7', 'first ends', 'broken begins at 7', 'odd begins at 7', 'last begins at 7', 'last ends']);
});
