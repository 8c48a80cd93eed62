import type { Collection, EvalDocument } from './collection.ts';
import { isJudged, measureRanking, type RankingMetrics } from './metrics.ts';

/** Most documents of a ranking, over which MAP is computed: the usual depth of trec_eval runs. */
export const RANK_DEPTH = 1_000;

export interface Ranker {
  readonly name: string;
  /** Ids of at most `depth` documents, best first, none twice; empty if nothing matches. */
  rank(query: string, depth: number): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export interface RankerFactory {
  readonly name: string;
  make(documents: readonly EvalDocument[]): Promise<Ranker>;
}

export interface QueryCost {
  readonly reads: number;
  readonly bytes: number;
  /** CPU time of the thread, user and system, in milliseconds. */
  readonly cpuMs: number;
}

export interface CostedRanking {
  readonly ids: readonly string[];
  readonly cost: QueryCost;
}

export interface CostedRanker extends Ranker {
  readonly indexBytes: number;
  rankWithCost(query: string, depth: number): Promise<CostedRanking>;
}

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
