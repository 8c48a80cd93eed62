import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { queryKnowledge } from '../../gateway/knowledge/query-knowledge.ts';
import { type ContentProblem, isWarning } from '../../publication/content-problem.ts';
import { pagePath } from '../../publication/site-addresses.ts';
import { QueryRequest, type QueryResponse } from '../../schemas/knowledge/query.ts';
import { estimateTokens } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { buyPath, capsulePath } from '../../schemas/paths.ts';
import type { LiveStatus } from '../../site/dev/live-message.ts';
import { PREVIEW_PATH } from '../../site/dev/live-site.ts';
import type { PreviewAnswer, PreviewData, PreviewQuestion, PreviewRow, PreviewText, ShownProblem } from '../../site/dev/preview-data.ts';
import { summaryOf } from './live-changes.ts';
import type { LivePublication, LiveState } from './live-publication.ts';

/** Lines of a file before and after a problem. */
const EXCERPT_LINES = 1;

/** Pages of results in which a text is looked for. */
const SEARCHED_PAGES = 10;

/** What the preview shows, made from one state of the publication. */
export class Preview {
  readonly #root: string;
  readonly #live: LivePublication;
  readonly #state: LiveState;

  constructor(root: string, live: LivePublication, state: LiveState) {
    this.#root = root;
    this.#live = live;
    this.#state = state;
  }

