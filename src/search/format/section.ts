import { IndexFormatError } from '../index-format.ts';

/**
 * Most bytes of a section in one block: a value of Workers KV has at most 25 MiB. A longer section goes on in the blocks that
 * follow, in each after its header.
 *
 * @see {@link https://developers.cloudflare.com/kv/platform/limits/ Workers KV, limits}
 */
export const SECTION_PART_BYTES = 24 * 2 ** 20;

/** Where a part of an index is: block, first byte, number of bytes. It begins at a multiple of four. */
export type SectionRef = readonly [block: number, start: number, length: number];

/**
 * Bounds of the work of one query; `null` is no bound. They belong to the index, so that the same index answers the same
 * everywhere; what they leave out is the same whatever is cached.
 */
export interface SearchBudget {
  /**
   * Blocks of posting lists that are read for the words of a query, and as many again for those that words were corrected to.
   * Of terms whose lists are blocks of their own the most frequent are left out when there are more, then, as no more is known
   * of the others before they are read, the last ones of the query.
   */
  readonly blocksMax: number | null;
  /** Blocks that are read of one list, the strongest documents first. */
  readonly partsMax: number | null;
  /** Postings that are scored; the most frequent terms are left out when there are more. */
  readonly postingsMax: number;
}

/** Where each part of an index is, and what has to be known before any of it is read. Plain JSON. */
export interface IndexHead {
  /** `INDEX_FORMAT_VERSION` of the code that wrote it. */
  readonly format: number;
  /** `ANALYSER_ID` of the code that wrote it. */
  readonly analyser: string;
  readonly documents: number;
  /** What one query may read and score. */
  readonly budget: SearchBudget;
  /** The readings in which queries are analysed, as `readingLanguages` gives them. */
  readonly readings: readonly string[];
  readonly blocks: number;
  /** There are `2 ** shardBits` shards. */
  readonly shardBits: number;
  readonly shards: readonly SectionRef[];
  /** Lists that are too long for a shard, five numbers each: both hashes, document frequency, first block, number of blocks. */
  readonly heavy: readonly number[];
  /** A byte a document, if any is of another tier than 0. */
  readonly tiers: SectionRef | null;
  readonly neighbours: SectionRef | null;
  readonly columns: SectionRef | null;
  readonly spelling: SectionRef | null;
}

/** The blocks that hold a section, in their order. */
export function sectionBlocks([block, , length]: SectionRef): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(length / SECTION_PART_BYTES)) }, (_, part) => block + part);
}

/**
 * The bytes of a section that lies in one block, at a multiple of four of their buffer.
 *
 * @throws {IndexFormatError} If the block does not hold it.
 */
export function sectionBytes(block: Uint8Array, [, start, length]: SectionRef): Uint8Array {
  if (start + length > block.length) throw new IndexFormatError('Cannot read the index: a block is cut short');
  const bytes = block.subarray(start, start + length);
  return bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
}

/** As {@link sectionBytes} for a section that goes on in further blocks, those of {@link sectionBlocks}. */
export function joinSection(blocks: readonly Uint8Array[], [block, start, length]: SectionRef): Uint8Array {
  const joined = new Uint8Array(length);
  blocks.forEach((bytes, part) => {
    const from = part * SECTION_PART_BYTES;
    joined.set(sectionBytes(bytes, [block + part, start, Math.min(SECTION_PART_BYTES, length - from)]), from);
  });
  return joined;
}
