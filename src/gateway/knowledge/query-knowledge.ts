import {
  type ClampedMember,
  type Interpretation,
  type QueryMatch,
  type QueryRequest,
  type QueryResponse,
  VERIFYING_MEMBERS,
} from '../../schemas/knowledge/query.ts';
import { TOKEN_ESTIMATOR, tokensOfBytes } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { type PassageQuery, passageQuery } from '../../search/passages/passage-query.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryFit } from '../../search/query/query-fit.ts';
import { ok, type Result, refuse } from '../result.ts';
import { type Condition, countFacets, requestConditions } from './capsule-filters.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Generation } from './generation.ts';
import { type AnswerForm, type AnswerFrame, JSON_ANSWER } from './query-answer.ts';
import { type CapsuleRanking, fitOf, leastMatchOf, type RankedCapsule, rankCapsules, type SearchedText } from './rank-capsules.ts';
import { ExplainScores, type FoundCapsule, type SerializedJson } from './result-renderer.ts';
import { suggestQueries } from './suggest-queries.ts';

/**
 * Ranked capsules for a query. The same request on the same corpus gives the same response.
 *
 * @param onFallback Called if an earlier generation serves the read; without it only the newest is read.
 */
export async function queryKnowledge(
  request: QueryRequest,
  corpus: Corpus,
  baseUrl: string,
  onFallback?: () => void,
): Promise<Result<QueryResponse>> {
  const text = await queryKnowledgeText(request, corpus, baseUrl, onFallback);
  return text.ok ? ok(JSON.parse(text.value) as QueryResponse) : text;
}

/** The exact text of the response of {@link queryKnowledge} in a form; query-independent members of a capsule are serialized once. */
export function queryKnowledgeText(
  asked: QueryRequest,
  corpus: Corpus,
  baseUrl: string,
  onFallback?: () => void,
  form: AnswerForm = JSON_ANSWER,
): Promise<Result<string>> {
  const request = form.prepare(asked);
  return withCorpus(corpus, async () => {
    const list = listIdentity(request);
    const position = request.cursor === undefined ? undefined : await decodeCursor(request.cursor, list);
    if (position && !position.ok) return position;
    if (position && request.corpus_version !== undefined && position.value.corpusVersion !== request.corpus_version) {
      return refuse('invalid_cursor', 'The cursor belongs to another corpus version than corpus_version.');
    }
    const version = position?.value.corpusVersion ?? request.corpus_version;
    const place = { list, start: position?.value.offset ?? 0 };
    return corpus.read(version, (generation) => queryGeneration(generation, request, place, corpus, baseUrl, form), onFallback);
  });
}

/** Everything that decides which results a request has, and in which order; a cursor belongs to it. */
function listIdentity(request: QueryRequest): object {
  const { query, queries, filters = {}, exclude_ids, sort } = request;
  const leastMatch = leastMatchOf(request);
  return {
    ...(query === undefined ? {} : { query }),
    ...(queries === undefined ? {} : { queries }),
    filters,
    exclude_ids: [...new Set(exclude_ids)].sort(),
    ...(sort === 'relevance' ? {} : { sort }),
    ...(leastMatch === 'weak' ? {} : { min_match: leastMatch }),
  };
}

async function queryGeneration(
  generation: Generation,
  request: QueryRequest,
  { list, start }: { readonly list: object; readonly start: number },
  corpus: Corpus,
  baseUrl: string,
  form: AnswerForm,
): Promise<Result<string>> {
  const { applied, clamped } = applyLimits(request);
  const index = await generation.index();
  const conditions = await openConditions(request, index);
  const ranking = await rankCapsules(request, index, { start, limit: applied.max_results, conditions });
  const { total, best, isExact, searched } = ranking;
  const rendered = await resultsOf(request, applied, generation, index, corpus, ranking, baseUrl);
  const match = best ? matchOf(fitOf(best)) : noMatch(searched);
  const suggestions = match.level === 'weak' ? await suggestQueries(request, ranking, index, conditions) : undefined;
  const frameTokens = form.frameTokens({ corpus_version: generation.version, match, suggestions });
  const { results, tokensUsed, nextTokens } = withinBudget(rendered, form, applied.token_budget - frameTokens);
  const end = start + results.length;
  const hasMore = end < total;
  const facets = request.facets && countFacets(request.facets, await index.columns(), ranking.matching);
  const frame: AnswerFrame = {
    corpus_version: generation.version,
    match,
    ...(facets ? { facets: facets.counted } : {}),
    page: {
      total,
      total_is_exact: isExact,
      has_more: hasMore,
      next_cursor: hasMore ? await encodeCursor({ corpusVersion: generation.version, offset: end }, list) : null,
    },
    meta: {
      applied,
      clamped,
      interpretation: interpretation(searched),
      ...(facets ? { facets_cut: facets.cut } : {}),
      ...(suggestions === undefined ? {} : { suggestions }),
      tokens_used: tokensUsed,
      token_estimator: TOKEN_ESTIMATOR,
      ...(nextTokens === undefined ? {} : { next_result_tokens: nextTokens }),
      offset_unit: 'utf-16',
      content_role: 'data',
    },
  };
  return ok(form.write(frame, results));
}

