import type { TextRange } from './types.ts';

const PLAIN_WORD = /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+$/u;

/**
 * One part of a camelCase or letters-and-digits name, letters with the marks and joiners that follow them. An acronym ends
 * before the capital of the next part (`HTTPServer`: `HTTP`, `Server`) and keeps its plural (`APIs`).
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

/**
 * The parts of a name as camelCase, `_`, and changes between letters and digits divide it: `getURLs_v2` gives `get`,
 * `URLs`, `v`, `2`.
 *
 * @returns Ranges in `name`, ascending, without overlap; a single range when there is nothing to divide.
 */
export function splitIdentifier(name: string): TextRange[] {
  if (PLAIN_WORD.test(name)) return [{ start: 0, end: name.length }];
  const parts: TextRange[] = [];
  for (const match of name.matchAll(PART)) {
    parts.push({ start: match.index, end: match.index + match[0].length });
  }
  return parts;
}
