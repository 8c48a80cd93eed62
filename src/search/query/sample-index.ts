import { ANALYSER_ID } from '../analyse.ts';
import { encodeNeighbours } from '../format/neighbours.ts';
import { IndexBlock, encodeBlock } from '../format/index-block.ts';
import type { IndexHead, SectionRef } from '../format/section.ts';
import { encodeSpelling } from '../format/spelling.ts';
import { hashTerm } from '../format/term-hash.ts';
import { encodeShard } from '../format/term-shard.ts';
import type { PostingRecord } from '../format/write-record.ts';
import { INDEX_FORMAT_VERSION } from '../index-format.ts';

/** An index of one block. */
export interface SampleIndex {
  readonly head: IndexHead;
  readonly block: IndexBlock;
}

/** What is made here needs no digest: computing them would be the longest part of making it. */
const NO_DIGEST = new Uint8Array(32);

/** Levels and fingerprints of neighbouring documents are as different as may be, as in an index of real texts. */
const SPREAD = 127;

const NEIGHBOURS = [-2, -1, 1, 2];

/**
 * An index in which every document has the same terms and near neighbours, made without any text.
 *
 * @param words That a misspelt one may have meant.
 */
export async function sampleIndex(terms: readonly string[], words: readonly string[], documents: number): Promise<SampleIndex> {
  const hashes = [...new Set(terms)].map(hashTerm).sort((a, b) => a.key - b.key || a.shard - b.shard);
  const record = sampleRecord(documents);
  const near = Array.from({ length: documents }, (_, document) =>
    NEIGHBOURS.map((step) => ({ document: (document + step + documents) % documents, similarity: 0.5 })),
  );
  const { bytes, table } = encodeBlock(
    [
      encodeShard(hashes.map((hash) => ({ hash, record }))),
      encodeNeighbours(near, new Uint8Array(documents).fill(SPREAD)),
      encodeSpelling(new Map(words.map((word) => [word, 1]))),
    ],
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
    shardBits: 0,
    shards: [inBlock(0)],
    heavy: [],
    tiers: null,
    neighbours: inBlock(1),
    columns: null,
    spelling: inBlock(2),
  };
  return { head, block: await IndexBlock.open(bytes, table, async () => NO_DIGEST.buffer) };
}

function sampleRecord(count: number): PostingRecord {
  const documents = Uint32Array.from({ length: count }, (_, document) => document);
  const spread = Uint8Array.from(documents, (document) => 1 + ((document * document) % SPREAD));
  const own = { documents, levels: spread };
  const followers = { starts: documents, counts: new Uint8Array(count).fill(1), fingerprints: spread };
  return { own, expansion: own, followers };
}