  /** The answer to a request of the preview's own scripts; `undefined` if the request is for a page. */
  async answer(request: IncomingMessage, path: string): Promise<Response | undefined> {
    if (path === `${PREVIEW_PATH}/status.json`) return Response.json(this.#status(), { headers: { 'Cache-Control': 'no-store' } });
    if (path !== `${PREVIEW_PATH}/query`) return undefined;
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const { question, id } = JSON.parse(await readText(request)) as PreviewQuestion;
    const answer = await this.ask({ question, id });
    return typeof answer === 'string' ? Response.json({ error: answer }, { status: 422 }) : Response.json(answer);
  }

  /** What a page of the preview shows. */
  async data(path: string): Promise<PreviewData> {
    const rows = this.#rows();
    const listed = new Set(rows.map(({ file }) => file));
    const [, kind, id] = /^\/(capsule|offer|page)s\/([^/]+)$/.exec(path.slice(PREVIEW_PATH.length)) ?? [];
    const row = rows.find((candidate) => candidate.kind === kind && candidate.id === id);
    const others = this.#live.problems.filter(({ file }) => !listed.has(file));
    return {
      name: this.#state.made.content.publisher.name,
      rows,
      otherProblems: await this.#shown(others),
      ...(row === undefined ? {} : { text: await this.#text(row) }),
    };
  }

  /** The rank and the quote of a capsule for a question, by the real query; why not, if the question cannot be asked. */
  async ask({ question, id }: PreviewQuestion): Promise<PreviewAnswer | string> {
    const request = { query: question, max_results: LIMITS.maxResultsMax, token_budget: LIMITS.tokenBudgetMax };
    let cursor: string | undefined;
    let first: QueryResponse | undefined;
    let rank = 0;
    for (let page = 0; page < SEARCHED_PAGES; page += 1) {
      const parsed = QueryRequest.safeParse({ ...request, ...(cursor === undefined ? {} : { cursor }) });
      if (!parsed.success) return `The question ${parsed.error.issues[0]?.message ?? 'cannot be asked'}.`;
      const response = await queryKnowledge(parsed.data, this.#state.corpus, this.#state.made.deployment.baseUrl);
      if (!response.ok) return response.refusal.detail;
      first ??= response.value;
      const at = response.value.results.findIndex(({ capsule_id }) => capsule_id === id);
      if (at >= 0)
        return answerOf(first, { rank: rank + at + 1, quote: response.value.results[at]?.quote ?? { start: 0, end: 0, text: '' } });
      rank += response.value.results.length;
      cursor = response.value.page.next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    return first === undefined ? 'The question has no answer.' : answerOf(first);
  }

  #status(): LiveStatus {
    const { capsules, offers } = this.#state.drafts;
    const texts = Object.fromEntries(
      this.#rows()
        .filter(({ errors, warnings }) => errors + warnings > 0)
        .map(({ path, errors, warnings }) => [path, { errors, warnings }]),
    );
    return { ...summaryOf(this.#live.problems), texts, drafts: [...[...capsules].map(capsulePath), ...[...offers].map(buyPath)] };
  }

  #rows(): PreviewRow[] {
    const { content } = this.#state.made;
    const byFile = new Map<string, { errors: number; warnings: number }>();
    for (const problem of this.#live.problems) {
      const counts = byFile.get(problem.file) ?? { errors: 0, warnings: 0 };
      counts[isWarning(problem) ? 'warnings' : 'errors'] += 1;
      byFile.set(problem.file, counts);
    }
    const row = (text: Omit<PreviewRow, 'errors' | 'warnings'>): PreviewRow => ({
      ...text,
      ...(byFile.get(text.file) ?? { errors: 0, warnings: 0 }),
    });
    return [
      ...content.capsules.map(({ id, file, frontMatter: { title, draft } }) =>
        row({ kind: 'capsule', id, file, title, path: capsulePath(id), isDraft: draft }),
      ),
      ...content.offers.map(({ id, file, frontMatter: { name, draft } }) =>
        row({ kind: 'offer', id, file, title: name, path: buyPath(id), isDraft: draft }),
      ),
      ...content.pages.map(({ id, file, frontMatter: { title } }) =>
        row({ kind: 'page', id, file, title, path: pagePath(id), isDraft: false }),
      ),
    ];
  }

  async #text(row: PreviewRow): Promise<PreviewText> {
    const problems = await this.#shown(this.#live.problems.filter(({ file }) => file === row.file));
    const files = row.kind === 'capsule' ? await this.#state.capsuleDocuments(row.id) : [];
    const named = [
      { name: 'Markdown', ending: `/${row.id}.md` },
      { name: 'JSON', ending: '/capsule.json' },
    ].flatMap(({ name, ending }) => {
      const file = files.find(({ path }) => path.endsWith(ending));
      return file === undefined
        ? []
        : [{ name, path: file.path, body: name === 'JSON' ? prettyJson(file.body) : file.body, tokens: estimateTokens(file.body) }];
    });
    const capsule = row.kind === 'capsule' ? this.#state.capsule(row.id) : undefined;
    const { errors, warnings } = summaryOf(this.#live.problems);
    const elsewhere = { errors: errors - row.errors, warnings: warnings - row.warnings };
    return {
      ...row,
      problems,
      elsewhere,
      documents: named,
      ...(capsule?.metadata.access === 'public' ? { markdown: capsule.markdown } : {}),
    };
  }

  async #shown(problems: readonly ContentProblem[]): Promise<ShownProblem[]> {
    const texts = new Map<string, readonly string[]>();
    for (const file of new Set(problems.map((problem) => problem.file)))
      texts.set(file, (await readFile(join(this.#root, file), 'utf8').catch(() => '')).split('\n'));
    return problems.map((problem) => {
      const lines = texts.get(problem.file) ?? [];
      const from = Math.max(0, problem.line - 1 - EXCERPT_LINES);
      const excerpt = lines
        .slice(from, problem.line + EXCERPT_LINES)
        .map((text, index) => ({ line: from + index + 1, text: text.slice(0, 400) }));
      return { ...problem, excerpt: lines.join('') === '' ? [] : excerpt };
    });
  }
}

/** Results that the preview lists. */
const LISTED_RESULTS = 5;

function answerOf({ results, page, meta }: QueryResponse, found?: PreviewAnswer['found']): PreviewAnswer {
  const { corrected, unknown } = meta.interpretation;
  return {
    results: results
      .slice(0, LISTED_RESULTS)
      .map(({ capsule_id, title, score }, index) => ({ rank: index + 1, id: capsule_id, title, score })),
    total: page.total,
    ...(found === undefined ? {} : { found }),
    notes: [
      ...corrected.map(({ word, read_as }) => `No text has the word "${word}"; it was read as "${read_as}".`),
      ...unknown.map((word) => `No text has the word "${word}" or a similar one.`),
    ],
  };
}

function prettyJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
