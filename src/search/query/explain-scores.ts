import type { SearchBudget } from '../format/index-head.ts';
import type { IndexReader } from './index-reader.ts';
import { scorePair, scoreTerm, scoringOrder, termWeight } from './score-documents.ts';
import type { SearchOutcome } from './search.ts';

/**
 * A part of a score. `term` is for a term of the query that the document has, `expansion` for one that it lacks and near neighbours have,
 * `pair` for two terms that are neighbours in query and document, `neighbours` for what rescoring by near neighbours added, or took if
 * below 0.
 */
export interface ScoreContribution {
  readonly kind: 'term' | 'expansion' | 'pair' | 'neighbours';
  /** Positions in the plan's terms: one, two for a pair, none for neighbours. */
  readonly terms: readonly number[];
  /** The factor of the impact: rarer and repeated terms weigh more. For terms and expansions. */
  readonly weight?: number;
  /** The quantized impact of the term in the document, 1 to `QUANTIZED_IMPACT_MAX`. For terms and expansions. */
  readonly impact?: number;
  readonly points: number;
}

/**
 * The parts of the scores that a search gave to some documents; they add up to the scores.
 *
 * Each term and each pair is scored again alone, for all documents at once.
 *
 * @param documents Distinct.
 * @param budget The one that was searched with, if not that of the index.
 */
export function explainScores(
  { head, kernel }: IndexReader,
  { plan, adjustments }: Pick<SearchOutcome, 'plan' | 'adjustments'>,
  documents: readonly number[],
  budget: SearchBudget = head.budget,
): Map<number, ScoreContribution[]> {
  const parts = new Map(documents.map((document): [number, ScoreContribution[]] => [document, []]));
  if (parts.size === 0) return parts;
  const order = scoringOrder(plan, budget.postingsMax);
  for (const number of [...order.scored].sort((a, b) => a - b)) {
    const term = plan.terms[number];
    scoreTerm(kernel, term, head.documents);
    const weight = termWeight(term, head.documents);
    for (const [document, ofDocument] of parts) {
      const impact = kernel.scores[document];
      if (impact === 0) continue;
      const kind = kernel.masks[document] === 0 ? 'expansion' : 'term';
      ofDocument.push({ kind, terms: [number], weight, impact, points: weight * impact });
    }
  }
  for (const pair of order.pairs) {
    scorePair(kernel, plan, pair, head.documents);
    for (const [document, ofDocument] of parts) {
      const points = kernel.scores[document];
      if (points > 0) ofDocument.push({ kind: 'pair', terms: [pair.first, pair.second], points });
    }
  }
  for (const [document, ofDocument] of parts) {
    const points = adjustments.get(document) ?? 0;
    if (points !== 0) ofDocument.push({ kind: 'neighbours', terms: [], points });
  }
  return parts;
}
