import { integerWeight, inverseDocumentFrequency, quantizeImpact } from '../bm25.ts';
import { PAIR_SCORE_WEIGHT } from '../constants.ts';
import type { QueryPair, QueryPlan, QueryTerm } from './plan-query.ts';

/** Terms of one query that can be marked in a document: the bits of a mask. The rarest ones are. */
const MASK_BITS = 32;

/** A pair counts as much as one occurrence in a document of average length. */
const PAIR_IMPACT = quantizeImpact(1, 0);

/**
 * Documents that may be candidates for the pairs of one query, a word of memory each: many pairs of frequent words would take more than an
 * isolate has.
 */
const PAIR_CANDIDATES_MAX = 1_000_000;

/** Which terms of a query count, as positions in its terms, rarest first. */
export interface ScoringOrder {
  /** Terms that are scored. */
  readonly scored: readonly number[];
  /** Terms that can be marked in a document; the position of each is its bit. */
  readonly marked: readonly number[];
  /** Pairs that are scored, of marked terms. */
  readonly pairs: readonly QueryPair[];
}

/**
 * Decides which terms and pairs of a query are scored. Terms whose lists were not read are not.
 *
 * @param postingsMax Bound on the work: the most frequent terms are left out when their lists are longer together, all but the
 * rarest.
 */
export function scoringOrder({ terms, pairs }: Pick<QueryPlan, 'terms' | 'pairs'>, postingsMax: number): ScoringOrder {
  const frequencyOf = (number: number): number => terms[number].indexed.documentFrequency;
  const read = [...terms.keys()].filter((number) => terms[number].indexed.parts.length > 0);
  const order = read.sort((a, b) => frequencyOf(a) - frequencyOf(b) || a - b);
  let postings = 0;
  const end = order.findIndex((number, rank) => {
    postings += frequencyOf(number);
    return postings > postingsMax && rank > 0;
  });
  const scored = end < 0 ? order : order.slice(0, end);
  const marked = scored.slice(0, MASK_BITS);
  let candidates = 0;
  const scoredPairs = pairs.filter(({ first, second }) => {
    if (!marked.includes(first) || !marked.includes(second)) return false;
    candidates += frequencyOf(first);
    return candidates <= PAIR_CANDIDATES_MAX;
  });
  return { scored, marked, pairs: scoredPairs };
}

/** The weight of a term in a query: its share of a score is this times its quantized impact. */
export function termWeight({ indexed, weight }: QueryTerm, documentCount: number): number {
  return integerWeight(weight * inverseDocumentFrequency(documentCount, indexed.documentFrequency));
}

/** The points that a pair of some weight gives to each of the `matching` documents that have it. */
export function pairPoints(weight: number, documentCount: number, matching: number): number {
  return integerWeight(PAIR_SCORE_WEIGHT * weight * inverseDocumentFrequency(documentCount, matching)) * PAIR_IMPACT;
}
