import type { Kernel } from '../kernel/kernel.ts';
import { TypeScriptKernel } from '../kernel/typescript-kernel.ts';
import { Accumulation } from './score-documents.ts';
import type { IndexReader } from './index-reader.ts';
import type { SearchBudget } from '../format/index-head.ts';
import { planQuery, type QueryPlan } from './plan-query.ts';
import { keepAccepted, type RankedDocument, selectTop } from './select-top.ts';
import { type Smoothing, smoothScores } from './rescore.ts';
import { scoringOrder } from './scoring-order.ts';

/** Raised whenever the same index and query may give another answer. */
export const RANKING_VERSION = 2;

/** What is wanted of a search. */
export interface SearchOptions {
  /** Results to leave out at the beginning. */
  readonly offset?: number;
  readonly limit: number;
  /** Whether a document may be in the answer. It takes documents out and changes no score. */
  readonly accepts?: (document: number) => boolean;
  /** Instead of the budget of the index. */
  readonly budget?: SearchBudget;
}

/** What a search found. */
export interface SearchOutcome {
  readonly results: readonly RankedDocument[];
  /** Every document that matches, ascending. */
  readonly matching: Uint32Array;
  readonly plan: QueryPlan;
  /** What near neighbours added to the scores of some documents, or took from them if below 0. */
  readonly smoothing: Smoothing;
  /** Positions in the plan's terms of those that the budget left no room for. */
  readonly skipped: readonly number[];
  /** Whether `matching` has every document that has a term of the query; the budget may leave some of them out. */
  readonly isExact: boolean;
}

const NOT_SMOOTHED: Smoothing = new Map();

/** Ranks the documents of an index for a query. The same index, query and options give the same answer on every machine. */
export async function search(reader: IndexReader, query: string, options: SearchOptions): Promise<SearchOutcome> {
  const { offset = 0, limit, accepts, budget = reader.head.budget } = options;
  const [plan, tiers, neighbours] = await Promise.all([planQuery(reader, query, budget), reader.tiers(), reader.neighbours()]);
  // From here on nothing waits, so that queries at the same time do not share the kernel.
  const order = scoringOrder(plan, budget.postingsMax);
  const kernel = accumulate(reader, new Accumulation(plan, order));
  const matching = kernel.findMatching();
  const smoothing = neighbours === undefined ? NOT_SMOOTHED : smoothScores(kernel, matching.length, neighbours);
  const count = accepts === undefined ? matching.length : keepAccepted(matching, accepts);
  const results = selectTop(kernel, count, offset + limit, tiers).slice(offset);
  const scored = new Set(order.scored);
  const skipped = plan.terms.flatMap(({ indexed }, number) => (indexed.parts.length > 0 && scored.has(number) ? [] : [number]));
  const isExact = skipped.length === 0 && plan.terms.every(({ indexed }) => indexed.isWhole);
  return { results, matching: matching.slice(0, count), plan, smoothing, skipped, isExact };
}

/** Scores all documents, without WebAssembly if that has not memory enough. */
function accumulate({ head, kernel }: IndexReader, accumulation: Accumulation): Kernel {
  const needs = accumulation.needs(head.documents);
  const chosen = kernel.begin(needs) ? kernel : new TypeScriptKernel();
  if (chosen !== kernel) chosen.begin(needs);
  accumulation.run(chosen);
  return chosen;
}
