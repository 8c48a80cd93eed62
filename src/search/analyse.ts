import { cutWhole, foldWord, TERM_MAX_LENGTH } from './fold-word.ts';
import { splitIdentifier } from './split-identifier.ts';
import { splitWords } from './split-words.ts';
import { termOf } from './term-of.ts';
import type { TextRange } from './types.ts';

/** Names the analysis; it changes whenever the same text may give other terms, and encoded indexes carry it. */
export const ANALYSER_ID = 'fold-identifiers-porter-icu/1';

/** A term and the surface form it was taken from: `text.slice(start, end)`. */
export interface Token extends TextRange {
  readonly term: string;
}

/** A part this short ("2" of "v2") says nothing without its whole. In UTF-16 code units. */
const PART_MIN_LENGTH = 2;

/**
 * The terms of a text in the order of the text, without stop words; offsets are those of `text` itself.
 *
 * A name made of parts gives its whole first and then its parts: `fetchUser` gives `fetchus`, `fetch`, `user`;
 * `os.path` gives `os.path`, `os`, `path`. Tokens therefore overlap only as a whole and its parts do, and ascend by
 * `start`. Never throws, whatever the text.
 *
 * @param language BCP 47 tag. English is stemmed (Porter, 1980) and has a stop list; other languages are only folded.
 */
export function analyse(text: string, language: string): Token[] {
  const english = isEnglish(language);
  const tokens: Token[] = [];
  for (const { start, end } of splitWords(text)) {
    const word = text.slice(start, end);
    if (!word.includes('.')) {
      pushName(tokens, word, start, english);
      continue;
    }
    const names = word.split('.');
    tokens.push({ term: cutWhole(names.map(foldWord).join('.'), TERM_MAX_LENGTH), start, end });
    let nameStart = start;
    for (const name of names) {
      if (name.length >= PART_MIN_LENGTH) pushName(tokens, name, nameStart, english);
      nameStart += name.length + 1;
    }
  }
  return tokens;
}

/** Whether a language tag gets the English stemmer and stop list. */
export function isEnglish(language: string): boolean {
  return /^en(?:[-_]|$)/i.test(language);
}

function pushName(tokens: Token[], name: string, offset: number, english: boolean): void {
  pushTerm(tokens, name, offset, english);
  const parts = splitIdentifier(name);
  if (parts.length < 2) return;
  for (const { start, end } of parts) {
    if (end - start >= PART_MIN_LENGTH) pushTerm(tokens, name.slice(start, end), offset + start, english);
  }
}

function pushTerm(tokens: Token[], surface: string, start: number, english: boolean): void {
  const term = termOf(surface, english);
  if (term !== '') tokens.push({ term, start, end: start + surface.length });
}
