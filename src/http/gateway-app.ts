import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { KnownKeys } from '../gateway/agents/api-key.ts';
import { get, type NextStep } from '../gateway/error-next-actions.ts';
import { errorEntry } from '../gateway/errors.ts';
import { isPaid } from '../gateway/knowledge/capsule-response.ts';
import { withCorpus } from '../gateway/knowledge/corpus.ts';
import { findCapsule, takenDownRefusal } from '../gateway/knowledge/read-capsule.ts';
import type { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import { LruCache } from '../gateway/memory-caches.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { sentParameters } from '../schemas/knowledge/capsule-lists.ts';
import { LIMITS } from '../schemas/limits.ts';
import {
  capsuleApiPath,
  capsulePath,
  lineageApiPath,
  lineageFilePath,
  openedPagePath,
  PATHS,
  pageMarkdownPath,
  pageOfSiteText,
} from '../schemas/paths.ts';
import { Version } from '../schemas/primitives.ts';
import { NEGOTIATION_HEADERS, prefersMarkdownProblem, readsMarkdown, varyBy } from './content-negotiation.ts';
import type { LazyRoute, Protocol, Route, RouteEntry } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { logError, type RequestContext, requestContext, subrequestContext, takeAgentAllowance, takeAllowance } from './rate-limits.ts';
import { readBody } from './read-body.ts';
import { problemResponse } from './render-problem.ts';
import { finishResponse, preflight, refusalPage } from './render-response.ts';
import { decodeOnce, honoPaths, isAt, parameterReader, protocolAt, stepTo, suggestRoute, withoutTrailingSlash } from './route-paths.ts';
import { refusalResponse, refuseKeyInUrl, runRoute, sentQuery } from './run-route.ts';
import { apiHeaders, INDEX_LINK } from './security-headers.ts';
import { hasFile, NO_PAGE, prefersProblem, serveFile } from './serve-file.ts';

/** Responds to one HTTP request. Never throws. `waitUntil` keeps the isolate alive for work after the response. */
export type Gateway = (request: Request, waitUntil?: (work: Promise<unknown>) => void) => Promise<Response>;

interface App {
  readonly Bindings: {
    readonly waitUntil: Parameters<Gateway>[1];
    /** The state of the request that this one is a part of: what it asks for was admitted already. */
    readonly context?: RequestContext;
  };
  readonly Variables: { readonly context: RequestContext };
}

const API_PREFIX = '/api/';

const AT_A_PAGE: Pick<Route, 'refusalPage'> = {
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'address', refusal }, visibility: 'unlisted' }),
};

const KNOWN_KEYS_MAX = 1_000;

/** The search by GET, whose question is `q`, and by POST, with `query`: a request with another method may mean either. */
const SEARCHES: readonly string[] = [`${PATHS.gateway}/search`, `${PATHS.gateway}/query`];

