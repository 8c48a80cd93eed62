import { analyse } from './analyse.ts';
import type { Hit } from './analysed-text.ts';

/** Numbers that are kept of each token. */
const FIELDS = 4;

/** Where every term of a text stands: what analysing all of it finds, looked up instead of looked for. */
export class TextOccurrences {
  /** Of each token: its start and end, and those of the word that it is a part of. */
  readonly #tokens: Uint32Array;
  /** Numbers of the tokens of each term, ascending. */
  readonly #byTerm = new Map<string, number[]>();

  /** @param language BCP 47 tag. */
  constructor(text: string, language: string) {
    const tokens = analyse(text, language);
    this.#tokens = new Uint32Array(tokens.length * FIELDS);
    let wordStart = 0;
    let wordEnd = 0;
    for (const [number, { term, start, end }] of tokens.entries()) {
      if (end > wordEnd) [wordStart, wordEnd] = [start, end];
      this.#tokens.set([start, end, wordStart, wordEnd], number * FIELDS);
      const same = this.#byTerm.get(term);
      if (same === undefined) this.#byTerm.set(term, [number]);
      else same.push(number);
    }
  }

  /**
   * The occurrences of some terms, in the order of {@link analyse}.
   *
   * @param terms Different terms; the place of each is the number of its hits.
   */
  hits(terms: Iterable<string>): Hit[] {
    const found: { readonly token: number; readonly term: number }[] = [];
    let term = 0;
    for (const name of terms) {
      for (const token of this.#byTerm.get(name) ?? []) found.push({ token, term });
      term += 1;
    }
    found.sort((a, b) => a.token - b.token);
    return found.map(({ token, term }) => ({
      term,
      start: this.#field(token, 0),
      end: this.#field(token, 1),
      wordStart: this.#field(token, 2),
      wordEnd: this.#field(token, 3),
    }));
  }

  #field(token: number, field: number): number {
    return this.#tokens[token * FIELDS + field] ?? 0;
  }
}
