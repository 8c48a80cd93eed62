import { ANALYSER_ID } from '../analysis/analyse.ts';
import type { IndexHead } from '../format/index-block.ts';
import { encodeBlock, INDEX_FORMAT_VERSION, IndexBlock } from '../format/index-block.ts';
import { encodeNeighbours } from '../format/neighbours.ts';
import { encodeShard, hashTerm } from '../format/postings.ts';
import { encodeSpelling } from '../format/spelling.ts';
import type { Kernel } from '../scoring-wasm/kernel.ts';
import { analyseQuery, readQueryText } from './analyse-query.ts';
import { IndexReader } from './index-reader.ts';
import { search } from './search.ts';

/** A typical query: stop words, a compound name, letters beyond ASCII, and an unknown word. */
const QUERY = 'How long may a cachedAnswer of the café be reused without asking hte server?';
const MISSPELT = 'hte';

/** Words of the spelling dictionary, with the correction. */
const WORDS = ['answer', 'long', 'server', 'the'];

/** Enough for all code of the query path to be compiled; its loops are WebAssembly, which needs no more. */
const DOCUMENTS = 256;
const ROUNDS = 2;

/** Impacts and fingerprints vary between documents, as in a real index. */
const SPREAD = 127;

/** Memory for the longest records and for pairs, which longer lists do not have. */
const RECORD_BYTES_PER_DOCUMENT = 4;
const RECORD_BYTES_MAX = 512 * 1024;
const CANDIDATES_MAX = 2 ** 17;

/** Computing digests would take longer than the rest of the warm-up. */
const NO_DIGEST = new Uint8Array(32);

/**
 * Reserves memory for an index of some documents, and searches a sample index until the query path is compiled: otherwise the first query of
 * an isolate takes three times as long. It changes no result and reads nothing.
 */
export async function warmUp(kernel: Kernel, documents: number): Promise<void> {
  const recordBytes = Math.min(RECORD_BYTES_MAX, documents * RECORD_BYTES_PER_DOCUMENT);
  kernel.begin({ documents, recordBytes, candidates: Math.min(CANDIDATES_MAX, documents) });
  const reader = sampleIndex(kernel);
  for (let round = 0; round < ROUNDS; round++) await search(reader, QUERY, { limit: 10 });
}

/** An index of one block in which every document has all terms of the query except one, and neighbours. */
function sampleIndex(kernel: Kernel): IndexReader {
  const terms = new Set(analyseQuery(readQueryText(QUERY), ['en']).flatMap((tokens) => tokens.map(({ term }) => term)));
  terms.delete(MISSPELT);
  const documents = Uint32Array.from({ length: DOCUMENTS }, (_, document) => document);
  const spread = Uint8Array.from(documents, (document) => 1 + ((document * document) % SPREAD));
  const own = { documents, impacts: spread };
  const record = { own, expansion: own, followers: { starts: documents, counts: new Uint8Array(DOCUMENTS).fill(1), fingerprints: spread } };
  const neighbours = Array.from(documents, (document) =>
    [-2, -1, 1, 2].map((step) => ({ document: (document + step + DOCUMENTS) % DOCUMENTS, similarity: 0.5 })),
  );
  const hashes = [...terms].map(hashTerm).sort((a, b) => a.key - b.key || a.shard - b.shard);
  const sections = [
    encodeShard(hashes.map((hash) => ({ hash, record }))),
    encodeNeighbours(neighbours, new Uint8Array(DOCUMENTS).fill(SPREAD)),
    encodeSpelling(new Map(WORDS.map((word) => [word, 1]))),
  ];
  const { bytes, table } = encodeBlock(sections, () => NO_DIGEST);
  const head: IndexHead = {
    format: INDEX_FORMAT_VERSION,
    analyser: ANALYSER_ID,
    documents: DOCUMENTS,
    budget: { blocksMax: null, partsMax: null, postingsMax: DOCUMENTS * terms.size },
    readings: ['en'],
    blocks: 1,
    tables: [table],
    shardBits: 0,
    shards: [[0, 0, 1]],
    heavy: [],
    tiers: null,
    neighbours: [0, 1, 1],
    columns: null,
    spelling: [0, 2, 1],
  };
  return new IndexReader(head, () => IndexBlock.open(bytes, table, async () => NO_DIGEST.buffer), kernel);
}