export function createGateway(deps: GatewayDependencies, routes: readonly LazyRoute[]): Gateway {
  const security = apiHeaders(deps.deployment);
  const { formerIds, takenDown, furtherAddresses } = deps.deployment;
  const hasFormerCapsules = formerIds !== undefined || takenDown !== undefined || furtherAddresses !== undefined;
  const knownKeys: KnownKeys = new LruCache(KNOWN_KEYS_MAX);
  const refused = async ({ refusal }: { readonly refusal: Refusal }, context: RequestContext): Promise<Response> =>
    refusalResponse(refusal, await loadProtocol(context.url.pathname, routes), context, deps);
  const refusedEarly = async (refusal: Refusal, context: RequestContext): Promise<Response> => {
    const { pathname } = context.url;
    const { method } = context.request;
    const route = routes.find((each) => (each.method === method || (each.method === 'GET' && method === 'HEAD')) && isAt(pathname, each));
    // What the query holds is not shown again.
    const url = new URL(context.url);
    url.search = '';
    const asked = route?.hasRefusalPage ? await route.load() : route === undefined && isFileRequest(context) ? AT_A_PAGE : {};
    const page = await refusalPage(asked, refusal, { ...context, url }, ok(new Uint8Array()), deps);
    return page ?? refused({ refusal }, context);
  };

  /** Counts a request once its response is made; only then is a signature verified whose agent has no limit of its own. */
  const countRequest = ({ status, headers }: Response, context: RequestContext, startMs: number): void => {
    const { insights, clock } = deps;
    if (insights === undefined) return;
    const { request, url, defer } = context;
    const counted = {
      path: url.pathname,
      userAgent: request.headers.get('user-agent') ?? '',
      status,
      protocol: protocolAt(url.pathname, routes)?.name,
      isMarkdown: headers.get('content-type')?.startsWith(MARKDOWN) === true,
      durationMs: clock.nowMs() - startMs,
    };
    const count = (agent?: string): Promise<void> | undefined => {
      insights.countRequest({ ...counted, agent });
      return insights.write();
    };
    const isSigned = request.headers.has('signature-agent') && request.headers.has('signature-input');
    const work = isSigned ? signerOf(context, deps).then(count) : count();
    if (work !== undefined) defer(work);
  };
  // Hono's first choice compiles all paths into one expression, which takes a fresh isolate longer than many matches.
  const app = new Hono<App>({ router: new TrieRouter() });
  const pages = deps.deployment.markdownNegotiation === true ? new PageNegotiation(deps.deployment, routes) : undefined;
  app.use(async (c, passOn) => {
    const context = c.env.context ?? requestContext(c.req.raw, deps, c.env.waitUntil);
    c.set('context', context);
    const askFor = async (path: string, method: string, headers: Headers): Promise<Response> => {
      const request = new Request(new URL(path, context.url), { method, headers });
      return app.fetch(request, { waitUntil: c.env.waitUntil, context: subrequestContext(context, request, deps) });
    };
    const next = async (): Promise<void> => {
      const text = deps.deployment.payments && (await soldTextAt(context, deps));
      if (text === undefined) return passOn();
      const headers = new Headers(context.request.headers);
      headers.set('Accept', text.type);
      const found = await askFor(text.operation, context.request.method, headers);
      if (text.isFree && found.status === 402) {
        await found.body?.cancel();
        return passOn();
      }
      c.res = found;
    };
    if (c.env.context !== undefined) return next();
    const startMs = deps.clock.nowMs();
    const page = pages?.pageAt(context);
    const admitted = await admit(context, deps, pages?.isFile(context) !== true);
    const former = admitted.ok && hasFormerCapsules ? await formerCapsuleResponse(context, deps) : undefined;
    if (former !== undefined) c.res = former;
    else if (!admitted.ok) c.res = await refusedEarly(admitted.refusal, context);
    else if (pages === undefined) await next();
    else {
      const ask: Ask = (path, method) => askFor(path, method, context.request.headers);
      const markdown = page === undefined ? undefined : await pages.markdownResponse(page, context, ask);
      if (markdown === undefined) await next();
      if (markdown !== undefined) c.res = markdown;
      else if (page !== undefined) await pages.addLinks(c.res, page, ask);
      else {
        const found = c.res;
        // Hono would give the new response the headers of the one that it replaces.
        c.res = undefined;
        c.res = await pages.withMarkdownHeaders(found, context, ask);
      }
    }
    finishResponse(c.res, context, security);
    countRequest(c.res, context, startMs);
  });
  const addresses = routes.flatMap((route) => honoPaths(route).map((path) => ({ path, route })));
  for (const { path, route } of addresses) {
    const parametersOf = parameterReader(route);
    app.on(route.method, path, async (c) => runRoute(await route.load(), parametersOf(c.req.param()), c.var.context, deps, knownKeys));
  }
  for (const [path, found] of Map.groupBy(addresses, (address) => address.path)) {
    const here = found.map(({ route }) => route);
    // The page of a form may be a file.
    const isPage = here.every(({ formPath }) => formPath === path);
    const own = [...(isPage ? ['GET'] : []), ...here.map(({ method }) => method as string)];
    const methods = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    app.all(path, async ({ var: { context } }) => {
      if (isPage && isFileRequest(context)) return serveFile(context, deps, { missing: NO_PAGE });
      await readBody(context.request, deps.deployment.baseUrl);
      const query = sentQuery(context.url);
      const meant = SEARCHES.includes(path) ? SEARCHES.flatMap((search) => routes.filter((route) => route.path === search)) : here;
      const steps = meant.map((route) => {
        if (here.includes(route)) return stepTo(route, context.url.pathname, query);
        return stepTo(route, route.path, query.replace(/(?<=[?&])query=/, 'q='));
      });
      return otherMethod(context, methods, steps, refused);
    });
  }
  app.notFound(async ({ var: { context } }) => {
    await readBody(context.request, deps.deployment.baseUrl);
    const { pathname, search } = context.url;
    const address = withoutTrailingSlash(pathname, routes);
    if (address !== undefined)
      return new Response(null, { status: 308, headers: { Location: address + search, 'Cache-Control': 'no-store' } });
    if (isFileRequest(context))
      return serveFile(context, deps, { missing: prefersProblem(context.request) ? noOperation(context, routes, NO_PAGE) : NO_PAGE });
    if (!pathname.startsWith(API_PREFIX) && (await hasFile(context, deps)))
      return otherMethod(context, ['GET', 'HEAD', 'OPTIONS'], [get('Read the page.', pathname)], refused);
    return refused({ refusal: noOperation(context, routes, NO_OPERATION) }, context);
  });
  app.onError((error, { var: { context } }) => {
    logError(error, context.requestId);
    return refused(refuse('internal', 'An unexpected error occurred. It was logged under the request id.'), context);
  });
  return async (request, waitUntil) => app.fetch(request, { waitUntil });
}

