import type { SearchBudget } from '../format/index-head.ts';

/** How an index is divided into blocks. */
export interface Layout {
  /** There are `2 ** shardBits` shards of terms. */
  readonly shardBits: number;
  /** Number of blocks with shards, a power of two. */
  readonly shardBlocks: number;
  /** Whether the block of the shards also has all other sections for ranking. */
  readonly oneBlock: boolean;
  /** Larger records have blocks of their own. */
  readonly largePostingsBytes: number;
  /** Approximate size of the parts of such a record. */
  readonly largePartBytes: number;
  /** Default budget of a query. */
  readonly budget: SearchBudget;
}

const MEBIBYTE = 2 ** 20;

/** Up to this size an index is one block: one read, then it stays in the isolate. */
const ONE_BLOCK_MAX_BYTES = 12 * MEBIBYTE;

/** Up to this size there are eight blocks of shards, so that no query reads more. */
const FEW_BLOCKS_MAX_BYTES = 64 * MEBIBYTE;

/**
 * Target size of a shard. A query hashes the shards it reads and the table of sections, which grows with their number: for a dozen terms and
 * some megabytes of lists the sum is smallest near this size.
 */
const SHARD_BYTES = 8 * 1024;

/** Bounded because the head, which is part of a deploy, lists every shard. */
const SHARD_BITS_MAX = 12;

const LARGE_PART_BYTES = 256 * 1024;

/** Scores all postings; the bound only keeps a hostile query within the CPU time of a function. */
export const EXACT_BUDGET: SearchBudget = { blocksMax: null, partsMax: null, postingsMax: 2_000_000 };

/** For many shards with whole lists: the blocks fit into an isolate of 128 MB. */
const WHOLE_LISTS_BUDGET: SearchBudget = { ...EXACT_BUDGET, blocksMax: 16 };

/** For a million documents: a query reads eight blocks, and of each list the part with the strongest documents. */
export const PRUNED_BUDGET: SearchBudget = { blocksMax: 8, partsMax: 1, postingsMax: 500_000 };

/** A budget of at most `blocks` blocks for each query, and the strongest part of each list. */
export function readBudget(blocks: number): SearchBudget {
  return { ...PRUNED_BUDGET, blocksMax: blocks };
}

/**
 * The layout of an index of about `bytes` bytes.
 *
 * @param keepsListsWhole Whether records hold more than documents and impacts, and so cannot be split into parts.
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
