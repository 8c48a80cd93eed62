import { MATCH_LEVELS } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { MatchLevel } from '../../schemas/knowledge/query.ts';
import type { QueryFit } from '../../search/query/match-level.ts';
import { placeNamed } from '../../search/query/order-named-results.ts';
import type { RankedDocument } from '../../search/query/search.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import type { ScopeOutcome, SearchScope } from './search-scope.ts';

export interface SearchedText {
  readonly text: string;
  readonly outcome: ScopeOutcome;
}

export interface RankedCapsule extends Pick<RankedDocument, 'number' | 'score'> {
  readonly by: SearchedText;
  /** Its ranks, best first; `undefined` unless the request has `queries`. */
  readonly foundBy?: readonly CapsuleRank[];
}

interface CapsuleRank {
  readonly query: number;
  readonly rank: number;
}

export interface CapsuleRanking {
  readonly searched: readonly SearchedText[];
  readonly page: readonly RankedCapsule[];
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

export async function rankCapsules(
  { texts, start, depth, isFused, applied: { max_results: limit, min_match: leastMatch, sort } }: RequestPlan,
  scope: SearchScope,
): Promise<CapsuleRanking> {
  const isSorted = sort === 'newest';
  const searched = await Promise.all(
    texts.map(async (text): Promise<SearchedText> => ({ text, outcome: await scope.search(text, { limit: depth, leastMatch }) })),
  );
  const [first] = searched;
  if (first === undefined) throw new TypeError('a query needs a text');
  const { outcome } = first;
  if (!isFused && !isSorted) {
    const list = outcome.results.map(({ number, score }): RankedCapsule => ({ number, score, by: first }));
    return {
      searched,
      page: list.slice(start),
      best: list[0],
      total: outcome.matching.length,
      isExact: outcome.isExact,
      matching: outcome.matching,
    };
  }
  const found: FoundCapsule[] = isFused ? fuse(searched) : outcome.results.map((result) => ({ ...result, by: first }));
  const dayOf = isSorted ? await scope.days() : undefined;
  found.sort((a, b) => a.tier - b.tier || (dayOf ? byDay(a, b, dayOf) : 0) || b.score - a.score || a.number - b.number);
  const ranked = placeNamed(found);
  return {
    searched,
    page: ranked.slice(start, start + limit),
    best: ranked[0],
    total: ranked.length,
    isExact: searched.every((one) => one.outcome.isExact && one.outcome.matching.length <= depth),
    matching: Uint32Array.from(ranked, ({ number }) => number).sort(),
  };
}

/** The order by date: what is in force before what has been replaced, each newest first. */
function byDay(a: FoundCapsule, b: FoundCapsule, dayOf: (document: number) => number): number {
  return Number(a.isReplaced) - Number(b.isReplaced) || dayOf(b.number) - dayOf(a.number);
}

type Order = Pick<RankedDocument, 'tier' | 'isReplaced' | 'isNamed'>;

type FoundCapsule = RankedCapsule & Order;

/** Sums of reciprocal ranks: Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (2009), https://doi.org/10.1145/1571941.1572114 */
function fuse(searched: readonly SearchedText[]): FoundCapsule[] {
  const found = new Map<number, { order: Order; readonly ranks: CapsuleRank[] }>();
  for (const [query, { outcome }] of searched.entries()) {
    for (const [at, { number, tier, isReplaced, isNamed }] of outcome.results.entries()) {
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
