import { entityTag } from '../gateway/digests-and-base62.ts';
import type { Refusal, Result } from '../gateway/result.ts';
import { GATEWAY_VERSION } from '../schemas/limits.ts';
import { matchesEntityTag, preferredType } from './content-negotiation.ts';
import type { Outcome, Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { OnDemandPage, RenderPage } from './on-demand-page-props.ts';
import { type RequestContext, rateLimitHeaders } from './rate-limits.ts';
import { formBody, isForm } from './read-body.ts';
import { problemResponse } from './render-problem.ts';
import { FILE_CACHE_CONTROL, IMMUTABLE_CACHE_CONTROL, pagePolicy } from './security-headers.ts';
import { readFileText, serveFile, unavailableFile } from './serve-file.ts';

const EXPOSED_HEADERS =
  'X-Request-Id, Gateway-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, Allow, Content-Location, Link, WWW-Authenticate, Gateway-Degraded, Request-Id, Idempotency-Key, Idempotent-Replayed, X-Markdown-Tokens, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Payment-Receipt';

export async function renderResponse(
  route: Route,
  outcome: Outcome,
  context: RequestContext,
  deps: GatewayDependencies,
): Promise<Response> {
  switch (outcome.kind) {
    case 'redirect':
      return new Response(null, {
        status: outcome.status,
        headers: { Location: outcome.location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
      });
    case 'file':
      return serveFile(context, deps, outcome);
    case 'document': {
      const { document, headers = {} } = outcome;
      const send = (body: string): Response => cacheable(route, context, { ...document, body, headers });
      if ('body' in document) return send(document.body);
      // The tag is known without the text, and nothing else of it is needed here.
      const withoutBody = send('');
      if (withoutBody.status === 304 || context.request.method === 'HEAD') return withoutBody;
      const body = await readFileText(document.file, deps);
      return body === undefined ? unavailableFile('The document could not be read.', context, deps) : send(body);
    }
    case 'text':
      return tagged({ ...route, cache: outcome.cache ?? route.cache }, context, outcome);
    case 'json':
      return tagged(route, context, { ...outcome, contentType: 'application/json', body: JSON.stringify(outcome.value) });
    case 'page': {
      const body = await deps.renderPage(outcome.page, outcome.props);
      return cacheable(route, context, { contentType: HTML, body, headers: pageHeaders(outcome, context.request) });
    }
    case 'bytes':
      return new Response(outcome.body, {
        headers: { 'Content-Type': outcome.contentType, 'Cache-Control': 'no-store', ...outcome.headers },
      });
    case 'response': {
      // Headers of a response of a library may be immutable.
      const response = new Response(outcome.response.body, outcome.response);
      response.headers.set('Cache-Control', 'no-store');
      return response;
    }
    case 'empty':
      return new Response(null, { status: outcome.status ?? 204, headers: { 'Cache-Control': 'no-store', ...outcome.headers } });
  }
}

const HTML = 'text/html; charset=utf-8';

interface Sent {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function tagged(route: Route, context: RequestContext, sent: Sent): Promise<Response> {
  const hasTag = route.method === 'GET' && isCacheable(route, context);
  return cacheable(route, context, hasTag ? { ...sent, etag: await entityTag(sent.body) } : sent);
}

function isCacheable({ cache }: Route, { degraded }: RequestContext): boolean {
  return cache !== 'no-store' && degraded.size === 0;
}

function cacheable(route: Route, context: RequestContext, { status = 200, contentType, body, etag, headers: own = {} }: Sent): Response {
  // A handler that sets Cache-Control opts out of shared caching and of revalidation.
  const isStored = isCacheable(route, context) && own['Cache-Control'] === undefined;
  const tag = isStored ? etag : undefined;
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': isStored ? cacheControl(route.cache) : 'no-store',
    ...(tag === undefined ? {} : { ETag: tag }),
    ...own,
  };
  const isKnown = tag !== undefined && matchesEntityTag(context.request.headers.get('if-none-match'), tag);
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers });
}

function cacheControl(cache: Route['cache']): string {
  if (cache === 'file') return FILE_CACHE_CONTROL;
  return cache === 'immutable' ? IMMUTABLE_CACHE_CONTROL : `public, max-age=${cache}`;
}

