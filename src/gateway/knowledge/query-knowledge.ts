import { withTagIds, withTagNames } from '../../schemas/knowledge/capsule-lists.ts';
import { SITE_KINDS, VERIFYING_MEMBERS } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { Interpretation, QueryMatch, QueryRequest, QueryResponse } from '../../schemas/knowledge/query.ts';
import type { OtherKind } from '../../schemas/knowledge/result-kinds.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import type { Subjects } from '../../schemas/knowledge/sections.ts';
import { TOKEN_ESTIMATOR, tokensOfBytes } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { AnalysedText } from '../../search/passages/analysed-text.ts';
import type { UnansweredQuestion } from '../insights.ts';
import { remembered } from '../memory-caches.ts';
import { ok, type Result } from '../result.ts';
import { countFacets } from './capsule-filters.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { encodeCursor } from './cursor.ts';
import { type ExplainedFields, explainResults } from './explain-results.ts';
import { planRequest, type RequestPlan } from './plan-knowledge-query.ts';
import { type Answered, type AnswerForm, type AnswerFrame, JSON_ANSWER, KeptAnswers, OBJECT_ANSWER } from './query-answer-formats.ts';
import { type CapsuleRanking, fitOf, type RankedCapsule, rankCapsules, type SearchedText } from './rank-capsules.ts';
import type { Generation } from './read-generation.ts';
import type { FoundDocument, SerializedJson, TextRenderer } from './render-capsule-result.ts';
import type { CurrentOffers } from './render-site-result.ts';
import { SearchScope } from './search-scope.ts';
import { suggestQueries } from './suggest-queries.ts';

/** Ranked capsules for a query. The same request on the same corpus gives the same response. */
export async function queryKnowledge(
  request: QueryRequest,
  corpus: Corpus,
  baseUrl: string,
  onFallback?: () => void,
): Promise<Result<QueryResponse>> {
  const found = await queryAllKinds(request, corpus, { baseUrl, offers: [] }, onFallback);
  return found.ok ? ok(found.value as QueryResponse) : found;
}

/** @param from First result, counted from 0; by default the first one after the cursor. @param isBrief See {@link RequestPlan}. */
export async function queryAllKinds(
  request: QueryRequest,
  corpus: Corpus,
  site: QueriedSite,
  onFallback?: () => void,
  from?: number,
  isBrief?: boolean,
): Promise<Result<SearchResponse>> {
  return countUnanswered(corpus, await readQuery(request, corpus, site, onFallback, OBJECT_ANSWER, from, isBrief));
}

export interface QueriedSite extends CurrentOffers {
  readonly baseUrl: string;
  /** By whose names filters may ask for tags; ids alone without them. */
  readonly subjects?: Subjects | undefined;
}

/**
 * The exact text of the response to a query over any kinds, in a form. It follows from the request, the corpus and the site alone, whoever
 * asks, so that the answer to a question that is asked a second time is kept for the next.
 */
export async function queryKnowledgeText(
  request: QueryRequest,
  corpus: Corpus,
  site: QueriedSite,
  onFallback?: () => void,
  form: AnswerForm = JSON_ANSWER,
): Promise<Result<string>> {
  const prepared = form.prepare(request);
  const key = form.name + JSON.stringify(prepared);
  const answers = remembered(corpus.answers, site, () => new KeptAnswers());
  const known = answers.get(key);
  if (known !== undefined) return countUnanswered(corpus, ok(known));
  let isOfEarlier = false;
  const fallBack = (): void => {
    isOfEarlier = true;
    onFallback?.();
  };
  const found = await readQuery(prepared, corpus, site, onFallback && fallBack, form);
  if (found.ok && !isOfEarlier) answers.add(key, found.value);
  return countUnanswered(corpus, found);
}

function countUnanswered<Answer>(corpus: Corpus, found: Result<Answered<Answer>>): Result<Answer> {
  if (!found.ok) return found;
  if (found.value.unanswered !== undefined) corpus.onUnanswered?.(found.value.unanswered);
  return ok(found.value.answer);
}

function readQuery<Answer>(
  request: QueryRequest,
  corpus: Corpus,
  site: QueriedSite,
  onFallback: (() => void) | undefined,
  form: AnswerForm<Answer>,
  from?: number,
  isBrief?: boolean,
): Promise<Result<Answered<Answer>>> {
  return withCorpus(corpus, async () => {
    const { filters } = request;
    // Scripts of pages know no names of tags (`UNREACHED` in functions-worker.ts).
    const asked = filters && site.subjects ? { ...request, filters: withTagIds(filters, site.subjects) } : request;
    const plan = planRequest(asked, from, isBrief);
    if (!plan.ok) return plan;
    return corpus.read(plan.value.version, (generation) => answerPlan(plan.value, generation, corpus, site, form), onFallback);
  });
}

