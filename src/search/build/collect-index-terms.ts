import { lengthScale, quantizeImpact, saturate } from '../bm25.ts';
import { concatenated } from '../format/index-block.ts';
import { DOCUMENTS_MAX } from '../format/postings.ts';
import { FIELD_WEIGHTS, TITLE_SCORE_WEIGHT } from '../ranking-parameters.ts';
import { SEARCH_FIELDS } from '../search-document.ts';
import { type AnalysedBatch, unpackFrequency } from './analyse-batch.ts';

/** Names of more documents, such as the heading "Examples", identify none of them, and are not indexed. */
export const NAME_DOCUMENTS_MAX = 64;

/** The terms of all documents, document by document; impacts are computed from them once the averages are known. */
export interface CollectedCorpus {
  readonly documentCount: number;
  readonly vocabulary: readonly string[];
  /** At `document * SEARCH_FIELDS.length + field`. */
  readonly fieldLengths: Uint32Array;
  /** Start of the postings of each document, and their end. */
  readonly documentStarts: Uint32Array;
  /** Term number of each posting. */
  readonly terms: Uint32Array;
  /** Packed frequencies of each posting, for `unpackFrequency`. */
  readonly frequencies: Uint32Array;
  /** Number of followers of each posting, and their fingerprints; both empty in an index without pairs. */
  readonly followerCounts: Uint8Array;
  readonly followers: Uint8Array;
  /** Documents of each name, and their impacts, ascending by document. */
  readonly names: ReadonlyMap<string, NamePostings>;
  /** Expansions that documents state: their start for each document, and their end; terms; impacts before they are weighted. */
  readonly stated: { readonly starts: Uint32Array; readonly terms: Uint32Array; readonly impacts: Uint8Array };
  readonly words: ReadonlyMap<string, number>;
}

export interface NamePostings {
  readonly documents: number[];
  readonly impacts: number[];
}

type NameMember = 'names' | 'nameCounts' | 'nameNumbers' | 'nameImpacts';

type CollectedBatch = Omit<AnalysedBatch, NameMember | 'vocabulary' | 'words' | 'wordCounts'>;

/** Collects analysed batches in the order of the documents and joins their vocabularies. */
export class CorpusCollector {
  readonly #keepsFollowers: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<string, NamePostings>();
  readonly #words = new Map<string, number>();
  #batches: CollectedBatch[] = [];
  #documentCount = 0;

  /** @param keepsFollowers Whether pairs are scored; followers take a byte or two for each posting. */
  constructor(keepsFollowers: boolean) {
    this.#keepsFollowers = keepsFollowers;
  }

  /** @throws {RangeError} If an index cannot number all documents. */
  add({ vocabulary, terms, statedTerms, words, wordCounts, ...batch }: AnalysedBatch): void {
    this.#addNames(batch, this.#documentCount);
    this.#documentCount += batch.postingCounts.length;
    if (this.#documentCount > DOCUMENTS_MAX) throw new RangeError(`Cannot index more than ${DOCUMENTS_MAX} documents`);
    const global = Uint32Array.from(vocabulary, (term) => this.#numberOf(term));
    const { fieldLengths, postingCounts, frequencies, statedCounts, statedImpacts } = batch;
    this.#batches.push({
      ...{ fieldLengths, postingCounts, frequencies, statedCounts, statedImpacts },
      terms: terms.map((local) => global[local]),
      statedTerms: statedTerms.map((local) => global[local]),
      followerCounts: this.#keepsFollowers ? batch.followerCounts : new Uint8Array(),
      followers: this.#keepsFollowers ? batch.followers : new Uint8Array(),
    });
    words.forEach((word, at) => {
      this.#words.set(word, (this.#words.get(word) ?? 0) + wordCounts[at]);
    });
  }

  /** The collected corpus; batches cannot be added afterwards. */
  corpus(): CollectedCorpus {
    const batches = this.#batches;
    this.#batches = [];
    const fieldLengths = concatenated(Uint32Array, batches, (batch) => batch.fieldLengths);
    if (fieldLengths.length !== this.#documentCount * SEARCH_FIELDS.length)
      throw new RangeError('Cannot index: a batch does not describe all its documents');
    return {
      documentCount: this.#documentCount,
      vocabulary: [...this.#numbers.keys()],
      fieldLengths,
      documentStarts: startsOf(concatenated(Uint32Array, batches, ({ postingCounts }) => postingCounts)),
      terms: concatenated(Uint32Array, batches, ({ terms }) => terms),
      frequencies: concatenated(Uint32Array, batches, ({ frequencies }) => frequencies),
      followerCounts: concatenated(Uint8Array, batches, ({ followerCounts }) => followerCounts),
      followers: concatenated(Uint8Array, batches, ({ followers }) => followers),
      names: this.#names,
      stated: {
        starts: startsOf(concatenated(Uint32Array, batches, ({ statedCounts }) => statedCounts)),
        terms: concatenated(Uint32Array, batches, ({ statedTerms }) => statedTerms),
        impacts: concatenated(Uint8Array, batches, ({ statedImpacts }) => statedImpacts),
      },
      words: this.#words,
    };
  }

  #addNames({ names, nameCounts, nameNumbers, nameImpacts }: Pick<AnalysedBatch, NameMember>, firstDocument: number): void {
    let at = 0;
    nameCounts.forEach((count, number) => {
      for (const end = at + count; at < end; at++) {
        const name = names[nameNumbers[at]];
        const postings = this.#names.get(name) ?? { documents: [], impacts: [] };
        if (postings.documents.length === 0) this.#names.set(name, postings);
        // Beyond the bound only the number of documents counts.
        if (postings.documents.length <= NAME_DOCUMENTS_MAX) {
          postings.documents.push(firstDocument + number);
          postings.impacts.push(nameImpacts[at]);
        }
      }
    });
  }

  #numberOf(term: string): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(term, number);
    }
    return number;
  }
}

