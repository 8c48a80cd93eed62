import { NAME_MARK } from '../analysis/name-terms.ts';

/**
 * Two unsigned 32-bit hashes of a term: one selects its shard, the other is its key. Together they identify the term; a build rejects a
 * corpus with two terms that share both.
 */
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

/**
 * MurmurHash3, the 32-bit variant for x86.
 *
 * @param length Bytes to hash, from the first.
 * @see {@link https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp MurmurHash3_x86_32}, in the public domain
 */
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
