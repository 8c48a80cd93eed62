import type { CapsuleState, CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import { kindsOf, SEARCH_PAGE_SIZE, SEARCH_PAGES_MAX } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { QueryRequest, QueryResult } from '../../schemas/knowledge/query.ts';
import type { ResultKind } from '../../schemas/knowledge/result-kinds.ts';
import type { SiteResult } from '../../schemas/knowledge/search.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { foldWord, tokenise } from '../../search/analysis/tokenise.ts';
import { isCommonWord, isCorrectable } from '../../search/format/spelling.ts';
import { type PassagePart, plainPassage } from '../../search/passages/plain-text.ts';
import { ok, type Result } from '../result.ts';
import { stateOf } from './capsule-status-sentences.ts';
import { type Corpus, type DeployedGeneration, withCorpus } from './corpus.ts';
import { type QueriedSite, queryAllKinds } from './query-knowledge.ts';
import type { Generation } from './read-generation.ts';

/** Length of the passage of a result, in UTF-16 code units: about three lines. */
const PASSAGE_LENGTH = 320;

export interface SearchHit {
  readonly kind: ResultKind;
  readonly title: string;
  readonly path: string;
  readonly language: string;
  readonly updated: string;
  readonly state?: CapsuleState;
  /** The capsule that replaces it. */
  readonly replacement?: Pick<CapsuleSummary, 'title' | 'status' | 'language'> & Pick<SearchHit, 'path'>;
  readonly passage: readonly PassagePart[];
  readonly section?: { readonly title: string; readonly path: string };
}

export interface SearchPage {
  readonly query: string;
  /** Kinds that were searched, as the parameter names them; absent for all. */
  readonly kind?: string;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly isExact: boolean;
  readonly hits: readonly SearchHit[];
  /** Words that nothing contains, with those that were searched instead. */
  readonly corrections: readonly { readonly word: string; readonly readAs: string }[];
  /** The query with other words, if it found nothing or only weak matches. */
  readonly otherQueries: readonly string[];
  /** Tags near the query, and languages of capsules, if it found nothing or only weak matches. */
  readonly subjects: readonly string[];
  readonly languages: readonly string[];
}

export interface SearchedGeneration extends DeployedGeneration {
  /** Blocks with what is found as the first letter is typed, by that letter; only of an index that is divided. */
  readonly answers?: Readonly<Record<string, string>>;
}

interface AskedPage extends Pick<QueryRequest, 'prefer_language'> {
  readonly query: string;
  /** Whether a few results suffice, for which as little as possible is read. */
  readonly isBrief?: boolean | undefined;
  readonly kind?: string | undefined;
  readonly page: number;
}

/** A page of results for people, over everything that searches find. After the last page, `page` is the last one, and `hits` is empty. */
export async function readSearchPage(
  { query, kind, page, prefer_language, isBrief = false }: AskedPage,
  corpus: Corpus,
  site: QueriedSite,
  onFallback: () => void,
): Promise<Result<SearchPage>> {
  const request: QueryRequest = {
    query: query.normalize('NFC'),
    kind: kindsOf(kind),
    max_results: isBrief ? ENOUGH_HITS : SEARCH_PAGE_SIZE,
    sort: 'relevance',
    quote_length: PASSAGE_LENGTH,
    passages: 1,
    token_budget: LIMITS.tokenBudgetMax,
    prefer_language,
  };
  const asked = Math.min(page, SEARCH_PAGES_MAX);
  const found = await queryAllKinds(request, corpus, site, onFallback, (asked - 1) * SEARCH_PAGE_SIZE, isBrief);
  if (!found.ok) return found;
  const { results, page: list, meta } = found.value;
  const pages = Math.min(Math.ceil(list.total / SEARCH_PAGE_SIZE), SEARCH_PAGES_MAX);
  const { suggestions = [] } = meta;
  const valuesOf = (name: 'subjects' | 'languages'): string[] =>
    suggestions.flatMap(({ kind, values = [] }) => (kind === name ? values.map(({ value }) => value) : []));
  const replacements = await readReplacements(results, corpus);
  return ok({
    query,
    ...(kind === undefined ? {} : { kind }),
    page: Math.min(asked, Math.max(pages, 1)),
    pages,
    total: list.total,
    isExact: list.total_is_exact,
    hits: results.map((result) => searchHit(result, site.baseUrl, replacements)),
    corrections: meta.interpretation.corrected.map(({ word, read_as: readAs }) => ({ word, readAs })),
    otherQueries: suggestions.flatMap(({ kind, query: other }) => (kind === 'other_words' && other !== undefined ? [other] : [])),
    subjects: valuesOf('subjects'),
    languages: valuesOf('languages'),
  });
}

type Replacements = ReadonlyMap<string, SearchHit['replacement']>;

/** What replaces the results that are superseded or retracted, by its id; nothing while it cannot be read. */
async function readReplacements(results: readonly (QueryResult | SiteResult)[], { newest }: Corpus): Promise<Replacements> {
  const ids = results.flatMap((result) => (result.kind === 'capsule' ? (result.superseded_by ?? []) : []));
  const stored = await newest.newestOf(ids).catch(() => []);
  const known = stored.flatMap((version) => version?.metadata ?? []);
  return new Map(known.map(({ capsule_id: id, title, status, language }) => [id, { title, status, language, path: capsulePath(id) }]));
}

function searchHit(result: QueryResult | SiteResult, baseUrl: string, replacements: Replacements): SearchHit {
  const { kind, title, url, language, updated, quote, answer, highlights, passages = [] } = result;
  const path = withoutOrigin(url, baseUrl);
  const [{ headings = [], url: sectionUrl = url } = {}] = passages;
  const section = headings.at(-1);
  const place = answer && { start: answer.start - quote.start, end: answer.end - quote.start };
  const parts = plainPassage(quote.text, highlights, quote.table_header, place);
  const ellipsis = { text: '…', isHighlighted: false };
  const state = result.kind === 'capsule' && result.status !== 'current' ? stateOf(result) : undefined;
  const replacement = replacements.get(state?.superseded_by ?? '');
  return {
    kind,
    title,
    path,
    language,
    updated,
    ...(state && { state }),
    ...(replacement && { replacement }),
    passage: [...(quote.cut?.start ? [ellipsis] : []), ...parts, ...(quote.cut?.end ? [ellipsis] : [])],
    ...(section === undefined || sectionUrl === url ? {} : { section: { title: section, path: withoutOrigin(sectionUrl, baseUrl) } }),
  };
}

/** Words after a found one that tell its place from others. */
const PLACE_WORDS_MAX = 3;
/** Found words that light up on the page. */
const LIT_MAX = 4;

/** The address of a result where the words that were found light up (wicg.github.io/scroll-to-text-fragment), each with the words after it. */
export function foundPath({ path, section, passage }: Pick<SearchHit, 'path' | 'section' | 'passage'>): string {
  const words = passage.flatMap(({ text, isHighlighted }, at) => {
    if (!isHighlighted) return [];
    const [after = ''] = /^(?: [\p{L}\p{N}]+)+/u.exec(passage[at + 1]?.text ?? '') ?? [];
    return [text + after.split(' ', PLACE_WORDS_MAX + 1).join(' ')];
  });
  const target = section?.path ?? path;
  if (words.length === 0) return target;
  const directives = words.slice(0, LIT_MAX).map((text) => `text=${encodeURIComponent(text).replaceAll('-', '%2D')}`);
  return `${target}${target.includes('#') ? '' : '#'}:~:${directives.join('&')}`;
}

function withoutOrigin(url: string, baseUrl: string): string {
  return url.slice(baseUrl.length);
}

const COMPLETIONS_MAX = 2;

/** So few letters say little, and a browser that reads a divided index reads little for them. */
const BRIEF_MAX_LENGTH = 3;

/** With so many results, further completions add nothing. */
const ENOUGH_HITS = 6;

/** The first page of results for a text that is being typed. Its last word may be incomplete, unless a blank follows. */
export async function readSearchAsTyped(
  typed: string,
  prefer_language: string | undefined,
  corpus: Corpus,
  site: QueriedSite,
  onFallback: () => void,
): Promise<Result<SearchPage>> {
  const queries = await withCorpus(corpus, async () => ok(await completed(typed, corpus.newest)));
  if (!queries.ok) return queries;
  const { texts, isBrief, beginning } = queries.value;
  const find = (query: string): Promise<Result<SearchPage>> =>
    readSearchPage({ query, page: 1, prefer_language, isBrief }, corpus, site, onFallback);
  const [query = typed, ...others] = texts;
  const found = await find(query);
  if (!found.ok) return found;
  let page = found.value;
  /** A word has more completions than are searched; those in titles come first. */
  const isTitled = ({ title }: SearchHit): boolean =>
    beginning !== undefined && tokenise(title).some(({ start, end }) => foldWord(title.slice(start, end)).startsWith(beginning));
  for (const other of others) {
    if (page.hits.length >= ENOUGH_HITS && (beginning === undefined || isBrief || page.hits.some(isTitled))) break;
    const further = await find(other);
    if (!further.ok) return further;
    const hits = [...new Map([...page.hits, ...further.value.hits].map((hit) => [hit.path, hit])).values()];
    page = { ...page, hits, total: Math.max(hits.length, page.total, further.value.total), isExact: false };
  }
  return ok({ ...page, hits: page.hits.toSorted((a, b) => Number(isTitled(b)) - Number(isTitled(a))) });
}

interface Completed extends Pick<AskedPage, 'isBrief'> {
  readonly texts: string[];
  /** What was typed, if it is the beginning of one word. */
  readonly beginning?: string | undefined;
}

async function completed(typed: string, generation: Generation): Promise<Completed> {
  const last = tokenise(typed).at(-1);
  if (last === undefined || last.end < typed.length) return { texts: [typed.trim()] };
  const beginning = foldWord(typed.slice(last.start));
  const indexes = [await generation.index(), ...(generation.siteIndex === undefined ? [] : [generation.siteIndex])];
  const found = await Promise.all(indexes.map(async (index) => (await index.spelling(beginning)).beginningWith(beginning)));
  const documents = new Map<string, number>();
  for (const { word, documents: count } of found.flat()) documents.set(word, (documents.get(word) ?? 0) + count);
  const isWord = documents.delete(beginning) || (beginning.length > 1 && (!isCorrectable(beginning) || isCommonWord(beginning)));
  const words = [...documents].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
  const completions: string[] = [];
  for (const word of words) {
    if (completions.length === COMPLETIONS_MAX) break;
    // One form of a word finds the others.
    if (!completions.some((other) => word.startsWith(other) || other.startsWith(word))) completions.push(word);
  }
  const texts = completions.map((word) => typed.slice(0, last.start) + word);
  const isBrief = indexes[0]?.head.spellingStarts !== undefined && typed.length <= BRIEF_MAX_LENGTH;
  if (isWord || texts.length === 0) return { texts: [typed, ...texts], isBrief };
  return { texts, isBrief, beginning: last.start === 0 ? beginning : undefined };
}
