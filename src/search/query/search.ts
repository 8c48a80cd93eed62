import type { SearchBudget } from '../format/index-block.ts';
import { type PostingList, readOwnList } from '../format/postings.ts';
import type { Neighbours } from '../format/similar-documents.ts';
import {
  NAME_IMPACTS,
  NEIGHBOUR_SCORE_WEIGHT,
  PLAIN_NAME_IMPACT,
  RESCORED_DOCUMENTS,
  WHOLE_TITLE_FORM_IMPACT,
} from '../ranking-parameters.ts';
import type { Kernel } from '../scoring-wasm/kernel.ts';
import { type IndexReader, isElsewhere } from './index-reader.ts';
import { type FitLevel, FitMeasure, type QueryFit } from './match-level.ts';
import { placeNamed } from './order-named-results.ts';
import { planQuery, type QueryName, type QueryPlan } from './plan-query.ts';
import { scoreDocuments, scoringOrder, termWeight } from './score-documents.ts';

/** Raised when the same index and query may give other results. */
export const RANKING_VERSION = 18;

export interface SearchOptions {
  readonly limit: number;
  /** Filters documents; it changes no score. */
  readonly accepts?: (document: number) => boolean;
  /** Leaves out documents that fit less; it changes no score. */
  readonly leastFit?: FitLevel | undefined;
  /** By default the index's. */
  readonly budget?: SearchBudget;
  /**
   * Indexes that are searched together, like the segments of one Lucene index; by default this one alone. Frequencies are counted over all, so
   * that scores can be compared.
   */
  readonly segments?: readonly IndexReader[];
  /** The prior of a document, by which its score is multiplied, in percent; by default 100. It changes no fit. */
  readonly priorPercent?: ((document: number) => number) | undefined;
}

/** The prior of a document of tier 1, in percent: another has replaced it, and answers nearly the same questions. */
const REPLACED_PRIOR_PERCENT = 89;

export interface RankedDocument {
  readonly number: number;
  readonly score: number;
  /** Documents of a lower tier rank first: that of the index, but 0 for tier 1, whose documents lose a part of their score instead. */
  readonly tier: number;
  /** Whether another document has replaced it: its tier in the index is 1. */
  readonly isReplaced: boolean;
  /** Whether its id or title is all that the query asks for, though its tier ranks it after all others: {@link placeNamed}. */
  readonly isNamed: boolean;
  /** The part of its score that it has by names of the query. */
  readonly namePoints: number;
}

export interface SearchOutcome {
  readonly results: readonly RankedDocument[];
  readonly matching: Uint32Array;
  readonly plan: QueryPlan;
  /** Documents over which the frequencies of its terms are counted. */
  readonly documentCount: number;
  readonly adjustments: ScoreAdjustments;
  /** Points that a document got by its prior, or lost if negative: because another has replaced it, or by {@link SearchOptions.priorPercent}. */
  readonly priors: ScoreAdjustments;
  /** Positions of the plan's terms that the budget excludes. */
  readonly skipped: readonly number[];
  /** Whether `matching` has every document with a term of the query; the budget may exclude some. */
  readonly isExact: boolean;
  /** How much of the query one of the results covers. @throws {RangeError} If the document is not among the results. */
  readonly fitOf: (document: number) => QueryFit;
}

