import type { ClampedMember, QueryRequest, QueryResponse } from '../../schemas/knowledge/query.ts';
import type { ResultKind } from '../../schemas/knowledge/result-kinds.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { READ_RESULTS } from '../../search/passages/rank-by-sentences.ts';
import { ok, type Result, refuse } from '../result.ts';
import { decodeCursor } from './cursor.ts';

export interface RequestPlan extends Pick<QueryRequest, 'facets' | 'fields' | 'explain' | 'prefer_language'> {
  readonly texts: readonly string[];
  readonly isFused: boolean;
  readonly kinds: readonly ResultKind[];
  readonly isOfAnyKind: boolean;
  readonly filters: NonNullable<QueryRequest['filters']>;
  readonly excludeIds: readonly string[];
  readonly start: number;
  /** Whether as little as possible is read: no similar texts, which move ranks a little, and nothing to suggest. */
  readonly isBrief: boolean;
  /** Results that each text is searched for. */
  readonly depth: number;
  readonly version: string | undefined;
  /** Everything that decides which results the list has, and in which order; a cursor belongs to it. Pages are counted and have no cursor. */
  readonly list: object | undefined;
  readonly applied: QueryResponse['meta']['applied'];
  /** Longest quote where the rest of its text says much less about the query, and longest passage: at most `applied.quote_length`. */
  readonly quoteLength: number;
  readonly clamped: ClampedMember[];
}

/** @param from Position of the first result, instead of the cursor's. */
export function planRequest(request: QueryRequest, from?: number, isBrief = false): Result<RequestPlan> {
  const { query, queries = [], kind, filters = {}, exclude_ids: excludeIds = [], facets, fields, explain } = request;
  const kinds = [...new Set(kind === undefined ? (['capsule'] as const) : typeof kind === 'string' ? [kind] : kind)];
  const { applied, clamped, quoteLength } = applyLimits(request, kinds);
  const { sort, min_match: leastMatch } = applied;
  const list = {
    ...(query === undefined ? {} : { query }),
    ...(request.queries === undefined ? {} : { queries }),
    ...(kind === undefined ? {} : { kinds: kinds.toSorted() }),
    filters,
    exclude_ids: [...new Set(excludeIds)].sort(),
    ...(sort === 'relevance' ? {} : { sort }),
    ...(leastMatch === 'weak' ? {} : { min_match: leastMatch }),
  };
  const place = from === undefined ? placeOf(request, list) : ok({ start: from, version: undefined });
  if (!place.ok) return place;
  const { start, version } = place.value;
  const isFused = request.queries !== undefined;
  const depth = isFused
    ? LIMITS.fusedCapsulesMax
    : sort === 'newest'
      ? LIMITS.sortedCapsulesMax
      : Math.max(start + applied.max_results, READ_RESULTS);
  const texts = query === undefined ? queries : [query, ...queries];
  const isOfAnyKind = kind === undefined;
  const wanted = { facets, fields, explain, prefer_language: request.prefer_language };
  return ok({
    texts,
    isFused,
    isBrief,
    kinds,
    isOfAnyKind,
    filters,
    excludeIds,
    start,
    depth,
    version,
    list: from === undefined ? list : undefined,
    applied,
    clamped,
    quoteLength,
    ...wanted,
  });
}

/** The members of {@link RequestPlan.list}. */
const LIST_MEMBERS = 'query, queries, kind (capsule by default, in searches all), filters, exclude_ids, sort and min_match';

function placeOf({ cursor, corpus_version: asked }: QueryRequest, list: object): Result<Pick<RequestPlan, 'start' | 'version'>> {
  if (cursor === undefined) return ok({ start: 0, version: asked });
  const position = decodeCursor(cursor, list, LIST_MEMBERS);
  if (!position.ok) return position;
  const { offset, corpusVersion } = position.value;
  if (asked !== undefined && corpusVersion !== asked)
    return refuse('invalid_cursor', 'The cursor belongs to another corpus version than corpus_version.');
  return ok({ start: offset, version: corpusVersion });
}

function applyLimits(request: QueryRequest, kinds: readonly ResultKind[]): Pick<RequestPlan, 'applied' | 'clamped' | 'quoteLength'> {
  const { max_results, token_budget, quote_length, sort, filters = {}, fields } = request;
  const passages = request.passages ?? (fields?.includes('passages') ? LIMITS.passagesMax : 0);
  const clamped: ClampedMember[] = [];
  const atMost = (pointer: string, requested: number, max: number): number => {
    if (requested > max) clamped.push({ pointer, requested, applied: max });
    return Math.min(requested, max);
  };
  const quoteLength = atMost('/quote_length', quote_length ?? LIMITS.quoteDefaultLength, LIMITS.quoteMaxLength);
  const applied = {
    max_results: atMost('/max_results', max_results, LIMITS.maxResultsMax),
    token_budget: atMost('/token_budget', token_budget, LIMITS.tokenBudgetMax),
    quote_length: quote_length === undefined && passages <= 1 ? LIMITS.quoteUnsureLength : quoteLength,
    passages: atMost('/passages', passages, LIMITS.passagesMax),
    kind: [...kinds],
    sort,
    // The newest of all capsules with any word of the query would hardly be about it.
    min_match: request.min_match ?? (sort === 'newest' ? 'partial' : 'weak'),
    filters,
  };
  return { applied, clamped, quoteLength };
}
