import type { MatchLevel, QueryFilters, QueryRequest } from '../../schemas/knowledge/query.ts';
import type { ResultKind } from '../../schemas/knowledge/site-texts.ts';
import { MATCH_LEVELS, SITE_KINDS } from '../../schemas/knowledge/vocabulary.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { Columns } from '../../search/format/columns.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import { placeNamed } from '../../search/query/place-named.ts';
import type { QueryFit } from '../../search/query/query-fit.ts';
import { type RankedDocument, type SearchOptions, type SearchOutcome, search } from '../../search/query/search.ts';
import { type Condition, every, requestConditions } from './capsule-filters.ts';
import type { Generation } from './generation.ts';
import { visitorPercent } from './site-results.ts';

/** A text of a request, and what it found. */
export interface SearchedText {
  readonly text: string;
  readonly outcome: ScopeOutcome;
}

/** A capsule in the list of results of a request. */
export interface RankedCapsule extends Pick<RankedDocument, 'number' | 'score'> {
  /** The text that ranks it best. */
  readonly by: SearchedText;
  /** Its ranks, best first; `undefined` unless the request has `queries`. */
  readonly foundBy?: readonly CapsuleRank[];
}

interface CapsuleRank {
  /** Position of the text. */
  readonly query: number;
  /** From 1. */
  readonly rank: number;
}

/** One page of the list of results of a request. */
export interface CapsuleRanking {
  /** The texts that were searched for, in the order of the request. */
  readonly searched: readonly SearchedText[];
  readonly page: readonly RankedCapsule[];
  /** The first of the whole list. */
  readonly best: RankedCapsule | undefined;
  /** Length of the whole list. */
  readonly total: number;
  /** Whether the list has everything that matches. */
  readonly isExact: boolean;
  /** What the list was made from, ascending. */
  readonly matching: Uint32Array;
}

/** What is ranked, and which part of the list is wanted. */
interface RankingOptions {
  readonly start: number;
  readonly limit: number;
  readonly conditions?: ReadonlyMap<string, Condition> | undefined;
}

const FUSION_CONSTANT = 60;

/** Points of the reciprocal rank, so that scores are whole numbers. */
const FUSION_POINTS = 1_000_000;

/** The texts of a request, in their order. */
export function textsOf({ query, queries = [] }: Pick<QueryRequest, 'query' | 'queries'>): string[] {
  return query === undefined ? queries : [query, ...queries];
}

/** The least match of the results of a request. */
export function leastMatchOf({ min_match, sort }: Pick<QueryRequest, 'min_match' | 'sort'>): MatchLevel {
  // The newest of all capsules with any word of the query would hardly be about it.
  return min_match ?? (sort === 'newest' ? 'partial' : 'weak');
}

/** Whether a level is another or better. */
export function isAtLeast(level: MatchLevel, least: MatchLevel): boolean {
  return MATCH_LEVELS.indexOf(level) <= MATCH_LEVELS.indexOf(least);
}

/** How well a capsule fits the text that ranks it best. */
export function fitOf({ by, number }: RankedCapsule): QueryFit {
  return by.outcome.fitOf(number);
}

