import type { TextRange } from '../search-document.ts';
import { analyserFor } from './analysers.ts';
import { cutWhole, TERM_MAX_LENGTH } from './fold-word.ts';
import { foldFor, normaliseToken } from './normalise-token.ts';
import { isAscii, tokenise } from './tokenise.ts';

/** Identifies the analysis in every index; it changes when the same text may give other terms. */
export const ANALYSER_ID = 'fold-identifiers-porter-snowball-bigrams/3';

/** A term and its surface form: `text.slice(start, end)`. */
export interface Token extends TextRange {
  readonly term: string;
}

/** Shorter parts ("2" of "v2") mean nothing alone. In UTF-16 code units. */
const PART_MIN_LENGTH = 2;

/**
 * The terms of a text in order, without stop words; offsets are those of `text` itself.
 *
 * A compound name gives its whole first and then its parts: `fetchUser` gives `fetchus`, `fetch`, `user`; `os.path` gives `os.path`, `os`,
 * `path`. Scripts without spaces give overlapping bigrams. No other tokens overlap; they ascend by `start`. Never throws.
 *
 * @param language BCP 47 tag. English (Porter, 1980) and the languages of `STEMMERS` (Snowball) are stemmed and have stop words; others are
 * only folded.
 * @param enough The rest of the text is left out after the word that gives the token with this number.
 */
export function analyse(text: string, language: string, enough = Number.POSITIVE_INFINITY): Token[] {
  const analyser = analyserFor(language);
  const tokens: Token[] = [];
  for (const { start, end } of tokenise(text)) {
    if (tokens.length >= enough) break;
    const word = text.slice(start, end);
    if (!word.includes('.')) {
      pushName(tokens, word, start, analyser);
      continue;
    }
    const names = word.split('.');
    tokens.push({ term: cutWhole(names.map((name) => foldFor(name, analyser)).join('.'), TERM_MAX_LENGTH), start, end });
    let nameStart = start;
    for (const name of names) {
      if (name.length >= PART_MIN_LENGTH) pushName(tokens, name, nameStart, analyser);
      nameStart += name.length + 1;
    }
  }
  return tokens;
}

function pushName(tokens: Token[], name: string, offset: number, analyser: string): void {
  pushTerm(tokens, name, offset, analyser);
  const parts = splitIdentifier(name);
  if (parts.length < 2) return;
  for (const { start, end } of parts) {
    if (end - start >= PART_MIN_LENGTH) pushTerm(tokens, name.slice(start, end), offset + start, analyser);
  }
}

function pushTerm(tokens: Token[], surface: string, start: number, analyser: string): void {
  const term = normaliseToken(surface, analyser);
  if (term !== '') tokens.push({ term, start, end: start + surface.length });
}

const PLAIN_WORD = /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+$/u;

/**
 * One part of a name in camelCase or of letters and digits, with the marks and joiners of its letters. An acronym ends before the capital of
 * the next part (`HTTPServer`: `HTTP`, `Server`) and keeps its plural (`APIs`).
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

/** The same rules for ASCII: engines take milliseconds to prepare the Unicode tables. */
const ASCII_PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const ASCII_PART = /[A-Z]{2,}s(?![A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/**
 * The parts of a name, divided by camelCase, `_`, and between letters and digits: `getURLs_v2` gives `get`, `URLs`, `v`, `2`. At least one,
 * ascending, without overlap.
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
