import { analyse } from '../analysis/analyse.ts';
import { analyserFor, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import type { TextRange } from '../search-document.ts';

export interface Hit extends TextRange {
  /** Position of its term among the distinct terms of the search. */
  readonly term: number;
}

export interface Occurrences {
  readonly hits: readonly Hit[];
  /** Occurrences of related terms, see {@link areRelated}. None of them is a hit. */
  readonly related: readonly Hit[];
}

/** Words, with the vowel signs of scripts that write these as marks, but no names with digits and no pairs of Chinese characters. */
const WORD = /^[\p{L}\p{M}]{3,}$/u;

/** Terms that begin with so many equal letters may be forms of one word, and are if these are most of the longer one. */
const STEM_MIN_LENGTH = 5;
const STEM_MIN_SHARE = 0.6;

/** The length of the shortest term that is related to others: less in languages with compounds, least with articles and prepositions in words. */
export function relatedMinLength(language: string): number {
  const analyser = analyserFor(language);
  if (analyser === 'ar') return 3;
  return analyser === 'en' || analyser === UNKNOWN_ANALYSER ? STEM_MIN_LENGTH : 4;
}

export function isRelatable(term: string, minLength: number): boolean {
  return term.length >= minLength && WORD.test(term);
}

/**
 * Whether two relatable terms have a word in common: one begins with the other, `signatur` with `sign`, or both with a stem, `popular` and
 * `popularitat`. Where shorter terms are relatable one may also end with the other, as `eisenbahn` with `bahn`.
 */
export function areRelated(a: string, b: string, minLength: number): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let common = 0;
  while (common < short.length && short.charCodeAt(common) === long.charCodeAt(common)) common++;
  if (common === long.length) return false;
  if (common === short.length || (common >= STEM_MIN_LENGTH && common >= STEM_MIN_SHARE * long.length)) return true;
  return minLength < STEM_MIN_LENGTH && long.endsWith(short);
}

/** Where the tokens of some terms are in an array of tokens by term. */
export interface TokenLists {
  /** For each term: start and end of its tokens. Short typed arrays take longer to allocate. */
  readonly hits: readonly number[];
  /** For each related term, none of which is searched for: the number of its term, start and end of its tokens. */
  readonly related: readonly number[];
}

/** The numbers of the terms of a search. */
interface NumberedTerms {
  readonly terms: readonly string[];
  /** Terms that were numbered then: later ones may be among those of the search. */
  readonly size: number;
  /** -1 for a term that no text has. */
  readonly own: readonly number[];
  /** For each related term: the position of its term in the search, and its number. */
  readonly related: readonly number[];
}

interface NumberedTerm {
  readonly term: string;
  readonly number: number;
}

/** Terms of searches whose related terms are kept. */
const RELATED_TERMS_MAX = 4_000;

/** Numbers for the terms of texts: a search resolves its terms once, and finds them in each text by their numbers. */
class TermNumbers {
  readonly #relatedMinLength: number;
  readonly #numbers = new Map<string, number>();
  /** The terms that may be related to others, by what they begin with, and by what they end with. */
  readonly #beginnings = new Map<string, NumberedTerm[]>();
  readonly #endings = new Map<string, NumberedTerm[]>();
  /** The terms that are related to a term, of so many that begin or end alike: half of the time of a quote in German and Arabic. */
  readonly #related = new Map<string, { readonly alike: number; readonly numbers: readonly number[] }>();
  #resolved: NumberedTerms | undefined;