/** The members of a request that have maxima, lowered to them. */
function applyLimits(request: QueryRequest): Pick<QueryResponse['meta'], 'applied' | 'clamped'> {
  const { max_results, token_budget, quote_length, sort, filters = {}, fields } = request;
  const passages = request.passages ?? (fields?.includes('passages') ? LIMITS.passagesMax : 0);
  const clamped: ClampedMember[] = [];
  const atMost = (pointer: string, requested: number, max: number): number => {
    if (requested > max) clamped.push({ pointer, requested, applied: max });
    return Math.min(requested, max);
  };
  const applied = {
    max_results: atMost('/max_results', max_results, LIMITS.maxResultsMax),
    token_budget: atMost('/token_budget', token_budget, LIMITS.tokenBudgetMax),
    quote_length: atMost('/quote_length', quote_length, LIMITS.quoteMaxLength),
    passages: atMost('/passages', passages, LIMITS.passagesMax),
    sort,
    min_match: leastMatchOf(request),
    filters,
  };
  return { applied, clamped };
}

/** Decimals of a published share. */
const SHARE_STEPS = 1_000;

function matchOf({ level, share, covered, missing }: QueryFit): QueryMatch {
  return { level, share: roundShare(share), covered: [...covered], missing: [...missing] };
}

function roundShare(share: number): number {
  return Math.round(share * SHARE_STEPS) / SHARE_STEPS;
}

/** The match of a request that found nothing. */
function noMatch(searched: readonly SearchedText[]): QueryMatch {
  const missing = searched.flatMap(({ text, outcome: { plan } }) => [
    ...plan.terms.flatMap(({ places }) => places.map(({ start, end }) => text.slice(start, end))),
    ...plan.unknown,
  ]);
  return { level: 'weak', share: 0, covered: [], missing: [...new Set(missing)] };
}

/** The conditions of a request; without any, no columns are read. */
async function openConditions(request: QueryRequest, index: IndexReader): Promise<ReadonlyMap<string, Condition> | undefined> {
  const { filters = {}, exclude_ids = [] } = request;
  if (Object.keys(filters).length === 0 && exclude_ids.length === 0) return undefined;
  return requestConditions(filters, exclude_ids, await index.columns());
}

/** The results of a page in order, each rendered when it is consumed. */
async function resultsOf(
  request: QueryRequest,
  { quote_length: quoteLength, passages }: QueryResponse['meta']['applied'],
  generation: Generation,
  index: IndexReader,
  corpus: Corpus,
  { searched, page }: CapsuleRanking,
  baseUrl: string,
): Promise<Iterable<SerializedJson>> {
  const numbers = page.map(({ number }) => number);
  const stored = await generation.capsules(numbers);
  const fields = request.fields && new Set<string>([...VERIFYING_MEMBERS, ...request.fields]);
  const shape = { quoteLength, passages, fields };
  const queries = new Map(searched.map((one) => [one, passageQuery(one.text, one.outcome.plan, one.outcome.documentCount)]));
  const explained = request.explain || fields?.has('explanation') ? explainScores(queries, index, numbers) : undefined;
  return (function* () {
    for (const [rank, version] of stored.entries()) {
      const capsule = page[rank] as RankedCapsule;
      const renderer = corpus.renderer(version);
      const { level, share } = fitOf(capsule);
      const explanation = explained?.of(capsule.number, version.metadata, renderer.body);
      const found: FoundCapsule = {
        query: queries.get(capsule.by) as PassageQuery,
        score: capsule.score,
        match: { level, share: roundShare(share) },
        ...(capsule.foundBy ? { found_by: [...capsule.foundBy] } : {}),
        ...(explanation ? { explanation } : {}),
      };
      yield renderer.result(found, shape, baseUrl);
    }
  })();
}

/** Explains the scores of a request with one text. */
function explainScores(
  queries: ReadonlyMap<SearchedText, PassageQuery>,
  index: IndexReader,
  numbers: readonly number[],
): ExplainScores | undefined {
  for (const [{ text, outcome }, { terms }] of queries) return new ExplainScores(text, outcome, index, numbers, terms);
  return undefined;
}

/** How the index interpreted the words of some texts, each word once. */
function interpretation(searched: readonly SearchedText[]): Interpretation {
  const corrected = new Map<string, string>();
  const unknown = new Set<string>();
  const ignored = new Set<string>();
  const skipped = new Set<string>();
  for (const { text, outcome } of searched) {
    const { terms, corrections, ...words } = outcome.plan;
    for (const { word, readAs } of corrections) corrected.set(word, readAs);
    for (const word of words.unknown) unknown.add(word);
    for (const word of words.ignored) ignored.add(word);
    const places = outcome.skipped.flatMap((number) => terms[number]?.places ?? []);
    for (const { start, end } of places) skipped.add(text.slice(start, end));
  }
  return {
    corrected: [...corrected].map(([word, readAs]) => ({ word, read_as: readAs })),
    unknown: [...unknown],
    ignored: [...ignored],
    skipped: [...skipped],
  };
}

/** The longest prefix of the results that costs at most `budget` tokens in a form, and the cost of the next result. */
function withinBudget(
  rendered: Iterable<SerializedJson>,
  form: AnswerForm,
  budget: number,
): { results: string[]; tokensUsed: number; nextTokens: number | undefined } {
  const results: string[] = [];
  let tokensUsed = 0;
  for (const result of rendered) {
    const { json, bytes } = form.result(result);
    const tokens = tokensOfBytes(bytes);
    if (tokensUsed + tokens > budget) return { results, tokensUsed, nextTokens: tokens };
    results.push(json);
    tokensUsed += tokens;
  }
  return { results, tokensUsed, nextTokens: undefined };
}
