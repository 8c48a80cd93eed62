import { foldLetters, foldWord } from '../analysis/fold-word.ts';
import { hashTerm } from '../format/term-hash.ts';
import { COMMON_WORDS_FILTER } from './common-words-filter.ts';

/** Bits of a word in the filter: fewest mistakes for eight bits a word. */
const BITS = 5;

/** Characters of the filter, each for six bits, lowest first. */
export const FILTER_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Bits of a character. */
export const CHARACTER_BITS = 6;

/**
 * Whether a word is common in English or another language, and so not a misspelling of another one: `better` is not `letter`, nor `eine`
 * `line`. One word in about fifty passes for common without being so.
 *
 * @see {@link https://doi.org/10.1145/362686.362692 Bloom, Space/time trade-offs in hash coding with allowable errors (1970)}
 */
export function isCommonWord(word: string): boolean {
  const bits = bitsOf(commonForm(word), COMMON_WORDS_FILTER.length * CHARACTER_BITS);
  return bits.every((bit) => {
    const character = COMMON_WORDS_FILTER.charAt(Math.floor(bit / CHARACTER_BITS));
    return ((FILTER_CHARACTERS.indexOf(character) >> (bit % CHARACTER_BITS)) & 1) === 1;
  });
}

/** The form in which words are compared: lower case, without accents. */
export function commonForm(word: string): string {
  return foldLetters(foldWord(word));
}

/** The bits of a word in a filter of some size. */
export function bitsOf(form: string, size: number): number[] {
  const { shard, key } = hashTerm(form);
  return Array.from({ length: BITS }, (_, number) => (shard + number * (key + 1)) % size);
}
