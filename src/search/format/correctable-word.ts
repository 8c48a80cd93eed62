import { isAscii } from '../analysis/tokenise.ts';

const ASCII_LETTERS = /^[a-z]{4,32}$/;
const LETTERS = /^[\p{L}\p{M}]{4,32}$/u;

/**
 * Whether a lower-case word may be a misspelling or the right spelling of one. Names, versions and digests differ by one
 * character on purpose, so it has letters alone; shorter words have too many neighbours, longer ones are data.
 */
export function isCorrectable(word: string): boolean {
  return isAscii(word) ? ASCII_LETTERS.test(word) : LETTERS.test(word);
}
