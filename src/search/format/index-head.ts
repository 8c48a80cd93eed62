/**
 * Most bytes of a section in one block: a value of Workers KV has at most 25 MiB. A longer section continues in the following blocks.
 *
 * @see {@link https://developers.cloudflare.com/kv/platform/limits/ Workers KV, limits}
 */
export const SECTION_PART_BYTES = 24 * 2 ** 20;

/** Location of a section: its first block, its number in the block, and the number of blocks that it spans. */
export type SectionRef = readonly [block: number, section: number, blocks: number];

/**
 * Bounds of the work of one query; `null` is no bound. They belong to the index, so that results are the same everywhere, whatever is cached.
 */
export interface SearchBudget {
  /**
   * Blocks of posting lists that are read for the words of a query, and as many again for corrected words. Beyond it, the most frequent
   * terms with blocks of their own are left out, then the last terms of the query, whose frequency is not known before they are read.
   */
  readonly blocksMax: number | null;
  /** Blocks that are read of one list, the strongest documents first. */
  readonly partsMax: number | null;
  /** Postings that are scored; the most frequent terms are left out when there are more. */
  readonly postingsMax: number;
}

/** Locations of the sections of an index, and what is needed before any is read. Plain JSON, part of a manifest. */
export interface IndexHead {
  /** `INDEX_FORMAT_VERSION` of the code that wrote it. */
  readonly format: number;
  /** `ANALYSER_ID` of the code that wrote it. */
  readonly analyser: string;
  readonly documents: number;
  readonly budget: SearchBudget;
  /** The analysers of its documents, from `analysersFor`: a query is analysed with each. */
  readonly readings: readonly string[];
  readonly blocks: number;
  /** SHA-256 of the table of sections of each block, in lower-case hexadecimal. Indexes before format 3 have none. */
  readonly tables?: readonly string[] | undefined;
  /** There are `2 ** shardBits` shards. */
  readonly shardBits: number;
  readonly shards: readonly SectionRef[];
  /** Records too large for a shard, five numbers each: both hashes, document frequency, first block, number of blocks. */
  readonly heavy: readonly number[];
  /** One byte for each document, if any has another tier than 0. */
  readonly tiers: SectionRef | null;
  readonly neighbours: SectionRef | null;
  readonly columns: SectionRef | null;
  readonly spelling: SectionRef | null;
}
