import { inverseDocumentFrequency } from '../bm25.ts';
import { IMPACT_MAX } from '../build/impacts.ts';
import { PAIR_SCORE_WEIGHT } from '../constants.ts';
import { integerWeight, levelOf } from '../format/levels.ts';
import type { QueryPair, QueryPlan, QueryTerm } from './plan-query.ts';

/** Terms of one query that can be told apart in a document: the bits of a mask. The rarest ones are. */
const MASK_BITS = 32;

/** What a pair counts: as much as one occurrence in a document of average length. */
const PAIR_LEVEL = levelOf(1, IMPACT_MAX);

/**
 * Documents that may be looked at for the pairs of one query, a word of memory each: many pairs of frequent words would take
 * more than an isolate has.
 */
const PAIR_CANDIDATES_MAX = 1_000_000;

/** Which terms of a query count, as positions in its terms, rarest first. */
export interface ScoringOrder {
  /** Those that are scored. */
  readonly scored: readonly number[];
  /** Those that are told apart in a document; the place of each is its bit. */
  readonly tracked: readonly number[];
  /** The pairs that are looked for, of terms that are told apart. */
  readonly pairs: readonly QueryPair[];
}

/**
 * What of a query is scored. Terms whose lists were not read are not.
 *
 * @param postingsMax Bound on the work: the most frequent terms are left out when their lists are longer together, all but the
 * rarest.
 */
export function scoringOrder({ terms, pairs }: Pick<QueryPlan, 'terms' | 'pairs'>, postingsMax: number): ScoringOrder {
  const frequencyOf = (number: number): number => terms[number].indexed.documentFrequency;
  const read = terms.map((_, number) => number).filter((number) => terms[number].indexed.parts.length > 0);
  const order = read.sort((a, b) => frequencyOf(a) - frequencyOf(b) || a - b);
  let postings = 0;
  const end = order.findIndex((number, rank) => {
    postings += frequencyOf(number);
    return postings > postingsMax && rank > 0;
  });
  const scored = end < 0 ? order : order.slice(0, end);
  const tracked = scored.slice(0, MASK_BITS);
  let candidates = 0;
  const looked = pairs.filter(({ first, second }) => {
    if (!tracked.includes(first) || !tracked.includes(second)) return false;
    candidates += frequencyOf(first);
    return candidates <= PAIR_CANDIDATES_MAX;
  });
  return { scored, tracked, pairs: looked };
}

/** What each level of a term is worth in a query. */
export function termWorth({ indexed, weight }: QueryTerm, documentCount: number): number {
  return integerWeight(weight * inverseDocumentFrequency(documentCount, indexed.documentFrequency));
}

/** What a pair of some weight is worth to each of the `matching` documents that have it. */
export function pairWorth(weight: number, documentCount: number, matching: number): number {
  return integerWeight(PAIR_SCORE_WEIGHT * weight * inverseDocumentFrequency(documentCount, matching)) * PAIR_LEVEL;
}
