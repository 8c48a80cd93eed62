import type { Suggestion } from '../../schemas/knowledge/query.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { tokenise } from '../../search/analysis/tokenise.ts';
import { isCommonWord, isCorrectable } from '../../search/format/spelling.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan } from '../../search/query/plan-query.ts';
import { CORRECTED_TERM_MIN_LENGTH, CORRECTED_WORDS_MAX, TWO_EDITS_MIN_LENGTH } from '../../search/ranking-parameters.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import type { CapsuleRanking, SearchedText } from './rank-capsules.ts';
import type { SearchScope } from './search-scope.ts';
import { suggestFewerConditions, suggestOtherValues } from './suggest-other-conditions.ts';

/** Changed requests that find something or fit better, most useful first, then subjects and languages of the corpus. */
export async function suggestQueries(plan: RequestPlan, ranking: CapsuleRanking, scope: SearchScope): Promise<Suggestion[]> {
  const { searched } = ranking;
  if (searched.every(({ outcome: { plan } }) => plan.terms.length === 0 && plan.unknown.length === 0)) return [{ kind: 'only_stop_words' }];
  const changed: Suggestion[] = [];
  const hasConditions = scope.conditions !== undefined || plan.applied.min_match !== 'weak';
  for (const one of searched) {
    if (hasConditions) changed.push(...(await suggestFewerConditions(plan, one, ranking, scope)));
    changed.push(...(await suggestOtherWords(plan, one, ranking, scope)));
  }
  return [
    ...(hasConditions ? await suggestOtherValues(plan, scope) : []),
    ...(plan.isFused ? withoutTotals(changed) : changed),
    ...(await suggestValues(ranking, scope)),
  ];
}

async function suggestOtherWords(
  plan: RequestPlan,
  searched: SearchedText,
  ranking: CapsuleRanking,
  scope: SearchScope,
): Promise<Suggestion[]> {
  // Without capsules there are only words of guides, often in another language.
  if (scope.firstSiteText === 0) return [];
  const suggested = await Promise.all(scope.indexes.map((index) => suggestWords(index, searched.text, searched.outcome.plan)));
  const query = suggested.find((words) => words !== undefined);
  if (query === undefined) return [];
  const found = await scope.search(query, { limit: 1, leastMatch: plan.applied.min_match });
  const [first] = found.results;
  if (first === undefined) return [];
  const { level, missing } = found.fitOf(first.number);
  // With other words, a query that finds something weak, or a part of itself, mostly finds something else that answers nothing.
  if (ranking.best !== undefined && (level === 'weak' || missing.length > 0)) return [];
  return [{ kind: 'other_words', query, ...(found.isExact ? { total: found.matching.length } : {}) }];
}

async function suggestValues({ page }: CapsuleRanking, { capsules, hasCapsules, firstSiteText }: SearchScope): Promise<Suggestion[]> {
  if (!hasCapsules) return [];
  const columns = await capsules.columns();
  const all = Array.from({ length: columns.documents }, (_, document) => document);
  const found = page.map(({ number }) => number).filter((number) => number < firstSiteText);
  const inCorpus = new Map(columns.count('tags', all).map(({ value, count }) => [value, count]));
  const subjects = columns.count('tags', found.length === 0 ? all : found).map(({ value }) => ({ value, count: inCorpus.get(value) ?? 1 }));
  const lists = [
    { kind: 'subjects', values: subjects },
    { kind: 'languages', values: columns.count('language', all) },
  ] as const;
  return lists
    .filter(({ values }) => values.length > 0)
    .map(({ kind, values }) => ({ kind, values: values.slice(0, LIMITS.suggestedValuesMax) }));
}

/** Suggestions for one of several texts, each once: what the request finds in all depends on the other texts too. */
function withoutTotals(suggestions: readonly Suggestion[]): Suggestion[] {
  const distinct = new Map(suggestions.map(({ total: _total, ...suggestion }) => [JSON.stringify(suggestion), suggestion]));
  return [...distinct.values()];
}

/** Letters of a word for each edit of a suggestion; more edits would be a guess. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;

/** A query with known words for unknown ones, within more edits than {@link planQuery} corrects; `undefined` if there are none. */
export async function suggestWords(reader: IndexReader, query: string, { unknown }: QueryPlan): Promise<string | undefined> {
  const candidates = unknown
    .filter((word) => isCorrectable(word.toLowerCase()) && !isCommonWord(word) && editsFor(word) > 0)
    .slice(0, CORRECTED_WORDS_MAX);
  if (candidates.length === 0) return undefined;
  const spelling = await reader.spelling();
  const better = new Map<string, string>();
  for (const word of candidates) {
    const nearest = spelling.suggest(word.toLowerCase(), editsFor(word));
    // Unrelated words often have another initial, or lengths that differ by much: `rotate` is not `Tomate`, nor `consulting` `counting`.
    if (nearest?.charAt(0) === word.charAt(0).toLowerCase() && 6 * Math.abs(nearest.length - word.length) <= word.length)
      better.set(word, nearest);
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

function editsFor({ length }: string): number {
  const tried = length < CORRECTED_TERM_MIN_LENGTH ? 0 : length < TWO_EDITS_MIN_LENGTH ? 1 : 2;
  const edits = Math.min(EDITS_MAX, Math.floor(length / LETTERS_PER_EDIT));
  return edits > tried ? edits : 0;
}
