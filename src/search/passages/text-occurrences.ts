import { analyse } from '../analysis/analyse.ts';
import { analyserFor, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { IRREGULAR_BEGINNINGS } from '../analysis/english.ts';
import type { TextRange } from '../search-document.ts';

/** An occurrence of a query term in a text. */
export interface Hit extends TextRange {
  /** Position of its term among the distinct terms of the search. */
  readonly term: number;
}

/** The occurrences of some terms in a text, each in order. */
export interface Occurrences {
  readonly hits: readonly Hit[];
  /** Occurrences of related terms, of which one begins with the other: `signatur` of `sign`. None of them is a hit. */
  readonly related: readonly Hit[];
}

/** Terms that may have related ones. */
const RELATABLE = /^[a-z]{5,}$/;

/** Least length of related terms. */
const RELATED_MIN_LENGTH = 5;

/** Most letters that a related term has more. */
const RELATED_MAX_ENDING = 4;

function areRelated(a: string, b: string): boolean {
  return a.length !== b.length && Math.abs(a.length - b.length) <= RELATED_MAX_ENDING && (a.startsWith(b) || b.startsWith(a));
}

/** Characters of words and of what joins them: letters, digits, their connectors, symbols of names, and any character beyond ASCII. */
const WORD_CHARACTER = /[A-Za-z0-9_.+#,'\-\u0080-\uffff]/;

/** Characters that folding changes beyond their case. */
const FOLDED = /[_\u0080-\uffff]+/g;

/** Words that analysis joins to one, with a superset of its rules: names with dots, and numbers with divided thousands. */
const JOINED = /(?<=[A-Za-z0-9])\.(?=[A-Za-z0-9])|(?<![A-Za-z0-9])[0-9]{1,3}(?:[ ,'][0-9]{3})+/g;

/**
 * The occurrences of some terms, in the order of {@link analyse}; text that cannot contain any is not analysed.
 *
 * @param terms Distinct terms and their numbers.
 */
export function findOccurrences(text: string, language: string, terms: ReadonlyMap<string, number>): Occurrences {
  const hits: Hit[] = [];
  const related: Hit[] = [];
  const relatable = [...terms.keys()].filter((term) => RELATABLE.test(term));
  for (const range of candidateRanges(text, language, [...terms.keys()], relatable) ?? [{ start: 0, end: text.length }]) {
    for (const token of analyse(text.slice(range.start, range.end), language)) {
      const start = range.start + token.start;
      const end = range.start + token.end;
      const term = terms.get(token.term);
      if (term !== undefined) hits.push({ term, start, end });
      else if (relatable.length > 0 && RELATABLE.test(token.term)) {
        for (const of of relatable) if (areRelated(token.term, of)) related.push({ term: terms.get(of) as number, start, end });
      }
    }
  }
  return { hits, related };
}

/**
 * The ranges of a text that may contain some terms, ascending: in English and in languages without rules a word starts with its term except
 * the last letter, and so does a related one with the first letters; others are looked for as such. A range gives the same tokens alone as
 * within the text.
 *
 * @see Porter, An algorithm for suffix stripping (1980): no rule changes a letter before the last one of its stem.
 * @returns `undefined` for other languages, whose whole text is analysed.
 */
function candidateRanges(text: string, language: string, terms: readonly string[], relatable: readonly string[]): TextRange[] | undefined {
  const analyser = analyserFor(language);
  const lower = text.toLowerCase();
  if ((analyser !== 'en' && analyser !== UNKNOWN_ANALYSER) || lower.length !== text.length) return undefined;
  const places = new Map<number, number>();
  const irregular = IRREGULAR_BEGINNINGS.filter(([, stem]) => terms.includes(stem) || relatable.some((term) => areRelated(stem, term)));
  for (const beginning of new Set([...terms.map(wordBeginning), ...irregular.map(([form]) => form)])) {
    for (let at = lower.indexOf(beginning); at >= 0; at = lower.indexOf(beginning, at + 1)) places.set(at, at + 1);
  }
  for (const { 0: folded, index } of text.matchAll(FOLDED)) places.set(index, index + folded.length);
  for (const { 0: joined, index } of text.matchAll(JOINED)) places.set(index, index + joined.length);
  const ranges: { start: number; end: number }[] = [];
  for (const place of Uint32Array.from(places.keys()).sort()) {
    const last = ranges.at(-1);
    const isWithin = last !== undefined && place < last.end;
    let start = place;
    let end = places.get(place) ?? place + 1;
    if (isWithin && end <= last.end) continue;
    while (!isWithin && start > (last?.end ?? 0) && WORD_CHARACTER.test(text.charAt(start - 1))) start--;
    while (end < text.length && WORD_CHARACTER.test(text.charAt(end))) end++;
    if (isWithin) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** What every word with a term, or with a related one, begins with. */
function wordBeginning(term: string): string {
  if (RELATABLE.test(term)) return term.slice(0, Math.max(RELATED_MIN_LENGTH, term.length - RELATED_MAX_ENDING) - 1);
  return term.slice(0, Math.max(1, term.length - 1));
}

/** What related terms begin with. */
function beginningOf(term: string): string {
  return term.slice(0, RELATED_MIN_LENGTH);
}

/** The beginnings of the terms of a search, which many texts are searched for; empty where a term is related to none. */
const beginningsOf = new WeakMap<readonly string[], readonly string[]>();

function beginningsOfAll(terms: readonly string[]): readonly string[] {
  let beginnings = beginningsOf.get(terms);
  if (beginnings === undefined) {
    beginnings = terms.map((term) => (RELATABLE.test(term) ? beginningOf(term) : ''));
    beginningsOf.set(terms, beginnings);
  }
  return beginnings;
}

/** Where the tokens of some terms are in an array of tokens by term. */
export interface TokenLists {
  /** For each term: start and end of its tokens. */
  readonly hits: Uint32Array;
  /** For each related term, none of which is searched for: the number of its term, start and end of its tokens. */
  readonly related: readonly number[];
}

/** An inverted index of one text, with the same hits as {@link findOccurrences}. */
export class TextOccurrences {
  /** Start and end of each token, in the order of {@link analyse}. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Numbers of tokens by term, ascending. One array for all lists takes a fraction of the memory of many. */
  readonly tokensByTerm: Uint32Array;
  /** Positions of the distinct terms in {@link #firsts}. */
  readonly #positions = new Map<string, number>();
  /** Start of the tokens of each term in {@link tokensByTerm}, and their end. */
  readonly #firsts: Uint32Array;
  /** The terms that may be related to others, and their positions, by what they begin with. */
  readonly #relatable = new Map<string, { readonly term: string; readonly position: number }[]>();

  /** @param language BCP 47 tag. */
  constructor(text: string, language: string) {
    const tokens = analyse(text, language);
    this.starts = Uint32Array.from(tokens, ({ start }) => start);
    this.ends = Uint32Array.from(tokens, ({ end }) => end);
    const counts: number[] = [];
    const termOfToken = Uint32Array.from(tokens, ({ term }) => {
      const position = this.#positions.get(term) ?? counts.push(0) - 1;
      this.#positions.set(term, position);
      counts[position] += 1;
      return position;
    });
    this.#firsts = new Uint32Array(counts.length + 1);
    for (const [position, count] of counts.entries()) this.#firsts[position + 1] = this.#firsts[position] + count;
    this.tokensByTerm = new Uint32Array(tokens.length);
    const next = this.#firsts.slice();
    for (const [token, position] of termOfToken.entries()) this.tokensByTerm[next[position]++] = token;
    for (const [term, position] of this.#positions) {
      if (!RELATABLE.test(term)) continue;
      const alike = this.#relatable.get(beginningOf(term));
      if (alike === undefined) this.#relatable.set(beginningOf(term), [{ term, position }]);
      else alike.push({ term, position });
    }
  }

  /** Where the tokens of some terms are in {@link tokensByTerm}. */
  lists(terms: readonly string[]): TokenLists {
    const hits = new Uint32Array(terms.length * 2);
    const related: number[] = [];
    const beginnings = beginningsOfAll(terms);
    for (let term = 0; term < terms.length; term++) {
      const position = this.#positions.get(terms[term]);
      if (position !== undefined) {
        hits[2 * term] = this.#firsts[position];
        hits[2 * term + 1] = this.#firsts[position + 1];
      }
      const alike = beginnings[term] === '' ? undefined : this.#relatable.get(beginnings[term]);
      if (alike === undefined) continue;
      for (const other of alike) {
        if (!areRelated(other.term, terms[term]) || terms.includes(other.term)) continue;
        related.push(term, this.#firsts[other.position], this.#firsts[other.position + 1]);
      }
    }
    return { hits, related };
  }

  /**
   * The occurrences of some terms, in the order of {@link analyse}.
   *
   * @param terms Distinct terms; the position of each is the number of its hits.
   */
  find(terms: readonly string[]): Occurrences {
    const { hits, related } = this.lists(terms);
    return { hits: this.#inOrder(terms.flatMap((_, term) => [term, hits[2 * term], hits[2 * term + 1]])), related: this.#inOrder(related) };
  }

  /** @param lists Number of a term, start and end of its tokens, of each list. */
  #inOrder(lists: readonly number[]): Hit[] {
    const hits: { token: number; term: number }[] = [];
    for (let list = 0; list < lists.length; list += 3)
      for (const token of this.tokensByTerm.subarray(lists[list + 1], lists[list + 2])) hits.push({ token, term: lists[list] });
    hits.sort((a, b) => a.token - b.token || a.term - b.term);
    return hits.map(({ token, term }) => ({ term, start: this.starts[token], end: this.ends[token] }));
  }
}