/** The response to a preflight request (Fetch, CORS protocol). Hono's `cors` also responds at paths without an operation, and omits Allow. */
export function preflight(methods: readonly string[]): Response {
  const allow = methods.join(', ');
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, API-Version, Request-Id, Signature, Timestamp, UCP-Agent, A2A-Version, A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name, PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Challenge-Solution, Accept-Payment, Pay-With, Access-Control-Expose-Headers',
      'Access-Control-Max-Age': '86400',
    },
  });
}

/** Whether a cache may store a response and send it to others (RFC 9111 section 3): also without Cache-Control, by heuristics. */
function mayBeStored({ headers }: Response, { method }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.get('cache-control')?.includes('no-store') !== true;
}

/** Adds the headers of every response, which must be mutable. A 304 gets no policy, which would replace that of the stored page (RFC 9111, 3.2). */
export function finishResponse(response: Response, context: RequestContext, security: readonly (readonly [string, string])[]): void {
  const { headers } = response;
  headers.set('X-Request-Id', mayBeStored(response, context.request) ? context.sharedId : context.requestId);
  headers.set('Gateway-Version', GATEWAY_VERSION);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  for (const [name, value] of security)
    if (!headers.has(name) && !(response.status === 304 && name === 'Content-Security-Policy')) headers.set(name, value);
  if (context.degraded.size > 0) headers.set('Gateway-Degraded', [...context.degraded].sort().join(', '));
  for (const [name, value] of rateLimitHeaders(context.limits)) headers.set(name, value);
}

export function pageHeaders({ page, formTargets, visibility }: OnDemandPage, { method }: Pick<Request, 'method'>): Record<string, string> {
  return {
    'Content-Security-Policy': pagePolicy(formTargets),
    Vary: page === 'search' ? 'Accept, Accept-Language' : 'Accept',
    ...(visibility === undefined ? {} : { 'X-Robots-Tag': 'noindex' }),
    // A browser goes back to the answer to a form, such as one that was refused, only if it could store it.
    ...(method === 'POST' ? { 'Cache-Control': 'private, no-cache' } : {}),
    ...(visibility === 'secret' ? { 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' } : {}),
  };
}

/** The page of a refusal, with the status and headers of its problem document; `undefined` if the caller does not prefer pages. */
export async function refusalPage(
  route: Pick<Route, 'refusalPage'>,
  refusal: Refusal,
  { request, url, requestId }: RequestContext,
  body: Result<Uint8Array>,
  deps: GatewayDependencies,
): Promise<Response | undefined> {
  const accepted = preferredType(request.headers.get('accept'), ['application/problem+json', 'application/json', 'text/html']);
  if (route.refusalPage === undefined || accepted !== 'text/html') return undefined;
  const fields = body.ok && isForm(request.headers) ? formBody(body.value) : undefined;
  const sent = { method: request.method, path: url.pathname, query: url.searchParams, fields: fields?.ok ? fields.value : {} };
  const page = route.refusalPage(refusal, sent, deps);
  const { status, headers } = problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId, path: url.pathname });
  for (const [name, value] of Object.entries({ 'Content-Type': HTML, ...pageHeaders(page, request) })) headers.set(name, value);
  return new Response(await deps.renderPage(page.page, page.props), { status, headers });
}

/** The default export of Astro's server output, which `@astrojs/cloudflare` makes. */
export interface PageServer {
  readonly fetch: (request: Request, environment: object, context: object) => Promise<Response>;
}

export type PageValues = Readonly<Record<string, unknown>>;

/** Renders pages with Astro's server. The props of its execution context become `Astro.locals`. */
export function pageRenderer(load: () => Promise<{ readonly default: PageServer }>, environment: object, shown: PageValues): RenderPage {
  return async (page, props) => {
    const { default: server } = await load();
    const context = { props: { ...shown, props }, waitUntil: () => undefined, passThroughOnException: () => undefined };
    // Only the path of this URL matters.
    const response = await server.fetch(new Request(`https://pages.invalid/on-demand/${page}`), environment, context);
    if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
    return (await response.text()).replaceAll(CONTROLS, '');
  };
}

/** Control characters that HTML does not allow (html.spec.whatwg.org/multipage/parsing.html). */
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/g;
