import type { Token } from '../analysis/analyse.ts';
import { CORRECTED_TERM_WEIGHT, CORRECTED_WORDS_MAX } from '../constants.ts';
import { isCorrectable } from '../format/correctable-word.ts';
import { chooseReadings, rangeKey, readQuery } from './analyse-query.ts';
import { splitTerms } from '../analysis/split-terms.ts';
import type { SearchBudget } from '../format/index-head.ts';
import type { TextRange } from '../search-document.ts';
import type { IndexedTerm, IndexReader } from './index-reader.ts';

/** A term of the index that a query asks for. */
export interface QueryTerm {
  readonly term: string;
  readonly indexed: IndexedTerm;
  /** Where it stands in the query: whole words, or parts of them. */
  readonly places: readonly TextRange[];
  /** Times the query has it; corrected words count less. */
  readonly weight: number;
}

/** Two terms that are neighbours in a query, in this order: positions in the plan's terms. */
export interface QueryPair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** A word of the query that the index does not know, and what it was taken for. */
export interface Correction {
  readonly word: string;
  readonly readAs: string;
}

/** A query as an index understands it. */
export interface QueryPlan {
  /** Distinct, in the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** Distinct, in the order of the query. */
  readonly pairs: readonly QueryPair[];
  readonly corrections: readonly Correction[];
  /** Words of which the index knows nothing and nothing near. */
  readonly unknown: readonly string[];
  /** Words that are not searched for: stop words of the language that the query is written in. */
  readonly ignored: readonly string[];
}

/**
 * What a query asks of an index: its words as each language of the index reads them, unknown words corrected.
 *
 * In an index of several languages a word is read once for each, stemmed differently; a term that several readings give at one
 * place counts once.
 */
export async function planQuery(reader: IndexReader, query: string, budget: SearchBudget): Promise<QueryPlan> {
  const languages = chooseReadings(query, reader.head.readings);
  const readings = readQuery(query, languages);
  const known = await reader.lookUp(
    readings.flat().map(({ term }) => term),
    budget,
  );
  const unknownWords = findUnknownWords(readings, known);
  const corrected = await correctWords(reader, languages, query, unknownWords, budget);
  const builder = new PlanBuilder();
  for (const [at, reading] of readings.entries()) {
    builder.startReading();
    for (const token of reading) {
      const indexed = known.get(token.term);
      if (indexed !== undefined) builder.add(token.term, indexed, 1, token);
      else
        for (const replacement of corrected.get(rangeKey(token))?.terms[at] ?? [])
          builder.add(replacement.term, replacement.indexed, CORRECTED_TERM_WEIGHT, token);
    }
  }
  const words = [...unknownWords].map(([key, { start, end }]) => ({ word: query.slice(start, end), readAs: corrected.get(key)?.readAs }));
  return {
    ...builder.plan(),
    corrections: words.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [{ word, readAs }])),
    unknown: words.filter(({ readAs }) => readAs === undefined).map(({ word }) => word),
    ignored: ignoredWords(query, readings),
  };
}

/** The words of a query of which no reading has a token, distinct. */
function ignoredWords(query: string, readings: readonly Token[][]): string[] {
  const read = new Set(readings.flat().map(({ start }) => start));
  const ignored = splitTerms(query).filter(({ start }) => !read.has(start));
  return [...new Set(ignored.map(({ start, end }) => query.slice(start, end)))];
}

/**
 * The places of a query that may be misspelt, by `rangeKey`, in the order of the query: words that no reading knows; of a name
 * that is unknown, the parts that are, and the whole.
 */
function findUnknownWords(readings: readonly Token[][], known: ReadonlyMap<string, IndexedTerm>): Map<string, TextRange> {
  const knownPlaces = new Set<string>();
  const places = new Map<string, TextRange>();
  for (const reading of readings) {
    for (const word of groupByWord(reading)) {
      const unknown = unknownPlaces(word, known);
      for (const place of [word, ...word.tokens]) {
        if (unknown.includes(place)) places.set(rangeKey(place), place);
        else knownPlaces.add(rangeKey(place));
      }
    }
  }
  for (const key of knownPlaces) places.delete(key);
  // Readings are gone through one after another, and some drop words that others do not know.
  return new Map([...places].sort(([, a], [, b]) => a.start - b.start || b.end - a.end));
}

