import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { faultsOf } from '../../faults/fault-kinds.ts';
import { type LearnedScenario, learnScenarios } from '../../faults/fault-matrix.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';

/** Each call meets one in so many of its faults here, the next call of its scenario the next ones; `npm run faults` tries them all. */
const ONE_OF = 6;

/** Fewest pairs of a call and a fault: fewer would mean that scenarios have stopped calling stores. */
const PAIRS_MIN = 150;

let restore = (): void => undefined;
let learned: readonly LearnedScenario[] = [];

beforeAll(async () => {
  restore = useDirectCrypto();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  learned = await learnScenarios();
}, 120_000);
afterAll(() => {
  restore();
  vi.restoreAllMocks();
});

describe('whatever call of a store fails, and however', () => {
  test('the answer is right, or says what it is made without, or is 503 with a time to come back; and nothing acknowledged is lost or doubled', async () => {
    const wrong: string[] = [];
    const kinds = new Set<string>();
    let pairs = 0;
    for (const [turn, { scenario, calls, run }] of learned.entries())
      for (const [at, call] of calls.entries())
        for (const [index, fault] of faultsOf(call).entries()) {
          if ((index + at + turn) % ONE_OF !== 0) continue;
          pairs += 1;
          const outcome = await run(new Map([[at, fault]]));
          kinds.add(outcome.kind);
          if (outcome.wrong !== undefined)
            wrong.push(`${scenario.name}, call ${at} (${call.store} ${call.operation}) ${fault}: ${outcome.kind}: ${outcome.wrong}`);
        }
    expect(wrong).toEqual([]);
    expect(pairs).toBeGreaterThanOrEqual(PAIRS_MIN);
    expect([...kinds].filter((kind) => kind.startsWith('503')).sort()).toEqual([
      '503 file_unavailable',
      '503 index_unavailable',
      '503 state_unavailable',
    ]);
    expect(kinds).toContain('degraded: index');
  }, 180_000);
});