/** Ranks the capsules that meet all conditions for the texts of a request. */
export async function rankCapsules(
  request: Pick<QueryRequest, 'query' | 'queries' | 'min_match' | 'sort'>,
  scope: SearchScope,
  { start, limit, conditions }: RankingOptions,
): Promise<CapsuleRanking> {
  const isSorted = request.sort === 'newest';
  const isFused = request.queries !== undefined;
  const leastFit = leastMatchOf(request);
  const depth = isFused ? LIMITS.fusedCapsulesMax : isSorted ? LIMITS.sortedCapsulesMax : start + limit;
  const options = {
    limit: depth,
    ...(conditions ? { accepts: every(conditions.values()) } : {}),
    ...(leastFit === 'weak' ? {} : { leastFit }),
  };
  const searched = await Promise.all(
    textsOf(request).map(async (text): Promise<SearchedText> => ({ text, outcome: await scope.search(text, options) })),
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

/** A capsule before a list has its order. */
type FoundCapsule = RankedCapsule & Standing;

/** Facts that order capsules before their scores do. */
type Standing = Pick<RankedDocument, 'tier' | 'isReplaced' | 'isNamed'>;

/**
 * The capsules that some texts found, each with the sum of its reciprocal ranks.
 *
 * @see {@link https://doi.org/10.1145/1571941.1572114 Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (2009)}
 */
function fuse(searched: readonly SearchedText[]): FoundCapsule[] {
  const found = new Map<number, { standing: Standing; readonly ranks: CapsuleRank[] }>();
  for (const [query, { outcome }] of searched.entries()) {
    for (const [at, { number, tier, isReplaced, isNamed }] of outcome.results.entries()) {
      const capsule = found.get(number) ?? { standing: { tier, isReplaced, isNamed }, ranks: [] };
      if (isNamed) capsule.standing = { ...capsule.standing, isNamed };
      capsule.ranks.push({ query, rank: at + 1 });
      found.set(number, capsule);
    }
  }
  return [...found].map(([number, { ranks, standing }]) => {
    const score = ranks.reduce((sum, { rank }) => sum + Math.floor(FUSION_POINTS / (FUSION_CONSTANT + rank)), 0);
    // Stable, so that of equal ranks the earlier text is first.
    ranks.sort((a, b) => a.rank - b.rank);
    return { number, score, ...standing, by: searched[ranks[0]?.query ?? 0] as SearchedText, foundBy: ranks };
  });
}

/** Filters that guides, offers and errors can meet; the others are about what only capsules have. */
const SITE_FILTERS = ['language', 'updated_after', 'updated_before'] as const satisfies readonly (keyof QueryFilters)[];

/** What one index found of a search over several. */
interface SegmentOutcome {
  readonly index: IndexReader;
  /** Number of its first document among the documents of the scope. */
  readonly first: number;
  readonly outcome: SearchOutcome;
}

/** The ranking of a search over some kinds; documents have the numbers of the scope. */
interface ScopeOutcome extends SearchOutcome {
  readonly segments: readonly SegmentOutcome[];
}

/** The kinds of documents that a request searches. Guides, offers and errors are numbered after the capsules. */
export class SearchScope {
  readonly capsules: IndexReader;
  readonly hasCapsules: boolean;
  /** Index of guides, offers and errors; `undefined` if none of them is searched. */
  readonly #site: IndexReader | undefined;
  readonly #kinds: readonly ResultKind[];

  private constructor(capsules: IndexReader, site: IndexReader | undefined, kinds: readonly ResultKind[]) {
    this.capsules = capsules;
    this.#site = kinds.some((kind) => kind !== 'capsule') ? site : undefined;
    this.#kinds = kinds;
    this.hasCapsules = kinds.includes('capsule');
  }

  static async open(generation: Generation, kinds: readonly ResultKind[]): Promise<SearchScope> {
    return new SearchScope(await generation.index(), generation.siteIndex, kinds);
  }

  /** Number of the first document that is no capsule. */
  get firstSiteText(): number {
    return this.capsules.head.documents;
  }

  /** The capsules among ascending documents of the scope. */
  capsulesAmong(documents: Uint32Array): Uint32Array {
    if (this.#site === undefined) return documents;
    const end = documents.findIndex((number) => number >= this.firstSiteText);
    return end < 0 ? documents : documents.subarray(0, end);
  }

  /** The indexes that are searched; of capsules first. */
  get indexes(): readonly IndexReader[] {
    return [...(this.hasCapsules ? [this.capsules] : []), ...(this.#site === undefined ? [] : [this.#site])];
  }

  /**
   * Ranks the documents of the scope. Over capsules alone, ranks and scores are those of an index of capsules; otherwise frequencies of
   * terms are counted over everything, so that scores of all kinds can be compared.
   */
  async search(text: string, options: Pick<SearchOptions, 'limit' | 'accepts' | 'leastFit'>): Promise<ScopeOutcome> {
    const site = this.#site;
    if (site === undefined) {
      const outcome = await search(this.capsules, text, this.hasCapsules ? options : { limit: 0, accepts: () => false });
      return { ...outcome, segments: [{ index: this.capsules, first: 0, outcome }] };
    }
    const first = this.firstSiteText;
    const all = { ...options, segments: [this.capsules, site] };
    const { accepts } = options;
    const columns = await site.columns();
    const isAsked = this.#kindCondition(columns);
    const factor = visitorPercent(text);
    const conditions = [...(isAsked ? [isAsked] : []), ...(accepts ? [(document: number) => accepts(document + first)] : [])];
    const [ofCapsules, ofSite] = await Promise.all([
      this.hasCapsules ? search(this.capsules, text, all) : undefined,
      search(site, text, {
        ...all,
        ...(conditions.length === 0 ? {} : { accepts: every(conditions) }),
        priorPercent: (document) => (columns.number('prior_percent', document) * factor) / 100,
      }),
    ]);
    const segments: SegmentOutcome[] = [
      ...(ofCapsules === undefined ? [] : [{ index: this.capsules, first: 0, outcome: ofCapsules }]),
      { index: site, first, outcome: ofSite },
    ];
    return joinOutcomes(segments, options.limit);
  }

  /** The conditions of a request on documents of the scope, by JSON pointer; without any, no columns are read. */
  async conditions(filters: QueryFilters, excludeIds: readonly string[]): Promise<ReadonlyMap<string, Condition> | undefined> {
    if (Object.keys(filters).length === 0 && excludeIds.length === 0) return undefined;
    const columns = await this.capsules.columns();
    const ofCapsules = requestConditions(filters, excludeIds, columns);
    if (this.#site === undefined) return ofCapsules;
    const siteColumns = await this.#site.columns();
    const known = Object.fromEntries(SITE_FILTERS.map((name) => [name, filters[name]]));
    const ofSite = new Map(requestConditions(known, [], siteColumns));
    // Ids of capsules name no other document.
    ofSite.set('/exclude_ids', () => true);
    if (filters.updated_within_days !== undefined)
      ofSite.set('/filters/updated_within_days', siteColumns.isAbove('updated', columns.greatest('updated') - filters.updated_within_days));
    const first = this.firstSiteText;
    return new Map(
      [...ofCapsules].map(([pointer, condition]) => {
        const onSite = ofSite.get(pointer);
        return [pointer, (document) => (document < first ? condition(document) : onSite?.(document - first) === true)];
      }),
    );
  }

  /** The day of the newest change of each document, as a number. */
  async days(): Promise<(document: number) => number> {
    const [capsules, site] = await Promise.all([this.capsules.columns(), this.#site?.columns()]);
    const first = this.firstSiteText;
    return (document) => (document < first ? capsules.number('updated', document) : (site?.number('updated', document - first) ?? 0));
  }

  /** The condition on the kinds of site texts; `undefined` if all are searched. */
  #kindCondition(columns: Columns): Condition | undefined {
    return SITE_KINDS.every((kind) => this.#kinds.includes(kind)) ? undefined : columns.hasAny('kind', this.#kinds);
  }
}

/** The outcomes of segments as one. Their plans have the same terms, because each counts over all segments. */
function joinOutcomes(segments: readonly SegmentOutcome[], limit: number): ScopeOutcome {
  const outcomes = segments.map(({ outcome }) => outcome);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new TypeError('a search needs an index');
  const holding = (document: number): SegmentOutcome | undefined => segments.findLast(({ first }) => first <= document);
  const joined = (name: 'adjustments' | 'priors'): ScopeOutcome['adjustments'] => ({
    get: (document) => {
      const segment = holding(document);
      return segment?.outcome[name].get(document - segment.first);
    },
  });
  return {
    ...outcome,
    segments,
    results: placeNamed(
      segments
        .flatMap(({ first, outcome: { results } }) => results.map((result) => ({ ...result, number: result.number + first })))
        .sort((a, b) => a.tier - b.tier || b.score - a.score || a.number - b.number),
    ).slice(0, limit),
    matching: Uint32Array.from(segments.flatMap(({ first, outcome: { matching } }) => Array.from(matching, (number) => number + first))),
    adjustments: joined('adjustments'),
    priors: joined('priors'),
    skipped: [...new Set(outcomes.flatMap(({ skipped }) => skipped))].sort((a, b) => a - b),
    isExact: outcomes.every(({ isExact }) => isExact),
    fitOf: (document) => {
      const segment = holding(document);
      if (segment === undefined) throw new RangeError(`Document ${document} was not searched`);
      return segment.outcome.fitOf(document - segment.first);
    },
  };
}