async function loadProtocol(pathname: string, routes: readonly LazyRoute[]): Promise<Protocol | undefined> {
  const prefix = protocolAt(pathname, routes)?.prefix;
  const route = prefix === undefined ? undefined : routes.find(({ protocol }) => protocol?.prefix === prefix);
  return (await route?.load())?.protocol;
}

const NO_OPERATION = refuse('route_not_found', 'There is no operation at this path.', {
  nextActions: errorEntry('route_not_found').nextActions,
}).refusal;

/** The refusal of a path, with the operation that it may mean as the first step. */
function noOperation({ request, url }: RequestContext, routes: readonly RouteEntry[], refusal: Refusal): Refusal {
  const operations = routes.filter(({ path }) => path.startsWith(API_PREFIX) || path === PATHS.mcp);
  const nearest = suggestRoute(url.pathname, sentQuery(url), request.method, operations);
  if (nearest === undefined) return refusal;
  const { method, path, step } = nearest;
  return {
    ...refusal,
    detail: `${refusal.detail} Did you mean ${method} ${path}?`,
    nextActions: [step, ...(refusal.nextActions ?? [])],
  };
}

/** Checks the limit, the length of the URL and that it has no API key. Files do not count, as where their host serves them. */
async function admit(context: RequestContext, deps: GatewayDependencies, isCounted: boolean): Promise<Result<undefined>> {
  const { request } = context;
  const counted = async (): Promise<Result<undefined>> => {
    const limiter = await agentLimiterOf(context, deps);
    if (limiter === undefined) return takeAllowance('network', context.network, deps, context.limits);
    return takeAgentAllowance(context.agent ?? '', limiter, deps.clock.nowMs(), context.limits);
  };
  const allowance = isCounted ? await counted() : ok(undefined);
  const isTooLong = request.url.length > LIMITS.requestUrlMaxLength;
  const tooLong = `The URL has more than ${LIMITS.requestUrlMaxLength} characters.`;
  const admitted = !allowance.ok ? allowance : isTooLong ? refuse('uri_too_long', tooLong) : refuseKeyInUrl(context.url);
  if (!admitted.ok) await readBody(request, deps.deployment.baseUrl);
  return admitted;
}

