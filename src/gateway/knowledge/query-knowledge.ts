import type { Interpretation, QueryRequest, QueryResponse, Suggestion } from '../../schemas/knowledge/query.ts';
import { TOKEN_ESTIMATOR, tokensOfBytes } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { passageQuery } from '../../search/passages/passage-query.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan } from '../../search/query/plan-query.ts';
import { type SearchOutcome, search } from '../../search/query/search.ts';
import { suggestWords } from '../../search/query/suggest-words.ts';
import { ok, type Result, refuse } from '../result.ts';
import { type Condition, countFacets, every, requestConditions } from './capsule-filters.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Generation } from './generation.ts';
import { ExplainScores, type SerializedJson } from './result-renderer.ts';

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

/** The exact JSON text of the response of {@link queryKnowledge}; query-independent members of a capsule are serialized once. */
export function queryKnowledgeText(
  request: QueryRequest,
  corpus: Corpus,
  baseUrl: string,
  onFallback?: () => void,
): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const filters = request.filters ?? {};
    const list = { query: request.query, filters, exclude_ids: [...new Set(request.exclude_ids)].sort() };
    const position = request.cursor === undefined ? undefined : await decodeCursor(request.cursor, list);
    if (position && !position.ok) return position;
    if (position && request.corpus_version !== undefined && position.value.corpusVersion !== request.corpus_version) {
      return refuse('invalid_cursor', 'The cursor belongs to another corpus version than corpus_version.');
    }
    const version = position?.value.corpusVersion ?? request.corpus_version;
    const place = { list, start: position?.value.offset ?? 0 };
    return corpus.read(version, (generation) => queryGeneration(generation, request, place, corpus, baseUrl), onFallback);
  });
}

async function queryGeneration(
  generation: Generation,
  request: QueryRequest,
  { list, start }: { readonly list: object; readonly start: number },
  corpus: Corpus,
  baseUrl: string,
): Promise<Result<string>> {
  const filters = request.filters ?? {};
  const maxResults = Math.min(request.max_results, LIMITS.maxResultsMax);
  const tokenBudget = Math.min(request.token_budget, LIMITS.tokenBudgetMax);
  const index = await generation.index();
  const conditions = await openConditions(request, index);
  const outcome = await search(index, request.query, {
    offset: start,
    limit: maxResults,
    ...(conditions ? { accepts: every(conditions.values()) } : {}),
  });
  const total = outcome.matching.length;
  const rendered = await resultsOf(request, generation, index, corpus, outcome, baseUrl);
  const { results, tokensUsed, nextTokens } = withinBudget(rendered, tokenBudget);
  const end = start + results.length;
  const hasMore = end < total;
  const facets = request.facets && countFacets(request.facets, await index.columns(), outcome.matching);
  const about: Omit<QueryResponse, 'corpus_version' | 'results'> = {
    ...(facets ? { facets: facets.counted } : {}),
    page: {
      total,
      total_is_exact: outcome.isExact,
      has_more: hasMore,
      next_cursor: hasMore ? await encodeCursor({ corpusVersion: generation.version, offset: end }, list) : null,
    },
    meta: {
      applied: { max_results: maxResults, token_budget: tokenBudget, filters },
      clamped: [
        ...(request.max_results > maxResults ? [{ pointer: '/max_results', requested: request.max_results, applied: maxResults }] : []),
        ...(request.token_budget > tokenBudget
          ? [{ pointer: '/token_budget', requested: request.token_budget, applied: tokenBudget }]
          : []),
      ],
      interpretation: interpretation(request.query, outcome),
      ...(facets ? { facets_cut: facets.cut } : {}),
      ...(total === 0 ? { suggestions: await suggestQueries(request.query, outcome.plan, index, conditions) } : {}),
      tokens_used: tokensUsed,
      token_estimator: TOKEN_ESTIMATOR,
      ...(nextTokens === undefined ? {} : { next_result_tokens: nextTokens }),
      offset_unit: 'utf-16',
      content_role: 'data',
    },
  };
  return ok(`{"corpus_version":"${generation.version}","results":[${results.join(',')}],${JSON.stringify(about).slice(1)}`);
}

/** The conditions of a request; without any, no columns are read. */
async function openConditions(request: QueryRequest, index: IndexReader): Promise<ReadonlyMap<string, Condition> | undefined> {
  const { filters = {}, exclude_ids = [] } = request;
  if (Object.keys(filters).length === 0 && exclude_ids.length === 0) return undefined;
  return requestConditions(filters, exclude_ids, await index.columns());
}

