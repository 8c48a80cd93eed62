import { NAME_MARK } from '../analysis/analyse.ts';
import { QUANTIZED_IMPACT_MAX } from '../bm25.ts';
import { ByteWriter, IndexFormatError } from './index-block.ts';

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

export class TermShard {
  readonly #keys: Uint32Array;
  readonly #locators: Uint32Array;
  readonly #hashCollisions: Uint32Array;
  readonly #records: Uint8Array;

  /** @throws {IndexFormatError} If the bytes, aligned to four, contradict their lengths. */
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

/** A posting list in the order of the documents (`SHORT`), or grouped by impact, highest first (`SEGMENTS`): smaller and faster for long ones. */
type ListMode = 0 | 1 | 2;

const ABSENT: ListMode = 0;
const SHORT: ListMode = 1;
const SEGMENTS: ListMode = 2;

/** Set in the first byte of a record with followers. */
const HAS_FOLLOWERS = 16;

/** Set in every byte of a follower list but the last. */
const FOLLOWER_CONTINUES = 0x80;

/** Documents, ascending, with a quantized impact from 1 to `QUANTIZED_IMPACT_MAX` each. */
export interface PostingList {
  readonly documents: Uint32Array;
  readonly impacts: Uint8Array;
}

export const NO_POSTINGS: PostingList = { documents: new Uint32Array(), impacts: new Uint8Array() };

/** Fingerprints of the terms that follow each posting of a list. */
export interface Followers {
  /** Start of the fingerprints of each posting. */
  readonly starts: Uint32Array;
  readonly counts: Uint8Array;
  readonly fingerprints: Uint8Array;
}

export interface PostingRecord {
  readonly own: PostingList;
  /** Documents that were expanded with the term of their neighbours. */
  readonly expansion: PostingList;
  /** The terms that follow it in each own document; absent in an index without pairs. */
  readonly followers?: Followers | undefined;
}

/** A byte of modes, the number of own documents, their list, that of the expansion, and the followers of each document in the order of the list. */
export function writeRecord(writer: ByteWriter, { own, expansion, followers }: PostingRecord): void {
  const ownMode = chooseMode(own);
  const expansionMode = expansion.documents.length === 0 ? ABSENT : chooseMode(expansion);
  const written = followers?.counts.some((count) => count > 0) ? followers : undefined;
  writer.writeByte(ownMode | (expansionMode << 2) | (written ? HAS_FOLLOWERS : 0));
  writer.writeVarint(own.documents.length);
  const order = writeList(writer, own, ownMode);
  if (expansionMode !== ABSENT) {
    if (expansionMode === SHORT) writer.writeVarint(expansion.documents.length);
    writeList(writer, expansion, expansionMode);
  }
  if (written === undefined) return;
  for (let at = 0; at < own.documents.length; at++) writeFollowers(writer, written, order === undefined ? at : order[at]);
}

// Each group costs two bytes and saves one for each of its documents.
function chooseMode({ impacts }: PostingList): ListMode {
  if (impacts.length < 4) return SHORT;
  return impacts.length > 2 * new Set(impacts).size + 1 ? SEGMENTS : SHORT;
}

/** @returns Positions of the postings in the order of writing, if it differs from the order of the documents. */
function writeList(writer: ByteWriter, { documents, impacts }: PostingList, mode: ListMode): Uint32Array | undefined {
  if (mode === SHORT) {
    let last = -1;
    for (let posting = 0; posting < documents.length; posting++) {
      const document = documents[posting];
      writer.writeVarint(document - last - 1);
      writer.writeByte(impacts[posting]);
      last = document;
    }
    return undefined;
  }
  const { order, ends } = sortByImpact(impacts);
  let from = 0;
  for (let impact = QUANTIZED_IMPACT_MAX; impact > 0; impact--) {
    const to = ends[impact];
    if (to === from) continue;
    writer.writeByte(impact);
    writer.writeVarint(to - from);
    let last = -1;
    for (; from < to; from++) {
      const document = documents[order[from]];
      writer.writeVarint(document - last - 1);
      last = document;
    }
  }
  writer.writeByte(0);
  return order;
}

// A counting sort, highest impact first, with the end of each impact in the order.
function sortByImpact(impacts: Uint8Array): { order: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(QUANTIZED_IMPACT_MAX + 2);
  for (const impact of impacts) ends[impact] += 1;
  let start = 0;
  for (let impact = QUANTIZED_IMPACT_MAX; impact >= 0; impact--) {
    const count = ends[impact];
    ends[impact] = start;
    start += count;
  }
  const order = new Uint32Array(impacts.length);
  for (let posting = 0; posting < impacts.length; posting++) {
    const impact = impacts[posting];
    const at = ends[impact];
    order[at] = posting;
    ends[impact] = at + 1;
  }
  return { order, ends };
}

function writeFollowers(writer: ByteWriter, { starts, counts, fingerprints }: Followers, posting: number): void {
  const start = starts[posting];
  const end = start + counts[posting];
  if (start === end) writer.writeByte(0);
  for (let at = start; at < end; at++) writer.writeByte(fingerprints[at] | (at + 1 < end ? FOLLOWER_CONTINUES : 0));
}

/** The own list of a record, for the short lists of names; the kernel reads those of terms. @throws {IndexFormatError} If it is truncated. */
export function readOwnList(record: Uint8Array): PostingList {
  let at = 1;
  const next = (): number => {
    if (at >= record.length) throw truncated();
    return record[at++];
  };
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = next();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw truncated();
  };
  const mode = record[0] & 3;
  const count = readVarint();
  if (count > record.length || (mode !== SHORT && mode !== SEGMENTS)) throw truncated();
  const postings: { document: number; impact: number }[] = [];
  const readGroup = (size: number, impactOf: () => number): void => {
    for (let document = -1, posting = 0; posting < size; posting++) {
      document += readVarint() + 1;
      postings.push({ document, impact: impactOf() });
    }
  };
  if (mode === SHORT) readGroup(count, next);
  while (postings.length < count) {
    const impact = next();
    const size = readVarint();
    if (impact === 0 || size > count - postings.length) throw truncated();
    readGroup(size, () => impact);
  }
  return {
    documents: Uint32Array.from(postings, ({ document }) => document),
    impacts: Uint8Array.from(postings, ({ impact }) => impact),
  };
}