async function signerOf(context: RequestContext, { identifyAgent }: GatewayDependencies): Promise<string | undefined> {
  const { request, requestId } = context;
  context.signed ??= await identifyAgent?.(request, context);
  const { signed } = context;
  if (signed === undefined) return undefined;
  const { agent, outcome, reason } = signed;
  console.log(JSON.stringify({ level: 'info', what: 'signed request', request_id: requestId, agent, outcome, reason }));
  return outcome === 'verified' ? agent : undefined;
}

/** The limit of the agent that signed a request, if the publisher gives it one. Requests of all others wait for nothing. */
async function agentLimiterOf(context: RequestContext, deps: GatewayDependencies): Promise<TokenBuckets | undefined> {
  const named = context.request.headers.get('signature-agent');
  const { agentLimiters, identifyAgent } = deps;
  if (named === null || deps.limiters === undefined || ![...agentLimiters.keys()].some((agent) => named.includes(agent))) return undefined;
  context.signed = await identifyAgent?.(context.request, context);
  const { agent = '', unlocks } = context.signed ?? {};
  const limiter = unlocks ? agentLimiters.get(agent) : undefined;
  if (limiter !== undefined) context.agent = agent;
  return limiter;
}

function otherMethod(
  context: RequestContext,
  methods: readonly string[],
  steps: readonly NextStep[],
  refused: (refusal: ReturnType<typeof refuse>, context: RequestContext) => Promise<Response>,
): Response | Promise<Response> {
  const { request } = context;
  if (request.method === 'OPTIONS') return preflight(methods);
  const allow = methods.join(', ');
  const sent = /^[A-Z]{1,16}$/.test(request.method) ? `${request.method} is not supported here. ` : '';
  const nextActions = [...steps, ...errorEntry('method_not_allowed').nextActions];
  const detail = `${sent}This address supports ${allow}.`;
  return refused(refuse('method_not_allowed', detail, { headers: { Allow: allow }, nextActions }), context);
}

/** Whether a request without a route is for the site: the pattern `/buy/*` also sends `/buy` and `/buy/` to functions. */
function isFileRequest({ request, url }: RequestContext): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !url.pathname.startsWith(API_PREFIX);
}

interface PageAddress {
  readonly path: string;
  readonly markdownPath: string;
  /** Whether no operation answers there, but a file of the site. */
  readonly isFile: boolean;
  /** Whether a function makes the markdown of every page there. */
  readonly hasMarkdownRoute: boolean;
}

type Ask = (path: string, method: 'GET' | 'HEAD') => Promise<Response>;

const TOKEN_CHARACTERS = 4;

/** `/{id}/{version}.md` below the path of the capsules. Lists have the same form: `/type/concept.md`. */
const BELOW_CAPSULES = /^\/([^/]+)\/([^/]+)\.md$/;

type Matched = Pick<RouteEntry, 'method' | 'path' | 'formPath'>;

/** Sends pages as HTML or as markdown, as the headers of a request ask (RFC 9110 section 12.1). Each names the other in its headers. */
export class PageNegotiation {
  readonly #baseUrl: string;
  readonly #sellsTexts: boolean;
  readonly #operations: readonly Matched[];
  readonly #reads: readonly Matched[];
  readonly #markdownRoutes: readonly Matched[];
  readonly #known = new LruCache<string, boolean>(4_000);