/** Ranks the documents of an index for a query. The same index, query and options give the same results on every machine. */
export async function search(reader: IndexReader, query: string, options: SearchOptions): Promise<SearchOutcome> {
  const { limit, accepts, leastFit, budget = reader.head.budget, segments = [reader], priorPercent } = options;
  const [plan, tiers, neighbours] = await Promise.all([planQuery(reader, query, budget, segments), reader.tiers(), reader.neighbours()]);
  // The rest is synchronous, so that concurrent queries do not share the kernel.
  const { kernel } = reader;
  const order = scoringOrder(plan, budget.postingsMax);
  const documentCount = segments.reduce((sum, { head }) => sum + head.documents, 0);
  scoreDocuments(kernel, plan, order, { documents: reader.head.documents, documentCount });
  const named = new NamedDocuments(plan, documentCount, order.marked.length);
  named.mark(kernel);
  const matching = kernel.findMatching();
  const adjustments: ScoreAdjustments = neighbours === undefined ? new Map() : rescoreWithNeighbours(kernel, matching.length, neighbours);
  named.addPoints(kernel);
  const { masks, scores } = kernel;
  const fit = new FitMeasure(plan, order.marked, documentCount);
  const fits =
    leastFit === undefined
      ? undefined
      : (document: number) => fit.isAtLeast(leastFit, masks[document], scores[document] - named.wholePointsOf(document));
  const conditions = [accepts, fits].filter((condition) => condition !== undefined);
  const count = conditions.length === 0 ? matching.length : keepAccepted(matching, conditions);
  const replaced = tiers && ((document: number) => tiers[document] === 1 && !named.isAskedFor(document));
  const priors = applyPriors(kernel, matching.subarray(0, count), replaced, priorPercent);
  const results = selectTop(kernel, matching.subarray(0, count), limit, tiers, named).slice(0, limit);
  const scored = new Set(order.scored);
  const skipped = plan.terms.flatMap(({ indexed }, number) => (scored.has(number) || isElsewhere(indexed) ? [] : [number]));
  const isExact = plan.isComplete && skipped.length === 0 && [...plan.terms, ...plan.names].every(({ indexed }) => indexed.isWhole);
  const coverage = new Map(
    results.map(({ number, score }) => {
      const whole = score - (priors.get(number) ?? 0);
      return [number, { mask: masks[number], score: whole - named.wholePointsOf(number) }];
    }),
  );
  const fitOf = (document: number): QueryFit => {
    const covered = coverage.get(document);
    if (covered === undefined) throw new RangeError(`Cannot tell how well document ${document} fits: it is not among the results`);
    return fit.of(covered.mask, covered.score);
  };
  return { results, matching: matching.slice(0, count), plan, documentCount, adjustments, priors, skipped, isExact, fitOf };
}

/** Moves the documents that meet all conditions to the front, in order. @returns Their number. */
function keepAccepted(documents: Uint32Array, conditions: readonly ((document: number) => boolean)[]): number {
  let kept = 0;
  for (const document of documents) if (conditions.every((accepts) => accepts(document))) documents[kept++] = document;
  return kept;
}

/** Multiplies the scores of some documents by their priors; every document keeps a point. @returns The points that were added. */
function applyPriors(
  { scores }: Kernel,
  documents: Uint32Array,
  isReplaced: ((document: number) => boolean) | undefined,
  priorPercent: SearchOptions['priorPercent'],
): ReadonlyMap<number, number> {
  const added = new Map<number, number>();
  if (isReplaced === undefined && priorPercent === undefined) return added;
  for (const document of documents) {
    const percent = (priorPercent?.(document) ?? 100) * (isReplaced?.(document) ? REPLACED_PRIOR_PERCENT : 100);
    if (percent === 10_000) continue;
    const score = scores[document];
    scores[document] = Math.max(1, Math.floor((score * percent) / 10_000));
    added.set(document, scores[document] - score);
  }
  return added;
}

function selectTop(
  kernel: Kernel,
  matching: Uint32Array,
  limit: number,
  tiers: Uint8Array | undefined,
  named: NamedDocuments,
): RankedDocument[] {
  const { scores } = kernel;
  const ordered = tiers?.map((tier) => (tier === 1 ? 0 : tier));
  const tierOf = (number: number): number => ordered?.[number] ?? 0;
  const asked = named.askedFor().filter((number) => tierOf(number) > 0 && matching.includes(number));
  const strongest = kernel.findStrongest(matching.length, limit, ordered);
  const ranked = [...new Set([...strongest, ...asked])].map((number) => ({
    number,
    score: scores[number],
    tier: tierOf(number),
    isReplaced: tiers?.[number] === 1,
    isNamed: asked.includes(number),
    namePoints: named.pointsOf(number),
  }));
  return placeNamed(ranked);
}

/** Points that rescoring added to a document, or subtracted if negative. */
export type ScoreAdjustments = Pick<ReadonlyMap<number, number>, 'get'>;

/** Visited documents of the current ranking, a byte each; all 0 between rankings. */
let visited = new Uint8Array();

/**
 * Rescores the strongest documents and their neighbours with the scores of their neighbours: similar documents are relevant to the same
 * queries.
 *
 * Support is relative to `expected`, the mean support of this ranking, so that a document without neighbours keeps its score. Neighbours of
 * longer texts count more, because the similarity of short texts is noise. Every matching document stays one.
 *
 * @param kernel After `findMatching`.
 * @see {@link https://doi.org/10.1145/1099554.1099722 Diaz, Regularizing ad hoc retrieval scores (2005)}
 */
