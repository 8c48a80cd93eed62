import type { CapsuleSummary } from '../../schemas/capsule.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { QueryAnswer, QueryRequest, QueryResult } from '../../schemas/query.ts';
import { findBestPassage, findHighlights } from '../../search/passages.ts';
import { rankDocuments } from '../../search/rank.ts';
import type { RankedDocument } from '../../search/types.ts';
import { capsuleAddresses } from '../capsules/capsule-answer.ts';
import { matchesFilters } from '../capsules/matches-filters.ts';
import { ok, type Result, refuse } from '../result.ts';
import { BlockUnavailableError, type Corpus, compareStatus, type Generation, withCorpus } from './corpus.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** Ranked capsules for a query: find, filter, rank, quote. The same request on the same corpus gives the same answer. */
export function queryKnowledge(request: QueryRequest, corpus: Corpus, baseUrl: string): Promise<Result<QueryAnswer>> {
  return withCorpus(async () => {
    const filters = request.filters ?? {};
    const list = { query: request.query, filters };
    const position = request.cursor === undefined ? undefined : await decodeCursor(request.cursor, list);
    if (position && !position.ok) return position;
    if (position && request.corpus_version !== undefined && position.value.corpusVersion !== request.corpus_version) {
      return refuse('invalid_cursor', 'The cursor belongs to another corpus version than the one that is pinned.');
    }
    const opened = await corpus.generation(position?.value.corpusVersion ?? request.corpus_version);
    if (!opened.ok) return opened;
    const generation = opened.value;
    const [index, summaries] = await Promise.all([generation.index(), generation.summaries()]);
    const ranked = rankDocuments(index, request.query, {
      accepts: (documentNumber) => matchesFilters(summaryAt(summaries, documentNumber), filters),
    })
      .map((hit) => ({ hit, capsule: summaryAt(summaries, hit.documentNumber) }))
      .sort((a, b) => compareStatus(a.capsule, b.capsule));
    const start = position?.value.offset ?? 0;
    const maxResults = Math.min(request.max_results, LIMITS.maxResultsMax);
    const tokenBudget = Math.min(request.token_budget, LIMITS.tokenBudgetMax);
    const wanted = await Promise.all(
      ranked.slice(start, start + maxResults).map((entry) => resultFor(entry, request.query, generation, baseUrl)),
    );
    const { results, tokensUsed } = withinBudget(wanted, tokenBudget);
    const end = start + results.length;
    const hasMore = end < ranked.length;
    return ok({
      corpus_version: generation.version,
      results,
      page: {
        total: ranked.length,
        total_is_exact: true,
        has_more: hasMore,
        next_cursor: hasMore && results.length > 0 ? await encodeCursor({ corpusVersion: generation.version, offset: end }, list) : null,
      },
      meta: {
        applied: { max_results: maxResults, token_budget: tokenBudget, filters },
        clamped: [
          ...(request.max_results > maxResults ? [{ pointer: '/max_results', requested: request.max_results, applied: maxResults }] : []),
          ...(request.token_budget > tokenBudget
            ? [{ pointer: '/token_budget', requested: request.token_budget, applied: tokenBudget }]
            : []),
        ],
        tokens_used: tokensUsed,
        offset_unit: 'utf-16',
        content_role: 'data',
      },
    });
  });
}

async function resultFor(
  { hit, capsule }: { hit: RankedDocument; capsule: CapsuleSummary },
  query: string,
  generation: Generation,
  baseUrl: string,
): Promise<QueryResult> {
  const markdown = (await generation.versions(capsule.capsule_id))?.at(-1)?.markdown;
  if (markdown === undefined) throw new BlockUnavailableError(`capsule ${capsule.capsule_id} is in the index but not on its page`);
  const { start, end } = findBestPassage(markdown, query, capsule.language, LIMITS.quoteMaxLength);
  return {
    ...capsule,
    ...capsuleAddresses(capsule, baseUrl),
    score: hit.score,
    quote: { start, end, text: markdown.slice(start, end) },
    highlights: findHighlights(markdown, query, capsule.language, { start, end }),
  };
}

/** The longest run of results from the first that costs at most `budget` tokens. */
function withinBudget(wanted: readonly QueryResult[], budget: number): { results: QueryResult[]; tokensUsed: number } {
  const results: QueryResult[] = [];
  let tokensUsed = 0;
  for (const result of wanted) {
    const tokens = Math.ceil(new TextEncoder().encode(JSON.stringify(result)).length / 4);
    if (tokensUsed + tokens > budget) break;
    results.push(result);
    tokensUsed += tokens;
  }
  return { results, tokensUsed };
}

function summaryAt(summaries: readonly CapsuleSummary[], documentNumber: number): CapsuleSummary {
  const summary = summaries[documentNumber];
  if (summary === undefined) throw new BlockUnavailableError('the index and the table of summaries do not belong together');
  return summary;
}
