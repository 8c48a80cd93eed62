import { inverseDocumentFrequency } from '../bm25.ts';
import { IMPACT_MAX } from '../build/impacts.ts';
import { PAIR_SCORE_WEIGHT } from '../constants.ts';
import { integerWeight, levelOf } from '../format/levels.ts';
import type { QueryTerm } from './plan-query.ts';

/** Terms of one query that can be told apart in a document: the bits of a mask. The rarest ones are. */
const MASK_BITS = 32;

/** What a pair counts: as much as one occurrence in a document of average length. */
const PAIR_LEVEL = levelOf(1, IMPACT_MAX);

/** Which terms of a query count, as positions in its terms, rarest first. */
export interface ScoringOrder {
  /** Those that are scored. */
  readonly scored: readonly number[];
  /** Those that are told apart in a document, so that pairs can be made of them; the place of each is its bit. */
  readonly tracked: readonly number[];
}

/** @param postingsMax Bound on the work: the most frequent terms are left out when their lists are longer together. */
export function scoringOrder(terms: readonly QueryTerm[], postingsMax: number): ScoringOrder {
  const frequencyOf = (number: number): number => {
    const { documentFrequency, parts } = (terms[number] as QueryTerm).indexed;
    return parts.length === 0 ? 0 : documentFrequency;
  };
  const order = terms.map((_, number) => number).sort((a, b) => frequencyOf(a) - frequencyOf(b) || a - b);
  let postings = 0;
  const end = order.findIndex((number, rank) => {
    postings += frequencyOf(number);
    return postings > postingsMax && rank > 0;
  });
  return { scored: end < 0 ? order : order.slice(0, end), tracked: order.slice(0, MASK_BITS) };
}

/** What each level of a term is worth in a query. */
export function termWorth({ indexed, weight }: QueryTerm, documentCount: number): number {
  return integerWeight(weight * inverseDocumentFrequency(documentCount, indexed.documentFrequency));
}

/** What a pair of some weight is worth to each of the `matching` documents that have it. */
export function pairWorth(weight: number, documentCount: number, matching: number): number {
  return integerWeight(PAIR_SCORE_WEIGHT * weight * inverseDocumentFrequency(documentCount, matching)) * PAIR_LEVEL;
}
