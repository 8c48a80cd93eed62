import { tokenise } from '../analysis/tokenise.ts';
import { isCommonWord, isCorrectable } from '../format/spelling.ts';
import { CORRECTED_TERM_MIN_LENGTH, CORRECTED_WORDS_MAX, TWO_EDITS_MIN_LENGTH } from '../ranking-parameters.ts';
import type { IndexReader } from './index-reader.ts';
import type { QueryPlan } from './plan-query.ts';

/** Letters of a word for each edit of a suggestion; more edits would be a guess. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;

/**
 * A spelling suggestion for a query: unknown words replaced by known ones, within more edits than {@link planQuery} corrects; `undefined` if
 * there is none.
 */
export async function suggestWords(reader: IndexReader, query: string, { unknown }: QueryPlan): Promise<string | undefined> {
  const candidates = unknown
    .filter((word) => isCorrectable(word.toLowerCase()) && !isCommonWord(word) && editsFor(word) > 0)
    .slice(0, CORRECTED_WORDS_MAX);
  if (candidates.length === 0) return undefined;
  const spelling = await reader.spelling();
  const better = new Map<string, string>();
  for (const word of candidates) {
    const nearest = spelling.suggest(word.toLowerCase(), editsFor(word));
    if (nearest !== undefined) better.set(word, nearest);
  }
  if (better.size === 0) return undefined;
  let suggested = '';
  let done = 0;
  for (const { start, end } of tokenise(query)) {
    const replacement = better.get(query.slice(start, end));
    if (replacement === undefined) continue;
    suggested += query.slice(done, start) + replacement;
    done = end;
  }
  return suggested + query.slice(done);
}

/** Most edits to try, if more than `planQuery` tries; else 0. */
function editsFor({ length }: string): number {
  const tried = length < CORRECTED_TERM_MIN_LENGTH ? 0 : length < TWO_EDITS_MIN_LENGTH ? 1 : 2;
  const edits = Math.min(EDITS_MAX, Math.floor(length / LETTERS_PER_EDIT));
  return edits > tried ? edits : 0;
}
