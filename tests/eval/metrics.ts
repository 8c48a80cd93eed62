import { mean } from './statistics.ts';

/** Relevance of the judged documents of one query, by id; above zero is relevant. */
export type Judgements = ReadonlyMap<string, number>;

export interface RankingMetrics {
  /** Normalized discounted cumulative gain of the first ten. */
  readonly ndcg10: number;
  /** Average precision over the whole ranking; of many queries MAP. */
  readonly map: number;
  /** Share of the relevant documents among the first hundred. */
  readonly recall100: number;
  /** Reciprocal rank of the first relevant document among the first ten, or zero; of many queries MRR. */
  readonly mrr10: number;
}

export const METRIC_NAMES = ['ndcg10', 'map', 'recall100', 'mrr10'] as const satisfies readonly (keyof RankingMetrics)[];

const NO_METRICS: RankingMetrics = { ndcg10: 0, map: 0, recall100: 0, mrr10: 0 };

/**
 * The metrics of one ranking as trec_eval defines them: `ndcg_cut.10`, `map`, `recall.100`, and `recip_rank` with `-M 10`.
 *
 * The gain of a document is its relevance (linear), divided by log2(rank + 1) with ranks from 1; relevance of zero or less
 * gains nothing, and neither does a document that was not judged. The ideal ranking is of all judged documents, found or not.
 * Precision and recall are over all relevant documents as well.
 *
 * trec_eval sorts what it reads by score and breaks ties by document id; here the order of `ranked` is the ranking, ties
 * included. A query without relevant documents scores zero, as there.
 *
 * @param ranked Ids of documents, best first; MAP is of as many as are given (trec_eval's runs usually hold 1,000).
 * @throws {RangeError} If an id is ranked twice.
 * @see {@link https://github.com/usnistgov/trec_eval trec_eval}, m_ndcg_cut.c, m_map.c, m_recall.c, m_recip_rank.c.
 */
export function measureRanking(ranked: readonly string[], judgements: Judgements): RankingMetrics {
  const seen = new Set<string>();
  for (const id of ranked) {
    if (seen.has(id)) throw new RangeError(`A ranking has the document "${id}" twice`);
    seen.add(id);
  }
  const gains = ranked.map((id) => Math.max(0, judgements.get(id) ?? 0));
  const ideal = [...judgements.values()].filter((relevance) => relevance > 0).sort((a, b) => b - a);
  if (ideal.length === 0) return NO_METRICS;

  let found = 0;
  let precisions = 0;
  gains.forEach((gain, at) => {
    if (gain === 0) return;
    found += 1;
    precisions += found / (at + 1);
  });
  const first = gains.slice(0, 10).findIndex((gain) => gain > 0);
  return {
    ndcg10: discountedGain(gains) / discountedGain(ideal),
    map: precisions / ideal.length,
    recall100: gains.slice(0, 100).filter((gain) => gain > 0).length / ideal.length,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** Whether a query counts in a mean: at least one document was judged relevant. */
export function isJudged(judgements: Judgements | undefined): judgements is Judgements {
  return [...(judgements?.values() ?? [])].some((relevance) => relevance > 0);
}

/**
 * The mean of the metrics of many queries, or of many collections, all of equal weight; zeros if there are none.
 *
 * trec_eval averages over the queries that a run has results for, and with `-c` over all queries of the judgements, where one
 * that the run has nothing for counts zero. Give here one entry for every query with at least one relevant document
 * ({@link isJudged}), without results too: that is `-c`, except that trec_eval also averages in, as zero for every ranker,
 * queries whose judgements name no relevant document at all.
 */
export function meanMetrics(all: readonly RankingMetrics[]): RankingMetrics {
  const meanOf = (name: keyof RankingMetrics): number => mean(all.map((metrics) => metrics[name]));
  return { ndcg10: meanOf('ndcg10'), map: meanOf('map'), recall100: meanOf('recall100'), mrr10: meanOf('mrr10') };
}

function discountedGain(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}