export function rescoreWithNeighbours(kernel: Kernel, matching: number, neighbours: Neighbours): ScoreAdjustments {
  const { scores } = kernel;
  if (visited.length < scores.length) visited = new Uint8Array(scores.length);
  const documents: number[] = [];
  const supports: number[] = [];
  let supportSum = 0;
  let scoreSum = 0;
  for (const document of kernel.findStrongest(matching, RESCORED_DOCUMENTS, undefined)) {
    const support = neighbours.support(document, scores);
    if (support < 0) continue;
    visited[document] = 1;
    documents.push(document);
    supports.push(support);
    supportSum += support;
    scoreSum += scores[document];
  }
  if (scoreSum === 0) return new Map();
  for (let at = 0, strongest = documents.length; at < strongest; at++) {
    neighbours.forEach(documents[at], (neighbour) => {
      if (visited[neighbour] === 1 || scores[neighbour] <= 0) return;
      visited[neighbour] = 1;
      documents.push(neighbour);
      supports.push(neighbours.support(neighbour, scores));
    });
  }
  const expected = supportSum / scoreSum;
  const unchanged = 1 - NEIGHBOUR_SCORE_WEIGHT + NEIGHBOUR_SCORE_WEIGHT * expected;
  const added = documents.map((document, at) => {
    visited[document] = 0;
    const score = scores[document];
    const support = supports[at];
    // A document without neighbours of its own gets the expected support.
    const trust = support < 0 ? 0 : neighbours.trust(document);
    const mixed = (1 - NEIGHBOUR_SCORE_WEIGHT) * score + NEIGHBOUR_SCORE_WEIGHT * (trust * support + (1 - trust) * expected * score);
    const rescored = Math.max(1, Math.round(mixed / unchanged));
    scores[document] = rescored;
    return rescored - score;
  });
  return { get: (document) => added[documents.indexOf(document)] };
}

interface NamedDocument {
  points: number;
  wholePoints: number;
  bits: number;
  /** Whether its id or title is what the query asks for. */
  isAskedFor: boolean;
  isWordless: boolean;
}

/** The documents with the names of a query: few, because a name of many documents is not indexed. */
class NamedDocuments {
  readonly #documents = new Map<number, NamedDocument>();

  /** @param firstBit Bit of the first name of the plan in the mask of a document. */
  constructor({ names }: Pick<QueryPlan, 'names'>, documentCount: number, firstBit: number) {
    names.forEach((name, number) => {
      const weight = termWeight(name, documentCount);
      const bit = firstBit + number;
      eachPosting(name, (document, impact) => {
        const named = this.#documents.get(document) ?? { points: 0, wholePoints: 0, bits: 0, isAskedFor: false, isWordless: false };
        named.points += weight * impact;
        if (name.isWhole) named.wholePoints += weight * impact;
        named.bits |= bit < 32 ? 1 << bit : 0;
        named.isAskedFor ||= name.isWhole && impact === NAME_IMPACTS.title;
        this.#documents.set(document, named);
      });
    });
  }

  pointsOf(document: number): number {
    return this.#documents.get(document)?.points ?? 0;
  }

  /** Points of a document because its name is all that the query asks for. */
  wholePointsOf(document: number): number {
    return this.#documents.get(document)?.wholePoints ?? 0;
  }

  /** Makes the documents match, before the kernel finds those that do. */
  mark({ scores, masks }: Kernel): void {
    for (const [document, named] of this.#documents) {
      if (document >= scores.length) continue;
      masks[document] |= named.bits;
      named.isWordless = scores[document] === 0;
      if (named.isWordless) scores[document] = 1;
    }
  }

  /** Adds the points, after documents were rescored with their neighbours. */
  addPoints({ scores }: Kernel): void {
    for (const [document, { points, isWordless }] of this.#documents)
      if (document < scores.length) scores[document] += isWordless ? points - 1 : points;
  }

  askedFor(): number[] {
    return [...this.#documents].flatMap(([document, named]) => (named.isAskedFor ? [document] : [])).sort((a, b) => a - b);
  }

  isAskedFor(document: number): boolean {
    return this.#documents.get(document)?.isAskedFor === true;
  }
}

/** Visits the documents that have a name of a query, with their impacts. */
export function eachPosting({ indexed, isWhole, isPlain }: QueryName, visit: (document: number, impact: number) => void): void {
  const impactOf = (impact: number): number =>
    isPlain && impact !== NAME_IMPACTS.code && impact !== NAME_IMPACTS.defined
      ? PLAIN_NAME_IMPACT
      : isWhole && impact === NAME_IMPACTS.titleForm
        ? WHOLE_TITLE_FORM_IMPACT
        : impact;
  for (const part of indexed.parts) {
    if (!('records' in part)) {
      visit(part.document, impactOf(part.impact));
      continue;
    }
    const { documents, impacts }: PostingList = readOwnList(part.records.subarray(part.at, part.end));
    for (const [posting, document] of documents.entries()) visit(document, impactOf(impacts[posting]));
  }
}
