import { sha256 } from '@noble/hashes/sha2.js';
import { ANALYSER_ID } from '../analysis/analyse.ts';
import { analysersFor } from '../analysis/analysers.ts';
import { type ColumnSpec, ColumnsWriter } from '../format/columns.ts';
import {
  ByteWriter,
  encodeBlock,
  INDEX_FORMAT_VERSION,
  type IndexHead,
  SECTION_PART_BYTES,
  type SearchBudget,
  type SectionRef,
} from '../format/index-block.ts';
import {
  encodeShard,
  hashTerm,
  NO_POSTINGS,
  type PostingRecord,
  type ShardTerm,
  shardNumber,
  type TermHash,
  writeRecord,
} from '../format/postings.ts';
import { encodeSpelling } from '../format/spelling.ts';
import type { SearchDocument } from '../search-document.ts';
import { type AnalysedBatch, analyseBatch } from './analyse-batch.ts';
import {
  type CollectedCorpus,
  CorpusCollector,
  computeImpacts,
  type InvertedCorpus,
  invert,
  NAME_DOCUMENTS_MAX,
  type NamePostings,
} from './collect-index-terms.ts';
import {
  type ComparedCorpus,
  type ExpandedCorpus,
  encodeMutualNeighbours,
  joinExpanded,
  joinFound,
  type RefinedDocuments,
  type RefinementTask,
  refineDocuments,
} from './expand-documents.ts';

/** An index: its head is part of a deploy, its blocks are stored. */
export interface EncodedIndex {
  readonly head: IndexHead;
  readonly blocks: readonly Uint8Array[];
}

export interface BuildOptions {
  readonly columns?: readonly ColumnSpec[];
  /** Whether adjacent words score as pairs; default true. */
  readonly pairs?: boolean;
  /** Whether documents are expanded with terms of their neighbours; default true. */
  readonly expansion?: boolean;
  /** Whether scores are rescored with those of neighbours; default true. */
  readonly neighbours?: boolean;
  readonly budget?: SearchBudget;
  /** Whether browsers read the blocks: then a query reads few bytes rather than few blocks. It changes no ranking. */
  readonly isForBrowsers?: boolean;
  /** By default chosen by the size of the index; for tests and tuning. It changes no ranking. */
  readonly layout?: Layout;
}

/** Larger indexes have no pairs, expansion or neighbours: these triple the bytes, and finding neighbours grows faster than the number of documents. */
const REFINED_DOCUMENTS_MAX = 150_000;

/** Least document frequency of a correction, by number of documents: rarer words are often typos. */
const WORD_MIN_DOCUMENTS = [
  { documents: 2_000, least: 1 },
  { documents: 20_000, least: 2 },
  { documents: 200_000, least: 4 },
  { documents: Number.POSITIVE_INFINITY, least: 10 },
] as const;

/** Approximate, by measurement; they only choose the layout. */
const BYTES_PER_POSTING = 2.2;
const BYTES_PER_TERM = 9;

/** A smaller spelling dictionary is in the block of a one-block index. */
const SPELLING_INLINE_MAX_BYTES = 256 * 1024;

/** What an index lists of a document besides its terms. */
export type NumberedDocument = Pick<SearchDocument, 'id' | 'language' | 'attributes' | 'tier'>;

export interface PreparedIndex {
  /** What is to be refined; `undefined` in an index without expansion and neighbours. */
  readonly task: RefinementTask | undefined;
  /** Encodes the index. @param parts The results for consecutive ranges that cover all documents. */
  readonly complete: (parts: readonly RefinedDocuments[]) => EncodedIndex;
}

/** Builds an index from documents in the order of their numbers. The same documents in the same order give the same bytes. */
export class IndexBuilder {
  readonly #options: Required<Omit<BuildOptions, 'budget' | 'layout'>> & Pick<BuildOptions, 'budget' | 'layout'>;
  readonly #collector: CorpusCollector;
  readonly #columns: ColumnsWriter;
  readonly #tiers: number[] = [];
  readonly #languages = new Set<string>();

  constructor(options: BuildOptions = {}) {
    this.#options = { columns: [], pairs: true, expansion: true, neighbours: true, isForBrowsers: false, ...options };
    this.#collector = new CorpusCollector(this.#options.pairs);
    this.#columns = new ColumnsWriter(this.#options.columns);
  }

