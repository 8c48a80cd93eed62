import { describe, expect, it } from 'vitest';
import { fingerprint, hashTerm, murmur3, shardNumber } from '../../../../src/search/format/postings.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('murmur3()', () => {
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0x9747b28c, 0xebb6c228],
    ['a', 0x9747b28c, 0x7fa09ea6],
    ['abc', 0x9747b28c, 0xc84a62dd],
    ['abcd', 0x9747b28c, 0xf0478627],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
  ])('of %j with the seed %i is the published value', (text, seed, hash) => {
    expect(murmur3(bytes(text), seed)).toBe(hash);
  });
});

describe('hashTerm()', () => {
  it('gives both hashes of the UTF-8 bytes, a shard by the highest bits of the first and a fingerprint by the second', () => {
    const hash = hashTerm('zürich');
    expect(hash).toEqual({ shard: murmur3(bytes('zürich'), 0x9747b28c), key: murmur3(bytes('zürich'), 0x5bd1e995) });
    expect([0, 1, 8].map((bits) => shardNumber(hash, bits))).toEqual([0, hash.shard >>> 31, hash.shard >>> 24]);
    expect(fingerprint(hash)).toBe(1 + (hash.key % 127));
    expect([0, 126, 127, 2 ** 32 - 1].map((key) => fingerprint({ shard: 0, key }))).toEqual([1, 127, 1, 1 + ((2 ** 32 - 1) % 127)]);
  });
});
