import { analyse } from '../analysis/analyse.ts';
import { analyserFor, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import type { TextRange } from '../search-document.ts';

/** An occurrence of a query term in a text. */
export interface Hit extends TextRange {
  /** Position of its term among the distinct terms of the search. */
  readonly term: number;
  /** The word of the hit, which a passage includes or excludes as a whole. */
  readonly wordStart: number;
  readonly wordEnd: number;
}

/** Characters of words: letters, digits, their connectors, and any character beyond ASCII. */
const WORD_CHARACTER = /[A-Za-z0-9_.\u0080-\uffff]/;

/** Characters that folding changes beyond their case. */
const FOLDED = /[_\u0080-\uffff]+/g;

/** Numbers for each token. */
const FIELDS = 4;

/**
 * The occurrences of some terms, in the order of {@link analyse}; text that cannot contain any is not analysed.
 *
 * @param terms Distinct terms and their numbers.
 */
export function findOccurrences(text: string, language: string, terms: ReadonlyMap<string, number>): Hit[] {
  const hits: Hit[] = [];
  for (const range of candidateRanges(text, language, terms.keys()) ?? [{ start: 0, end: text.length }]) {
    let wordStart = range.start;
    let wordEnd = range.start;
    for (const token of analyse(text.slice(range.start, range.end), language)) {
      const start = range.start + token.start;
      const end = range.start + token.end;
      if (end > wordEnd) [wordStart, wordEnd] = [start, end];
      const term = terms.get(token.term);
      if (term !== undefined) hits.push({ term, start, end, wordStart, wordEnd });
    }
  }
  return hits;
}

/**
 * The ranges of a text that may contain some terms, ascending: in English and in languages without rules a word starts with its term except
 * the last letter. A range gives the same tokens alone as within the text.
 *
 * @see Porter, An algorithm for suffix stripping (1980): no rule changes a letter before the last one of its stem.
 * @returns `undefined` for other languages, whose whole text is analysed.
 */
function candidateRanges(text: string, language: string, terms: Iterable<string>): TextRange[] | undefined {
  const analyser = analyserFor(language);
  const lower = text.toLowerCase();
  if ((analyser !== 'en' && analyser !== UNKNOWN_ANALYSER) || lower.length !== text.length) return undefined;
  const places = new Set<number>();
  for (const prefix of new Set([...terms].map((term) => term.slice(0, Math.max(1, term.length - 1))))) {
    for (let at = lower.indexOf(prefix); at >= 0; at = lower.indexOf(prefix, at + 1)) places.add(at);
  }
  for (const { index } of text.matchAll(FOLDED)) places.add(index);
  const ranges: TextRange[] = [];
  let last = 0;
  for (const place of Uint32Array.from(places).sort()) {
    if (place < last) continue;
    let start = place;
    let end = place + 1;
    while (start > last && WORD_CHARACTER.test(text.charAt(start - 1))) start--;
    while (end < text.length && WORD_CHARACTER.test(text.charAt(end))) end++;
    ranges.push({ start, end });
    last = end;
  }
  return ranges;
}

/** An inverted index of one text, with the same hits as {@link findOccurrences}. */
export class TextOccurrences {
  /** For each token: its start and end, and those of its word. */
  readonly #tokens: Uint32Array;
  /** Positions of the distinct terms in {@link #starts}. One array for all lists takes a fraction of the memory of many. */
  readonly #positions = new Map<string, number>();
  /** Start of the tokens of each term in {@link #tokensByTerm}, and their end. */
  readonly #starts: Uint32Array;
  /** Numbers of tokens by term, ascending. */
  readonly #tokensByTerm: Uint32Array;

  /** @param language BCP 47 tag. */
  constructor(text: string, language: string) {
    const tokens = analyse(text, language);
    this.#tokens = new Uint32Array(tokens.length * FIELDS);
    const counts: number[] = [];
    let wordStart = 0;
    let wordEnd = 0;
    const termOfToken = Uint32Array.from(tokens, ({ term, start, end }, number) => {
      if (end > wordEnd) [wordStart, wordEnd] = [start, end];
      this.#tokens.set([start, end, wordStart, wordEnd], number * FIELDS);
      const position = this.#positions.get(term) ?? counts.push(0) - 1;
      this.#positions.set(term, position);
      counts[position] += 1;
      return position;
    });
    this.#starts = new Uint32Array(counts.length + 1);
    for (const [position, count] of counts.entries()) this.#starts[position + 1] = this.#starts[position] + count;
    this.#tokensByTerm = new Uint32Array(tokens.length);
    const next = this.#starts.slice();
    for (const [token, position] of termOfToken.entries()) this.#tokensByTerm[next[position]++] = token;
  }

  /**
   * The occurrences of some terms, in the order of {@link analyse}.
   *
   * @param terms Distinct terms; the position of each is the number of its hits.
   */
  hits(terms: Iterable<string>): Hit[] {
    const lists = Array.from(terms, (term) => this.#tokensOf(term));
    const count = lists.length;
    // Token and term as one number, which sorts faster.
    const found = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const [term, tokens] of lists.entries()) for (const token of tokens) found[at++] = token * count + term;
    found.sort();
    return Array.from(found, (number) => {
      const token = Math.floor(number / count);
      const [start, end, wordStart, wordEnd] = this.#tokens.subarray(token * FIELDS, (token + 1) * FIELDS);
      return { term: number - token * count, start, end, wordStart, wordEnd };
    });
  }

  #tokensOf(term: string): Uint32Array {
    const position = this.#positions.get(term);
    return position === undefined ? new Uint32Array() : this.#tokensByTerm.subarray(this.#starts[position], this.#starts[position + 1]);
  }
}
