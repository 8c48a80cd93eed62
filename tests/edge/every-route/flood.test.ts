import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveFlood } from '../../simulate/flood.ts';
import { builtBlocks, builtGenerated } from '../../support/edge-gateway.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';

let restore: () => void;
beforeAll(() => {
  restore = useDirectCrypto();
});
afterAll(() => restore());

/** Rows that one write which must not fail takes at the most, each counted twice for its index. */
const ROWS_OF_ONE_WRITE = 12;

/** A whole month, with budgets that are used up in its course, is lived by `npm run simulate:flood`. */
test('once the budgets are used up, a flood from hundreds of networks stores nothing, and what has to be stored is', async () => {
  const generated = await builtGenerated();
  const flood = { days: 1, requestsPerDay: 900, networks: 300, seed: 7, generated, blocks: await builtBlocks(), beginsUsedUp: true };
  const [day] = await liveFlood(flood);
  expect(day).toMatchObject({ failed: [], reserved: 96 });
  expect(day?.rowsWritten).toBeLessThan(96 * ROWS_OF_ONE_WRITE);
  expect(day?.statuses).toMatchObject({ 429: expect.any(Number) as unknown });
});