  constructor({ baseUrl, payments }: Pick<Deployment, 'baseUrl' | 'payments'>, routes: readonly Matched[]) {
    this.#baseUrl = baseUrl;
    this.#sellsTexts = payments !== undefined;
    this.#operations = routes;
    this.#reads = routes.filter(({ method }) => method === 'GET');
    this.#markdownRoutes = this.#reads.filter(({ path }) => path.endsWith('.md'));
  }

  /** The page at the address of a request; `undefined` if only an operation or another file can be there. */
  pageAt({ request, url: { pathname, search } }: Pick<RequestContext, 'request' | 'url'>): PageAddress | undefined {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || pathname.startsWith('/api/')) return undefined;
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    if ((name === '' && pathname !== PATHS.home) || name.includes('.')) return undefined;
    const markdownPath = pageMarkdownPath(pathname);
    const isFile = !this.#isRoute(pathname);
    const isOffer = pathname.startsWith(`${PATHS.buy}/`) && pathname !== PATHS.buyInvoice;
    const isPage = isOffer || pathname === PATHS.status;
    const hasMarkdownRoute = !isFile && this.#markdownRoutes.some((route) => isAt(markdownPath, route));
    // With parameters, operations do something else than to show the page.
    if (!isFile && (search !== '' || !(isPage || hasMarkdownRoute))) return undefined;
    return { path: pathname, markdownPath, isFile, hasMarkdownRoute };
  }

  isFile({ request, url: { pathname } }: Pick<RequestContext, 'request' | 'url'>): boolean {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const path = decodeOnce(pathname);
    if (!isReading || path.startsWith('/api/')) return false;
    return !this.#operations.some((operation) => isAt(path, operation));
  }

  async markdownResponse({ path, markdownPath }: PageAddress, { request, url }: RequestContext, ask: Ask): Promise<Response | undefined> {
    if (!readsMarkdown(request.headers)) return undefined;
    const found = await ask(markdownPath + queryOf(url, ['pass']), request.method === 'HEAD' ? 'HEAD' : 'GET');
    if (found.status !== 304 && !isMarkdown(found)) {
      if (isOfPayment(found, request)) return found;
      await found.body?.cancel();
      return undefined;
    }
    const sent = found.status === 200 && request.method === 'GET' ? sentParameters(Object.fromEntries(url.searchParams)) : [];
    const ignored = sent.filter((name) => name !== 'pass');
    const response = await withTokenCount(ignored.length === 0 ? found : await withIgnored(found, ignored), request);
    const { headers } = response;
    if (found.status === 200) headers.set('Content-Type', 'text/markdown; charset=utf-8');
    varyBy(headers, NEGOTIATION_HEADERS);
    headers.set('Content-Location', markdownPath);
    headers.set('Link', `<${this.#baseUrl}${path}>; rel="canonical", ${INDEX_LINK}`);
    return response;
  }

  async withMarkdownHeaders(found: Response, { request, url: { pathname } }: RequestContext, ask: Ask): Promise<Response> {
    if (!pathname.endsWith('.md') || !(found.status === 304 || isMarkdown(found))) return found;
    const response = await withTokenCount(found, request);
    const link = (await this.#linkToPage(pathname, ask)) ?? [];
    response.headers.set('Link', [...link, INDEX_LINK].join(', '));
    return response;
  }

  async #linkToPage(pathname: string, ask: Ask): Promise<string[] | undefined> {
    const below = pathname.startsWith(`${PATHS.capsules}/`) ? pathname.slice(PATHS.capsules.length) : '';
    const [, capsuleId = '', version] = BELOW_CAPSULES.exec(below) ?? [];
    if (Version.safeParse(version).success) return [`<${this.#baseUrl}${capsulePath(capsuleId)}>; rel="latest-version"`];
    const ofText = pageOfSiteText(pathname);
    const page = ofText ?? (pathname === pageMarkdownPath(PATHS.home) ? PATHS.home : pathname.slice(0, -'.md'.length));
    const exists = this.#isRoute(page) || (await this.#exists(page, isPage, ask));
    return exists ? [`<${this.#baseUrl}${page}>; rel="canonical"`] : undefined;
  }

  async addLinks(response: Response, { markdownPath, hasMarkdownRoute }: PageAddress, ask: Ask): Promise<void> {
    if (!isPage(response)) return;
    const { headers } = response;
    varyBy(headers, NEGOTIATION_HEADERS);
    const present = headers.get('link') ?? '';
    if ((hasMarkdownRoute && !this.#sellsTexts) || (await this.#exists(markdownPath, isMarkdown, ask)))
      headers.append('Link', `<${markdownPath}>; rel="alternate"; type="text/markdown"`);
    if (!present.includes(PATHS.llmsTxt)) headers.append('Link', INDEX_LINK);
    if (!present.includes(PATHS.openApiAgent)) headers.append('Link', `<${PATHS.openApiAgent}>; rel="service-desc"`);
    if (!present.includes(PATHS.apiCatalog)) headers.append('Link', `<${PATHS.apiCatalog}>; rel="api-catalog"`);
  }

  /** Files of a deployment never change, so an isolate asks once for each. */
  async #exists(path: string, isWanted: (found: Response) => boolean, ask: Ask): Promise<boolean> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = await ask(path, 'HEAD');
    await found.body?.cancel();
    // What a pass opens is there for its holder only.
    const exists = isWanted(found) && found.headers.get('cache-control')?.includes('private') !== true;
    if (exists || found.status === 404 || found.status === 402) this.#known.set(path, exists);
    return exists;
  }

  #isRoute(path: string): boolean {
    return this.#reads.some((route) => isAt(path, route));
  }
}

