import type { CapsuleState } from '../../schemas/knowledge/capsule.ts';
import type { QueryRequest, QueryResult } from '../../schemas/knowledge/query.ts';
import type { SiteResult } from '../../schemas/knowledge/search.ts';
import type { ResultKind } from '../../schemas/knowledge/site-texts.ts';
import { kindsOf, SEARCH_PAGE_SIZE, SEARCH_PAGES_MAX } from '../../schemas/knowledge/vocabulary.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { type PassagePart, plainPassage } from '../../search/passages/plain-text.ts';
import { ok, type Result } from '../result.ts';
import { stateOf } from './capsule-state.ts';
import type { Corpus } from './corpus.ts';
import { type QueriedSite, queryKnowledgeFrom } from './query-knowledge.ts';

/** Length of the passage of a result, in UTF-16 code units: about three lines. */
const PASSAGE_LENGTH = 320;

/** A result as people read it. */
export interface SearchHit {
  readonly kind: ResultKind;
  readonly title: string;
  readonly path: string;
  readonly language: string;
  readonly updated: string;
  /** Of a capsule that is not current. */
  readonly state?: CapsuleState;
  readonly passage: readonly PassagePart[];
  /** The section of the page that has the passage. */
  readonly section?: { readonly title: string; readonly path: string };
}

/** A page of results as people read it. */
export interface SearchPage {
  readonly query: string;
  /** Kinds that were searched, as the parameter names them; absent for all. */
  readonly kind?: string;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  /** Whether `total` counts everything that matches. */
  readonly isExact: boolean;
  readonly hits: readonly SearchHit[];
  /** Words that nothing contains, with those that were searched instead. */
  readonly corrections: readonly { readonly word: string; readonly readAs: string }[];
  /** The query with other words, if it found nothing or only weak matches. */
  readonly otherQueries: readonly string[];
  /** Tags near the query, if it found nothing or only weak matches. */
  readonly subjects: readonly string[];
}

/**
 * A page of results for people, over everything that searches find. A page after the last one is the last one.
 *
 * @param kind Kinds to search, as the parameter names them; all without it.
 * @param page From 1.
 * @param onFallback Called if an earlier generation serves the read.
 */
export async function readSearchPage(
  query: string,
  kind: string | undefined,
  page: number,
  corpus: Corpus,
  site: QueriedSite,
  onFallback: () => void,
): Promise<Result<SearchPage>> {
  const request: QueryRequest = {
    query: query.normalize('NFC'),
    kind: kindsOf(kind),
    max_results: SEARCH_PAGE_SIZE,
    sort: 'relevance',
    quote_length: PASSAGE_LENGTH,
    passages: 1,
    token_budget: LIMITS.tokenBudgetMax,
  };
  const asked = Math.min(page, SEARCH_PAGES_MAX);
  const found = await queryKnowledgeFrom((asked - 1) * SEARCH_PAGE_SIZE, request, corpus, site, onFallback);
  if (!found.ok) return found;
  const { results, page: list, meta } = found.value;
  const pages = Math.min(Math.ceil(list.total / SEARCH_PAGE_SIZE), SEARCH_PAGES_MAX);
  if (asked > pages && pages > 0) return readSearchPage(query, kind, pages, corpus, site, onFallback);
  const { suggestions = [] } = meta;
  return ok({
    query,
    ...(kind === undefined ? {} : { kind }),
    page: Math.min(asked, Math.max(pages, 1)),
    pages,
    total: list.total,
    isExact: list.total_is_exact,
    hits: results.map((result) => searchHit(result, site.baseUrl)),
    corrections: meta.interpretation.corrected.map(({ word, read_as: readAs }) => ({ word, readAs })),
    otherQueries: suggestions.flatMap(({ kind, query: other }) => (kind === 'other_words' && other !== undefined ? [other] : [])),
    subjects: suggestions.flatMap(({ kind, values = [] }) => (kind === 'subjects' ? values.map(({ value }) => value) : [])),
  });
}

function searchHit(result: QueryResult | SiteResult, baseUrl: string): SearchHit {
  const { kind, title, url, language, updated, quote, highlights, passages = [] } = result;
  const path = withoutOrigin(url, baseUrl);
  const [{ headings = [], url: sectionUrl = url } = {}] = passages;
  const section = headings.at(-1);
  const parts = plainPassage(quote.text, highlights);
  const ellipsis = { text: '…', isHighlighted: false };
  return {
    kind,
    title,
    path,
    language,
    updated,
    ...(result.kind === 'capsule' && result.status !== 'current' ? { state: stateOf(result) } : {}),
    passage: [...(quote.cut?.start ? [ellipsis] : []), ...parts, ...(quote.cut?.end ? [ellipsis] : [])],
    ...(section === undefined || sectionUrl === url ? {} : { section: { title: section, path: withoutOrigin(sectionUrl, baseUrl) } }),
  };
}

/** An address of this site, root-relative. */
function withoutOrigin(url: string, baseUrl: string): string {
  return url.slice(baseUrl.length);
}
