import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { createRequest, writeResponse } from 'astro/app/node';
import { taggedDocuments } from '../../documents/make-documents.ts';
import { examplePayment } from '../../documents/purchase-walkthrough.ts';
import { queryKnowledge } from '../../gateway/knowledge/query-knowledge.ts';
import { remembered } from '../../gateway/memory-caches.ts';
import { loadedRoutes } from '../../http/define-route.ts';
import { createGateway, type Gateway } from '../../http/gateway-app.ts';
import type { FunctionDocuments } from '../../http/gateway-dependencies.ts';
import type { RenderPage } from '../../http/on-demand-page-props.ts';
import { bindGateway } from '../../platform/bind-gateway.ts';
import { blockDigest } from '../../platform/block-stores.ts';
import { transferDigest } from '../../platform/demo-payments.ts';
import type { Environment } from '../../platform/environment.ts';
import { PROTOCOL_ADAPTERS } from '../../protocols/protocols.ts';
import { newWallet } from '../../provenance/ethereum-signatures.ts';
import type { ContentProblem } from '../../publication/content-problem.ts';
import { isImageFile, typeOf } from '../../publication/read/media-file.ts';
import { pagePath } from '../../publication/resolve/site-addresses.ts';
import { functionPaths, routeTable } from '../../routes/route-table.ts';
import { paymentNetwork } from '../../schemas/commerce/stablecoin-payments.ts';
import { QueryRequest, type QueryResponse } from '../../schemas/knowledge/query.ts';
import { estimateTokens } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { buyPath, capsulePath, PATHS } from '../../schemas/paths.ts';
import { Kernel } from '../../search/scoring-wasm/kernel.ts';
import {
  type LiveStatus,
  PREVIEW_PATH,
  type PreviewAnswer,
  type PreviewData,
  type PreviewQuestion,
  type PreviewRow,
  type PreviewText,
  type ShownProblem,
} from '../../site/dev/dev-server.ts';
import type { Blocks } from '../corpus-blocks/build-generation.ts';
import { settingIn } from '../local/local-stores.ts';
import { compiledKernel } from '../make-publication.ts';
import { ENGINE_PUBLIC } from '../pages/write-site.ts';
import type { LivePublication, LiveState } from './live-publication.ts';
import { summaryOf } from './watch-publication.ts';

type Next = (error?: unknown) => void;

/** Marks requests that this server sends to itself: for files, and for pages with the props that the header names. */
const OWN_REQUEST = 'x-akg-own-request';
const ON_DEMAND = '/on-demand/';

const OF_CAPSULE = /^\/capsules\/([a-z0-9-]+)(\.md|\/[^/]+|)$/;