function unknownPlaces(word: WordTokens, known: ReadonlyMap<string, IndexedTerm>): TextRange[] {
  const [whole, ...parts] = word.tokens;
  if (whole === undefined || whole.end < word.end) return word.tokens.some(({ term }) => known.has(term)) ? [] : [word];
  if (known.has(whole.term)) return [];
  if (parts.length === 0) return [word, whole];
  const unknown = parts.filter(({ term }) => !known.has(term));
  return unknown.length === 0 ? [] : [word, whole, ...unknown];
}

/** A word and its tokens. */
type WordTokens = TextRange & { readonly tokens: readonly Token[] };

/** Tokens that overlap: a name and its parts, or the character pairs of a run without spaces. */
function groupByWord(tokens: readonly Token[]): WordTokens[] {
  const words: { start: number; end: number; tokens: Token[] }[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (last === undefined || token.start >= last.end) words.push({ start: token.start, end: token.end, tokens: [token] });
    else {
      last.end = Math.max(last.end, token.end);
      last.tokens.push(token);
    }
  }
  return words;
}

interface CorrectedWord {
  readonly readAs: string;
  /** What each reading makes of it. */
  readonly terms: readonly { readonly term: string; readonly indexed: IndexedTerm }[][];
}

async function correctWords(
  reader: IndexReader,
  languages: readonly string[],
  query: string,
  unknown: ReadonlyMap<string, TextRange>,
  budget: SearchBudget,
): Promise<Map<string, CorrectedWord>> {
  const corrected = new Map<string, CorrectedWord>();
  const candidates = [...unknown]
    .map(([key, { start, end }]) => ({ key, word: query.slice(start, end).toLowerCase() }))
    .filter(({ word }) => isCorrectable(word))
    .slice(0, CORRECTED_WORDS_MAX);
  if (candidates.length === 0) return corrected;
  const spelling = await reader.spelling();
  const found = candidates.flatMap(({ key, word }) => {
    const readAs = spelling.nearest(word);
    return readAs === undefined ? [] : [{ key, readAs, tokens: readQuery(readAs, languages) }];
  });
  const indexed = await reader.lookUp(
    found.flatMap(({ tokens }) => tokens.flat().map(({ term }) => term)),
    budget,
  );
  for (const { key, readAs, tokens } of found) {
    const terms = tokens.map((reading) =>
      reading.flatMap(({ term }) => {
        const entry = indexed.get(term);
        return entry === undefined ? [] : [{ term, indexed: entry }];
      }),
    );
    if (terms.some((reading) => reading.length > 0)) corrected.set(key, { readAs, terms });
  }
  return corrected;
}

/** A term of which more places may be found. */
interface BuiltTerm extends QueryTerm {
  readonly places: TextRange[];
  weight: number;
}

/** Gathers the terms of a query place by place. */
class PlanBuilder {
  readonly #terms: BuiltTerm[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new Map<string, QueryPair>();
  readonly #counted = new Set<string>();
  #before: { number: number; weight: number }[] = [];
  #here: { number: number; weight: number }[] = [];
  #start = -1;

  startReading(): void {
    [this.#before, this.#here, this.#start] = [[], [], -1];
  }

  add(term: string, indexed: IndexedTerm, weight: number, token: Token): void {
    if (token.start !== this.#start) [this.#before, this.#here, this.#start] = [this.#here, [], token.start];
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#terms.length;
      this.#numbers.set(term, number);
      this.#terms.push({ term, indexed, places: [], weight: 0 });
    }
    this.#here.push({ number, weight });
    // A name and its part can have one term at one place: as in a document, that is one occurrence.
    const place = `${number} ${token.start}`;
    if (!this.#counted.has(place)) {
      const built = this.#terms[number];
      built.weight += weight;
      built.places.push({ start: token.start, end: token.end });
    }
    this.#counted.add(place);
    for (const first of this.#before) {
      const key = `${first.number} ${number}`;
      if (!this.#pairs.has(key)) this.#pairs.set(key, { first: first.number, second: number, weight: first.weight * weight });
    }
  }

  plan(): { terms: readonly QueryTerm[]; pairs: QueryPair[] } {
    return { terms: this.#terms, pairs: [...this.#pairs.values()] };
  }
}
