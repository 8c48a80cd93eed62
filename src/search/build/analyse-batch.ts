import { analyse, compoundNames, nameTerm, operatorRanges } from '../analysis/analyse.ts';
import { analyserFor } from '../analysis/analysers.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import { quantizeImpact, saturate } from '../bm25.ts';
import { fingerprint, hashTerm } from '../format/postings.ts';
import { isCorrectable } from '../format/spelling.ts';
import { NAME_IMPACTS } from '../ranking-parameters.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../search-document.ts';

/** Analysed documents as arrays, which another thread can transfer without a copy. */
export interface AnalysedBatch {
  /** Distinct terms of the batch; other members refer to them by position. */
  readonly vocabulary: readonly string[];
  /** Length of each field in terms, at `document * SEARCH_FIELDS.length + field`. */
  readonly fieldLengths: Uint32Array;
  readonly postingCounts: Uint32Array;
  /** The terms of the documents, one document after another. */
  readonly terms: Uint32Array;
  /** Packed frequencies of each posting, for {@link unpackFrequency}. */
  readonly frequencies: Uint32Array;
  readonly followerCounts: Uint8Array;
  /** Fingerprints of the followers, posting by posting. */
  readonly followers: Uint8Array;
  /** Distinct names of the batch, as terms. */
  readonly names: readonly string[];
  /** Names of each document; by position in {@link names}, document by document; and their impacts. */
  readonly nameCounts: Uint32Array;
  readonly nameNumbers: Uint32Array;
  readonly nameImpacts: Uint8Array;
  /** Number of expansions of each document; their terms and saturated weights as impacts, document by document. */
  readonly statedCounts: Uint32Array;
  readonly statedTerms: Uint32Array;
  readonly statedImpacts: Uint8Array;
  /** Correctable words, and their document frequencies in the batch. */
  readonly words: readonly string[];
  readonly wordCounts: Uint32Array;
}

/** Bits for the frequency of a term in each field, in the order of `SEARCH_FIELDS`; 32 in all. Frequencies are capped. */
const FIELD_BITS = [5, 6, 5, 5, 8, 3] as const;
const FIELD_SHIFTS = FIELD_BITS.map((_, field) => FIELD_BITS.slice(0, field).reduce((sum: number, bits) => sum + bits, 0));

const FOLLOWERS_MAX = 24;

/** Analyses documents: the slowest part of a build. */
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
  const names = new Map<string, number>();
  const nameNumbers: number[] = [];
  const nameImpacts: number[] = [];
  const nameCounts = new Uint32Array(documents.length);
  const stated = documents.map(statedTerms);
  documents.forEach((document, number) => {
    const analysed = analyseDocument(document);
    fieldLengths.set(analysed.fieldLengths, number * SEARCH_FIELDS.length);
    postingCounts[number] = analysed.terms.size;
    for (const [term, occurrences] of analysed.terms) {
      terms.push(numberOf(term));
      frequencies.push(packFrequencies(occurrences.frequencies));
      const distinct = new Set(Array.from(occurrences.followers, (follower) => fingerprints[numberOf(follower)]));
      const listed = [...distinct].sort((a, b) => a - b).slice(0, FOLLOWERS_MAX);
      followerCounts.push(listed.length);
      followers.push(...listed);
    }
    for (const [name, impact] of documentNames(document)) {
      const known = names.get(name) ?? names.size;
      names.set(name, known);
      nameNumbers.push(known);
      nameImpacts.push(impact);
      nameCounts[number] += 1;
    }
    for (const word of analysed.words) words.set(word, (words.get(word) ?? 0) + 1);
  });
  const statedNumbers = stated.flatMap((terms) => [...terms.keys()].map(numberOf));
  return {
    vocabulary: [...numbers.keys()],
    fieldLengths,
    postingCounts,
    terms: Uint32Array.from(terms),
    frequencies: Uint32Array.from(frequencies),
    followerCounts: Uint8Array.from(followerCounts),
    followers: Uint8Array.from(followers),
    names: [...names.keys()],
    nameCounts,
    nameNumbers: Uint32Array.from(nameNumbers),
    nameImpacts: Uint8Array.from(nameImpacts),
    statedCounts: Uint32Array.from(stated, ({ size }) => size),
    statedTerms: Uint32Array.from(statedNumbers),
    statedImpacts: Uint8Array.from(stated.flatMap((terms) => [...terms.values()])),
    words: [...words.keys()],
    wordCounts: Uint32Array.from(words.values()),
  };
}

