import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';
import {
  encodeShard,
  type FoundTerm,
  fingerprint,
  hashTerm,
  murmur3,
  NO_POSTINGS,
  type ShardTerm,
  shardNumber,
  type TermHash,
  TermShard,
} from '../../../../src/search/format/postings.ts';
import { damage, damaged, postingRecord, RECORD_DOCUMENTS, readPostings } from '../posting-lists.ts';

/** Keys of a small range, so that many terms share theirs. */
const hash: fc.Arbitrary<TermHash> = fc.record({
  key: fc.oneof(fc.nat(5), fc.nat(5), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  shard: fc.nat(6),
});

const inline = fc.record({ document: fc.nat(2 ** 24 - 1), impact: fc.integer({ min: 1, max: 127 }) });

/** Terms with distinct hashes, some in one document alone. */
const terms: fc.Arbitrary<ShardTerm[]> = fc
  .uniqueArray(
    fc.record({
      hash,
      record: fc.oneof(
        postingRecord,
        inline.map(({ document, impact }) => ({
          own: { documents: Uint32Array.of(document), impacts: Uint8Array.of(impact) },
          expansion: NO_POSTINGS,
        })),
      ),
    }),
    { maxLength: 25, size: 'max', selector: ({ hash: { key, shard } }) => `${key} ${shard}` },
  )
  .map((list) => list.sort((a, b) => a.hash.key - b.hash.key || a.hash.shard - b.hash.shard));

const postingsOf = (found: FoundTerm): [number, number][] => [...readPostings(found, RECORD_DOCUMENTS).own];

describe('TermShard', () => {
  it('finds exactly the record of each term, told apart from those that share its key, and nothing for others', () => {
    let collisions = 0;
    let inlined = 0;
    fc.assert(
      fc.property(terms, fc.array(hash), (list, others) => {
        const shard = new TermShard(encodeShard(list));
        for (const { hash: searched, record } of list) {
          const found = shard.find(searched);
          expect(found && postingsOf(found)).toEqual(
            Array.from(record.own.documents, (document, at) => [document, record.own.impacts[at]]),
          );
          if (list.filter((other) => other.hash.key === searched.key).length > 1) collisions++;
          if (found && 'document' in found) inlined++;
        }
        for (const other of others) {
          const hasKey = list.filter(({ hash: { key } }) => key === other.key);
          // Alone with its key a term is known by the key: half of the hash is not kept.
          if (hasKey.length !== 1 && !hasKey.some(({ hash: { shard } }) => shard === other.shard))
            expect(shard.find(other)).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
    expect(collisions).toBeGreaterThan(100);
    expect(inlined).toBeGreaterThan(100);
  });

  it('says by where a record ends, so that no other begins before', () => {
    fc.assert(
      fc.property(terms, (list) => {
        const shard = new TermShard(encodeShard(list));
        for (const { hash: searched } of list) {
          const found = shard.find(searched);
          if (found === undefined || !('records' in found)) continue;
          const own = new TermShard(encodeShard(list)).find(searched);
          expect(postingsOf({ ...found, records: found.records.subarray(0, found.end) })).toEqual(own && postingsOf(own));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is refused for two terms with the same hashes', () => {
    const record = { own: { documents: Uint32Array.of(1), impacts: Uint8Array.of(1) }, expansion: NO_POSTINGS };
    const one = { hash: { key: 5, shard: 6 }, record };
    expect(() => encodeShard([one, one])).toThrow(RangeError);
  });

  it('refuses a shard that is cut short or longer than it says', () => {
    fc.assert(
      fc.property(terms, fc.nat(), (list, at) => {
        const bytes = encodeShard(list);
        expect(() => new TermShard(bytes.slice(0, at % bytes.length))).toThrow(IndexFormatError);
        const longer = new Uint8Array(bytes.length + 1);
        longer.set(bytes);
        expect(() => new TermShard(longer)).toThrow(IndexFormatError);
      }),
      { numRuns: 50 },
    );
  });

  it('gives some record for changed bytes, or refuses them', () => {
    fc.assert(
      fc.property(terms, damage, (list, change) => {
        const bytes = damaged(encodeShard(list), change);
        for (const { hash: searched } of list) {
          try {
            const found = new TermShard(bytes).find(searched);
            if (found) expect(postingsOf(found).length).toBeLessThanOrEqual(bytes.length);
          } catch (error) {
            expect(error).toBeInstanceOf(IndexFormatError);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it.each([
  ['', 0, 0],
  ['', 1, 0x514e28b7],
  ['', 0x9747b28c, 0xebb6c228],
  ['a', 0x9747b28c, 0x7fa09ea6],
  ['abc', 0x9747b28c, 0xc84a62dd],
  ['abcd', 0x9747b28c, 0xf0478627],
  ['Hello, world!', 0x9747b28c, 0x24884cba],
  ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
])('murmur3() of %j with the seed %i is the published value', (text, seed, hash) => expect(murmur3(bytes(text), seed)).toBe(hash));

it('hashTerm() gives both hashes of the UTF-8 bytes, a shard by the highest bits of the first and a fingerprint by the second', () => {
  const hash = hashTerm('zürich');
  expect(hash).toEqual({ shard: murmur3(bytes('zürich'), 0x9747b28c), key: murmur3(bytes('zürich'), 0x5bd1e995) });
  expect([0, 1, 8].map((bits) => shardNumber(hash, bits))).toEqual([0, hash.shard >>> 31, hash.shard >>> 24]);
  expect(fingerprint(hash)).toBe(1 + (hash.key % 127));
  expect([0, 126, 127, 2 ** 32 - 1].map((key) => fingerprint({ shard: 0, key }))).toEqual([1, 127, 1, 1 + ((2 ** 32 - 1) % 127)]);
});