/** The results of a search in order, each rendered when it is consumed. */
async function resultsOf(
  request: QueryRequest,
  generation: Generation,
  index: IndexReader,
  corpus: Corpus,
  outcome: SearchOutcome,
  baseUrl: string,
): Promise<Iterable<SerializedJson>> {
  const { results, plan } = outcome;
  const numbers = results.map(({ number }) => number);
  const stored = await generation.capsules(numbers);
  const passages = passageQuery(request.query, plan, index.head.documents);
  const explained = request.explain ? new ExplainScores(request.query, outcome, index, numbers, passages.terms) : undefined;
  return (function* () {
    for (const [rank, version] of stored.entries()) {
      const { number = 0, score = 0 } = results[rank] ?? {};
      const renderer = corpus.renderer(version);
      yield renderer.result(passages, score, explained?.of(number, version.metadata, renderer.body), baseUrl);
    }
  })();
}

/** How the index interpreted the words of a query, each word once. */
function interpretation(query: string, { plan, skipped }: SearchOutcome): Interpretation {
  const { terms, corrections, unknown, ignored } = plan;
  const places = skipped.flatMap((number) => terms[number]?.places ?? []);
  const corrected = new Map(corrections.map(({ word, readAs }) => [word, readAs]));
  return {
    corrected: [...corrected].map(([word, readAs]) => ({ word, read_as: readAs })),
    unknown: [...new Set(unknown)],
    ignored: [...ignored],
    skipped: [...new Set(places.map(({ start, end }) => query.slice(start, end)))],
  };
}

/** The longest prefix of the results that costs at most `budget` tokens, and the cost of the next result. */
function withinBudget(
  rendered: Iterable<SerializedJson>,
  budget: number,
): { results: string[]; tokensUsed: number; nextTokens: number | undefined } {
  const results: string[] = [];
  let tokensUsed = 0;
  for (const { json, bytes } of rendered) {
    const tokens = tokensOfBytes(bytes);
    if (tokensUsed + tokens > budget) return { results, tokensUsed, nextTokens: tokens };
    results.push(json);
    tokensUsed += tokens;
  }
  return { results, tokensUsed, nextTokens: undefined };
}

/** Changed requests that would find something, with the number of capsules where it is exact. */
async function suggestQueries(
  query: string,
  plan: QueryPlan,
  index: IndexReader,
  conditions: ReadonlyMap<string, Condition> | undefined,
): Promise<Suggestion[]> {
  if (plan.terms.length === 0 && plan.unknown.length === 0) return [{ kind: 'only_stop_words' }];
  const suggestions: Suggestion[] = [];
  const { matching, isExact } = await search(index, query, { limit: 0 });
  if (conditions && matching.length > 0)
    suggestions.push(...fewerConditions(conditions, matching).map((suggestion) => counted(suggestion, isExact)));
  const otherWords = await suggestWords(index, query, plan);
  if (otherWords !== undefined) {
    const accepts = conditions && every(conditions.values());
    const outcome = await search(index, otherWords, { limit: 0, ...(accepts ? { accepts } : {}) });
    if (outcome.matching.length > 0)
      suggestions.push(counted({ kind: 'other_words', query: otherWords, total: outcome.matching.length }, outcome.isExact));
  }
  return suggestions;
}

/** Each condition that alone excludes everything, or all of them if no single one does. */
function fewerConditions(all: ReadonlyMap<string, Condition>, matching: Uint32Array): Suggestion[] {
  const single = [...all.keys()].flatMap((pointer): Suggestion[] => {
    const others = every([...all].filter(([name]) => name !== pointer).map(([, condition]) => condition));
    const total = matching.reduce((sum, document) => sum + (others(document) ? 1 : 0), 0);
    return total === 0 ? [] : [{ kind: 'fewer_conditions', without: [pointer], total }];
  });
  if (single.length > 0) return single.sort((a, b) => (b.total ?? 0) - (a.total ?? 0));
  return [{ kind: 'fewer_conditions', without: [...all.keys()], total: matching.length }];
}

/** A suggestion, without its total where the index budget left documents out. */
function counted({ total, ...suggestion }: Suggestion, isExact: boolean): Suggestion {
  return total === undefined || !isExact ? suggestion : { ...suggestion, total };
}
