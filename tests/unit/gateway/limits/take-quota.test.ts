import { describe, expect, test } from 'vitest';
import { LIFTED_QUOTAS, takeQuota } from '../../../../src/gateway/limits/take-quota.ts';
import { QUOTAS, type QuotaName } from '../../../../src/schemas/limits.ts';

const clock = { nowMs: () => 10_000 };

describe('takeQuota()', () => {
  test('is well where one was left', async () => {
    const taken = { allowed: true, remaining: 0, endsAtMs: 20_000 };
    expect(await takeQuota({ take: async () => taken }, 'proposals', 'a', clock)).toEqual({ ok: true, value: undefined });
  });

  test.each([
    [10_001, 1],
    [10_000, 1],
    [25_001, 16],
  ])('tells of a window that ends at %i ms that it is over in %i s', async (endsAtMs, seconds) => {
    const result = await takeQuota({ take: async () => ({ allowed: false, remaining: 0, endsAtMs }) }, 'submit_keys', 'n', clock);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'quota_exceeded', retryAfterSeconds: seconds } });
    expect(result.ok ? '' : result.refusal.detail).toContain(`"submit_keys" of ${QUOTAS.submit_keys.requests}`);
  });

  test('is an outage where the database does not answer', async () => {
    const down = { take: () => Promise.reject(new Error('secret interior')) };
    const result = await takeQuota(down, 'proposals', 'a', clock);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'state_unavailable' } });
    expect(JSON.stringify(result)).not.toContain('interior');
  });

  test('asks for the name, the subject and the time', async () => {
    const asked: unknown[] = [];
    const take = async (...values: unknown[]) => {
      asked.push(values);
      return { allowed: true, remaining: 1, endsAtMs: 1 };
    };
    await takeQuota({ take }, 'revocations', 'n', clock);
    expect(asked).toEqual([['revocations', 'n', 10_000]]);
  });
});

test.each(Object.keys(QUOTAS) as QuotaName[])('lifted, the quota %s is never used up', async (name) => {
  for (let count = 0; count < QUOTAS[name].requests + 2; count += 1)
    expect(await takeQuota(LIFTED_QUOTAS, name, 'a', clock)).toMatchObject({ ok: true });
});