function truncated(): IndexFormatError {
  return new IndexFormatError('Cannot read the index: a posting record is cut short');
}

/** Document frequency of the term of the record at an offset. @throws {IndexFormatError} If it claims more documents than it has bytes. */
export function readDocumentFrequency(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let byte = at + 1, shift = 0; shift < 35 && byte < bytes.length; byte++, shift += 7) {
    value += (bytes[byte] & 0x7f) * 2 ** shift;
    if (bytes[byte] >= 0x80) continue;
    if (value <= bytes.length) return value;
    break;
  }
  throw truncated();
}

/** Two unsigned 32-bit hashes of a term: one selects its shard, the other is its key. A build rejects a corpus with two terms that share both. */
export interface TermHash {
  readonly shard: number;
  readonly key: number;
}

const SHARD_SEED = 0x9747b28c;
const KEY_SEED = 0x5bd1e995;
const FINGERPRINTS = 127;

const encoder = new TextEncoder();

/** Bytes of the term that is being hashed, if it is short and of ASCII: an encoder takes several times as long. */
const scratch = new Uint8Array(64);

/** Highest bits of the first hash of a name, which are those of its first term: an index has at most `2 ** 12` shards. */
const NAME_SHARD_MASK = 0xfff00000;

/** Hashes of a term's UTF-8 bytes. The term of a name (`nameTerm`) is in the shard of the first term of the name. */
export function hashTerm(term: string): TermHash {
  if (!term.startsWith(NAME_MARK)) return hashBytes(term);
  const first = hashBytes(term.slice(NAME_MARK.length, term.indexOf(NAME_MARK, NAME_MARK.length)));
  const { shard, key } = hashBytes(term);
  return { shard: ((first.shard & NAME_SHARD_MASK) | (shard & ~NAME_SHARD_MASK)) >>> 0, key };
}

function hashBytes(term: string): TermHash {
  const bytes = isWrittenToScratch(term) ? scratch : encoder.encode(term);
  const length = bytes === scratch ? term.length : bytes.length;
  return { shard: murmur3(bytes, SHARD_SEED, length), key: murmur3(bytes, KEY_SEED, length) };
}

function isWrittenToScratch(term: string): boolean {
  if (term.length > scratch.length) return false;
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    if (code > 0x7f) return false;
    scratch[at] = code;
  }
  return true;
}

/** The shard of a term, of `2 ** shardBits`: the highest bits of its first hash. */
export function shardNumber(hash: TermHash, shardBits: number): number {
  return shardBits === 0 ? 0 : hash.shard >>> (32 - shardBits);
}

/** Seven bits, never zero, that represent a term as a follower. */
export function fingerprint(hash: TermHash): number {
  return 1 + (hash.key % FINGERPRINTS);
}

/** MurmurHash3_x86_32 of the first `length` bytes (github.com/aappleby/smhasher, in the public domain). */
export function murmur3(bytes: Uint8Array, seed: number, length = bytes.length): number {
  let hash = seed | 0;
  const blocks = length & ~3;
  for (let at = 0; at < blocks; at += 4) {
    hash ^= mixBlock(littleEndian(bytes, at, 4));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (blocks < length) hash ^= mixBlock(littleEndian(bytes, blocks, length - blocks));
  hash ^= length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixBlock(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let byte = 0; byte < count; byte++) value |= bytes[at + byte] << (8 * byte);
  return value;
}
