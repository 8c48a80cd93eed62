import type { Suggestion } from '../../schemas/knowledge/query-details.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan } from '../../search/query/plan-query.ts';
import { search } from '../../search/query/search.ts';
import { suggestWords } from '../../search/query/suggest-words.ts';
import { every, type QueryConditions } from './capsule-columns.ts';

/**
 * Which changed requests would find something where one found nothing: facts, with the number of capsules that each finds where
 * that is known exactly.
 *
 * @param conditions What the request asked of results, if it did.
 */
export async function suggestQueries(
  query: string,
  plan: QueryPlan,
  index: IndexReader,
  conditions: QueryConditions | undefined,
): Promise<Suggestion[]> {
  if (plan.terms.length === 0 && plan.unknown.length === 0) return [{ kind: 'only_stop_words' }];
  const suggestions: Suggestion[] = [];
  const { matching, isExact } = await search(index, query, { limit: 0 });
  if (conditions && matching.length > 0) suggestions.push(...fewerConditions(conditions, matching).map((one) => counted(one, isExact)));
  const otherWords = await suggestWords(index, query, plan);
  if (otherWords !== undefined) {
    const accepts = conditions && every(conditions.all.values());
    const found = await search(index, otherWords, { limit: 0, ...(accepts ? { accepts } : {}) });
    if (found.matching.length > 0)
      suggestions.push(counted({ kind: 'other_words', query: otherWords, total: found.matching.length }, found.isExact));
  }
  return suggestions;
}

/** Each condition that alone leaves nothing, or all of them if it takes more than one to be left out. */
function fewerConditions({ all }: QueryConditions, matching: Uint32Array): Suggestion[] {
  const single = [...all.keys()].flatMap((pointer): Suggestion[] => {
    const others = every([...all].filter(([name]) => name !== pointer).map(([, condition]) => condition));
    const total = matching.reduce((sum, document) => sum + (others(document) ? 1 : 0), 0);
    return total === 0 ? [] : [{ kind: 'fewer_conditions', without: [pointer], total }];
  });
  if (single.length > 0) return single.sort((a, b) => (b.total ?? 0) - (a.total ?? 0));
  return [{ kind: 'fewer_conditions', without: [...all.keys()], total: matching.length }];
}

/** A suggestion without its number where the budget of the index left documents out of it. */
function counted({ total, ...suggestion }: Suggestion, isExact: boolean): Suggestion {
  return total === undefined || !isExact ? suggestion : { ...suggestion, total };
}
