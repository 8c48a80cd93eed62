import type { SearchBudget } from '../format/index-head.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { IndexReader } from './index-reader.ts';
import { planQuery, type QueryPlan } from './plan-query.ts';
import { rescoreWithNeighbours, type ScoreAdjustments } from './rescore.ts';
import { scoreDocuments, scoringOrder } from './score-documents.ts';

/** Raised whenever the same index and query may give other results. */
export const RANKING_VERSION = 2;

/** Options of one search. */
export interface SearchOptions {
  /** Results to leave out at the beginning. */
  readonly offset?: number;
  readonly limit: number;
  /** Whether a document may be in the results. It removes documents and changes no score. */
  readonly accepts?: (document: number) => boolean;
  /** Instead of the budget of the index. */
  readonly budget?: SearchBudget;
}

/** One document of a ranking. */
export interface RankedDocument {
  readonly number: number;
  readonly score: number;
  readonly tier: number;
}

/** The ranking of a search, and how it came about. */
export interface SearchOutcome {
  readonly results: readonly RankedDocument[];
  /** Every document that matches, ascending. */
  readonly matching: Uint32Array;
  readonly plan: QueryPlan;
  readonly adjustments: ScoreAdjustments;
  /** Positions in the plan's terms of those that the budget left no room for. */
  readonly skipped: readonly number[];
  /** Whether `matching` has every document that has a term of the query; the budget may leave some of them out. */
  readonly isExact: boolean;
}

/** Ranks the documents of an index for a query. The same index, query and options give the same results on every machine. */
export async function search(reader: IndexReader, query: string, options: SearchOptions): Promise<SearchOutcome> {
  const { offset = 0, limit, accepts, budget = reader.head.budget } = options;
  const [plan, tiers, neighbours] = await Promise.all([planQuery(reader, query, budget), reader.tiers(), reader.neighbours()]);
  // From here on nothing is asynchronous, so that concurrent queries do not share the kernel.
  const { kernel } = reader;
  const order = scoringOrder(plan, budget.postingsMax);
  scoreDocuments(kernel, plan, order, reader.head.documents);
  const matching = kernel.findMatching();
  const adjustments: ScoreAdjustments = neighbours === undefined ? new Map() : rescoreWithNeighbours(kernel, matching.length, neighbours);
  const count = accepts === undefined ? matching.length : keepAccepted(matching, accepts);
  const results = selectTop(kernel, count, offset + limit, tiers).slice(offset);
  const scored = new Set(order.scored);
  const skipped = plan.terms.flatMap(({ indexed }, number) => (indexed.parts.length > 0 && scored.has(number) ? [] : [number]));
  const isExact = skipped.length === 0 && plan.terms.every(({ indexed }) => indexed.isWhole);
  return { results, matching: matching.slice(0, count), plan, adjustments, skipped, isExact };
}

/** Keeps the accepted ones of some documents, in their order and place. @returns How many they are. */
function keepAccepted(documents: Uint32Array, accepts: (document: number) => boolean): number {
  let kept = 0;
  for (const document of documents) if (accepts(document)) documents[kept++] = document;
  return kept;
}

/** The cost grows with the number of documents, and little with `limit`. */
function selectTop(kernel: Kernel, count: number, limit: number, tiers: Uint8Array | undefined): RankedDocument[] {
  const { scores } = kernel;
  return Array.from(kernel.findStrongest(count, limit, tiers), (number) => ({
    number,
    score: scores[number],
    tier: tiers?.[number] ?? 0,
  }));
}
