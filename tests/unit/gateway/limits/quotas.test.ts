import { describe, expect, test } from 'vitest';
import { errorEntry } from '../../../../src/gateway/errors.ts';
import {
  budgetLevels,
  CHALLENGE_ADDRESS,
  consumeQuota,
  LIFTED_QUOTAS,
  publishedBudgets,
  usedUp,
} from '../../../../src/gateway/limits/quotas.ts';
import type { BudgetUse } from '../../../../src/gateway/platform-ports.ts';
import { routeTable } from '../../../../src/routes/route-table.ts';
import type { PublishedBudget } from '../../../../src/schemas/agents.ts';
import { BUDGETS, type BudgetName, LIMITS, QUOTAS, type QuotaName } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES } from '../../../support/features.ts';

const clock = { nowMs: () => 10_000 };

describe('consumeQuota()', () => {
  test('is well where one was left', async () => {
    const taken = { allowed: true, remaining: 0, endsAtMs: 20_000 };
    expect(await consumeQuota({ take: async () => taken }, 'proposals', 'a', clock)).toEqual({ ok: true, value: undefined });
  });

  test.each([
    [10_001, 1],
    [10_000, 1],
    [25_001, 16],
  ])('tells of a window that ends at %i ms that it is over in %i s', async (endsAtMs, seconds) => {
    const result = await consumeQuota({ take: async () => ({ allowed: false, remaining: 0, endsAtMs }) }, 'submit_keys', 'n', clock);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'quota_exceeded', retryAfterSeconds: seconds } });
    expect(result.ok ? '' : result.refusal.detail).toContain(`"submit_keys" of ${QUOTAS.submit_keys.requests}`);
    const other = usedUp('proposals', { endsAtMs, refusedBy: 'quota' }, 10_000);
    expect(other.ok ? [] : Object.keys(other.refusal)).not.toContain('nextActions');
  });

  test('is an outage where the database does not answer', async () => {
    const down = { take: () => Promise.reject(new Error('secret interior')) };
    const result = await consumeQuota(down, 'proposals', 'a', clock);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'state_unavailable' } });
    expect(JSON.stringify(result)).not.toContain('interior');
  });

  test('asks for the name, the subject and the time', async () => {
    const asked: unknown[] = [];
    const take = async (...values: unknown[]) => {
      asked.push(values);
      return { allowed: true, remaining: 1, endsAtMs: 1 };
    };
    await consumeQuota({ take }, 'revocations', 'n', clock);
    expect(asked).toEqual([['revocations', 'n', 10_000]]);
  });
});

describe('a request that its quota has room for and its budget has not', () => {
  const refusalOf = (taken: Parameters<typeof usedUp>[1]) => {
    const refused = usedUp('network_checkouts', taken, 1_000);
    return refused.ok ? undefined : refused.refusal;
  };

  test('is asked for a challenge while one would let it through, told where to get it, and not to wait', () => {
    const refusal = refusalOf({ endsAtMs: 61_000, refusedBy: 'challenge' });
    expect(refusal).toMatchObject({ code: 'challenge_required', nextActions: [{ path: CHALLENGE_ADDRESS }, {}] });
    expect(refusal?.retryAfterSeconds).toBeUndefined();
    expect(refusal?.detail).toContain(CHALLENGE_ADDRESS);
    expect(CHALLENGE_ADDRESS).toBe(`/api/v1/agent-gateway/challenge?difficulty_bits=${LIMITS.budgetChallengeBits}`);
  });

  test('is told what is wrong with the challenge that came with it', () => {
    expect(refusalOf({ endsAtMs: 61_000, refusedBy: 'challenge', challengeError: 'Too few zero bits.' })).toMatchObject({
      code: 'challenge_invalid',
      detail: 'Too few zero bits.',
    });
    expect(refusalOf({ endsAtMs: 61_000, refusedBy: 'used_challenge' })).toMatchObject({ code: 'challenge_invalid' });
  });

  test('is refused with the number of the budget once all of it is used, and while as many rows are stored as may be', () => {
    expect(refusalOf({ endsAtMs: 61_000, refusedBy: 'budget' })).toMatchObject({
      code: 'quota_exceeded',
      detail: expect.stringContaining(`${BUDGETS.checkouts.requests} a day`) as unknown,
    });
    expect(refusalOf({ endsAtMs: 61_000, refusedBy: 'storage' })).toMatchObject({ code: 'quota_exceeded' });
  });
});

describe('what to do after a quota', () => {
  const table = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' });

  test.each(Object.keys(QUOTAS) as QuotaName[])('%s leads to operations that exist, in sentences', async (name) => {
    const refused = usedUp(name, { endsAtMs: 2_000, refusedBy: 'quota' }, 1_000);
    const steps = refused.ok ? [] : (refused.refusal.nextActions ?? errorEntry('quota_exceeded').nextActions);
    expect(steps.length).toBeGreaterThan(0);
    for (const { description, method, path } of steps) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      if (path !== undefined) expect(table.filter((route) => route.path === path && route.method === method)).toHaveLength(1);
    }
  });

  test('of keys with submit never is to send the same request again: its challenge is too old by then', () => {
    const refused = usedUp('submit_keys', { endsAtMs: 2_000, refusedBy: 'quota' }, 1_000);
    const said = refused.ok ? '' : JSON.stringify(refused.refusal.nextActions);
    expect(said).toContain('new challenge');
    expect(said).not.toContain('same request');
  });
});

test.each(Object.keys(QUOTAS) as QuotaName[])('lifted, the quota %s is never used up', async (name) => {
  for (let count = 0; count < QUOTAS[name].requests + 2; count += 1)
    expect(await consumeQuota(LIFTED_QUOTAS, name, 'a', clock)).toMatchObject({ ok: true });
});

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
