import { describe, expect, test } from 'vitest';
import { budgetLevels, publishedBudgets } from '../../../../src/gateway/limits/quotas.ts';
import type { BudgetUse } from '../../../../src/gateway/ports.ts';
import type { PublishedBudget } from '../../../../src/schemas/agents.ts';
import { BUDGETS, type BudgetName } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES } from '../../../support/features.ts';

const { requests, withoutChallenge, stored } = BUDGETS.checkouts;
const levelOf = (levels: readonly PublishedBudget[], name: BudgetName): unknown => levels.find((budget) => budget.name === name)?.level;

describe('budgetLevels()', () => {
  test.each<[name: BudgetName, used: BudgetUse | undefined, level: PublishedBudget['level']]>([
    ['checkouts', { requests: withoutChallenge - 1, rowsStored: stored.rows - 1 }, 'open'],
    ['checkouts', { requests: withoutChallenge, rowsStored: 0 }, 'challenge_required'],
    ['checkouts', { requests: requests - 1, rowsStored: stored.rows - 1 }, 'challenge_required'],
    ['checkouts', { requests, rowsStored: 0 }, 'used_up'],
    ['checkouts', { requests: 0, rowsStored: stored.rows }, 'used_up'],
    ['charges', { requests: 0, rowsStored: Number.MAX_SAFE_INTEGER }, 'open'],
    ['checkouts', undefined, 'unknown'],
  ])('%s with the use %j: %s', async (name, used, level) => {
    const levels = await budgetLevels(async () => new Map(used && [[name, used]]), { nowMs: () => 0 }, ALL_FEATURES).read();
    expect(levelOf(levels, name)).toBe(level);
    expect(levels.map((budget) => ({ ...budget, level: 'unknown' }))).toEqual(publishedBudgets(ALL_FEATURES));
  });

  test('reads the use again after 30 seconds, or when the clock was set back', async () => {
    let nowMs = 100_000;
    let reads = 0;
    const levels = budgetLevels(
      async (atMs) => {
        expect(atMs).toBe(nowMs);
        reads += 1;
        return new Map([['checkouts', { requests: 0, rowsStored: 0 }]]);
      },
      { nowMs: () => nowMs },
      ALL_FEATURES,
    );
    for (const [atMs, expected] of [
      [100_000, 1],
      [129_999, 1],
      [130_000, 2],
      [129_999, 3],
    ] as const) {
      nowMs = atMs;
      expect([levelOf(await levels.read(), 'checkouts'), reads]).toEqual(['open', expected]);
    }
  });

  test('are unknown without a database, and while it does not respond', async () => {
    for (const readUse of [undefined, () => Promise.reject(new Error('down'))])
      expect(await budgetLevels(readUse, { nowMs: () => 0 }, ALL_FEATURES).read()).toEqual(publishedBudgets(ALL_FEATURES));
  });
});
