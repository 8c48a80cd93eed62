import type { SearchBudget } from '../format/index-head.ts';

/** How an index is divided into blocks. */
export interface Layout {
  /** There are `2 ** shardBits` shards of terms. */
  readonly shardBits: number;
  /** Blocks that the shards are divided into, a power of two. */
  readonly shardBlocks: number;
  /** Whether all other sections that ranking needs are in the block of the shards too. */
  readonly oneBlock: boolean;
  /** Records of more bytes have one block of their own, or several. */
  readonly largePostingsBytes: number;
  /** Such a record is split into parts of about this size. */
  readonly largePartBytes: number;
  /** What a query may read and score of it, unless the publisher decides otherwise. */
  readonly budget: SearchBudget;
}

const MEBIBYTE = 2 ** 20;

/** Up to this size an index is one block: one read, and then it lives in the isolate. */
const ONE_BLOCK_MAX_BYTES = 12 * MEBIBYTE;

/** Up to this size there are eight blocks of shards, so that no query reads more of them. */
const FEW_BLOCKS_MAX_BYTES = 64 * MEBIBYTE;

/**
 * Target size of a shard. A query checks the digests of the shards it reads and of the table of sections, which grows with their number:
 * with a dozen terms and some megabytes of lists, both together are smallest about here.
 */
const SHARD_BYTES = 8 * 1024;

/** Bounded because the head, which travels with a deploy, names every shard. */
const SHARD_BITS_MAX = 12;

const LARGE_PART_BYTES = 256 * 1024;

/** Everything is scored; the bound only keeps a hostile query within a function's time. */
export const EXACT_BUDGET: SearchBudget = { blocksMax: null, partsMax: null, postingsMax: 2_000_000 };

/** For many shards with whole lists: as many blocks as leave room for others in an isolate of 128 MB. */
const WHOLE_LISTS_BUDGET: SearchBudget = { ...EXACT_BUDGET, blocksMax: 16 };

/** At a million documents: the words of a query read eight blocks, of each list the part with the strongest documents. */
export const PRUNED_BUDGET: SearchBudget = { blocksMax: 8, partsMax: 1, postingsMax: 500_000 };

/** A budget of at most `blocks` blocks a query, each list's strongest part only. */
export function readBudget(blocks: number): SearchBudget {
  return { ...PRUNED_BUDGET, blocksMax: blocks };
}

/**
 * The layout of an index of about `bytes` bytes.
 *
 * @param keepsListsWhole Whether records hold more than documents and impacts: such records cannot be split into parts.
 */
export function chooseLayout(bytes: number, keepsListsWhole: boolean): Layout {
  const noneLarge = { largePostingsBytes: Number.POSITIVE_INFINITY, largePartBytes: LARGE_PART_BYTES, budget: EXACT_BUDGET };
  const shards = (shardBlocks: number): Pick<Layout, 'shardBits' | 'shardBlocks'> => {
    const shardBits = Math.ceil(Math.log2(Math.max(1, bytes / SHARD_BYTES)));
    return { shardBlocks, shardBits: Math.min(SHARD_BITS_MAX, Math.max(Math.log2(shardBlocks), shardBits)) };
  };
  if (bytes <= ONE_BLOCK_MAX_BYTES) return { ...shards(1), oneBlock: true, ...noneLarge };
  if (bytes <= FEW_BLOCKS_MAX_BYTES) return { ...shards(8), oneBlock: false, ...noneLarge };
  if (keepsListsWhole) return { ...shards(64), oneBlock: false, ...noneLarge, budget: WHOLE_LISTS_BUDGET };
  return { ...shards(1024), oneBlock: false, largePostingsBytes: 24 * 1024, largePartBytes: LARGE_PART_BYTES, budget: PRUNED_BUDGET };
}
