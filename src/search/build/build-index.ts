import { ANALYSER_ID } from '../analysis/analyse.ts';
import { analysersFor } from '../analysis/analysers.ts';
import { type ColumnSpec, ColumnsWriter } from '../format/columns.ts';
import { INDEX_FORMAT_VERSION } from '../format/index-block.ts';
import type { IndexHead, SearchBudget, SectionRef } from '../format/index-head.ts';
import { encodeSpelling } from '../format/spelling.ts';
import type { SearchDocument } from '../search-document.ts';
import { type AnalysedBatch, analyseBatch } from './analyse-batch.ts';
import { type CollectedCorpus, CorpusCollector } from './corpus-collector.ts';
import { encodeTerms, SectionPacker } from './encode-terms.ts';
import { joinExpanded } from './expand-documents.ts';
import { chooseLayout, type Layout } from './index-layout.ts';
import { computeImpacts, type InvertedCorpus, invert } from './invert.ts';
import { joinFound, type RefinedDocuments, type RefinementTask, refineDocuments } from './refine-documents.ts';
import { type ComparedCorpus, encodeMutualNeighbours } from './similar-documents.ts';

/** An index: its head is part of a deploy, its blocks are stored. */
export interface EncodedIndex {
  readonly head: IndexHead;
  readonly blocks: readonly Uint8Array[];
}

/** Options of an index. */
export interface BuildOptions {
  readonly columns?: readonly ColumnSpec[];
  /** Whether adjacent words score as pairs; default true. */
  readonly pairs?: boolean;
  /** Whether documents are expanded with terms of their neighbours; default true. */
  readonly expansion?: boolean;
  /** Whether scores are rescored with those of neighbours; default true. */
  readonly neighbours?: boolean;
  /** By default chosen by the size of the index. */
  readonly budget?: SearchBudget;
  /** By default chosen by the size of the index; for tests and tuning. It changes no ranking. */
  readonly layout?: Layout;
}

/**
 * Larger indexes have no pairs, expansion or neighbours, whatever the options: these triple the bytes, and finding neighbours grows faster
 * than the number of documents.
 */
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

/** An index before its documents are refined. */
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
    this.#options = { columns: [], pairs: true, expansion: true, neighbours: true, ...options };
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
      task: expansion || neighbours ? { ...comparedCorpus(corpus, impacts, plain), expansion, neighbours } : undefined,
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
      );
    const packer = new SectionPacker();
    const { shards, largePostings } = encodeTerms(corpus, inverted, expanded, layout, packer);
    const add = (bytes: Uint8Array): SectionRef => (layout.oneBlock ? packer.addTo(0, bytes) : packer.addApart(bytes));
    const least = WORD_MIN_DOCUMENTS.find(({ documents }) => corpus.documentCount <= documents)?.least ?? 1;
    const spelling = encodeSpelling(new Map([...corpus.words].filter(([, documents]) => documents >= least)));
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
      spelling: spelling.length > SPELLING_INLINE_MAX_BYTES ? packer.addApart(spelling) : add(spelling),
    };
    const { blocks, tables } = packer.finish();
    return { head: { ...head, blocks: blocks.length, tables }, blocks };
  }
}

/** The part of a corpus that documents are compared by. */
function comparedCorpus(
  { documentCount, documentStarts, terms }: CollectedCorpus,
  impacts: Uint8Array,
  { starts, documents, impacts: ofTerms }: InvertedCorpus,
): ComparedCorpus {
  return { corpus: { documentCount, documentStarts, terms }, impacts, inverted: { starts, documents, impacts: ofTerms } };
}
