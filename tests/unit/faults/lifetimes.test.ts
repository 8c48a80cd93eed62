import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEPT_LIFETIMES, runLifetime } from '../../simulate/run-lifetime.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';

let restore: () => void;
beforeAll(() => {
  restore = useDirectCrypto();
});
afterAll(() => restore());

it.each(KEPT_LIFETIMES)('a simulated lifetime of seed $seed, run $run, keeps every promise', async ({ seed, run, operations }) => {
  const { violation, trace } = await runLifetime(seed, run, operations);
  expect(violation?.message, trace.join('\n')).toBe(undefined);
});
