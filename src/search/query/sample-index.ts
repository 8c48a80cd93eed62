import { ANALYSER_ID } from '../analysis/analyse.ts';
import { encodeNeighbours } from '../format/neighbours.ts';
import { encodeBlock, INDEX_FORMAT_VERSION, IndexBlock } from '../format/index-block.ts';
import type { IndexHead, SectionRef } from '../format/index-head.ts';
import { encodeSpelling } from '../format/spelling.ts';
import { hashTerm, shardNumber } from '../format/term-hash.ts';
import { encodeShard } from '../format/term-shard.ts';
import type { PostingRecord } from '../format/posting-record.ts';

/** An index of one block. */
export interface SampleIndex {
  readonly head: IndexHead;
  /** Opens its block. */
  readonly open: () => Promise<IndexBlock>;
}

/** What is made here needs no digest: computing them would be the longest part of making it. */
const NO_DIGEST = new Uint8Array(32);

/** Levels and fingerprints of neighbouring documents are as different as may be, as in an index of real texts. */
const SPREAD = 127;

const NEIGHBOURS = [-2, -1, 1, 2];

/** Each term is in a shard of its own or nearly. */
const SHARD_BITS = 4;

/**
 * An index in which every document has the same terms and near neighbours, made without any text.
 *
 * @param words That a misspelt one may have meant.
 */
export function sampleIndex(terms: readonly string[], words: readonly string[], documents: number): SampleIndex {
  const hashes = [...new Set(terms)].map(hashTerm).sort((a, b) => a.key - b.key || a.shard - b.shard);
  const record = sampleRecord(documents);
  const near = Array.from({ length: documents }, (_, document) =>
    NEIGHBOURS.map((step) => ({ document: (document + step + documents) % documents, similarity: 0.5 })),
  );
  const shards = Array.from({ length: 2 ** SHARD_BITS }, (_, shard) =>
    encodeShard(hashes.filter((hash) => shardNumber(hash, SHARD_BITS) === shard).map((hash) => ({ hash, record }))),
  );
  const { bytes, table } = encodeBlock(
    [...shards, encodeNeighbours(near, new Uint8Array(documents).fill(SPREAD)), encodeSpelling(new Map(words.map((word) => [word, 1])))],
    () => NO_DIGEST,
  );
  const inBlock = (section: number): SectionRef => [0, section, 1];
  const head = {
    format: INDEX_FORMAT_VERSION,
    analyser: ANALYSER_ID,
    documents,
    budget: { blocksMax: null, partsMax: null, postingsMax: documents * terms.length },
    readings: ['en'],
    blocks: 1,
    tables: [table],
    shardBits: SHARD_BITS,
    shards: shards.map((_, shard) => inBlock(shard)),
    heavy: [],
    tiers: null,
    neighbours: inBlock(shards.length),
    columns: null,
    spelling: inBlock(shards.length + 1),
  };
  return { head, open: () => IndexBlock.open(bytes, table, async () => NO_DIGEST.buffer) };
}

function sampleRecord(count: number): PostingRecord {
  const documents = Uint32Array.from({ length: count }, (_, document) => document);
  const spread = Uint8Array.from(documents, (document) => 1 + ((document * document) % SPREAD));
  const own = { documents, impacts: spread };
  const followers = { starts: documents, counts: new Uint8Array(count).fill(1), fingerprints: spread };
  return { own, expansion: own, followers };
}
