import type { Collection } from './collection.ts';
import { isJudged, measureRanking, type RankingMetrics } from './metrics.ts';

/**
 * The metrics of every query of a collection with a relevant document, in the order of its queries.
 *
 * @param rank Called for one query at a time.
 */
export async function rankQueries(
  { queries, judgements }: Collection,
  rank: (query: { readonly id: string; readonly text: string }) => Promise<readonly string[]>,
): Promise<RankingMetrics[]> {
  const metrics: RankingMetrics[] = [];
  for (const query of queries) {
    const judged = judgements.get(query.id);
    if (isJudged(judged)) metrics.push(measureRanking(await rank(query), judged));
  }
  return metrics;
}
