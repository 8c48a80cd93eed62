import type { BuildOptions, EncodedIndex } from '../../src/search/build/build-index.ts';
import type { SectionRef } from '../../src/search/format/index-block.ts';
import { IndexBlock } from '../../src/search/format/index-block.ts';
import { readDocumentFrequency } from '../../src/search/format/postings.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { benchCorpus } from './bench-corpus.ts';

/** Contents of an index; sizes in bytes. */
interface IndexFigures {
  readonly documents: number;
  readonly terms: number;
  /** Postings of own lists, without expansion. */
  readonly postings: number;
  /** Terms with their lists. */
  readonly listBytes: number;
  readonly neighbourBytes: number;
  readonly columnBytes: number;
  readonly spellingBytes: number;
  /** All blocks. */
  readonly bytes: number;
  readonly blocks: number;
  readonly largestBlock: number;
}

/** Reads the whole index and counts its contents. */
async function figuresOf({ head, blocks }: EncodedIndex): Promise<IndexFigures> {
  const opened = await Promise.all(blocks.map((bytes, number) => IndexBlock.open(bytes, head.tables?.[number])));
  const lengthOf = async (section: SectionRef | null): Promise<number> => {
    const [block, number, count] = section ?? [0, 0, 0];
    const parts = await Promise.all(opened.slice(block, block + count).map((one) => one.sections([number])));
    return parts.flat().reduce((sum, { length }) => sum + length, 0);
  };
  let terms = 0;
  let postings = 0;
  let listBytes = 0;
  for (const [block, number] of head.shards) {
    const [shard = new Uint8Array()] = await (opened[block] as IndexBlock).sections([number]);
    const counted = countShard(shard);
    terms += counted.terms;
    postings += counted.postings;
    listBytes += shard.length;
  }
  for (let at = 0; at < head.heavy.length; at += 5) {
    const [, , documentFrequency = 0, firstBlock = 0, parts = 0] = head.heavy.slice(at, at + 5);
    terms++;
    postings += documentFrequency;
    for (const part of blocks.slice(firstBlock, firstBlock + parts)) listBytes += part.length;
  }
  return {
    documents: head.documents,
    terms,
    postings,
    listBytes,
    neighbourBytes: await lengthOf(head.neighbours),
    columnBytes: await lengthOf(head.columns),
    spellingBytes: await lengthOf(head.spelling),
    bytes: blocks.reduce((sum, block) => sum + block.length, 0),
    blocks: blocks.length,
    largestBlock: Math.max(0, ...blocks.map((block) => block.length)),
  };
}

// The layout of `encodeShard`: three counts, keys, locators, collisions of three words, records. The highest bit of a locator marks an inline
// posting.
function countShard(bytes: Uint8Array): { terms: number; postings: number } {
  const [keys = 0, collisions = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 3 + keys * 2 + collisions * 3);
  const records = bytes.subarray(words.byteLength);
  const locators = [...words.subarray(3 + keys, 3 + keys * 2), ...words.subarray(3 + keys * 2).filter((_, at) => at % 3 === 2)];
  const postings = locators.map((locator) => (locator >= 2 ** 31 ? 1 : readDocumentFrequency(records, locator)));
  return { terms: keys + collisions, postings: postings.reduce((sum, count) => sum + count, 0) };
}

/** Measured variants of an index. */
export const INDEX_VARIANTS = {
  base: { pairs: false, expansion: false, neighbours: false },
  pairs: { pairs: true, expansion: false, neighbours: false },
  whole: {},
} as const satisfies Record<string, BuildOptions>;
export type IndexVariant = keyof typeof INDEX_VARIANTS;

/** An index, and the cost of its build from the first document to the last block. */
export interface MeasuredBuild extends IndexFigures {
  readonly wallSeconds: number;
  /** Of all threads, user and system, including the documents. */
  readonly cpuSeconds: number;
  /** Peak memory of the process, in MB of 2^20 bytes. */
  readonly peakMegabytes: number;
}

/**
 * Builds the index of a corpus in this process, which should be fresh: peak memory is that of the process.
 *
 * @param threads For `buildSearchIndex`, which has a default.
 */
export async function measureIndexBuild(name: string, variant: IndexVariant, threads: number | undefined): Promise<MeasuredBuild> {
  const { documents, columns } = benchCorpus(name);
  const started = process.hrtime.bigint();
  let reportedAt = started;
  const onProgress = (done: number): void => {
    const now = process.hrtime.bigint();
    if (now - reportedAt < 2_000_000_000n) return;
    reportedAt = now;
    process.stderr.write(`\r${name} ${variant}: ${done} documents, ${(Number(now - started) / 1e9).toFixed(0)} s `);
  };
  const index = await buildSearchIndex(documents, {
    ...INDEX_VARIANTS[variant],
    columns,
    onProgress,
    ...(threads === undefined ? {} : { threads }),
  });
  const wallSeconds = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage();
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;
  if (reportedAt !== started) process.stderr.write('\n');
  return { ...(await figuresOf(index)), wallSeconds, cpuSeconds: (user + system) / 1e6, peakMegabytes };
}