/** The frequency in one field from a number of {@link AnalysedBatch.frequencies}. */
export function unpackFrequency(packed: number, field: number): number {
  return (packed >>> FIELD_SHIFTS[field]) & (2 ** FIELD_BITS[field] - 1);
}

// One number, so that a million documents fit into memory during a build.
function packFrequencies(frequencies: readonly number[]): number {
  let packed = 0;
  for (let field = 0; field < SEARCH_FIELDS.length; field++) {
    packed |= Math.min(frequencies[field], 2 ** FIELD_BITS[field] - 1) << FIELD_SHIFTS[field];
  }
  return packed >>> 0;
}

interface TermOccurrences {
  /** Occurrences in each field, in the order of `SEARCH_FIELDS`. */
  readonly frequencies: number[];
  readonly followers: Set<string>;
  lastPosition: number;
}

// A term follows another if it begins at the next position at which a term begins, without stop words; a name and its first part share a
// position. No term follows across headings, tags or fields.
function analyseDocument(document: SearchDocument) {
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
        // A name and its only long part can give the same term at one position: one occurrence.
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
  const value = document[field] ?? [];
  return typeof value === 'string' ? [value] : value;
}

function statedTerms({ expansions = {}, language }: SearchDocument): Map<string, number> {
  const found = new Map<string, number>();
  for (const [text, weight] of Object.entries(expansions)) {
    const impact = quantizeImpact(saturate(weight), 0);
    for (const { term } of analyse(text, language)) found.set(term, Math.max(impact, found.get(term) ?? 0));
  }
  return found;
}

function occurrencesOf(terms: Map<string, TermOccurrences>, term: string): TermOccurrences {
  let occurrences = terms.get(term);
  if (occurrences === undefined) {
    occurrences = { frequencies: SEARCH_FIELDS.map(() => 0), followers: new Set(), lastPosition: -1 };
    terms.set(term, occurrences);
  }
  return occurrences;
}

const TITLE_WORD = /[\p{L}\p{N}_]+(?:[.:]+[\p{L}\p{N}_]+)*/gu;

/** Words that are names by their form: `JSON`, `fetchUser`, `max_results`, `os.path`, `x402`. */
const CODE_LIKE = /\p{Lu}{2}|\p{Ll}\p{Lu}|[_.:]|\p{L}\p{N}/u;

/** Most names of one document: the first, by impact. */
const NAMES_MAX = 48;

export function documentNames(document: SearchDocument): Map<string, number> {
  const { id, language, title, headings, body, names = [], codes = [], questions = [] } = document;
  const stopWords = stopWordsOf(analyserFor(language));
  const found = new Map<string, number>();
  const add = (name: string, impact: number): void => {
    const term = nameTerm(name, language);
    if (term !== undefined && !found.has(term) && found.size < NAMES_MAX) found.set(term, impact);
  };
  for (const name of [id, title]) add(name, NAME_IMPACTS.title);
  if (title.trimEnd().endsWith(')')) add(title.slice(0, title.lastIndexOf('(')), NAME_IMPACTS.titlePart);
  for (const question of questions) add(question, NAME_IMPACTS.question);
  for (const name of names) add(name, NAME_IMPACTS.defined);
  const words = [...title.matchAll(TITLE_WORD)];
  const subject = words.find(([word]) => !stopWords.has(word.toLowerCase()))?.index ?? 0;
  const impactAt = (start: number): number => (start <= subject ? NAME_IMPACTS.titleStart : NAME_IMPACTS.titleWord);
  for (const { name, start } of compoundNames(title)) add(name, impactAt(start));
  for (const { 0: word, index } of words) if (CODE_LIKE.test(word)) add(word, impactAt(index));
  for (const { start, end } of operatorRanges(title)) add(title.slice(start, end), NAME_IMPACTS.titleWord);
  for (const heading of headings) {
    add(heading, NAME_IMPACTS.heading);
    for (const { start, end } of operatorRanges(heading)) add(heading.slice(start, end), NAME_IMPACTS.heading);
  }
  for (const code of codes) add(code, NAME_IMPACTS.code);
  const compounds = hyphenated(body);
  for (const name of compounds) if (name.split('-').some((part) => stopWords.has(part.toLowerCase()))) add(name, NAME_IMPACTS.compound);
  for (const { start, end } of analyse(title, language)) add(title.slice(start, end), NAME_IMPACTS.titleForm);
  for (const name of [...hyphenated(title), ...compounds]) add(name.replaceAll('-', ''), NAME_IMPACTS.joined);
  return found;
}

const HYPHENATED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu;

function hyphenated(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(HYPHENATED), ([name]) => name));
}
