import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { Explanation } from '../../schemas/knowledge/query-details.ts';
import { type AnalysedText, countFieldFrequencies, type FieldFrequencies } from '../../search/passages/analysed-text.ts';
import { explainScores, type ScoreContribution } from '../../search/query/explain-scores.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan, QueryTerm } from '../../search/query/plan-query.ts';
import type { SearchOutcome } from '../../search/query/search.ts';

/** Says of the results of one query how their scores came about. */
export class ExplainScores {
  readonly #query: string;
  readonly #plan: QueryPlan;
  readonly #terms: readonly string[];
  readonly #readAs: ReadonlyMap<string, string>;
  readonly #parts: ReadonlyMap<number, readonly ScoreContribution[]>;

  /**
   * @param index The one that was searched, within its own budget.
   * @param numbers Of the documents to be explained.
   * @param terms Those of the plan, in the array with which texts were searched already.
   */
  constructor(
    query: string,
    outcome: Pick<SearchOutcome, 'plan' | 'adjustments'>,
    index: IndexReader,
    numbers: readonly number[],
    terms: readonly string[],
  ) {
    this.#query = query;
    this.#plan = outcome.plan;
    this.#terms = terms;
    this.#readAs = new Map(outcome.plan.corrections.map(({ word, readAs }) => [word, readAs]));
    this.#parts = explainScores(index, outcome, numbers);
  }

  /** The parts of a document's score, in the order of the query. */
  of(number: number, capsule: CapsuleSummary, text: AnalysedText): Explanation {
    const counts = countFieldFrequencies(capsule, text, this.#terms);
    return { parts: (this.#parts.get(number) ?? []).map((part) => this.#describe(part, counts)) };
  }

  #describe(
    { kind, terms, weight, impact, points }: ScoreContribution,
    counts: ReadonlyMap<string, FieldFrequencies>,
  ): Explanation['parts'][number] {
    const asked = terms.map((position) => this.#plan.terms[position] as QueryTerm);
    const fields = kind === 'term' ? counts.get(asked[0]?.term ?? '') : undefined;
    return {
      kind,
      points,
      ...(asked.length > 0 ? { words: asked.flatMap((term) => this.#wordsOf(term)), terms: asked.map(({ term }) => term) } : {}),
      ...(weight === undefined ? {} : { weight }),
      ...(impact === undefined ? {} : { level: impact }),
      ...(fields === undefined ? {} : { fields }),
    };
  }

  #wordsOf({ places }: QueryTerm): { word: string; read_as?: string }[] {
    return [...new Set(places.map(({ start, end }) => this.#query.slice(start, end)))].map((word) => {
      const readAs = this.#readAs.get(word);
      return { word, ...(readAs === undefined ? {} : { read_as: readAs }) };
    });
  }
}