function startsOf(lengths: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (const [at, length] of lengths.entries()) starts[at + 1] = starts[at] + length;
  return starts;
}

const FIELD_COUNT = SEARCH_FIELDS.length;
const TITLE = SEARCH_FIELDS.indexOf('title');
const WEIGHTS = SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field]);

/** Average lengths are rounded to powers of this, so that a small change of the corpus does not change all impacts. */
const AVERAGE_STEP = 2 ** (1 / 8);

/** The quantized impact of every posting of a corpus: BM25F without the inverse document frequency, which scoring multiplies in. */
export function computeImpacts(corpus: CollectedCorpus): Uint8Array {
  const averages = SEARCH_FIELDS.map(
    (_, field) => AVERAGE_STEP ** Math.round(Math.log(averageLength(corpus, field)) / Math.log(AVERAGE_STEP)),
  );
  const impacts = new Uint8Array(corpus.terms.length);
  const scales = new Float64Array(FIELD_COUNT);
  for (let document = 0; document < corpus.documentCount; document++) {
    for (let field = 0; field < FIELD_COUNT; field++) {
      scales[field] = lengthScale(corpus.fieldLengths[document * FIELD_COUNT + field], averages[field]);
    }
    const end = corpus.documentStarts[document + 1];
    for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
      impacts[posting] = quantizeImpact(impactOf(corpus.frequencies[posting], scales), corpus.documentCount);
    }
  }
  return impacts;
}

function impactOf(frequencies: number, scales: Float64Array): number {
  let weighted = 0;
  for (let field = 0; field < FIELD_COUNT; field++) {
    const occurrences = unpackFrequency(frequencies, field);
    if (occurrences > 0) weighted += occurrences * WEIGHTS[field] * scales[field];
  }
  const inTitle = unpackFrequency(frequencies, TITLE);
  return saturate(weighted) + (inTitle > 0 ? TITLE_SCORE_WEIGHT * saturate(inTitle * scales[TITLE]) : 0);
}

// Over documents with the field: otherwise a field that few documents have would always count as long.
function averageLength({ documentCount, fieldLengths }: CollectedCorpus, field: number): number {
  let sum = 0;
  let count = 0;
  for (let document = 0; document < documentCount; document++) {
    const length = fieldLengths[document * FIELD_COUNT + field];
    sum += length;
    if (length > 0) count++;
  }
  return count === 0 ? 1 : sum / count;
}

/** The postings of a corpus by term, each list ascending by document. */
export interface InvertedCorpus {
  /** Start of the list of each term, and their end. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly impacts: Uint8Array;
  /** Start of the followers of each posting in those of the corpus; empty in an index without pairs. */
  readonly followerStarts: Uint32Array;
  readonly followerCounts: Uint8Array;
}

/** Inverts a corpus. @param impacts Of each posting of the corpus. */
export function invert(corpus: CollectedCorpus, impacts: Uint8Array): InvertedCorpus {
  const starts = startsByTerm(corpus.terms, corpus.vocabulary.length);
  const next = starts.slice();
  const documents = new Uint32Array(corpus.terms.length);
  const inverted = new Uint8Array(corpus.terms.length);
  const followerStarts = new Uint32Array(corpus.followerCounts.length);
  const followerCounts = new Uint8Array(corpus.followerCounts.length);
  let follower = 0;
  for (let document = 0; document < corpus.documentCount; document++) {
    const end = corpus.documentStarts[document + 1];
    for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
      const at = next[corpus.terms[posting]]++;
      documents[at] = document;
      inverted[at] = impacts[posting];
      if (followerCounts.length === 0) continue;
      followerStarts[at] = follower;
      followerCounts[at] = corpus.followerCounts[posting];
      follower += corpus.followerCounts[posting];
    }
  }
  return { starts, documents, impacts: inverted, followerStarts, followerCounts };
}

export function startsByTerm(terms: Uint32Array, termCount: number): Uint32Array {
  const counts = new Uint32Array(termCount);
  for (const term of terms) counts[term] += 1;
  return startsOf(counts);
}
