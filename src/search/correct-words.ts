import type { Token } from './analyse.ts';
import { CORRECTED_WORDS_MAX } from './constants.ts';
import { correctTerm } from './correct-term.ts';
import { findTerm } from './find-term.ts';
import { rangeKey } from './read-query.ts';
import type { SearchIndex } from './types.ts';

/**
 * For the words of a query of which the index knows nothing, neither the whole nor a part in any reading: the number of
 * the term that was probably meant, by the `rangeKey` of the word. Words without a near term are left out.
 */
export function correctWords(index: SearchIndex, readings: readonly Token[][]): Map<string, number> {
  const known = new Set<string>();
  const unknown = new Map<string, Token[]>();
  for (const reading of readings) {
    for (const word of groupByWord(reading)) {
      const [whole] = word;
      if (whole === undefined) continue;
      const key = rangeKey(whole);
      if (word.some(({ term }) => findTerm(index, term) >= 0)) known.add(key);
      else unknown.set(key, [...(unknown.get(key) ?? []), whole]);
    }
  }
  const corrections = new Map<string, number>();
  const words = [...unknown].filter(([key]) => !known.has(key)).slice(0, CORRECTED_WORDS_MAX);
  for (const [key, wholes] of words) {
    const found = wholes.map(({ term }) => correctTerm(index, term)).find((termNumber) => termNumber >= 0);
    if (found !== undefined) corrections.set(key, found);
  }
  return corrections;
}

/** The tokens of each word: the whole, then its parts. */
function groupByWord(tokens: readonly Token[]): Token[][] {
  const words: Token[][] = [];
  let end = -1;
  for (const token of tokens) {
    if (token.start < end) {
      words.at(-1)?.push(token);
      continue;
    }
    words.push([token]);
    end = token.end;
  }
  return words;
}