async function withTokenCount(found: Response, { method }: Request): Promise<Response> {
  const text = found.status === 200 && method === 'GET' ? await found.text() : undefined;
  const response = new Response(text ?? null, { status: found.status, headers: found.headers });
  if (text !== undefined) response.headers.set('x-markdown-tokens', String(Math.ceil(text.length / TOKEN_CHARACTERS)));
  return response;
}

async function withIgnored(found: Response, names: readonly string[]): Promise<Response> {
  const text = await found.text();
  const start = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) + '\n---\n'.length : 0;
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const note = `> This page takes no parameters, so these are ignored: ${listed}. Filters of capsules are those of ${PATHS.publicCapsules}/browse.`;
  const headers = new Headers(found.headers);
  for (const name of ['etag', 'content-length']) headers.delete(name);
  return new Response(`${text.slice(0, start)}\n${note}\n${text.slice(start)}`, { status: found.status, headers });
}

/** Whether a text that is sold is refused: without a payment, or with one of whose outcome the caller must hear. */
function isOfPayment({ status }: Response, { headers }: Request): boolean {
  return (
    status === 402 ||
    (status >= 400 && status !== 404 && ['PAYMENT-SIGNATURE', 'SIGN-IN-WITH-X', 'Authorization'].some((name) => headers.has(name)))
  );
}

function isPage({ status, headers }: Response): boolean {
  return status === 304 || (status === 200 && headers.get('content-type')?.startsWith(HTML) === true);
}

