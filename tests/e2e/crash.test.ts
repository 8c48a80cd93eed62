import { expect, test } from 'vitest';
import { runCrashes } from '../crash/crash-run.ts';

test('what was acknowledged is there after the service was killed, and nothing is there twice', async () => {
  const { kills, acts, losses, integrity } = await runCrashes(2, 1);
  expect(losses).toEqual([]);
  expect(kills).toBe(2);
  expect(acts).toBeGreaterThan(0);
  expect(new Set(integrity)).toEqual(new Set(['ok']));
});