  constructor(relatedMinLength: number) {
    this.#relatedMinLength = relatedMinLength;
  }

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    if (isRelatable(term, this.#relatedMinLength)) {
      add(this.#beginnings, term.slice(0, this.#relatedMinLength), { term, number });
      if (this.#relatedMinLength < STEM_MIN_LENGTH) add(this.#endings, term.slice(-this.#relatedMinLength), { term, number });
    }
    return number;
  }

  /** Many texts are searched for the same terms, one after the other. */
  resolve(terms: readonly string[]): NumberedTerms {
    if (this.#resolved?.terms === terms && this.#resolved.size === this.size) return this.#resolved;
    const own = terms.map((term) => this.#numbers.get(term) ?? -1);
    const related: number[] = [];
    for (let position = 0; position < terms.length; position++)
      for (const number of this.#relatedTo(terms[position])) if (!own.includes(number)) related.push(position, number);
    this.#resolved = { terms, size: this.size, own, related };
    return this.#resolved;
  }

  #relatedTo(term: string): readonly number[] {
    const beginning = term.slice(0, this.#relatedMinLength);
    const begin = this.#beginnings.get(beginning) ?? [];
    const end = this.#endings.get(term.slice(-this.#relatedMinLength)) ?? [];
    const alike = begin.length + end.length;
    const known = this.#related.get(term);
    if (alike === 0 || known?.alike === alike) return known?.numbers ?? [];
    const all = isRelatable(term, this.#relatedMinLength) ? [...begin, ...end.filter((other) => !other.term.startsWith(beginning))] : [];
    const numbers = all.filter((other) => areRelated(other.term, term, this.#relatedMinLength)).map(({ number }) => number);
    if (this.#related.size >= RELATED_TERMS_MAX) this.#related.clear();
    this.#related.set(term, { alike, numbers });
    return numbers;
  }
}

function add(lists: Map<string, NumberedTerm[]>, key: string, term: NumberedTerm): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [term]);
  else list.push(term);
}

/** Terms that are numbered together: of some hundred texts, in a few megabytes. Texts that come later get numbers of their own. */
const NUMBERED_MAX = 50_000;

/** By the length of the shortest term that is related to others. */
const numbered = new Map<number, TermNumbers>();

function termNumbers(relatedMinLength: number): TermNumbers {
  const known = numbered.get(relatedMinLength);
  if (known !== undefined && known.size <= NUMBERED_MAX) return known;
  const terms = new TermNumbers(relatedMinLength);
  numbered.set(relatedMinLength, terms);
  return terms;
}

/** A text is searched for the same terms more than once in succession. */
let lastLists: { readonly of: TextOccurrences; readonly numbers: NumberedTerms; readonly lists: TokenLists } | undefined;

/** An inverted index of one text, with the same hits as `findOccurrences`. */
export class TextOccurrences {
  /** Start and end of each token, in the order of {@link analyse}. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Numbers of tokens by term, ascending. One array for all lists takes a fraction of the memory of many. */
  readonly tokensByTerm: Uint32Array;
  readonly #terms: TermNumbers;
  /** The position of each term among those of the text, by the number of the term. */
  readonly #positions = new Map<number, number>();
  /** Start of the tokens of each term in {@link tokensByTerm}, and their end. */
  readonly #firsts: Uint32Array;

  constructor(text: string, language: string) {
    this.#terms = termNumbers(relatedMinLength(language));
    const tokens = analyse(text, language);
    this.starts = Uint32Array.from(tokens, ({ start }) => start);
    this.ends = Uint32Array.from(tokens, ({ end }) => end);
    const counts: number[] = [];
    const termOfToken = Uint32Array.from(tokens, ({ term }) => {
      const number = this.#terms.numberOf(term);
      const position = this.#positions.get(number) ?? counts.push(0) - 1;
      this.#positions.set(number, position);
      counts[position] += 1;
      return position;
    });
    this.#firsts = new Uint32Array(counts.length + 1);
    for (const [position, count] of counts.entries()) this.#firsts[position + 1] = this.#firsts[position] + count;
    this.tokensByTerm = new Uint32Array(tokens.length);
    const next = this.#firsts.slice();
    for (const [token, position] of termOfToken.entries()) this.tokensByTerm[next[position]++] = token;
  }

  lists(terms: readonly string[]): TokenLists {
    const numbers = this.#terms.resolve(terms);
    if (lastLists?.of === this && lastLists.numbers === numbers) return lastLists.lists;
    const hits: number[] = [];
    const related: number[] = [];
    for (const number of numbers.own) {
      const position = this.#positions.get(number);
      if (position === undefined) hits.push(0, 0);
      else hits.push(this.#firsts[position], this.#firsts[position + 1]);
    }
    for (let at = 0; at < numbers.related.length; at += 2) {
      const position = this.#positions.get(numbers.related[at + 1]);
      if (position !== undefined) related.push(numbers.related[at], this.#firsts[position], this.#firsts[position + 1]);
    }
    lastLists = { of: this, numbers, lists: { hits, related } };
    return lastLists.lists;
  }

  /** The occurrences of some distinct terms, in the order of {@link analyse}; hits have the position of their term. */
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
