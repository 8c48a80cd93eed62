import type { Suggestion } from '../../schemas/knowledge/query.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { suggestNames } from '../../search/did-you-mean.ts';
import type { Columns } from '../../search/format/columns.ts';
import type { SearchOutcome } from '../../search/query/search.ts';
import { type Condition, every } from './capsule-filters.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import { type CapsuleRanking, fitOf, isAtLeast, type SearchedText } from './rank-capsules.ts';
import type { SearchScope } from './search-scope.ts';

type Conditions = ReadonlyMap<string, Condition>;

/** The request without some of its conditions, which finds more. Scripts of pages set none, and leave this file out (`UNREACHED` in functions-worker.ts). */
export async function suggestFewerConditions(
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

/** Known values that are spelled like the unknown ones of filters, or are words of them. */
export async function suggestOtherValues({ filters }: RequestPlan, { capsules, hasCapsules }: SearchScope): Promise<Suggestion[]> {
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
    const alike = suggestNames(value, [...counts.keys()], LIMITS.suggestedValuesMax);
    const words = [...new Set(value.split('-'))].filter((word) => counts.has(word));
    const meant = alike.length > 0 ? alike : words.slice(0, LIMITS.suggestedValuesMax);
    const values = counts.has(value) ? [] : meant.map((name) => ({ value: name, count: counts.get(name) ?? 1 }));
    return values.length === 0 ? [] : [{ kind: 'other_values', without: [pointer], values }];
  });
}

function valuesOf(column: 'tags' | 'license', columns: Columns): ReadonlyMap<string, number> {
  const all = Array.from({ length: columns.documents }, (_, document) => document);
  return new Map(columns.count(column, all).map(({ value, count }) => [value, count]));
}

function counted(suggestion: Suggestion, { isExact }: SearchOutcome, total: number): Suggestion {
  return isExact ? { ...suggestion, total } : suggestion;
}
