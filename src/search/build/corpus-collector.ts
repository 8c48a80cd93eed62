import { DOCUMENTS_MAX } from '../format/term-shard.ts';
import { SEARCH_FIELDS } from '../search-document.ts';
import type { AnalysedBatch } from './analyse-batch.ts';
import { GrowingArray } from './growing-array.ts';

/** The terms of every document, document after document: impacts are computed from them once the averages are known. */
export interface CollectedCorpus {
  readonly documentCount: number;
  /** Distinct terms; a term number is a position here. */
  readonly vocabulary: readonly string[];
  /** At `document * SEARCH_FIELDS.length + field`. */
  readonly fieldLengths: Uint32Array;
  /** Where the postings of each document begin; one entry more than there are documents. */
  readonly documentStarts: Uint32Array;
  /** Term number of each posting. */
  readonly terms: Uint32Array;
  /** Of each posting, read by `unpackFrequency`. */
  readonly frequencies: Uint32Array;
  /** Fingerprints that follow each posting, and how many they are; both empty when the index holds no pairs. */
  readonly followerCounts: Uint8Array;
  readonly followers: Uint8Array;
  /** Correctable words and in how many documents each occurs. */
  readonly words: ReadonlyMap<string, number>;
}

/** Takes analysed batches in the order of the documents and joins their vocabularies. */
export class CorpusCollector {
  readonly #keepsFollowers: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #words = new Map<string, number>();
  readonly #fieldLengths = new GrowingArray(Uint32Array);
  readonly #documentStarts = new GrowingArray(Uint32Array);
  readonly #terms = new GrowingArray(Uint32Array);
  readonly #frequencies = new GrowingArray(Uint32Array);
  readonly #followerCounts = new GrowingArray(Uint8Array);
  readonly #followers = new GrowingArray(Uint8Array);

  /** @param keepsFollowers Whether pairs of neighbouring words will be scored; they cost a byte or two a posting. */
  constructor(keepsFollowers: boolean) {
    this.#keepsFollowers = keepsFollowers;
    this.#documentStarts.push(0);
  }

  get documentCount(): number {
    return this.#documentStarts.length - 1;
  }

  /** @throws {RangeError} If the documents become more than an index can number. */
  add(batch: AnalysedBatch): void {
    const global = Uint32Array.from(batch.vocabulary, (term) => this.#numberOf(term));
    this.#terms.append(batch.terms.map((local) => global[local]));
    this.#frequencies.append(batch.frequencies);
    this.#fieldLengths.append(batch.fieldLengths);
    let start = this.#terms.length - batch.terms.length;
    for (const count of batch.postingCounts) {
      start += count;
      this.#documentStarts.push(start);
    }
    if (this.documentCount > DOCUMENTS_MAX) throw new RangeError(`Cannot index more than ${DOCUMENTS_MAX} documents`);
    if (this.#keepsFollowers) {
      this.#followerCounts.append(batch.followerCounts);
      this.#followers.append(batch.followers);
    }
    batch.words.forEach((word, at) => {
      this.#words.set(word, (this.#words.get(word) ?? 0) + batch.wordCounts[at]);
    });
  }

  /** The collected corpus; nothing may be added afterwards. */
  corpus(): CollectedCorpus {
    const documentCount = this.documentCount;
    const fieldLengths = this.#fieldLengths.values();
    if (fieldLengths.length !== documentCount * SEARCH_FIELDS.length)
      throw new RangeError('Cannot index: a batch does not describe all its documents');
    return {
      documentCount,
      vocabulary: [...this.#numbers.keys()],
      fieldLengths,
      documentStarts: this.#documentStarts.values(),
      terms: this.#terms.values(),
      frequencies: this.#frequencies.values(),
      followerCounts: this.#followerCounts.values(),
      followers: this.#followers.values(),
      words: this.#words,
    };
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
