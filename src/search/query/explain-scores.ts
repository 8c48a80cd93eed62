import type { SearchBudget } from '../format/index-block.ts';
import type { IndexReader } from './index-reader.ts';
import { scorePair, scoreTerm, scoringOrder, termWeight } from './score-documents.ts';
import { eachPosting, type SearchOutcome } from './search.ts';

/** `expansion` is for a term of the document's neighbours, `neighbours` the change by rescoring, `prior` what a document gets or loses by its prior. */
export interface ScoreContribution {
  readonly kind: 'term' | 'expansion' | 'pair' | 'name' | 'neighbours' | 'prior';
  /** Positions in the plan's terms: one, two for a pair, none for names, neighbours and priors. */
  readonly terms: readonly number[];
  /** Position in the plan's names, for a name. */
  readonly name?: number;
  /** Factor of the impact, for terms, expansions and names. */
  readonly weight?: number;
  /** Quantized impact of the term in the document, for terms, expansions and names. */
  readonly impact?: number;
  readonly points: number;
}

/** The parts of the scores of some distinct documents, which add up to the scores. Each term and each pair is scored again alone. */
export function explainScores(
  { head, kernel }: IndexReader,
  { plan, documentCount, adjustments, priors }: Pick<SearchOutcome, 'plan' | 'documentCount' | 'adjustments' | 'priors'>,
  documents: readonly number[],
  budget: SearchBudget = head.budget,
): Map<number, ScoreContribution[]> {
  const parts = new Map(documents.map((document): [number, ScoreContribution[]] => [document, []]));
  if (parts.size === 0) return parts;
  const order = scoringOrder(plan, budget.postingsMax);
  for (const number of [...order.scored].sort((a, b) => a - b)) {
    const term = plan.terms[number];
    scoreTerm(kernel, term, head.documents);
    const weight = termWeight(term, documentCount);
    for (const [document, ofDocument] of parts) {
      const impact = kernel.scores[document];
      if (impact === 0) continue;
      const kind = kernel.masks[document] === 0 ? 'expansion' : 'term';
      ofDocument.push({ kind, terms: [number], weight, impact, points: weight * impact });
    }
  }
  for (const pair of order.pairs) {
    scorePair(kernel, plan, pair, { documents: head.documents, documentCount });
    for (const [document, ofDocument] of parts) {
      const points = kernel.scores[document];
      if (points > 0) ofDocument.push({ kind: 'pair', terms: [pair.first, pair.second], points });
    }
  }
  for (const [number, name] of plan.names.entries()) {
    const weight = termWeight(name, documentCount);
    eachPosting(name, (document, impact) =>
      parts.get(document)?.push({ kind: 'name', terms: [], name: number, weight, impact, points: weight * impact }),
    );
  }
  for (const [document, ofDocument] of parts) {
    const points = adjustments.get(document) ?? 0;
    if (points !== 0) ofDocument.push({ kind: 'neighbours', terms: [], points });
    const prior = priors.get(document) ?? 0;
    if (prior !== 0) ofDocument.push({ kind: 'prior', terms: [], points: prior });
  }
  return parts;
}
