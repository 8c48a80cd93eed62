import { ALL, TAG } from '../schemas/commerce/access-passes.ts';
import { creditText, openedTitle } from '../schemas/commerce/capsule-price.ts';
import { FREE_PLAN } from '../schemas/limits.ts';
import { DAY_MS } from '../schemas/time.ts';
import type { Clock } from './platform-ports.ts';

export type InsightKind = 'request' | 'latency' | 'client' | 'tool' | 'capsule' | 'offer' | 'cart' | 'gap' | 'term' | 'question' | SaleKind;

/** Counted where it is stored: `text` by a text or pass, ` by ` and a way; `credit` by `sold`, `spent` or `left`, in cents. See {@link DEMO_SALE}. */
type SaleKind = 'order' | 'text' | 'credit';

/** Requests of a day in UTC that have a name in common. */
export interface InsightCount {
  readonly kind: InsightKind;
  readonly name: string;
  readonly count: number;
}

export type AddCounts = (dayMs: number, counts: readonly InsightCount[], nowMs: number) => Promise<void>;

export interface AnsweredRequest {
  readonly path: string;
  readonly userAgent: string;
  /** Origin of the agent that signed the request, once verified. */
  readonly agent?: string | undefined;
  readonly status: number;
  readonly protocol?: string | undefined;
  readonly isMarkdown?: boolean;
  readonly durationMs?: number;
}

/** A question that no text answers well: its words that the best result lacks, rarest first, and its words that no text has. */
export interface UnansweredQuestion {
  readonly text: string;
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
}

const BROWSERS = 'browsers';

/** Words in a `User-Agent`, or in the name of a client of MCP, and what its sender is called; the first that matches counts. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/ChatGPT|openai-mcp/i, 'ChatGPT'],
  [/GPTBot|OAI-SearchBot|openai/i, 'OpenAI crawlers'],
  [/Claude-User|claude[ -](?:ai|code|desktop)/i, 'Claude'],
  [/ClaudeBot|Claude-SearchBot|anthropic/i, 'Anthropic crawlers'],
  [/Perplexity/i, 'Perplexity'],
  [/Google-Extended|GoogleAgent|Google-NotebookLM|Gemini/i, 'Google AI'],
  [/MistralAI/i, 'Mistral'],
  [/meta-external|FacebookBot/i, 'Meta'],
  [/cursor|windsurf|vscode|Visual Studio|copilot|codex|opencode|cline/i, 'coding agents'],
  [/CCBot|Bytespider|Amazonbot|Applebot|cohere|Diffbot|PetalBot|YouBot|DuckAssistBot/i, 'other AI crawlers'],
  [/Googlebot|bingbot|DuckDuckBot|YandexBot|Baiduspider|Slurp/i, 'search engines'],
  [/bot\b|crawl|spider|preview|monitor/i, 'other robots'],
  [/^Mozilla\//, BROWSERS],
];

/** The family of clients that a `User-Agent`, or a name, belongs to. Clients state it themselves. */
export function clientOf(name: string): string {
  return CLIENTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'programs';
}

function isBrowser(client: string): boolean {
  return client === BROWSERS;
}

const PART_OF_PAGE = /^\/(?:_astro|media|fonts)\/|\.(?:css|js|wasm|woff2|png|jpe?g|webp|avif|svg|gif|ico|bin)$/;

/** How an address answers: a protocol, `API`, `page`, `markdown` or `document`; `undefined` for a file that belongs to a page. */
export function surfaceOf(request: Pick<AnsweredRequest, 'path' | 'protocol' | 'isMarkdown'>): string | undefined {
  const { path, protocol, isMarkdown = false } = request;
  if (protocol !== undefined) return protocol;
  if (path.startsWith('/api/')) return 'API';
  if (PART_OF_PAGE.test(path)) return undefined;
  if (isMarkdown || path.endsWith('.md')) return 'markdown';
  return /\.[a-z]+$/.test(path) || path.startsWith('/.well-known/') ? 'document' : 'page';
}

const CAPSULE = /^\/(?:capsules|api\/v1\/agent-gateway\/capsule)\/([a-z0-9-]{1,64})(?:\.md|\/[^/]+)?$/;
const OFFER = /^\/buy\/([a-z0-9-]{1,64})(?:\.md)?$/;

