import { analyse } from '../analysis/analyse.ts';
import { isCorrectable } from '../format/spelling.ts';
import { fingerprint, hashTerm } from '../format/term-hash.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';

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
  /** Of each posting, read by {@link unpackFrequency}. */
  readonly frequencies: Uint32Array;
  /** How many distinct followers each posting has. */
  readonly followerCounts: Uint8Array;
  /** Their fingerprints, posting after posting. */
  readonly followers: Uint8Array;
  /** Correctable words and in how many documents of the batch each occurs. */
  readonly words: readonly string[];
  readonly wordCounts: Uint32Array;
}

/** Bits for the occurrences of a term in each field, in the order of `SEARCH_FIELDS`; together 32. Further occurrences do not count. */
const FIELD_BITS = [5, 6, 5, 8, 8] as const;
const FIELD_SHIFTS = FIELD_BITS.map((_, field) => FIELD_BITS.slice(0, field).reduce((sum: number, bits) => sum + bits, 0));

/** Most distinct followers that are kept of one posting. */
const FOLLOWERS_MAX = 24;

/** Analyses documents: the slow part of a build. */
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
      const distinct = new Set(Array.from(occurrences.followers, (follower) => fingerprints[numberOf(follower)]));
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

/** The buffers of a batch, to transfer it to another thread. */
export function batchBuffers(batch: AnalysedBatch): ArrayBufferLike[] {
  const { fieldLengths, postingCounts, terms, frequencies, followerCounts, followers, wordCounts } = batch;
  return [fieldLengths, postingCounts, terms, frequencies, followerCounts, followers, wordCounts].map(({ buffer }) => buffer);
}

/** Occurrences in one field, out of a packed number of {@link AnalysedBatch.frequencies}. */
export function unpackFrequency(packed: number, field: number): number {
  return (packed >>> FIELD_SHIFTS[field]) & (2 ** FIELD_BITS[field] - 1);
}

// In one number, so that a million documents fit into memory while an index is built.
function packFrequencies(frequencies: readonly number[]): number {
  let packed = 0;
  for (let field = 0; field < SEARCH_FIELDS.length; field++) {
    packed |= Math.min(frequencies[field], 2 ** FIELD_BITS[field] - 1) << FIELD_SHIFTS[field];
  }
  return packed >>> 0;
}

/** Where and how often one term occurs in one document. */
interface TermOccurrences {
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly frequencies: number[];
  /** The terms that follow it somewhere in the document. */
  readonly followers: Set<string>;
  lastPosition: number;
}

interface AnalysedDocument {
  readonly terms: ReadonlyMap<string, TermOccurrences>;
  readonly fieldLengths: readonly number[];
  /** Lower-case words of letters as they stand in the text, and those that names are made of: what a query may misspell. */
  readonly words: ReadonlySet<string>;
}

// A term follows another when it begins at the next place at which a term begins, stop words left out; a whole name and its first part
// share a place. Nothing follows across two headings, tags or fields.
function analyseDocument(document: SearchDocument): AnalysedDocument {
  const terms = new Map<string, TermOccurrences>();
  const words = new Set<string>();
  const fieldLengths = SEARCH_FIELDS.map(() => 0);
  let position = 0;
  SEARCH_FIELDS.forEach((name, field) => {
    for (const text of textsOf(document, name)) {
      let before: TermOccurrences[] = [];
      let here: TermOccurrences[] = [];
      let start = -1;
      position++;
      for (const token of analyse(text, document.language)) {
        if (token.start !== start) {
          [before, here, start] = [here, [], token.start];
          position++;
        }
        const word = text.slice(token.start, token.end).toLowerCase();
        if (!words.has(word) && isCorrectable(word)) words.add(word);
        const occurrences = occurrencesOf(terms, token.term);
        here.push(occurrences);
        for (const { followers } of before) followers.add(token.term);
        // A name and its only long part can have one term at one place: that is one occurrence.
        if (occurrences.lastPosition === position) continue;
        occurrences.lastPosition = position;
        occurrences.frequencies[field] += 1;
        fieldLengths[field] += 1;
      }
    }
  });
  return { terms, fieldLengths, words };
}

function textsOf(document: SearchDocument, field: SearchField): readonly string[] {
  const value = document[field];
  return typeof value === 'string' ? [value] : value;
}

function occurrencesOf(terms: Map<string, TermOccurrences>, term: string): TermOccurrences {
  let occurrences = terms.get(term);
  if (occurrences === undefined) {
    occurrences = { frequencies: SEARCH_FIELDS.map(() => 0), followers: new Set(), lastPosition: -1 };
    terms.set(term, occurrences);
  }
  return occurrences;
}
