import { MATCH_LEVELS } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { MatchLevel } from '../../schemas/knowledge/query.ts';
import type { AnalysedText } from '../../search/passages/analysed-text.ts';
import { type PassageQuery, passageQuery } from '../../search/passages/passage-query.ts';
import { isFirstAhead, READ_RESULTS, rankBySentences } from '../../search/passages/rank-by-sentences.ts';
import type { QueryFit } from '../../search/query/match-level.ts';
import { placeNamed } from '../../search/query/order-named-results.ts';
import type { RankedDocument } from '../../search/query/search.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import type { ScopeOutcome, SearchScope } from './search-scope.ts';

export interface SearchedText {
  readonly text: string;
  readonly outcome: ScopeOutcome;
  readonly query: PassageQuery;
  /** The document that may state the answer, which is first; `undefined` if others that say something else fit as well. */
  readonly answering?: number | undefined;
}

/** A text with its results; the first ones are ranked by their sentences. */
interface RankedText extends SearchedText {
  readonly results: readonly (RankedDocument & Pick<RankedCapsule, 'sentencePoints'>)[];
}

export interface RankedCapsule extends Pick<RankedDocument, 'number' | 'score'> {
  readonly by: SearchedText;
  /** Its ranks, best first; `undefined` unless the request has `queries`. */
  readonly foundBy?: readonly CapsuleRank[];
  /** Points for its best sentence, a part of the score. */
  readonly sentencePoints?: number | undefined;
}

interface CapsuleRank {
  readonly query: number;
  readonly rank: number;
}

export interface CapsuleRanking<Document = unknown> {
  readonly searched: readonly SearchedText[];
  readonly page: readonly RankedCapsule[];
  /** The documents of the page, in its order. */
  readonly documents: readonly Document[];
  readonly best: RankedCapsule | undefined;
  readonly total: number;
  readonly isExact: boolean;
  /** What the list was made from, ascending. */
  readonly matching: Uint32Array;
}

const FUSION_CONSTANT = 60;

/** Points of the reciprocal rank, so that scores are whole numbers. */
const FUSION_POINTS = 1_000_000;

export function isAtLeast(level: MatchLevel, least: MatchLevel): boolean {
  return MATCH_LEVELS.indexOf(level) <= MATCH_LEVELS.indexOf(least);
}

export function fitOf({ by, number }: RankedCapsule): QueryFit {
  return by.outcome.fitOf(number);
}

/** @param load Loads documents by their numbers. */
export async function rankCapsules<Document extends { readonly texts: readonly AnalysedText[]; readonly translationSet: string }>(
  { texts, start, depth, isFused, isBrief, applied: { max_results: limit, min_match: leastMatch, sort } }: RequestPlan,
  scope: SearchScope,
  load: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Document>>,
): Promise<CapsuleRanking<Document>> {
  const isSorted = sort === 'newest';
  const searched = await Promise.all(
    texts.map(async (text): Promise<SearchedText> => {
      const outcome = await scope.search(text, { limit: depth, leastMatch });
      return { text, outcome, query: passageQuery(text, outcome.plan, outcome.documentCount) };
    }),
  );
  const isList = !isFused && !isSorted;
  const isRead = !isBrief && !isSorted;
  const readOf = ({ outcome }: SearchedText): readonly RankedDocument[] => (isRead ? outcome.results.slice(0, READ_RESULTS) : []);
  const pageOf = <T>(results: readonly T[]): readonly T[] => results.slice(start, start + limit);
  const listed = isList ? searched.flatMap(({ outcome }) => pageOf(outcome.results)) : [];
  const read = await load(numbersOf([...searched.flatMap(readOf), ...listed]));
  const ranked = searched.map((one): RankedText => {
    const first = rankBySentences(readOf(one), one.query, (number) => read.get(number)?.texts ?? []);
    const setOf = (result?: Pick<RankedDocument, 'number'>): string | undefined => result && read.get(result.number)?.translationSet;
    const isAhead = isFirstAhead(first, (result) => setOf(result) === setOf(first[0]));
    return { ...one, results: [...first, ...one.outcome.results.slice(first.length)], answering: isAhead ? first[0]?.number : undefined };
  });
  const [first] = ranked;
  if (first === undefined) throw new TypeError('a query needs a text');
  const { results } = first;
  if (isList) {
    const list = results.map(({ number, score, sentencePoints }): RankedCapsule => ({ number, score, by: first, sentencePoints }));
    const page = pageOf(list);
    const { matching, isExact } = first.outcome;
    const documents = page.flatMap(({ number }) => read.get(number) ?? []);
    return { searched, page, documents, best: list[0], total: matching.length, isExact, matching };
  }
  const found: FoundCapsule[] = isFused ? fuse(ranked) : results.map((result) => ({ ...result, by: first }));
  const dayOf = isSorted ? await scope.days() : undefined;
  found.sort((a, b) => a.tier - b.tier || (dayOf ? byDay(a, b, dayOf) : 0) || b.score - a.score || a.number - b.number);
  const all = placeNamed(found);
  const page = pageOf(all);
  const documents = await load(numbersOf(page));
  return {
    searched,
    page,
    documents: page.flatMap(({ number }) => documents.get(number) ?? []),
    best: all[0],
    total: all.length,
    isExact: searched.every((one) => one.outcome.isExact && one.outcome.matching.length <= depth),
    matching: Uint32Array.from(all, ({ number }) => number).sort(),
  };
}

function numbersOf(ranked: readonly Pick<RankedDocument, 'number'>[]): number[] {
  return [...new Set(ranked.map(({ number }) => number))];
}

/** The order by date: what is in force before what has been replaced, each newest first. */
function byDay(a: FoundCapsule, b: FoundCapsule, dayOf: (document: number) => number): number {
  return Number(a.isReplaced) - Number(b.isReplaced) || dayOf(b.number) - dayOf(a.number);
}

type Order = Pick<RankedDocument, 'tier' | 'isReplaced' | 'isNamed'>;

type FoundCapsule = RankedCapsule & Order;

/** Sums of reciprocal ranks: Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (2009), https://doi.org/10.1145/1571941.1572114 */
function fuse(searched: readonly RankedText[]): FoundCapsule[] {
  const found = new Map<number, { order: Order; readonly ranks: CapsuleRank[] }>();
  for (const [query, { results }] of searched.entries()) {
    for (const [at, { number, tier, isReplaced, isNamed }] of results.entries()) {
      const capsule = found.get(number) ?? { order: { tier, isReplaced, isNamed }, ranks: [] };
      if (isNamed) capsule.order = { ...capsule.order, isNamed };
      capsule.ranks.push({ query, rank: at + 1 });
      found.set(number, capsule);
    }
  }
  return [...found].map(([number, { ranks, order }]) => {
    const score = ranks.reduce((sum, { rank }) => sum + Math.floor(FUSION_POINTS / (FUSION_CONSTANT + rank)), 0);
    // Stable, so that of equal ranks the earlier text is first.
    ranks.sort((a, b) => a.rank - b.rank);
    return { number, score, ...order, by: searched[ranks[0]?.query ?? 0] as SearchedText, foundBy: ranks };
  });
}
