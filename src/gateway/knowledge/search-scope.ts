import { SITE_KINDS } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { MatchLevel, QueryFilters } from '../../schemas/knowledge/query.ts';
import type { ResultKind } from '../../schemas/knowledge/result-kinds.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import { placeNamed } from '../../search/query/order-named-results.ts';
import { type SearchOutcome, search } from '../../search/query/search.ts';
import { type Condition, conditionsOf, every } from './capsule-filters.ts';
import type { RequestPlan } from './plan-knowledge-query.ts';
import type { Generation } from './read-generation.ts';
import { priorsFor } from './render-site-result.ts';

/** Filters that guides, offers and errors can meet; the others are about what only capsules have. */
const SITE_FILTERS = ['language', 'updated_after', 'updated_before'] as const satisfies readonly (keyof QueryFilters)[];

interface SegmentOutcome {
  readonly index: IndexReader;
  readonly first: number;
  readonly outcome: SearchOutcome;
}

export interface ScopeOutcome extends SearchOutcome {
  readonly segments: readonly SegmentOutcome[];
}

interface ScopeSearch {
  readonly limit: number;
  readonly leastMatch?: MatchLevel;
  /** Whether the conditions hold; by default they do. */
  readonly isConditional?: boolean;
}

/** The documents that a request searches, and its conditions on them. Guides, offers and errors are numbered after the capsules. */
export class SearchScope {
  readonly capsules: IndexReader;
  readonly hasCapsules: boolean;
  readonly #site: IndexReader | undefined;
  readonly #kinds: readonly ResultKind[];
  /** By the JSON pointer of their member. */
  readonly conditions: ReadonlyMap<string, Condition> | undefined;
  readonly #accepts: Condition | undefined;

  private constructor(
    capsules: IndexReader,
    site: IndexReader | undefined,
    kinds: readonly ResultKind[],
    conditions: ReadonlyMap<string, Condition> | undefined,
  ) {
    this.capsules = capsules;
    this.#site = site;
    this.#kinds = kinds;
    this.hasCapsules = kinds.includes('capsule');
    this.conditions = conditions;
    this.#accepts = conditions && every(conditions.values());
  }

  static async open(
    generation: Generation,
    { kinds, filters, excludeIds, isBrief = false }: Pick<RequestPlan, 'kinds' | 'filters' | 'excludeIds'> & Partial<RequestPlan>,
  ): Promise<SearchScope> {
    const index = await generation.index();
    const capsules = isBrief ? index.withoutNeighbours() : index;
    const site = kinds.some((kind) => kind !== 'capsule') ? generation.siteIndex : undefined;
    return new SearchScope(capsules, site, kinds, await conditionsOn(capsules, site, filters, excludeIds));
  }

  get firstSiteText(): number {
    return this.capsules.head.documents;
  }

  capsulesAmong(documents: Uint32Array): Uint32Array {
    if (this.#site === undefined) return documents;
    const end = documents.findIndex((number) => number >= this.firstSiteText);
    return end < 0 ? documents : documents.subarray(0, end);
  }

  get indexes(): readonly IndexReader[] {
    return [...(this.hasCapsules ? [this.capsules] : []), ...(this.#site === undefined ? [] : [this.#site])];
  }

  /** Over capsules alone, scores are those of an index of capsules; else terms are counted over everything, so that scores can be compared. */
  async search(text: string, { limit, leastMatch = 'weak', isConditional = true }: ScopeSearch): Promise<ScopeOutcome> {
    const accepts = isConditional ? this.#accepts : undefined;
    const options = { limit, ...(accepts ? { accepts } : {}), ...(leastMatch === 'weak' ? {} : { leastFit: leastMatch }) };
    const site = this.#site;
    if (site === undefined) {
      const outcome = await search(this.capsules, text, this.hasCapsules ? options : { limit: 0, accepts: () => false });
      return { ...outcome, segments: [{ index: this.capsules, first: 0, outcome }] };
    }
    const first = this.firstSiteText;
    const all = { ...options, segments: [this.capsules, site] };
    const columns = await site.columns();
    const isAsked = SITE_KINDS.every((kind) => this.#kinds.includes(kind)) ? undefined : columns.hasAny('kind', this.#kinds);
    const priorFor = priorsFor(text);
    const conditions = [...(isAsked ? [isAsked] : []), ...(accepts ? [(document: number) => accepts(document + first)] : [])];
    const [ofCapsules, ofSite] = await Promise.all([
      this.hasCapsules ? search(this.capsules, text, all) : undefined,
      search(site, text, {
        ...all,
        ...(conditions.length === 0 ? {} : { accepts: every(conditions) }),
        priorPercent: (document) => priorFor(columns.number('prior_percent', document)),
      }),
    ]);
    const segments: SegmentOutcome[] = [
      ...(ofCapsules === undefined ? [] : [{ index: this.capsules, first: 0, outcome: ofCapsules }]),
      { index: site, first, outcome: ofSite },
    ];
    return joinOutcomes(segments, limit);
  }

  async days(): Promise<(document: number) => number> {
    const [capsules, site] = await Promise.all([this.capsules.columns(), this.#site?.columns()]);
    const first = this.firstSiteText;
    return (document) => (document < first ? capsules.number('updated', document) : (site?.number('updated', document - first) ?? 0));
  }
}

/** Without any condition, no columns are read. */
async function conditionsOn(
  capsules: IndexReader,
  site: IndexReader | undefined,
  filters: QueryFilters,
  excludeIds: readonly string[],
): Promise<ReadonlyMap<string, Condition> | undefined> {
  if (Object.keys(filters).length === 0 && excludeIds.length === 0) return undefined;
  const columns = await capsules.columns();
  const ofCapsules = conditionsOf(filters, columns, excludeIds);
  if (site === undefined) return ofCapsules;
  const siteColumns = await site.columns();
  const known = Object.fromEntries(SITE_FILTERS.map((name) => [name, filters[name]]));
  const ofSite = conditionsOf(known, siteColumns);
  // Ids of capsules name no other document.
  ofSite.set('/exclude_ids', () => true);
  if (filters.updated_within_days !== undefined)
    ofSite.set('/filters/updated_within_days', siteColumns.isAbove('updated', columns.greatest('updated') - filters.updated_within_days));
  const first = capsules.head.documents;
  return new Map(
    [...ofCapsules].map(([pointer, condition]) => {
      const onSite = ofSite.get(pointer);
      return [pointer, (document) => (document < first ? condition(document) : onSite?.(document - first) === true)];
    }),
  );
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
