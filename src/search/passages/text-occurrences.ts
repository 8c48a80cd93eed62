import { analyse } from '../analysis/analyse.ts';
import type { Hit } from './analysed-text.ts';

/** Numbers that are kept of each token. */
const FIELDS = 4;

const NONE = new Uint32Array();

/** Where every term of a text stands: what analysing all of it finds, looked up instead of looked for. */
export class TextOccurrences {
  /** Of each token: its start and end, and those of the word that it is a part of. */
  readonly #tokens: Uint32Array;
  /** Places of the different terms in {@link #starts}. Lists in one array: a list of its own for each takes several times as much memory. */
  readonly #places = new Map<string, number>();
  /** Where the tokens of each term begin in {@link #ofTerms}, and where the last one's end. */
  readonly #starts: Uint32Array;
  /** Numbers of the tokens of the first term, ascending, then of the next. */
  readonly #ofTerms: Uint32Array;

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
      const place = this.#places.get(term) ?? counts.length;
      if (place === counts.length) this.#places.set(term, place);
      counts[place] = (counts[place] ?? 0) + 1;
      return place;
    });
    this.#starts = new Uint32Array(counts.length + 1);
    for (const [place, count] of counts.entries()) this.#starts[place + 1] = (this.#starts[place] ?? 0) + count;
    this.#ofTerms = new Uint32Array(tokens.length);
    const next = this.#starts.slice();
    for (const [token, place] of termOfToken.entries()) {
      const at = next[place] ?? 0;
      this.#ofTerms[at] = token;
      next[place] = at + 1;
    }
  }

  /**
   * The occurrences of some terms, in the order of {@link analyse}.
   *
   * @param terms Different terms; the place of each is the number of its hits.
   */
  hits(terms: Iterable<string>): Hit[] {
    const lists = Array.from(terms, (name) => this.#tokensOf(name));
    const count = lists.length;
    // Token and term in one number, so that they are put in order without being taken apart.
    const found = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const [term, tokens] of lists.entries()) for (const token of tokens) found[at++] = token * count + term;
    found.sort();
    return Array.from(found, (number) => {
      const token = Math.floor(number / count);
      return {
        term: number - token * count,
        start: this.#field(token, 0),
        end: this.#field(token, 1),
        wordStart: this.#field(token, 2),
        wordEnd: this.#field(token, 3),
      };
    });
  }

  #tokensOf(term: string): Uint32Array {
    const place = this.#places.get(term);
    return place === undefined ? NONE : this.#ofTerms.subarray(this.#starts[place], this.#starts[place + 1]);
  }

  #field(token: number, field: number): number {
    return this.#tokens[token * FIELDS + field] ?? 0;
  }
}
