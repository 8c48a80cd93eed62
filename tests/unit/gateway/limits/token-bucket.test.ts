import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkOf, type Quota, TokenBuckets } from '../../../../src/gateway/limits/token-bucket.ts';
import { RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { anyText } from '../../../support/any-text.ts';

const quotas: fc.Arbitrary<Quota> = fc.oneof(
  fc.constantFrom(...Object.values(RATE_LIMITS)),
  fc.record({ requests: fc.integer({ min: 1, max: 50 }), windowSeconds: fc.integer({ min: 1, max: 7_200 }) }),
);

describe('TokenBuckets.take()', () => {
  test('never allows more than the quota and its refill in any stretch of time', () => {
    fc.assert(
      fc.property(quotas, fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(20_000)), { maxLength: 250 }), (quota, gaps) => {
        const buckets = new TokenBuckets(quota, 10);
        const allowed: number[] = [];
        let nowMs = 1_700_000_000_000;
        for (const gap of gaps) {
          nowMs += gap;
          if (buckets.take('a', nowMs).allowed) allowed.push(nowMs);
        }
        for (let from = 0; from < allowed.length; from += 1) {
          for (let to = from; to < allowed.length; to += 1) {
            const refill = (((allowed[to] ?? 0) - (allowed[from] ?? 0)) * quota.requests) / (quota.windowSeconds * 1_000);
            expect(to - from + 1).toBeLessThanOrEqual(quota.requests + refill + 1e-6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('allows exactly the quota at once, and counts down what is left', () => {
    fc.assert(
      fc.property(quotas, (quota) => {
        const buckets = new TokenBuckets(quota, 10);
        for (let left = quota.requests - 1; left >= 0; left -= 1)
          expect(buckets.take('a', 5)).toMatchObject({ allowed: true, remaining: left });
        expect(buckets.take('a', 5)).toMatchObject({ allowed: false, remaining: 0 });
      }),
    );
  });

  test('allows a refused caller after the seconds it names, whatever came before', () => {
    fc.assert(
      fc.property(quotas, fc.array(fc.nat(3_000), { maxLength: 200 }), (quota, gaps) => {
        const buckets = new TokenBuckets(quota, 10);
        let nowMs = 1_700_000_000_123;
        for (const gap of gaps) {
          nowMs += gap;
          buckets.take('a', nowMs);
        }
        let answer = buckets.take('a', nowMs);
        while (answer.allowed) answer = buckets.take('a', nowMs);
        expect(answer.resetSeconds).toBeGreaterThan(0);
        expect(answer.resetSeconds).toBeLessThanOrEqual(Math.ceil(quota.windowSeconds / quota.requests) + 1);
        expect(buckets.take('a', nowMs + answer.resetSeconds * 1_000).allowed).toBe(true);
      }),
    );
  });

  test('has the whole quota again after the seconds that an allowed request is told', () => {
    fc.assert(
      fc.property(quotas, fc.integer({ min: 1, max: 40 }), (quota, taken) => {
        const buckets = new TokenBuckets(quota, 10);
        let answer = buckets.take('a', 0);
        for (let index = 1; index < Math.min(taken, quota.requests); index += 1) answer = buckets.take('a', 0);
        expect(buckets.take('a', answer.resetSeconds * 1_000).remaining).toBe(quota.requests - 1);
      }),
    );
  });

  test('counts callers apart', () => {
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 60 }, 10);
    expect(['a', 'b', 'a', 'b'].map((caller) => buckets.take(caller, 0).allowed)).toEqual([true, true, false, false]);
  });

  test('gives nothing for a clock that goes back', () => {
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 1 }, 10);
    expect(buckets.take('a', 10_000).allowed).toBe(true);
    expect(buckets.take('a', 5_000).allowed).toBe(false);
  });

  test('forgets the caller that was seen longest ago, and nobody sooner', () => {
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 3_600 }, 3);
    for (const caller of ['a', 'b', 'c']) buckets.take(caller, 0);
    expect(buckets.take('a', 1).allowed).toBe(false);
    buckets.take('d', 2);
    expect(['a', 'c', 'd'].map((caller) => buckets.take(caller, 3).allowed)).toEqual([false, false, false]);
    expect(buckets.take('b', 4).allowed).toBe(true);
  });
});

describe('networkOf()', () => {
  test.each<[address: string | undefined, network: string]>([
    ['203.0.113.7', '203.0.113.0/24'],
    ['0.0.0.0', '0.0.0.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['0:0:0:0:0:ffff:c633:6407', '198.51.100.0/24'],
    // Ends as an address of IPv4 in IPv6 begins, and is none.
    ['10:0:0:0:0:ffff:c633:6407', '10:0:0:0::/64'],
    ['1:2:3::5:6:7:8', '1:2:3:0::/64'],
    // "::" stands for at least one group (RFC 4291 section 2.2).
    ['1:2:3:4::5:6:7:8', 'unknown'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    [undefined, 'unknown'],
    ['203.0.113', 'unknown'],
    ['203.0.113.256', 'unknown'],
    ['203.0.113.7, 198.51.100.1', 'unknown'],
    ['1:2:3', 'unknown'],
    ['1:2:3:4:5:6:7:8:9', 'unknown'],
    ['2001:db8::12345', 'unknown'],
    ['::ffff:203.0.113.256', 'unknown'],
    ['203.0.113.7:443', 'unknown'],
  ])('of %j is %s', (address, network) => expect(networkOf(address)).toBe(network));

  test('is one for every way to write an IPv6 address', () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, fc.boolean(), (numbers, upper) => {
        const plain = numbers.map((number) => number.toString(16));
        const full = numbers.map((number) => number.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${full}]/`).hostname.slice(1, -1);
        const network = `${plain.slice(0, 4).join(':')}::/64`;
        if (numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff) return;
        for (const text of [plain.join(':'), full, short]) expect(networkOf(upper ? text.toUpperCase() : text)).toBe(network);
      }),
    );
  });

  test('is short for any text, so that no caller fills the memory', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText({ maxLength: 500 }), fc.string({ unit: fc.constantFrom(':', '.', '0', 'f', '1') }), fc.ipV4Extended(), fc.ipV6()),
        (text) => {
          expect(networkOf(text).length).toBeLessThanOrEqual(24);
        },
      ),
    );
  });
});

test('a request that is allowed says in how many seconds the whole quota is there again', () => {
  const buckets = new TokenBuckets({ requests: 10, windowSeconds: 100 }, 10);
  expect([1, 2, 3].map(() => buckets.take('a', 0).resetSeconds)).toEqual([10, 20, 30]);
  expect(buckets.take('a', 5_000)).toEqual({ allowed: true, remaining: 6, resetSeconds: 35 });
  expect(buckets.take('a', 40_000)).toEqual({ allowed: true, remaining: 9, resetSeconds: 10 });
});
