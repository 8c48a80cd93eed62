import { ByteWriter } from './byte-writer.ts';
import { IndexFormatError } from './index-block.ts';
import { type PostingRecord, writeRecord } from './posting-record.ts';
import type { TermHash } from './term-hash.ts';

/** Set in a locator that is the only posting of its term instead of the offset of a record. */
const INLINE = 0x80000000;
const INLINE_IMPACT_SHIFT = 24;

/** Three words: terms, hash collisions, bytes of records. */
const HEADER_BYTES = 12;

/** Most documents of an index: an inline posting has no more bits. */
export const DOCUMENTS_MAX = 2 ** INLINE_IMPACT_SHIFT;

export interface ShardTerm {
  readonly hash: TermHash;
  readonly record: PostingRecord;
}

/** The postings of a term in a shard: its only one, or its record, which begins at `at` and ends at `end` at the latest. */
export type FoundTerm =
  | { readonly document: number; readonly impact: number }
  | { readonly records: Uint8Array; readonly at: number; readonly end: number };

/**
 * Encodes a shard: number of terms, of hash collisions, and of bytes of records (u32 each); the keys, ascending, and their locators (u32
 * each); for each term that shares its key with another, its key, other hash and locator (u32 each); the records.
 *
 * @param terms Ascending by key and then by the other hash.
 * @throws {RangeError} If two terms share both hashes.
 */
export function encodeShard(terms: readonly ShardTerm[]): Uint8Array {
  const keys: number[] = [];
  const locators: number[] = [];
  const collisions: number[] = [];
  const records = new ByteWriter(1024);
  terms.forEach(({ hash, record }, at) => {
    const inline = inlinePosting(record);
    const locator = inline ?? records.length;
    if (inline === undefined) writeRecord(records, record);
    const before = terms[at - 1]?.hash;
    const after = terms[at + 1]?.hash;
    if (after?.key === hash.key && after.shard === hash.shard) throw new RangeError('Cannot index two terms with the same 64-bit hash');
    if (before?.key === hash.key || after?.key === hash.key) {
      collisions.push(hash.key, hash.shard, locator);
      return;
    }
    keys.push(hash.key);
    locators.push(locator);
  });
  const encoded = new Uint8Array(HEADER_BYTES + keys.length * 8 + collisions.length * 4 + records.length);
  const words = new Uint32Array(encoded.buffer, 0, 3 + keys.length * 2 + collisions.length);
  words.set([keys.length, collisions.length / 3, records.length]);
  words.set(keys, 3);
  words.set(locators, 3 + keys.length);
  words.set(collisions, 3 + keys.length * 2);
  encoded.set(records.toBytes(), words.byteLength);
  return encoded;
}

function inlinePosting({ own, expansion, followers }: PostingRecord): number | undefined {
  if (own.documents.length !== 1 || expansion.documents.length > 0 || (followers?.counts[0] ?? 0) > 0) return undefined;
  return (INLINE | (own.impacts[0] << INLINE_IMPACT_SHIFT) | own.documents[0]) >>> 0;
}

/** A shard, read in place. */
export class TermShard {
  readonly #keys: Uint32Array;
  readonly #locators: Uint32Array;
  readonly #hashCollisions: Uint32Array;
  readonly #records: Uint8Array;

  /**
   * @param bytes One shard, aligned to four bytes.
   * @throws {IndexFormatError} If the bytes contradict their lengths.
   */
  constructor(bytes: Uint8Array) {
    if (bytes.length < HEADER_BYTES) throw new IndexFormatError('Cannot read a shard: it is cut short');
    const [count = 0, collisions = 0, recordBytes = 0] = wordsAt(bytes, 0, 3);
    const recordsAt = HEADER_BYTES + count * 8 + collisions * 12;
    if (recordsAt + recordBytes !== bytes.length) throw new IndexFormatError('Cannot read a shard: its lengths do not add up');
    this.#keys = wordsAt(bytes, HEADER_BYTES, count);
    this.#locators = wordsAt(bytes, HEADER_BYTES + count * 4, count);
    this.#hashCollisions = wordsAt(bytes, HEADER_BYTES + count * 8, collisions * 3);
    this.#records = bytes.subarray(recordsAt);
  }

  /** The postings of a term. A term that the shard lacks is mistaken for another with probability terms / 2^32. */
  find({ key, shard }: TermHash): FoundTerm | undefined {
    const keys = this.#keys;
    let low = 0;
    let high = keys.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const here = keys[middle];
      if (here === key) return this.#locate(this.#locators[middle], middle + 1);
      if (here < key) low = middle + 1;
      else high = middle - 1;
    }
    for (let at = 0; at < this.#hashCollisions.length; at += 3) {
      if (this.#hashCollisions[at] === key && this.#hashCollisions[at + 1] === shard)
        return this.#locate(this.#hashCollisions[at + 2], low);
    }
    return undefined;
  }

  /** @param after Position of the next key, whose record comes later. */
  #locate(locator: number, after: number): FoundTerm {
    if (locator >= INLINE) return { document: locator & (DOCUMENTS_MAX - 1), impact: (locator - INLINE) >>> INLINE_IMPACT_SHIFT };
    const locators = this.#locators;
    let next = after;
    while (next < locators.length && locators[next] >= INLINE) next++;
    return { records: this.#records, at: locator, end: Math.min(locators[next] ?? Number.POSITIVE_INFINITY, this.#records.length) };
  }
}

function wordsAt(bytes: Uint8Array, offset: number, count: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset + offset, count);
}
