import { describe, expect, test } from 'vitest';
import { COUNTED_LIMITS_HEADER, LOCATION_LIMITS, locationLimiter } from '../../../src/platform/companion-rate-limits.ts';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

type Answer = () => Promise<Response>;

const answer =
  (status: number, counted = 'query, network') =>
  async () =>
    new Response(null, { status, headers: { [COUNTED_LIMITS_HEADER]: counted } });

function limiterOver(first: Answer) {
  const time = new SimulatedTime(1_800_000_000_000);
  const asked: string[] = [];
  let next = first;
  const companion = {
    fetch: async (address: string, init: { method: string; body: string }) => {
      asked.push(`${init.method} ${new URL(address).pathname} ${init.body}`);
      return next();
    },
  };
  return {
    time,
    asked,
    limiter: locationLimiter(companion as unknown as Parameters<typeof locationLimiter>[0], time.clock(), time.timers),
    answerWith: (given: Answer) => {
      next = given;
    },
  };
}

describe('locationLimiter()', () => {
  test('counts limits with a window of the rate limiting binding', () => {
    expect(LOCATION_LIMITS).toEqual(['query', 'query_raised', 'network', 'buy']);
    for (const name of LOCATION_LIMITS) expect([10, 60]).toContain(RATE_LIMITS[name].windowSeconds);
  });

  test('follows the companion, and knows which limits it counts', async () => {
    const { limiter, asked, answerWith } = limiterOver(answer(204));
    expect([...limiter.enforced]).toEqual([]);
    expect(await limiter.admits('query', 'agent')).toBe(true);
    expect([...limiter.enforced]).toEqual(['query', 'network']);
    answerWith(answer(429, 'network'));
    expect(await limiter.admits('network', '203.0.113.0/24')).toBe(false);
    expect([...limiter.enforced]).toEqual(['network']);
    expect(asked).toEqual(['POST /limits/query agent', 'POST /limits/network 203.0.113.0/24']);
  });

  test('does not call the companion for limits with another window', async () => {
    const { limiter, asked } = limiterOver(answer(429));
    for (const name of ['register', 'register_solved', 'keys', 'submit'] as const) expect(await limiter.admits(name, 'a')).toBe(true);
    expect(asked).toEqual([]);
  });

  test.each<[what: string, given: Answer]>([
    ['throws', () => Promise.reject(new Error('no such service'))],
    ['answers with another status', answer(500)],
    ['knows no such limit', answer(404)],
    ['is not running', answer(503)],
  ])('admits while the companion %s, and pauses before calling it again', async (_what, given) => {
    const { limiter, asked, answerWith, time } = limiterOver(answer(204));
    await limiter.admits('query', 'a');
    answerWith(given);
    expect(await limiter.admits('query', 'a')).toBe(true);
    expect([...limiter.enforced]).toEqual([]);
    answerWith(answer(429));
    await time.advance(9_999);
    expect(await limiter.admits('query', 'a')).toBe(true);
    expect(asked).toHaveLength(2);
    await time.advance(1);
    expect(await limiter.admits('query', 'a')).toBe(false);
    expect([...limiter.enforced]).toEqual(['query', 'network']);
  });

  test('waits a quarter of a second for a companion that hangs, then pauses', async () => {
    const { limiter, asked, time } = limiterOver(() => new Promise(() => undefined));
    const begun = time.nowMs;
    expect(await time.run(Promise.all([limiter.admits('query', 'a'), limiter.admits('query', 'b')]))).toEqual([true, true]);
    expect(time.nowMs - begun).toBe(250);
    expect(await limiter.admits('network', 'n')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test('ignores limits that the companion cannot count', async () => {
    const { limiter } = limiterOver(answer(204, 'network, register, made-up'));
    await limiter.admits('query', 'a');
    expect([...limiter.enforced]).toEqual(['network']);
  });
});
