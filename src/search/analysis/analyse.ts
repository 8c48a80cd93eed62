import type { TextRange } from '../search-document.ts';
import { analyserFor } from './analysers.ts';
import { cutWhole, TERM_MAX_LENGTH } from './fold-word.ts';
import { foldFor, normaliseToken } from './normalise-token.ts';
import { splitIdentifier } from './split-identifier.ts';
import { tokenise } from './tokenise.ts';

/** Identifies the analysis; it changes whenever the same text may give other terms, and every index names it. */
export const ANALYSER_ID = 'fold-identifiers-porter-snowball-bigrams/2';

/** A term and the surface form it was taken from: `text.slice(start, end)`. */
export interface Token extends TextRange {
  readonly term: string;
}

/** A part this short ("2" of "v2") means nothing without its whole. In UTF-16 code units. */
const PART_MIN_LENGTH = 2;

/**
 * The terms of a text in the order of the text, without stop words; offsets are those of `text` itself.
 *
 * A name made of parts gives its whole first and then its parts: `fetchUser` gives `fetchus`, `fetch`, `user`; `os.path` gives `os.path`,
 * `os`, `path`. Scripts without spaces give every two neighbouring characters, so that each but the last of a run overlaps the next.
 * Nothing else overlaps; tokens ascend by `start`. Never throws, whatever the text.
 *
 * @param language BCP 47 tag. English is stemmed (Porter, 1980) and has a stop list; so have the languages of `STEMMERS` (Snowball), where
 * the list can be trusted; the others are only folded.
 */
export function analyse(text: string, language: string): Token[] {
  const analyser = analyserFor(language);
  const tokens: Token[] = [];
  for (const { start, end } of tokenise(text)) {
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
