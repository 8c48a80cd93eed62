import type { Suggestion } from '../../schemas/knowledge/query.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { tokenise } from '../../search/analysis/tokenise.ts';
import { suggestNames } from '../../search/did-you-mean.ts';
import type { Columns } from '../../search/format/columns.ts';
import { isCommonWord, isCorrectable } from '../../search/format/spelling.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan } from '../../search/query/plan-query.ts';
import type { SearchOutcome } from '../../search/query/search.ts';
import { CORRECTED_TERM_MIN_LENGTH, CORRECTED_WORDS_MAX, TWO_EDITS_MIN_LENGTH } from '../../search/ranking-parameters.ts';
import { type Condition, every } from './capsule-filters.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import { type CapsuleRanking, fitOf, isAtLeast, type SearchedText } from './rank-capsules.ts';
import type { SearchScope } from './search-scope.ts';

type Conditions = ReadonlyMap<string, Condition>;

/** Changed requests that find something or fit better, most useful first, then subjects and languages of the corpus. */
export async function suggestQueries(plan: RequestPlan, ranking: CapsuleRanking, scope: SearchScope): Promise<Suggestion[]> {
  const { searched } = ranking;
  if (searched.every(({ outcome: { plan } }) => plan.terms.length === 0 && plan.unknown.length === 0)) return [{ kind: 'only_stop_words' }];
  const changed: Suggestion[] = [];
  for (const one of searched) {
    changed.push(...(await suggestFewerConditions(plan, one, ranking, scope)), ...(await suggestOtherWords(plan, one, ranking, scope)));
  }
  return [
    ...(await suggestOtherValues(plan, scope)),
    ...(plan.isFused ? withoutTotals(changed) : changed),
    ...(await suggestValues(ranking, scope)),
  ];
}

async function suggestFewerConditions(
  { applied: { min_match: leastMatch } }: RequestPlan,
  { text, outcome }: SearchedText,
  { best }: CapsuleRanking,
  scope: SearchScope,
): Promise<Suggestion[]> {
  if (best === undefined && leastMatch !== 'weak') {
    const weaker = await scope.search(text, { limit: 0 });
    if (weaker.matching.length > 0) return [counted({ kind: 'fewer_conditions', without: ['/min_match'] }, weaker, weaker.matching.length)];
  }
  const { conditions } = scope;
  if (conditions === undefined) return [];
  const everything = await scope.search(text, { limit: 1, isConditional: false });
  if (best === undefined) return fewerConditions(conditions, everything);
  const [strongest] = everything.results;
  if (strongest === undefined || outcome.matching.includes(strongest.number)) return [];
  if (isAtLeast(fitOf(best).level, everything.fitOf(strongest.number).level)) return [];
  const failed = [...conditions].filter(([, accepts]) => !accepts(strongest.number)).map(([pointer]) => pointer);
  return withoutConditions(failed, conditions, everything);
}

function fewerConditions(conditions: Conditions, everything: SearchOutcome): Suggestion[] {
  const pointers = [...conditions.keys()];
  const single = pointers.flatMap((pointer) => withoutConditions([pointer], conditions, everything));
  if (single.length === 0) return withoutConditions(pointers, conditions, everything);
  return single.sort((a, b) => (b.total ?? 0) - (a.total ?? 0));
}

function withoutConditions(without: readonly string[], conditions: Conditions, everything: SearchOutcome): Suggestion[] {
  const others = every([...conditions].filter(([pointer]) => !without.includes(pointer)).map(([, condition]) => condition));
  const total = everything.matching.reduce((sum, document) => sum + (others(document) ? 1 : 0), 0);
  return total === 0 ? [] : [counted({ kind: 'fewer_conditions', without: [...without] }, everything, total)];
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
  return [counted({ kind: 'other_words', query }, found, found.matching.length)];
}

async function suggestOtherValues({ filters }: RequestPlan, { capsules, hasCapsules }: SearchScope): Promise<Suggestion[]> {
  const { tags = [], tags_any = [], license } = filters;
  const sent = [
    ...tags.map((value, at) => ['tags', value, `/filters/tags/${at}`] as const),
    ...tags_any.map((value, at) => ['tags', value, `/filters/tags_any/${at}`] as const),
    ...(license === undefined ? [] : [['license', license, '/filters/license'] as const]),
  ];
  if (sent.length === 0 || !hasCapsules) return [];
  const columns = await capsules.columns();
  const known = { tags: valuesOf('tags', columns), license: valuesOf('license', columns) };
  return sent.flatMap(([column, value, pointer]): Suggestion[] => {
    const counts = known[column];
    const alike = counts.has(value) ? [] : suggestNames(value, [...counts.keys()], LIMITS.suggestedValuesMax);
    const values = alike.map((name) => ({ value: name, count: counts.get(name) ?? 1 }));
    return values.length === 0 ? [] : [{ kind: 'other_values', without: [pointer], values }];
  });
}

function valuesOf(column: 'tags' | 'license', columns: Columns): ReadonlyMap<string, number> {
  const all = Array.from({ length: columns.documents }, (_, document) => document);
  return new Map(columns.count(column, all).map(({ value, count }) => [value, count]));
}

async function suggestValues({ page }: CapsuleRanking, { capsules, hasCapsules, firstSiteText }: SearchScope): Promise<Suggestion[]> {
  if (!hasCapsules) return [];
  const columns = await capsules.columns();
  const all = Array.from({ length: columns.documents }, (_, document) => document);
  const found = page.map(({ number }) => number).filter((number) => number < firstSiteText);
  const inCorpus = valuesOf('tags', columns);
  const subjects = columns.count('tags', found.length === 0 ? all : found).map(({ value }) => ({ value, count: inCorpus.get(value) ?? 1 }));
  const lists = [
    { kind: 'subjects', values: subjects },
    { kind: 'languages', values: columns.count('language', all) },
  ] as const;
  return lists
    .filter(({ values }) => values.length > 0)
    .map(({ kind, values }) => ({ kind, values: values.slice(0, LIMITS.suggestedValuesMax) }));
}

function counted(suggestion: Suggestion, { isExact }: SearchOutcome, total: number): Suggestion {
  return isExact ? { ...suggestion, total } : suggestion;
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
    // Few misspellings have another initial, and unrelated words often do: `rotate` is not `Tomate`.
    if (nearest?.charAt(0) === word.charAt(0).toLowerCase()) better.set(word, nearest);
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