async function answerPlan<Answer>(
  plan: RequestPlan,
  generation: Generation,
  corpus: Corpus,
  site: QueriedSite,
  form: AnswerForm<Answer>,
): Promise<Result<Answered<Answer>>> {
  const { applied, clamped, list, start } = plan;
  const scope = await SearchScope.open(generation, plan);
  const ranking = await rankCapsules(plan, scope, (numbers) => loadDocuments(numbers, generation, scope, corpus, site));
  const { total, best, isExact, searched, documents } = ranking;
  const rendered = renderPage(plan, ranking, site);
  const fit = best && fitOf(best);
  const match = fit
    ? { level: fit.level, share: roundShare(fit.share), covered: [...fit.covered], missing: [...fit.missing] }
    : noMatch(searched);
  const suggested = match.level === 'weak' && !plan.isBrief ? await suggestQueries(plan, ranking, scope) : undefined;
  const { subjects } = site;
  const suggestions = suggested?.map((one) => (one.values && subjects ? { ...one, values: withTagNames(one.values, subjects) } : one));
  const otherKinds = plan.isOfAnyKind && match.level !== 'strong' ? await findOtherKinds(plan, match.share, generation, site.baseUrl) : [];
  const frameTokens = form.frameTokens({ corpus_version: generation.version, match, suggestions, otherKinds });
  const { results, tokensUsed, nextTokens } = withinBudget(rendered, form, applied.token_budget - frameTokens);
  const end = start + results.length;
  // A cursor of a page that had no room for a result would lead to the same page.
  const hasMore = start < end && end < total;
  const facets = plan.facets && countFacets(plan.facets, await scope.capsules.columns(), scope.capsulesAmong(ranking.matching));
  if (facets?.counted.tags && subjects) facets.counted.tags = withTagNames(facets.counted.tags, subjects);
  const frame: AnswerFrame = {
    corpus_version: generation.version,
    match,
    ...(facets ? { facets: facets.counted } : {}),
    page: {
      total,
      total_is_exact: isExact,
      has_more: hasMore,
      next_cursor: hasMore && list !== undefined ? encodeCursor({ corpusVersion: generation.version, offset: end }, list) : null,
    },
    meta: {
      applied,
      clamped,
      interpretation: interpretation(searched),
      ...(facets ? { facets_cut: facets.cut } : {}),
      ...(otherKinds.length === 0 ? {} : { other_kinds: otherKinds }),
      ...(suggestions === undefined ? {} : { suggestions }),
      tokens_used: tokensUsed,
      token_estimator: TOKEN_ESTIMATOR,
      ...(nextTokens === undefined ? {} : { next_result_tokens: nextTokens }),
      offset_unit: 'utf-16',
      content_role: 'data',
    },
  };
  const answer = form.write(frame, applied.sort === 'newest' ? results : inPreferredLanguage(results, documents, plan.prefer_language));
  const isUnanswered = match.level === 'weak' && start === 0;
  return ok({ answer, unanswered: isUnanswered ? unansweredQuestion(searched, match.missing) : undefined });
}

const SHARE_STEPS = 1_000;

function roundShare(share: number): number {
  return Math.round(share * SHARE_STEPS) / SHARE_STEPS;
}

function noMatch(searched: readonly SearchedText[]): QueryMatch {
  const missing = searched.flatMap(({ text, outcome: { plan } }) => [
    ...plan.terms.flatMap(({ places }) => places.map(({ start, end }) => text.slice(start, end))),
    ...plan.unknown,
  ]);
  return { level: 'weak', share: 0, covered: [], missing: [...new Set(missing)] };
}

function unansweredQuestion([searched]: readonly SearchedText[], missing: readonly string[]): UnansweredQuestion {
  if (searched === undefined) return { text: '', missing, unknown: [] };
  const { text, outcome } = searched;
  const { terms, unknown } = outcome.plan;
  const frequency = new Map(
    terms.flatMap(({ places, indexed }) => places.map(({ start, end }) => [text.slice(start, end), indexed.documentFrequency] as const)),
  );
  const rarestFirst = missing.toSorted((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0));
  return { text, missing: rarestFirst, unknown };
}

async function findOtherKinds(plan: RequestPlan, share: number, generation: Generation, baseUrl: string): Promise<OtherKind[]> {
  const [text] = plan.texts;
  if (text === undefined || generation.siteIndex === undefined) return [];
  const scope = await SearchScope.open(generation, { kinds: SITE_KINDS, filters: plan.filters, excludeIds: plan.excludeIds });
  const { results, fitOf: fitIn } = await scope.search(text, { limit: LIMITS.otherKindsMax, leastMatch: 'partial' });
  const better = results.filter(({ number }) => fitIn(number).share > share);
  const found = await generation.siteTexts(better.map(({ number }) => number - scope.firstSiteText));
  return found.map(({ kind, id, title, path }) => ({ kind, id, title, url: baseUrl + path }));
}

