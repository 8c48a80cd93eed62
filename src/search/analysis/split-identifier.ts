import type { TextRange } from '../search-document.ts';
import { isAscii } from './tokenise.ts';

const PLAIN_WORD = /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+$/u;

/**
 * One part of a camelCase or letters-and-digits name, letters with the marks and joiners that follow them. An acronym ends before the
 * capital of the next part (`HTTPServer`: `HTTP`, `Server`) and keeps its plural (`APIs`).
 */
const PART = new RegExp(
  [
    String.raw`(?:\p{Lu}J*){2,}s(?![\p{L}\p{N}])`,
    String.raw`(?:\p{Lu}J*)+(?!\p{Ll}|J)`,
    String.raw`(?:\p{Lu}J*)?(?:[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]J*)+`,
    String.raw`(?:\p{N}J*)+`,
  ]
    .join('|')
    .replaceAll('J', String.raw`[\p{M}\u00ad\u200c\u200d]`),
  'gu',
);

/** What the same rules come to in plain English letters: engines take milliseconds to prepare the tables of the others. */
const ASCII_PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const ASCII_PART = /[A-Z]{2,}s(?![A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/**
 * The parts of a name as camelCase, `_`, and changes between letters and digits divide it: `getURLs_v2` gives `get`, `URLs`, `v`, `2`.
 *
 * @returns Ranges in `name`, ascending, without overlap; a single range when there is nothing to divide.
 */
export function splitIdentifier(name: string): TextRange[] {
  const ascii = isAscii(name);
  if ((ascii ? ASCII_PLAIN_WORD : PLAIN_WORD).test(name)) return [{ start: 0, end: name.length }];
  const parts: TextRange[] = [];
  for (const match of name.matchAll(ascii ? ASCII_PART : PART)) {
    parts.push({ start: match.index, end: match.index + match[0].length });
  }
  return parts;
}
