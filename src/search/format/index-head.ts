/**
 * Most bytes of a section in one block: a value of Workers KV has at most 25 MiB. A longer section goes on in the blocks that follow, in
 * each after its header.
 *
 * @see {@link https://developers.cloudflare.com/kv/platform/limits/ Workers KV, limits}
 */
export const SECTION_PART_BYTES = 24 * 2 ** 20;

/** Where a part of an index is: block, number of the section in it, number of blocks that it goes on in, itself included. */
export type SectionRef = readonly [block: number, section: number, blocks: number];

/**
 * Bounds of the work of one query; `null` is no bound. They belong to the index, so that the same index answers the same everywhere; what
 * they leave out is the same whatever is cached.
 */
export interface SearchBudget {
  /**
   * Blocks of posting lists that are read for the words of a query, and as many again for those that words were corrected to. Of terms
   * whose lists are blocks of their own the most frequent are left out when there are more, then, as no more is known of the others before
   * they are read, the last ones of the query.
   */
  readonly blocksMax: number | null;
  /** Blocks that are read of one list, the strongest documents first. */
  readonly partsMax: number | null;
  /** Postings that are scored; the most frequent terms are left out when there are more. */
  readonly postingsMax: number;
}

/** Where each part of an index is, and what is needed before any of it is read. Plain JSON, which manifests hold. */
export interface IndexHead {
  /** `INDEX_FORMAT_VERSION` of the code that wrote it. */
  readonly format: number;
  /** `ANALYSER_ID` of the code that wrote it. */
  readonly analyser: string;
  readonly documents: number;
  /** What one query may read and score. */
  readonly budget: SearchBudget;
  /** The analysers of its documents, from `analysersFor`: a query is analysed with each. */
  readonly readings: readonly string[];
  readonly blocks: number;
  /** SHA-256 of the table of sections of each block, in lower-case hexadecimal. Indexes before format 3 have none. */
  readonly tables?: readonly string[] | undefined;
  /** There are `2 ** shardBits` shards. */
  readonly shardBits: number;
  readonly shards: readonly SectionRef[];
  /** Records that are too large for a shard, five numbers each: both hashes, document frequency, first block, number of blocks. */
  readonly heavy: readonly number[];
  /** A byte a document, if any is of another tier than 0. */
  readonly tiers: SectionRef | null;
  readonly neighbours: SectionRef | null;
  readonly columns: SectionRef | null;
  readonly spelling: SectionRef | null;
}