interface PageDocument {
  readonly renderer: TextRenderer;
  readonly fields: ExplainedFields;
  readonly body: AnalysedText;
  /** What readers may see of it. */
  readonly texts: readonly AnalysedText[];
  /** Members that may change while the corpus stays. */
  readonly current?: object;
  readonly language: string;
  /** The same for a text and its translations with the same status. */
  readonly translationSet: string;
}

function inPreferredLanguage(results: readonly string[], documents: readonly PageDocument[], preferred?: string): readonly string[] {
  if (preferred === undefined) return results;
  const [wanted, primary] = [preferred.toLowerCase(), preferred.toLowerCase().split('-')[0]];
  const closeness = (at: number): number => {
    const language = documents[at]?.language.toLowerCase();
    return language === wanted ? 2 : Number(language?.split('-')[0] === primary);
  };
  const ordered = [...results];
  for (const places of Map.groupBy(results.keys(), (at) => documents[at]?.translationSet).values()) {
    const best = places.toSorted((a, b) => closeness(b) - closeness(a));
    for (const [position, place] of places.entries()) ordered[place] = results[best[position] ?? place] ?? '';
  }
  return ordered;
}

async function loadDocuments(
  numbers: readonly number[],
  generation: Generation,
  { firstSiteText }: SearchScope,
  corpus: Corpus,
  site: QueriedSite,
): Promise<ReadonlyMap<number, PageDocument>> {
  const [ofCapsules, ofSite] = [numbers.filter((number) => number < firstSiteText), numbers.filter((number) => number >= firstSiteText)];
  const [stored, texts] = await Promise.all([
    generation.capsules(ofCapsules),
    ofSite.length === 0 ? [] : generation.siteTexts(ofSite.map((number) => number - firstSiteText)),
  ]);
  const documents = new Map<number, PageDocument>();
  for (const [at, version] of stored.entries()) {
    const renderer = corpus.renderer(version);
    const { language, status, capsule_id: id, translation_of: original = id } = version.metadata;
    const translationSet = `${status} ${original}`;
    const { text, body } = renderer;
    const texts = text === body ? [text] : [text, body];
    documents.set(ofCapsules[at] ?? -1, { renderer, fields: version.metadata, body, texts, language, translationSet });
  }
  for (const [at, text] of texts.entries()) {
    const renderer = await corpus.siteRenderer(text, site.baseUrl);
    const current = renderer.current(site, site.baseUrl);
    const { language, kind, id, translationOf: original = id } = text;
    const translationSet = `${kind} ${original}`;
    documents.set(ofSite[at] ?? -1, {
      renderer,
      fields: renderer.fields,
      body: renderer.text,
      texts: [renderer.text],
      current,
      language,
      translationSet,
    });
  }
  return documents;
}

function renderPage(
  { applied: { quote_length: unsureQuoteLength, passages }, quoteLength, fields: asked, explain }: RequestPlan,
  { searched, page, documents }: CapsuleRanking<PageDocument>,
  site: QueriedSite,
): Iterable<SerializedJson> {
  const fields = asked && new Set<string>([...VERIFYING_MEMBERS, ...asked]);
  const shape = { quoteLength, unsureQuoteLength, passages, fields };
  const explained = explain || fields?.has('explanation') ? explainResults(searched, page) : undefined;
  return (function* () {
    for (const [rank, { renderer, fields: indexed, body, current }] of documents.entries()) {
      const ranked = page[rank] as RankedCapsule;
      const { level, share } = fitOf(ranked);
      const explanation = explained?.(ranked, indexed, body);
      const found: FoundDocument = {
        query: ranked.by.query,
        mayAnswer: ranked.by.answering === ranked.number,
        score: ranked.score,
        match: { level, share: roundShare(share) },
        ...(ranked.foundBy ? { found_by: [...ranked.foundBy] } : {}),
        ...(explanation ? { explanation } : {}),
      };
      yield renderer.result(found, shape, site.baseUrl, current);
    }
  })();
}

function interpretation(searched: readonly SearchedText[]): Interpretation {
  const distinct = (wordsOf: (one: SearchedText) => readonly string[]): string[] => [...new Set(searched.flatMap(wordsOf))];
  const corrections = searched.flatMap(({ outcome }) => outcome.plan.corrections);
  return {
    corrected: [...new Map(corrections.map(({ word, readAs }) => [word, { word, read_as: readAs }])).values()],
    unknown: distinct(({ outcome }) => outcome.plan.unknown),
    ignored: distinct(({ outcome }) => outcome.plan.ignored),
    skipped: distinct(({ text, outcome: { plan, skipped } }) =>
      skipped.flatMap((number) => plan.terms[number]?.places ?? []).map(({ start, end }) => text.slice(start, end)),
    ),
  };
}

function withinBudget(rendered: Iterable<SerializedJson>, form: Pick<AnswerForm, 'result'>, budget: number) {
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
