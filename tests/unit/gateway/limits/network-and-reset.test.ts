import { describe, expect, test } from 'vitest';
import { networkOf, TokenBuckets } from '../../../../src/gateway/limits/token-bucket.ts';

describe('the network of an address', () => {
  test.each([
    ['::ffff:198.51.100.7', '198.51.100.0/24'],
    ['0:0:0:0:0:ffff:c633:6407', '198.51.100.0/24'],
    // Ends as an address of IPv4 in IPv6 begins, and is none.
    ['10:0:0:0:0:ffff:c633:6407', '10:0:0:0::/64'],
    ['1:2:3:4::6:7:8', '1:2:3:4::/64'],
    ['1:2:3::5:6:7:8', '1:2:3:0::/64'],
    // "::" stands for at least one group (RFC 4291 section 2.2).
    ['1:2:3:4::5:6:7:8', 'unknown'],
    ['1:2:3:4:5:6:7:8:9', 'unknown'],
    ['1:2:3:4:5:6:7', 'unknown'],
    ['::ffff:198.51.100.256', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

test('a request that is allowed says in how many seconds the whole quota is there again', () => {
  const buckets = new TokenBuckets({ requests: 10, windowSeconds: 100 }, 10);
  expect([1, 2, 3].map(() => buckets.take('a', 0).resetSeconds)).toEqual([10, 20, 30]);
  expect(buckets.take('a', 5_000)).toEqual({ allowed: true, remaining: 6, resetSeconds: 35 });
  expect(buckets.take('a', 40_000)).toEqual({ allowed: true, remaining: 9, resetSeconds: 10 });
});
