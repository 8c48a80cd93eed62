import { readingOf, UNKNOWN_READING } from '../analysis/analysers.ts';
import type { TextRange } from '../search-document.ts';

/** What a word may be made of: letters, digits and what chains them, and anything beyond ASCII. */
const RUN_CHARACTER = /[A-Za-z0-9_.\u0080-\uffff]/;

/** What folding changes more than the case of. */
const FOLDED = /[_\u0080-\uffff]+/g;

/**
 * The stretches of a text that may have one of some terms, ascending, found by their letters instead of by analysing all of the
 * text: in English and in languages without rules a term is how its word begins, but for the last letter. Nothing else of the
 * text has any of them, and each stretch is analysed alike alone and in the text.
 *
 * @see Porter, An algorithm for suffix stripping (1980): no rule changes a letter before the last one of its stem.
 * @returns `undefined` where that does not hold and all of the text has to be looked at.
 */
export function matchingRuns(text: string, language: string, terms: Iterable<string>): TextRange[] | undefined {
  const reading = readingOf(language);
  const lower = text.toLowerCase();
  if ((reading !== 'en' && reading !== UNKNOWN_READING) || lower.length !== text.length) return undefined;
  const places = new Set<number>();
  for (const beginning of new Set([...terms].map((term) => term.slice(0, Math.max(1, term.length - 1))))) {
    for (let at = lower.indexOf(beginning); at >= 0; at = lower.indexOf(beginning, at + 1)) places.add(at);
  }
  for (const { index } of text.matchAll(FOLDED)) places.add(index);
  const runs: TextRange[] = [];
  let last = 0;
  for (const place of Uint32Array.from(places).sort()) {
    if (place < last) continue;
    let start = place;
    let end = place + 1;
    while (start > last && RUN_CHARACTER.test(text.charAt(start - 1))) start--;
    while (end < text.length && RUN_CHARACTER.test(text.charAt(end))) end++;
    runs.push({ start, end });
    last = end;
  }
  return runs;
}
