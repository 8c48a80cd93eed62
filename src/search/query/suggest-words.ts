import { CORRECTED_TERM_MIN_LENGTH, CORRECTED_WORDS_MAX, TWO_EDITS_MIN_LENGTH } from '../constants.ts';
import { isCorrectable } from '../format/correctable-word.ts';
import { splitTerms } from '../analysis/split-terms.ts';
import type { IndexReader } from './index-reader.ts';
import type { QueryPlan } from './plan-query.ts';

/** A word may differ from what it was meant to be in one of so many letters before a suggestion is a guess. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;

/**
 * A query with the words that no document has put right, further from what was written than a query is corrected by itself.
 *
 * @returns The query as it would be written, or `undefined` if nothing near is known.
 */
export async function suggestWords(reader: IndexReader, query: string, { unknown }: QueryPlan): Promise<string | undefined> {
  const candidates = unknown.filter((word) => isCorrectable(word.toLowerCase()) && editsFor(word) > 0).slice(0, CORRECTED_WORDS_MAX);
  if (candidates.length === 0) return undefined;
  const spelling = await reader.spelling();
  const better = new Map<string, string>();
  for (const word of candidates) {
    const nearest = spelling.nearest(word.toLowerCase(), editsFor(word));
    if (nearest !== undefined) better.set(word, nearest);
  }
  if (better.size === 0) return undefined;
  let suggested = '';
  let done = 0;
  for (const { start, end } of splitTerms(query)) {
    const replacement = better.get(query.slice(start, end));
    if (replacement === undefined) continue;
    suggested += query.slice(done, start) + replacement;
    done = end;
  }
  return suggested + query.slice(done);
}

/** Edits that are worth trying beyond those by which a query is corrected by itself; 0 if there are none. */
function editsFor({ length }: string): number {
  const tried = length < CORRECTED_TERM_MIN_LENGTH ? 0 : length < TWO_EDITS_MIN_LENGTH ? 1 : 2;
  const edits = Math.min(EDITS_MAX, Math.floor(length / LETTERS_PER_EDIT));
  return edits > tried ? edits : 0;
}
