import { fingerprint, hashTerm } from '../format/term-hash.ts';
import { SEARCH_FIELDS, type SearchDocument } from '../search-document.ts';
import { analyseDocument } from './analyse-document.ts';
import { packFrequencies } from './frequencies.ts';

/** A run of analysed documents in arrays, so that another thread can do the analysis and hand it over without a copy. */
export interface AnalysedBatch {
  /** Distinct terms of the batch; other members name a term by its position here. */
  readonly vocabulary: readonly string[];
  /** Terms in each field: at `document * SEARCH_FIELDS.length + field`. */
  readonly fieldLengths: Uint32Array;
  /** Distinct terms of each document. */
  readonly postingCounts: Uint32Array;
  /** The terms of the documents, one document after another. */
  readonly terms: Uint32Array;
  /** Of each posting, as `packFrequencies` writes them. */
  readonly frequencies: Uint32Array;
  /** How many different followers each posting has. */
  readonly followerCounts: Uint8Array;
  /** Their fingerprints, posting after posting. */
  readonly followers: Uint8Array;
  /** Correctable words and in how many documents of the batch each occurs. */
  readonly words: readonly string[];
  readonly wordCounts: Uint32Array;
}

/** Most different followers that are kept of one posting. */
const FOLLOWERS_MAX = 24;

/** Analyses documents; all that is slow about building is in here. */
export function analyseBatch(documents: readonly SearchDocument[]): AnalysedBatch {
  const numbers = new Map<string, number>();
  const fingerprints: number[] = [];
  const numberOf = (term: string): number => {
    let number = numbers.get(term);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(term, number);
      fingerprints.push(fingerprint(hashTerm(term)));
    }
    return number;
  };
  const terms: number[] = [];
  const frequencies: number[] = [];
  const followerCounts: number[] = [];
  const followers: number[] = [];
  const fieldLengths = new Uint32Array(documents.length * SEARCH_FIELDS.length);
  const postingCounts = new Uint32Array(documents.length);
  const words = new Map<string, number>();
  documents.forEach((document, number) => {
    const analysed = analyseDocument(document);
    fieldLengths.set(analysed.fieldLengths, number * SEARCH_FIELDS.length);
    postingCounts[number] = analysed.terms.size;
    for (const [term, occurrences] of analysed.terms) {
      terms.push(numberOf(term));
      frequencies.push(packFrequencies(occurrences.frequencies));
      const distinct = new Set<number>();
      for (const follower of occurrences.followers) distinct.add(fingerprints[numberOf(follower)]);
      const kept = [...distinct].sort((a, b) => a - b).slice(0, FOLLOWERS_MAX);
      followerCounts.push(kept.length);
      followers.push(...kept);
    }
    for (const word of analysed.words) words.set(word, (words.get(word) ?? 0) + 1);
  });
  return {
    vocabulary: [...numbers.keys()],
    fieldLengths,
    postingCounts,
    terms: Uint32Array.from(terms),
    frequencies: Uint32Array.from(frequencies),
    followerCounts: Uint8Array.from(followerCounts),
    followers: Uint8Array.from(followers),
    words: [...words.keys()],
    wordCounts: Uint32Array.from(words.values()),
  };
}

/** The buffers of a batch, for handing it to another thread. */
export function batchBuffers(batch: AnalysedBatch): ArrayBufferLike[] {
  const { fieldLengths, postingCounts, terms, frequencies, followerCounts, followers, wordCounts } = batch;
  return [fieldLengths, postingCounts, terms, frequencies, followerCounts, followers, wordCounts].map(({ buffer }) => buffer);
}
