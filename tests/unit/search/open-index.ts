import { type BuildOptions, type EncodedIndex, IndexBuilder, type Layout } from '../../../src/search/build/build-index.ts';
import { IndexBlock, type SearchBudget } from '../../../src/search/format/index-block.ts';
import { IndexReader } from '../../../src/search/query/index-reader.ts';
import { Kernel } from '../../../src/search/scoring-wasm/kernel.ts';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { compiledKernel } from '../../support/compiled-kernel.ts';

export const TEST_KERNEL = new Kernel(compiledKernel());

/** Everything is read and scored. */
export const UNBOUNDED: SearchBudget = { blocksMax: null, partsMax: null, postingsMax: Number.MAX_SAFE_INTEGER };

const NONE_LARGE = { largePostingsBytes: Number.POSITIVE_INFINITY, largePartBytes: 2 ** 20, budget: UNBOUNDED };

/** Ways to divide an index into blocks. */
export const LAYOUTS = {
  'one block': { shardBits: 3, shardBlocks: 1, oneBlock: true, ...NONE_LARGE },
  'few blocks, words in parts': { shardBits: 4, shardBlocks: 4, oneBlock: false, ...NONE_LARGE, spellingWords: 2 },
  'many blocks, long lists apart': { ...NONE_LARGE, shardBits: 6, shardBlocks: 64, oneBlock: false, largePostingsBytes: 6 },
} as const satisfies Record<string, Layout>;

/** Long lists in parts of a few documents, which keep neither followers nor expansion. */
export const LISTS_IN_PARTS: Layout = { ...LAYOUTS['many blocks, long lists apart'], largePartBytes: 6 };

export function encodeDocuments(documents: readonly SearchDocument[], options: BuildOptions = {}): EncodedIndex {
  const builder = new IndexBuilder(options);
  builder.add(documents);
  return builder.finish();
}

export function openIndex(index: EncodedIndex, kernel = TEST_KERNEL): IndexReader {
  return new IndexReader(index.head, (number) => openBlock(index, number), kernel);
}

export function openBlock({ head, blocks }: EncodedIndex, number: number): Promise<IndexBlock> {
  return IndexBlock.open(blockOf(blocks, number), head.tables?.[number]);
}

export function blockOf(blocks: readonly Uint8Array[], number: number): Uint8Array {
  const block = blocks[number];
  if (block === undefined) throw new RangeError(`There is no block ${number}`);
  return block;
}