function isMarkdown({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type')?.startsWith(MARKDOWN) === true;
}

const MARKDOWN = 'text/markdown';
const HTML = 'text/html';

/** The page of a capsule, also as markdown, or the capsule as JSON. */
const TEXT_ADDRESS = /^\/capsules\/([a-z0-9-]{1,64})(|\.md|\/capsule\.json)$/;

/**
 * The operation that sells the text at the address of a request, and the form of the text there. The page and the JSON of a capsule are free, without
 * the text, until a payment, a pass or a key comes with the request; a key may open nothing.
 */
async function soldTextAt({ request: { method, headers }, url }: RequestContext, { corpus, loadSales }: GatewayDependencies) {
  const pass = url.searchParams.get('pass');
  const [, id = '', ending] = TEXT_ADDRESS.exec(url.pathname) ?? [];
  const isProven = pass !== null || /^[ \t]*Bearer /i.test(headers.get('authorization') ?? '');
  if (id === '' || !['GET', 'HEAD', 'OPTIONS'].includes(method) || (ending === '' && !isProven)) return undefined;
  const isPaying = async (): Promise<boolean> =>
    ['SIGN-IN-WITH-X', 'Pay-With'].some((name) => headers.has(name)) ||
    (await loadSales()).schemes.some(({ read }) => read((name) => headers.get(name) ?? undefined) !== undefined);
  const isPurchase = ending === '/capsule.json' && (await isPaying());
  // The JSON without a payment is a file, for which the index need not be read.
  if (ending !== '.md' && !isPurchase && !isProven) return undefined;
  const found = await withCorpus(corpus, () => findCapsule(id, undefined, corpus.newest));
  if (!found.ok || !isPaid(found.value.metadata)) return undefined;
  const operation = ending === '' ? openedPagePath(id) + queryOf(url, ['pass']) : capsuleApiPath(id) + queryOf(url, ['pass', 'version']);
  const type = ending === '' ? (headers.get('accept') ?? HTML) : ending === '.md' ? MARKDOWN : 'application/json';
  return { operation, type, isFree: ending !== '.md' && !isPurchase && pass === null };
}

/** The query of an operation that takes these parameters, as they were sent: it refuses what is not UTF-8. */
function queryOf({ search }: URL, names: readonly string[]): string {
  const pairs = search.slice(1).split('&');
  const query = pairs.filter((pair) => [...new URLSearchParams(pair).keys()].some((name) => names.includes(name))).join('&');
  return query === '' ? '' : `?${query}`;
}

const PREFIXES = [capsulePath(''), capsuleApiPath('')];
const BELOW_PREFIX = /^([a-z0-9-]{1,64})((?:\.md|\/.*)?)$/;

const REDIRECT_SECONDS = 3_600;

async function formerCapsuleResponse(context: RequestContext, deps: GatewayDependencies): Promise<Response | undefined> {
  const { formerIds = {}, takenDown = {}, furtherAddresses = {}, baseUrl } = deps.deployment;
  const { request, url, requestId } = context;
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const redirect = (path: string): Response => {
    const headers = { Location: path + url.search, 'Cache-Control': `public, max-age=${REDIRECT_SECONDS}` };
    return new Response(null, { status: 308, headers });
  };
  const further = Object.hasOwn(furtherAddresses, url.pathname) ? furtherAddresses[url.pathname] : undefined;
  if (further !== undefined) return redirect(capsulePath(further));
  for (const prefix of PREFIXES.filter((beginning) => url.pathname.startsWith(beginning))) {
    const [, id = '', rest = ''] = BELOW_PREFIX.exec(url.pathname.slice(prefix.length)) ?? [];
    if (Object.hasOwn(formerIds, id)) return redirect(`${prefix}${formerIds[id]}${rest}`);
    const takeDown = Object.hasOwn(takenDown, id) ? takenDown[id] : undefined;
    if (takeDown === undefined) continue;
    if ([lineageFilePath(id), lineageApiPath(id)].includes(url.pathname)) return serveFile(context, deps, { page: lineageFilePath(id) });
    const { refusal } = takenDownRefusal(id, takeDown);
    if (url.pathname === capsulePath(id) && !prefersProblem(request)) {
      const page = await serveFile({ ...context, request: new Request(url, { method: request.method }) }, deps, { page: capsulePath(id) });
      if (page.status === 200) return new Response(page.body, { status: errorEntry(refusal.code).status, headers: page.headers });
      await page.body?.cancel();
    }
    const isMarkdown = prefersMarkdownProblem(request.headers.get('accept'));
    return problemResponse(refusal, { baseUrl, requestId, path: url.pathname, isMarkdown });
  }
  return undefined;
}