/** How the development server answers requests: functions in this process, pages and documents with Astro. */
export function devRequests(root: string, address: string, live: LivePublication, ownBindings: Omit<LiveBindings, 'ASSETS'>) {
  // So that nobody else sends requests as this server.
  const ownSecret = randomBytes(16).toString('hex');
  const shownProps = new Map<string, unknown>();
  const gateways = new WeakMap<LiveState, ReturnType<typeof liveGateway>>();
  const fetchFile = (asked: Request | string): Promise<Response> => {
    const { pathname, search } = new URL(typeof asked === 'string' ? asked : asked.url);
    return fetch(address + pathname + search, { headers: { [OWN_REQUEST]: ownSecret }, redirect: 'manual' });
  };
  const bindings: LiveBindings = { ...ownBindings, ASSETS: { fetch: fetchFile } };

  const renderPage: RenderPage = async (page, props) => {
    const id = randomBytes(16).toString('hex');
    shownProps.set(id, props);
    try {
      const response = await fetch(`${address}${ON_DEMAND}${page}`, { headers: { [OWN_REQUEST]: id } });
      if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
      return await response.text();
    } finally {
      shownProps.delete(id);
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, next: Next): Promise<unknown> => {
    const url = new URL(request.url ?? '/', address);
    const path = url.pathname;
    const { state } = live;
    if (state === undefined || path.startsWith('/@') || path.startsWith('/node_modules/')) return next();
    if (path.startsWith(ON_DEMAND)) {
      if (shownProps.has(`${request.headers[OWN_REQUEST]}`)) return next();
      response.statusCode = 404;
      response.end();
      return undefined;
    }
    if (path === PREVIEW_PATH || path.startsWith(`${PREVIEW_PATH}/`)) {
      const previewResponse = await preview(root, live, state).answer(request, path);
      return previewResponse === undefined ? next() : writeResponse(previewResponse, response);
    }
    const gateway = remembered(gateways, state, () => liveGateway(state, bindings, renderPage));
    const isOwn = request.headers[OWN_REQUEST] === ownSecret;
    const [, capsule = '', ending] = OF_CAPSULE.exec(path) ?? [];
    const isProven = ending === '.md' || url.search !== '' || request.headers.authorization !== undefined;
    if (!isOwn && ((isProven && state.capsule(capsule)?.metadata.access === 'paid') || gateway.serves(path)))
      return writeResponse(withoutPagePolicy(await gateway.respond(requestAt(address, request))), response);
    const document = (await state.capsuleDocuments(ending ? capsule : '')).find((file) => file.path === path);
    const file = document ?? (await mediaFile(root, path, state)) ?? (await engineFile(root, path, state));
    if (file === undefined) return next();
    response.setHeader('Content-Type', file.contentType);
    response.end(file.body);
    return undefined;
  };

  return {
    handle: (request: IncomingMessage, response: ServerResponse, next: Next): void => {
      answer(request, response, next).catch(next);
    },
    /** What a request to this server itself shows. */
    localsOf: async ({ headers, url }: Request): Promise<Partial<App.Locals>> => {
      const { state } = live;
      const { pathname } = new URL(url);
      if (pathname.startsWith(ON_DEMAND)) return { props: shownProps.get(headers.get(OWN_REQUEST) ?? '') };
      if (!pathname.startsWith(PREVIEW_PATH) || state === undefined) return {};
      return { preview: await preview(root, live, state).data(pathname) };
    },
  };
}

async function mediaFile(root: string, path: string, { made }: LiveState): Promise<SentFile | undefined> {
  if (!path.startsWith(`${PATHS.media}/`)) return undefined;
  const found = made.content.media.find(
    (media) => media.path === path || media.image?.variants.some((variant) => variant.path === path) === true,
  );
  const body = found && (await readFile(join(root, found.file)).catch(() => undefined));
  if (found === undefined || body === undefined) return undefined;
  const type = typeOf(found.file);
  const ofImage = isImageFile(found.file) ? `image/${type === 'jpg' ? 'jpeg' : type}` : 'application/octet-stream';
  return { contentType: ENGINE_TYPES[type] ?? ofImage, body };
}

async function engineFile(root: string, path: string, state: LiveState): Promise<SentFile | undefined> {
  if (!/^(\/[\w-][\w.-]*)+$/.test(path) || existsSync(join(root, 'public', path))) return undefined;
  const body = (await state.brand()).files.get(path) ?? (await readFile(join(ENGINE_PUBLIC, path)).catch(() => undefined));
  return body && { contentType: ENGINE_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream', body };
}

interface SentFile {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

const ENGINE_TYPES: Readonly<Record<string, string>> = {
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
};

/** A response whose page may load what Vite adds to it: styles in the page, and its client. */
function withoutPagePolicy(answer: Response): Response {
  if (answer.headers.get('Content-Type')?.startsWith('text/html') !== true) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('Content-Security-Policy');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

/** A request at the address of the site, whatever its Host says. Cloudflare names the caller in a header, which a caller cannot set. */
function requestAt(address: string, message: IncomingMessage): Request {
  const { method, headers, body } = createRequest(message);
  headers.set('CF-Connecting-IP', (message.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''));
  const init: RequestInit & { readonly duplex: 'half' } = { method, headers, body, redirect: 'manual', duplex: 'half' };
  return new Request(new URL(message.url ?? '/', address), init);
}

const SECRETS = [
  'SIGNING_SECRETS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
  'STRIPE_API_BASE',
  'PAYMENT_RPC_URL',
] as const satisfies readonly (keyof Environment)[];

interface LiveBindings extends Partial<Record<(typeof SECRETS)[number], string>> {
  readonly STATE: unknown;
  readonly ASSETS: { readonly fetch: (request: Request | string) => Promise<Response> };
}

/** The secrets of `.dev.vars`, as functions get them from wrangler. */
export async function localSecrets(root: string): Promise<Omit<LiveBindings, 'STATE' | 'ASSETS'>> {
  const text = await readFile(join(root, '.dev.vars'), 'utf8').catch(() => '');
  return Object.fromEntries(
    SECRETS.flatMap((name) => {
      const value = settingIn(text, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The gateway over one state of the publication: the code of the functions, in this process. */
function liveGateway(state: LiveState, bindings: LiveBindings, renderPage: RenderPage) {
  const { deployment, generation } = state.made;
  const environment = { ...bindings, CAPSULES: memoryNamespace(generation.blocks) } as Environment;
  const table = routeTable(deployment);
  const paths = functionPaths(table);
  const gateways = new Map<boolean, Promise<Gateway>>();

  const make = async (withDocuments: boolean): Promise<Gateway> => {
    const ranking = new Kernel(await compiledKernel());
    const documents = withDocuments ? await taggedDocuments(await state.publication()) : ({} as FunctionDocuments);
    const bound = await bindGateway(environment, deployment, generation, ranking, async () => PROTOCOL_ADAPTERS);
    // To open the database takes longer than a purchase waits for it.
    if (deployment.payments !== undefined) await environment.STATE?.prepare('SELECT 1').all();
    return createGateway({ ...bound, documents, renderPage }, loadedRoutes(table));
  };

  return {
    serves: (path: string): boolean =>
      paths.some((pattern) => (pattern.endsWith('/*') ? `${path}/`.startsWith(pattern.slice(0, -1)) : path === pattern)),
    respond: async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      const withDocuments = !WITHOUT_DOCUMENTS.some((path) => `${pathname}/`.startsWith(`${path}/`));
      const gateway = await remembered(gateways, withDocuments, () => make(withDocuments));
      return gateway(request, (work) => void work.catch(() => undefined));
    },
  };
}

/** Operations that answer from the index alone, and so at once after a change: documents of a large corpus take seconds to make. */
const WITHOUT_DOCUMENTS: readonly string[] = [
  PATHS.search,
  ...['query', 'register', 'capsule', 'keys'].map((name) => `${PATHS.gateway}/${name}`),
  ...['browse', 'status'].map((name) => `${PATHS.publicCapsules}/${name}`),
];

function memoryNamespace(blocks: Blocks): unknown {
  const read = (key: string): Uint8Array | undefined => blocks.get(blockDigest(key));
  const decoded = (bytes: Uint8Array | undefined): string | null => (bytes === undefined ? null : new TextDecoder().decode(bytes));
  return {
    get: async (keys: string | readonly string[]): Promise<unknown> =>
      typeof keys === 'string' ? (read(keys)?.slice().buffer ?? null) : new Map(keys.map((key) => [key, decoded(read(key))])),
  };
}

const EXCERPT_LINES = 1;

const SEARCHED_PAGES = 10;

function preview(root: string, live: LivePublication, state: LiveState) {
  /** The answer to a request of the preview's own scripts; `undefined` if the request is for a page. */
  async function answer(request: IncomingMessage, path: string): Promise<Response | undefined> {
    if (path === `${PREVIEW_PATH}/status.json`) return Response.json(status(), { headers: { 'Cache-Control': 'no-store' } });
    const [, sold] = /\/purchase\/([a-z0-9-]+)$/.exec(path) ?? [];
    if (sold !== undefined && request.method === 'POST') return new Response(await demoPurchase(sold, state.made.deployment.baseUrl));
    if (path !== `${PREVIEW_PATH}/query`) return undefined;
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } });
    const { question, id } = JSON.parse(await readText(request)) as PreviewQuestion;
    const answer = await ask({ question, id });
    return typeof answer === 'string' ? Response.json({ error: answer }, { status: 422 }) : Response.json(answer);
  }

  async function data(path: string): Promise<PreviewData> {
    const rows = previewRows();
    const listed = new Set(rows.map(({ file }) => file));
    const [, kind, id] = /^\/(capsule|offer|page)s\/([^/]+)$/.exec(path.slice(PREVIEW_PATH.length)) ?? [];
    const row = rows.find((candidate) => candidate.kind === kind && candidate.id === id);
    return {
      name: state.made.content.publisher.name,
      rows,
      otherProblems: await shown(live.problems.filter(({ file }) => !listed.has(file))),
      ...(row === undefined ? {} : { text: await textOf(row) }),
    };
  }

  async function ask({ question, id }: PreviewQuestion): Promise<PreviewAnswer | string> {
    const request = { query: question, max_results: LIMITS.maxResultsMax, token_budget: LIMITS.tokenBudgetMax };
    let cursor: string | undefined;
    let first: QueryResponse | undefined;
    let rank = 0;
    for (let page = 0; page < SEARCHED_PAGES; page += 1) {
      const parsed = QueryRequest.safeParse({ ...request, ...(cursor === undefined ? {} : { cursor }) });
      if (!parsed.success) return `The question ${parsed.error.issues[0]?.message ?? 'cannot be asked'}.`;
      const response = await queryKnowledge(parsed.data, state.corpus, state.made.deployment.baseUrl);
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

  function status(): LiveStatus {
    const { capsules, offers } = state.drafts;
    const texts = Object.fromEntries(
      previewRows()
        .filter(({ errors, warnings }) => errors + warnings > 0)
        .map(({ path, errors, warnings }) => [path, { errors, warnings }]),
    );
    return { ...summaryOf(live.problems), texts, drafts: [...[...capsules].map(capsulePath), ...[...offers].map(buyPath)] };
  }

  function previewRows(): PreviewRow[] {
    const { content } = state.made;
    const byFile = Map.groupBy(live.problems, ({ file }) => file);
    const row = (text: Omit<PreviewRow, 'errors' | 'warnings'>): PreviewRow => {
      const { errors, warnings } = summaryOf(byFile.get(text.file) ?? []);
      return { ...text, errors, warnings };
    };
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

  async function textOf(row: PreviewRow): Promise<PreviewText> {
    const problems = await shown(live.problems.filter(({ file }) => file === row.file));
    const files = row.kind === 'capsule' ? await state.capsuleDocuments(row.id) : [];
    const documents = [
      { name: 'Markdown', ending: `/${row.id}.md` },
      { name: 'JSON', ending: '/capsule.json' },
    ].flatMap(({ name, ending }) => {
      const file = files.find(({ path }) => path.endsWith(ending));
      if (file === undefined) return [];
      const body = name === 'JSON' ? JSON.stringify(JSON.parse(file.body), null, 2) : file.body;
      return [{ name, path: file.path, body, tokens: estimateTokens(file.body) }];
    });
    const capsule = row.kind === 'capsule' ? state.capsule(row.id) : undefined;
    const { errors, warnings } = summaryOf(live.problems);
    const elsewhere = { errors: errors - row.errors, warnings: warnings - row.warnings };
    const markdown = capsule?.metadata.access === 'public' ? { markdown: capsule.markdown } : {};
    return { ...row, problems, elsewhere, documents, ...markdown };
  }

  async function shown(problems: readonly ContentProblem[]): Promise<ShownProblem[]> {
    const texts = new Map<string, readonly string[]>();
    for (const file of new Set(problems.map((problem) => problem.file)))
      texts.set(file, (await readFile(join(root, file), 'utf8').catch(() => '')).split('\n'));
    return problems.map((problem) => {
      const lines = texts.get(problem.file) ?? [];
      const from = Math.max(0, problem.line - 1 - EXCERPT_LINES);
      const excerpt = lines
        .slice(from, problem.line + EXCERPT_LINES)
        .map((text, index) => ({ line: from + index + 1, text: text.slice(0, 400) }));
      return { ...problem, excerpt: lines.join('') === '' ? [] : excerpt };
    });
  }

  return { answer, data };
}

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

async function demoPurchase(id: string, address: string): Promise<string> {
  const path = `${capsulePath(id)}.md`;
  const asked = await fetch(address + path);
  const terms = asked.headers.get('PAYMENT-REQUIRED');
  const refused = `> GET ${path}\n\n< ${asked.status}\n\n${await asked.text()}`;
  if (terms === null)
    return asked.status === 402
      ? `${refused}\n\nNo test wallet can pay this text, because it has no price_usd. A card can, by MPP.\n`
      : refused;
  const { resource, accepts } = JSON.parse(Buffer.from(terms, 'base64').toString());
  const [accepted] = accepts;
  const wallet = newWallet();
  const unsigned = examplePayment(resource, accepted, Date.now(), wallet.address, `0x${randomBytes(32).toString('hex')}`);
  const { authorization } = unsigned.payload;
  const network = paymentNetwork(accepted.network);
  const signature = network && (await wallet.sign(transferDigest(authorization, network)));
  const payment = JSON.stringify({ ...unsigned, payload: { signature, authorization } }, null, 2);
  const paid = await fetch(address + path, { headers: { 'PAYMENT-SIGNATURE': Buffer.from(payment).toString('base64') } });
  const sent = `> GET ${path}\nPAYMENT-SIGNATURE, decoded: ${payment}`;
  return `${refused}\n\n${sent}\n\n< ${paid.status}\n\n${await paid.text()}\n`;
}