const LATENCY_CLASSES_MS = [25, 100, 250, 1_000] as const;

/** What one request adds. Only addresses that answered name a capsule or an offer. */
export function countsOf(request: AnsweredRequest): Omit<InsightCount, 'count'>[] {
  const { path, userAgent, agent, status, durationMs } = request;
  const surface = surfaceOf(request);
  if (surface === undefined) return [];
  const client = agent === undefined ? clientOf(userAgent) : `${new URL(agent).host} (signed)`;
  const isFound = status < 400 || status === 402;
  const named = (kind: InsightKind, pattern: RegExp): Omit<InsightCount, 'count'>[] => {
    const [, id] = (isFound && pattern.exec(path)) || [];
    return id === undefined ? [] : [{ kind, name: `${id} ${isBrowser(client) ? 'people' : 'agents'}` }];
  };
  const bound = LATENCY_CLASSES_MS.find((ms) => (durationMs ?? 0) <= ms);
  return [
    { kind: 'request', name: `${surface}|${client}|${status}` },
    ...(durationMs === undefined ? [] : [{ kind: 'latency' as const, name: `${surface}|${bound ?? 'more'}` }]),
    ...named('capsule', CAPSULE),
    ...named('offer', OFFER),
  ];
}

/** Words that are counted: letters only, so that no number, address or key is stored. */
const WORD = /^\p{L}[\p{L}\p{M}'’-]{1,23}$/u;
const GAP_WORDS = 3;

/** Longest stored question, in UTF-16 code units. */
const QUESTION_MAX_LENGTH = 200;

/** Shortest and longest time between writes of an isolate. Each write doubles the time to the next. */
const WRITE_INTERVAL_MS = { first: 10_000, last: 1_800_000 } as const;

/** Most counts in one write, the largest first, and most that wait for it. */
const WRITTEN_MAX = 40;
const WAITING_MAX = 1_000;

/**
 * Counts what is asked, without a trace of who asked. Counts wait in the memory of the isolate and are written after a response, so that no request
 * waits for them; those of an isolate that ends are lost.
 */
export class Insights {
  readonly #add: AddCounts;
  readonly #clock: Clock;
  readonly #keepsQuestions: boolean;
  /** Whether functions can read the counts: those in the Analytics Engine need a token of the account. */
  readonly isReadable: boolean;
  #waiting = new Map<string, InsightCount>();
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #intervalMs: number = WRITE_INTERVAL_MS.first;
  /** @param keepsQuestions Whether the text of a question without an answer is stored as well. */
  constructor(add: AddCounts, clock: Clock, keepsQuestions: boolean, isReadable = true) {
    this.isReadable = isReadable;
    this.#add = add;
    this.#clock = clock;
    this.#keepsQuestions = keepsQuestions;
  }

  countRequest(request: AnsweredRequest): void {
    for (const { kind, name } of countsOf(request)) this.count(kind, name);
  }

  /** @param name A name from a small set that the publication or the engine defines, never text of a request. */
  count(kind: InsightKind, name: string): void {
    const key = `${kind} ${name}`;
    const { count = 0 } = this.#waiting.get(key) ?? {};
    if (count > 0 || this.#waiting.size < WAITING_MAX) this.#waiting.set(key, { kind, name, count: count + 1 });
  }

  countUnanswered({ text, missing, unknown }: UnansweredQuestion): void {
    const words = (some: readonly string[]): string[] =>
      [...new Set(some.map((word) => word.toLowerCase()))].filter((word) => WORD.test(word));
    const gap = words(missing).slice(0, GAP_WORDS).sort();
    if (gap.length > 0) this.count('gap', gap.join(' '));
    for (const word of words(unknown).slice(0, GAP_WORDS)) this.count('term', word);
    if (this.#keepsQuestions) this.count('question', text.slice(0, QUESTION_MAX_LENGTH));
  }

  /** Writes what waits, unless the last write was a short time ago: then `undefined`. A failed write loses its counts. */
  write(): Promise<void> | undefined {
    const nowMs = this.#clock.nowMs();
    if (this.#waiting.size === 0 || nowMs - this.#writtenAtMs < this.#intervalMs) return undefined;
    const counts = [...this.#waiting.values()].sort((a, b) => b.count - a.count).slice(0, WRITTEN_MAX);
    this.#waiting = new Map();
    if (this.#writtenAtMs > 0) this.#intervalMs = Math.min(2 * this.#intervalMs, WRITE_INTERVAL_MS.last);
    this.#writtenAtMs = nowMs;
    return this.#add(nowMs - (nowMs % DAY_MS), counts, nowMs);
  }
}

/** Counts of the last days in all, by kind and name, and the requests of each day. */
export interface InsightReport {
  readonly counts: readonly InsightCount[];
  /** Days whose later requests were not counted. */
  readonly incomplete: readonly string[];
  readonly days: readonly { readonly day: string; readonly requests: number }[];
}

export interface InsightTable {
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, readonly number[]>;
}

const PROTOCOL_NAMES: Readonly<Record<string, string>> = { a2a: 'A2A', acp: 'ACP', mcp: 'MCP', mpp: 'MPP', nlweb: 'NLWeb', ucp: 'UCP' };

function writtenName(name: string): string {
  return PROTOCOL_NAMES[name] ?? capitalized(name);
}

export function capitalized(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,]|$)/, (word) => word.slice(0, 1).toUpperCase() + word.slice(1));
}

const SOLD_BY = ['x402', 'MPP evm', 'MPP stripe', 'checkout', 'pass', 'credit'] as const;

/** Stands in the name of a sale, before its way or part, where a demonstration gave it. */
export const DEMO_SALE = ' (demo)';

/** What a table is about: requests in all, what was sold, what was read, or what found no text. */
type InsightTopic = 'requests' | 'sales' | 'reading' | 'questions';

export function insightTables(counts: readonly InsightCount[]): [title: string, table: InsightTable, topic: InsightTopic][] {
  const of = (kind: InsightKind): readonly InsightCount[] => counts.filter((count) => count.kind === kind);
  const requests = of('request').map(({ name, count }) => {
    const [surface = '', client = '', status = ''] = name.split('|');
    return { surface: writtenName(surface), client, status: Number(status), count };
  });
  const bySurface = sums(requests, ({ surface }) => surface, {
    agents: ({ client, count }) => (isBrowser(client) ? 0 : count),
    browsers: ({ client, count }) => (isBrowser(client) ? count : 0),
    'errors 4xx': ({ status, count }) => (status >= 400 && status < 500 && status !== 402 ? count : 0),
    'errors 5xx': ({ status, count }) => (status >= 500 ? count : 0),
  });
  const byClient = sums(requests, ({ client }) => writtenName(client), {
    requests: ({ count }) => count,
    'not found': ({ status, count }) => (status === 404 ? count : 0),
    'payment asked': ({ status, count }) => (status === 402 ? count : 0),
    limited: ({ status, count }) => (status === 429 ? count : 0),
  });
  const readers = countsEndingWith(['agents', 'people'], ' ');
  const asked = { times: ({ count }: InsightCount) => count };
  return [
    ['Surface', bySurface, 'requests'],
    ['Client', byClient, 'requests'],
    ['MCP client', sums(of('client'), ({ name }) => writtenName(name), { messages: ({ count }) => count }), 'requests'],
    ['MCP tool', sums(of('tool'), ({ name }) => name, { calls: ({ count }) => count }), 'requests'],
    ['Answered within (%)', latencies(of('latency')), 'requests'],
    [
      'Offer',
      sums([...of('offer'), ...of('cart'), ...of('order')], idOf, { ...readers, 'in carts': ofKind('cart'), ordered: ofKind('order') }),
      'sales',
    ],
    ['Text sold by', sums(of('text'), soldName, countsEndingWith(SOLD_BY, ' by ')), 'sales'],
    ['Capsule', sums(of('capsule'), idOf, readers), 'reading'],
    ['Asked, and no text has it all', sums(of('gap'), ({ name }) => name, asked), 'questions'],
    ['Words that no text has', sums(of('term'), ({ name }) => name, asked), 'questions'],
    ['Questions without an answer', sums(of('question'), ({ name }) => name, asked), 'questions'],
  ];
}

export function planLine(days: InsightReport['days']): string {
  const most = days.reduce((max, { requests }) => Math.max(max, requests), 0);
  const percent = Math.round((100 * most) / FREE_PLAN.requestsADay);
  return `The free plan of Cloudflare has ${FREE_PLAN.requestsADay.toLocaleString('en')} requests to functions a day: the busiest day had ${percent === 0 ? 'less than 1' : percent} % of them.`;
}

/** The command that writes a draft of a capsule about words. Others than letters and digits of ASCII are left out. */
export function draftCommand(words: string): string {
  const id = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return `npm run new -- capsule ${id === '' ? 'new-capsule' : id}`;
}

function idOf({ name }: InsightCount): string {
  return name.split(' ', 1)[0] ?? '';
}

function ofKind(kind: InsightKind): (count: InsightCount) => number {
  return (count) => (count.kind === kind ? count.count : 0);
}

function countsEndingWith(endings: readonly string[], separator: string): Record<string, (count: InsightCount) => number> {
  return Object.fromEntries(endings.map((end) => [end, ({ name, count }) => (name.endsWith(separator + end) ? count : 0)]));
}

function soldName({ name }: InsightCount): string {
  const [sold = ''] = name.split(' by ', 1);
  if (!name.endsWith(' by pass')) return sold;
  const [opens = ''] = sold.split(DEMO_SALE, 1);
  return openedTitle(opens === ALL ? undefined : opens.slice(TAG.length)) + sold.slice(opens.length);
}

/** What was sold, and what demonstrations gave, in lines: texts by way, and credit. Nothing where none was. */
export function saleLines(counts: readonly InsightCount[]): string[] {
  const isDemo = ({ name }: InsightCount): boolean => name.includes(DEMO_SALE);
  const [demos, sales] = [counts.filter(isDemo), counts.filter((count) => !isDemo(count))];
  return [
    ...linesOfSales(sales, 'Texts sold', 'Credit'),
    ...linesOfSales(demos, 'Texts of demonstrations, for nothing', 'Credit of demonstrations, for nothing', 'given'),
  ];
}

function linesOfSales(counts: readonly InsightCount[], texts: string, credit: string, issued = 'sold'): string[] {
  const of = (wanted: InsightKind, end: string): number =>
    counts.reduce((sum, { kind, name, count }) => sum + (kind === wanted && name.endsWith(end) ? count : 0), 0);
  const ways = SOLD_BY.flatMap((way) => (of('text', ` by ${way}`) === 0 ? [] : [`${of('text', ` by ${way}`)} by ${way}`]));
  const [sold, spent, left] = ['sold', 'spent', 'left'].map((part) => creditText(of('credit', part)));
  return [
    ...(ways.length === 0 ? [] : [`${texts}: ${ways.join(', ')}.`]),
    ...(of('credit', '') === 0 ? [] : [`${credit}: ${sold} ${issued}, ${spent} spent, ${left} left.`]),
  ];
}

function sums<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  parts: Readonly<Record<string, (item: Item) => number>>,
): InsightTable {
  const rows = [...Map.groupBy(items, nameOf)].map(([name, group]) => {
    const sumOf = (part: (item: Item) => number): number => group.reduce((sum, item) => sum + part(item), 0);
    return [name, Object.values(parts).map(sumOf)] as const;
  });
  const total = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0);
  return { columns: Object.keys(parts), rows: new Map(rows.sort(([, a], [, b]) => total(b) - total(a))) };
}

function latencies(counts: readonly InsightCount[]): InsightTable {
  const classes = [...LATENCY_CLASSES_MS.map(String), 'more'];
  const { rows } = sums(counts, ({ name }) => writtenName(name.slice(0, name.indexOf('|'))), countsEndingWith(classes, '|'));
  const shares = [...rows].map(([name, row]) => {
    const all = row.reduce((sum, value) => sum + value, 0);
    return [name, row.map((value) => Math.round((100 * value) / all))] as const;
  });
  return { columns: classes.map((bound) => (bound === 'more' ? 'longer' : `${bound} ms`)), rows: new Map(shares) };
}