  /**
   * Adds the next documents.
   *
   * @param batch The result of `analyseBatch`, if another thread computed it.
   * @throws {RangeError} If an id holds a lone surrogate, which UTF-8 cannot encode.
   */
  add(documents: readonly SearchDocument[]): void;
  add(documents: readonly NumberedDocument[], batch: AnalysedBatch): void;
  add(documents: readonly NumberedDocument[], batch = analyseBatch(documents as readonly SearchDocument[])): void {
    this.#collector.add(batch);
    for (const { id, language, attributes, tier = 0 } of documents) {
      if (/\p{Surrogate}/u.test(id)) throw new RangeError(`Cannot index ${JSON.stringify(id)}: lone surrogate`);
      this.#columns.add(id, attributes);
      this.#tiers.push(tier);
      this.#languages.add(language);
    }
  }

  /** The index of all added documents; documents cannot be added afterwards. */
  finish(): EncodedIndex {
    const { task, complete } = this.prepare();
    return complete(task === undefined ? [] : [refineDocuments(task, { start: 0, end: task.corpus.documentCount })]);
  }

  /** {@link finish} in two parts, between which other threads may work on the task. */
  prepare(): PreparedIndex {
    const collected = this.#collector.corpus();
    const refined = collected.documentCount <= REFINED_DOCUMENTS_MAX;
    const corpus = refined ? collected : { ...collected, followers: new Uint8Array(), followerCounts: new Uint8Array() };
    const impacts = computeImpacts(corpus);
    const plain = invert(corpus, impacts);
    const [expansion, neighbours] = [this.#options.expansion && refined, this.#options.neighbours && refined];
    return {
      task:
        expansion || neighbours || (refined && corpus.stated.terms.length > 0)
          ? { ...comparedCorpus(corpus, impacts, plain), expansion, neighbours }
          : undefined,
      complete: (parts) => this.#encode(corpus, plain, parts),
    };
  }

  #encode(corpus: CollectedCorpus, plain: InvertedCorpus, parts: readonly RefinedDocuments[]): EncodedIndex {
    const ofExpansion = parts.flatMap((part) => part.expanded ?? []);
    const ofNeighbours = parts.flatMap((part) => part.neighbours ?? []);
    const expanded = ofExpansion.length === 0 ? undefined : joinExpanded(ofExpansion, corpus.vocabulary.length);
    const neighbours = ofNeighbours.length === 0 ? undefined : encodeMutualNeighbours(corpus, joinFound(ofNeighbours));
    const inverted = expanded === undefined ? plain : invert(corpus, expanded.impacts);
    const postings = corpus.terms.length + (expanded?.addedPostings ?? 0);
    const layout =
      this.#options.layout ??
      chooseLayout(
        postings * BYTES_PER_POSTING + corpus.followers.length + corpus.vocabulary.length * BYTES_PER_TERM,
        corpus.followers.length > 0 || expanded !== undefined,
        this.#options.isForBrowsers,
      );
    const packer = new SectionPacker();
    const { shards, largePostings } = encodeTerms(corpus, inverted, expanded, layout, packer);
    const add = (bytes: Uint8Array): SectionRef => (layout.oneBlock ? packer.addTo(0, bytes) : packer.addApart(bytes));
    const least = WORD_MIN_DOCUMENTS.find(({ documents }) => corpus.documentCount <= documents)?.least ?? 1;
    const words = [...corpus.words].filter(([, documents]) => documents >= least).sort(([a], [b]) => (a < b ? -1 : 1));
    const { spellingWords = Math.max(1, words.length) } = layout;
    const starts = words.flatMap(([word], at) => (at % spellingWords === 0 ? [word] : []));
    const encodedWords = (from: number): Uint8Array => encodeSpelling(new Map(words.slice(from, from + spellingWords)));
    const addWords = (): SectionRef => {
      if (starts.length <= 1) {
        const spelling = encodedWords(0);
        return spelling.length > SPELLING_INLINE_MAX_BYTES ? packer.addApart(spelling) : add(spelling);
      }
      const [[first] = [0]] = starts.map((_, part) => packer.addApart(encodedWords(part * spellingWords)));
      return [first, 0, starts.length];
    };
    const head = {
      format: INDEX_FORMAT_VERSION,
      analyser: ANALYSER_ID,
      documents: corpus.documentCount,
      budget: this.#options.budget ?? layout.budget,
      readings: analysersFor(this.#languages.size === 0 ? ['en'] : this.#languages),
      shardBits: layout.shardBits,
      shards,
      heavy: largePostings,
      tiers: this.#tiers.some((tier) => tier > 0) ? add(Uint8Array.from(this.#tiers)) : null,
      neighbours: neighbours === undefined ? null : add(neighbours),
      columns: add(this.#columns.toBytes()),
      spelling: addWords(),
      ...(starts.length > 1 ? { spellingStarts: starts } : {}),
    };
    const { blocks, tables } = packer.finish();
    return { head: { ...head, blocks: blocks.length, tables }, blocks };
  }
}

function comparedCorpus(
  { documentCount, documentStarts, terms, stated }: CollectedCorpus,
  impacts: Uint8Array,
  { starts, documents, impacts: ofTerms }: InvertedCorpus,
): ComparedCorpus {
  return { corpus: { documentCount, documentStarts, terms, stated }, impacts, inverted: { starts, documents, impacts: ofTerms } };
}

function encodeTerms(
  corpus: CollectedCorpus,
  inverted: InvertedCorpus,
  expansion: ExpandedCorpus | undefined,
  layout: Layout,
  packer: SectionPacker,
) {
  const names = [...corpus.names].filter(([, { documents }]) => documents.length <= NAME_DOCUMENTS_MAX);
  const hashes = [...corpus.vocabulary, ...names.map(([name]) => name)].map(hashTerm);
  const shards: SectionRef[] = [];
  const largePostings: number[] = [];
  let block = 0;
  for (const [number, terms] of termsOfShards(hashes, layout.shardBits).entries()) {
    if (number % (2 ** layout.shardBits / layout.shardBlocks) === 0) block = packer.openBlock();
    const entries: ShardTerm[] = [];
    for (const term of terms) {
      const hash = hashes[term];
      const name = names[term - corpus.vocabulary.length];
      const record = name === undefined ? recordOf(term, corpus, inverted, expansion) : nameRecord(name[1]);
      if (record.own.documents.length > layout.largePostingsBytes / 2 && addLargePostings(hash, record, layout, packer, largePostings))
        continue;
      entries.push({ hash, record });
    }
    shards.push(packer.addTo(block, encodeShard(entries)));
  }
  return { shards, largePostings };
}

function termsOfShards(hashes: readonly TermHash[], shardBits: number): Uint32Array[] {
  const shardOf = Uint32Array.from(hashes, (hash) => shardNumber(hash, shardBits));
  const counts = new Uint32Array(2 ** shardBits);
  for (const shard of shardOf) counts[shard] += 1;
  const terms = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  shardOf.forEach((shard, term) => {
    terms[shard][counts[shard]] = term;
    counts[shard] += 1;
  });
  for (const shard of terms) shard.sort((a, b) => hashes[a].key - hashes[b].key || hashes[a].shard - hashes[b].shard);
  return terms;
}

function recordOf(term: number, corpus: CollectedCorpus, inverted: InvertedCorpus, expansion: ExpandedCorpus | undefined): PostingRecord {
  const start = inverted.starts[term];
  const end = inverted.starts[term + 1];
  return {
    own: { documents: inverted.documents.subarray(start, end), impacts: inverted.impacts.subarray(start, end) },
    expansion: expansion?.addedList(term) ?? NO_POSTINGS,
    followers:
      inverted.followerStarts.length === 0
        ? undefined
        : {
            starts: inverted.followerStarts.subarray(start, end),
            counts: inverted.followerCounts.subarray(start, end),
            fingerprints: corpus.followers,
          },
  };
}

function nameRecord({ documents, impacts }: NamePostings): PostingRecord {
  return { own: { documents: Uint32Array.from(documents), impacts: Uint8Array.from(impacts) }, expansion: NO_POSTINGS };
}

/** Puts a record into blocks of its own if it is too large for a shard; strongest documents first. @returns Whether it did. */
function addLargePostings(hash: TermHash, record: PostingRecord, layout: Layout, packer: SectionPacker, largePostings: number[]): boolean {
  const whole = new ByteWriter(1024);
  writeRecord(whole, record);
  if (whole.length <= layout.largePostingsBytes) return false;
  const partCount = Math.ceil(whole.length / layout.largePartBytes);
  const parts = partCount === 1 ? [whole.toBytes()] : splitByImpact(record, partCount);
  const refs = parts.map((bytes) => packer.addApart(bytes));
  largePostings.push(hash.shard, hash.key, record.own.documents.length, refs[0][0], refs.length);
  return true;
}

function splitByImpact({ own }: PostingRecord, partCount: number): Uint8Array[] {
  const order = Uint32Array.from(own.impacts, (_, posting) => posting).sort((a, b) => own.impacts[b] - own.impacts[a] || a - b);
  const size = Math.ceil(order.length / partCount);
  return Array.from({ length: partCount }, (_, part) => {
    const postings = order.slice(part * size, (part + 1) * size).sort();
    const writer = new ByteWriter(postings.length * 2);
    const documents = postings.map((posting) => own.documents[posting]);
    writeRecord(writer, {
      own: { documents, impacts: Uint8Array.from(postings, (posting) => own.impacts[posting]) },
      expansion: NO_POSTINGS,
    });
    return writer.toBytes();
  });
}

export class SectionPacker {
  readonly #blocks: Uint8Array[][] = [];

  /** Begins a block that several sections share. @returns Its number. */
  openBlock(): number {
    return this.#blocks.push([]) - 1;
  }

  addTo(block: number, bytes: Uint8Array): SectionRef {
    const sections = this.#blocks[block];
    if (sections === undefined) throw new RangeError(`Cannot add a section: there is no block ${block}`);
    return [block, sections.push(bytes) - 1, 1];
  }

  /** Adds a section as a block of its own, or several if it is too long for one. */
  addApart(bytes: Uint8Array): SectionRef {
    const first = this.#blocks.length;
    for (let from = 0; from === 0 || from < bytes.length; from += SECTION_PART_BYTES)
      this.addTo(this.openBlock(), bytes.subarray(from, from + SECTION_PART_BYTES));
    return [first, 0, this.#blocks.length - first];
  }

  finish(): { readonly blocks: Uint8Array[]; readonly tables: string[] } {
    const encoded = this.#blocks.map((sections) => encodeBlock(sections, sha256));
    return { blocks: encoded.map(({ bytes }) => bytes), tables: encoded.map(({ table }) => table) };
  }
}

export interface Layout {
  /** There are `2 ** shardBits` shards of terms. */
  readonly shardBits: number;
  /** Number of blocks with shards, a power of two. */
  readonly shardBlocks: number;
  /** Whether the block of the shards also has all other sections for ranking. */
  readonly oneBlock: boolean;
  /** Larger records have blocks of their own. */
  readonly largePostingsBytes: number;
  readonly largePartBytes: number;
  readonly budget: SearchBudget;
  /** Words of a part of divided words of corrections; by default they are whole. */
  readonly spellingWords?: number;
}

const MEBIBYTE = 2 ** 20;

/** Up to this size an index is one block: one read, then it stays in the isolate. */
const ONE_BLOCK_MAX_BYTES = 12 * MEBIBYTE;

/** Up to this size there are eight blocks of shards, so that no query reads more. */
const FEW_BLOCKS_MAX_BYTES = 64 * MEBIBYTE;

/** A query hashes the shards that it reads and the table of sections, which grows with their number: the sum is smallest near this size. */
const SHARD_BYTES = 8 * 1024;

/** Bounded because the head, which is part of a deploy, lists every shard. */
const SHARD_BITS_MAX = 12;

/** Up to this size of its lists browsers read an index whole: a first query would read as many bytes of a divided one. */
const BROWSER_ONE_BLOCK_MAX_BYTES = 32 * 1024;

/** Bytes of a block's digests in head and manifest, divided by the terms of a query; words of a part of the spelling, about 12 kB. */
const [BROWSER_BLOCK_BYTES, BROWSER_SPELLING_WORDS] = [32, 1_024];

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
 * @param isForBrowsers Whether browsers read it. A query then reads least where the digests of all blocks have as many bytes as its blocks.
 */
export function chooseLayout(bytes: number, keepsListsWhole: boolean, isForBrowsers = false): Layout {
  const noneLarge = { largePostingsBytes: Number.POSITIVE_INFINITY, largePartBytes: LARGE_PART_BYTES, budget: EXACT_BUDGET };
  const shards = (shardBlocks: number): Pick<Layout, 'shardBits' | 'shardBlocks'> => {
    const shardBits = Math.ceil(Math.log2(Math.max(1, bytes / SHARD_BYTES)));
    return { shardBlocks, shardBits: Math.min(SHARD_BITS_MAX, Math.max(Math.log2(shardBlocks), shardBits)) };
  };
  if (isForBrowsers && bytes > BROWSER_ONE_BLOCK_MAX_BYTES) {
    const blocks = 2 ** Math.min(SHARD_BITS_MAX, Math.round(Math.log2(bytes / BROWSER_BLOCK_BYTES) / 2));
    return { ...shards(blocks), oneBlock: false, ...noneLarge, spellingWords: BROWSER_SPELLING_WORDS };
  }
  if (bytes <= ONE_BLOCK_MAX_BYTES) return { ...shards(1), oneBlock: true, ...noneLarge };
  if (bytes <= FEW_BLOCKS_MAX_BYTES) return { ...shards(8), oneBlock: false, ...noneLarge };
  if (keepsListsWhole) return { ...shards(64), oneBlock: false, ...noneLarge, budget: WHOLE_LISTS_BUDGET };
  return { ...shards(1024), oneBlock: false, largePostingsBytes: 24 * 1024, largePartBytes: LARGE_PART_BYTES, budget: PRUNED_BUDGET };
}
