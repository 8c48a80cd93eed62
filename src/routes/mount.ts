import { Hono } from 'hono';
import { entityTag } from '../gateway/entity-tag.ts';
import { networkOf } from '../gateway/limits/token-bucket.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { GATEWAY_VERSION } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import type { GatewayDependencies, Outcome, Route, RouteInput } from './define-route.ts';
import { authenticate } from './http/authenticate.ts';
import { matchesEntityTag, preferredType } from './http/negotiate.ts';
import { type LimitReport, rateLimitHeaders, takeAllowance } from './http/rate-limits.ts';
import { jsonBody, readBody } from './http/read-body.ts';
import { problemResponse } from './http/render-problem.ts';
import { validateInput } from './http/validate-input.ts';
import { routeTable } from './table.ts';

/** Answers one HTTP request. Never throws: what goes wrong becomes a problem document. */
export type Gateway = (request: Request) => Promise<Response>;

/** What belongs to one request while it is answered. */
interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  readonly limits: LimitReport;
}

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS =
  'X-Request-Id, Gateway-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, Allow, Content-Location, Link, WWW-Authenticate';

/** Beginning of the paths that functions alone answer; see `functionPaths`. */
const API_PREFIX = '/api/';

/** Puts the function routes of the table behind one handler: limits, authentication, validation, rendering. */
export function createGateway(deps: GatewayDependencies): Gateway {
  const routes = routeTable(deps.deployment).filter(({ servedBy }) => servedBy === 'function');
  const app = new Hono<{ Bindings: { exchange: Exchange } }>();
  for (const route of routes) {
    const path = route.path.replace(/\{([^}]+)\}/g, ':$1');
    app.on(route.method, path, (context) => answer(route, context.req.param(), context.env.exchange, deps));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = allowedMethods(routes.filter((route) => route.path === path));
    app.all(path.replace(/\{([^}]+)\}/g, ':$1'), async (context) => {
      await readBody(context.env.exchange.request);
      if (context.req.method === 'OPTIONS') return preflight(methods);
      const allow = methods.join(', ');
      return problem(
        refuse('method_not_allowed', `${context.req.path} takes ${allow}.`, { headers: { Allow: allow } }).refusal,
        context.env.exchange,
        deps,
      );
    });
  }
  app.notFound(async ({ env: { exchange } }) => {
    await readBody(exchange.request);
    return isFileRequest(exchange)
      ? deps.serveFile(exchange.request)
      : problem(refuse('route_not_found', 'No operation answers at this path.').refusal, exchange, deps);
  });
  app.onError((error, context) => {
    console.error(
      JSON.stringify({
        level: 'error',
        request_id: context.env.exchange.requestId,
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    );
    return problem(refuse('internal', 'An unexpected fault; it was logged under the request id.').refusal, context.env.exchange, deps);
  });

  return async (request) => {
    const exchange: Exchange = { request, url: new URL(request.url), requestId: requestIdOf(request, deps), limits: new Map() };
    const admitted = await admit(exchange, deps);
    const response = admitted.ok ? await app.fetch(admitted.value, { exchange }) : problem(admitted.refusal, exchange, deps);
    return finish(response, exchange);
  };
}

/** What is checked before a route is looked for: length of the address, and the limit of the caller's network. */
async function admit(exchange: Exchange, deps: GatewayDependencies): Promise<Result<Request>> {
  const { request } = exchange;
  if (request.url.length > LIMITS.urlMaxLength) {
    await readBody(request);
    return refuse('uri_too_long', `The address has more than ${LIMITS.urlMaxLength} characters.`);
  }
  const allowance = takeAllowance('network', networkOf(request.headers.get('cf-connecting-ip') ?? undefined), deps, exchange.limits);
  if (allowance.ok) return ok(request);
  await readBody(request);
  return allowance;
}

/** Authenticates, limits, validates, handles, renders. */
async function answer(route: Route, rawPath: Record<string, string>, exchange: Exchange, deps: GatewayDependencies): Promise<Response> {
  const { request, url } = exchange;
  const body = await readBody(request);
  const outcome = await (async (): Promise<Result<Outcome>> => {
    let caller = networkOf(request.headers.get('cf-connecting-ip') ?? undefined);
    if (route.access !== 'open') {
      const key = await authenticate(request, url.searchParams, route.access, deps);
      if (!key.ok) return key;
      caller = key.value.payload.agent;
    }
    if (route.rateLimit !== 'network') {
      const allowance = takeAllowance(route.rateLimit, caller, deps, exchange.limits);
      if (!allowance.ok) return allowance;
    }
    if (!body.ok) return body;
    const input = readInput(route, rawPath, exchange, body.value);
    if (!input.ok) return input;
    if (route.handle === undefined) throw new TypeError(`route ${route.id} has no handler`);
    return route.handle(input.value, deps);
  })();
  return outcome.ok ? render(route, outcome.value, exchange, deps) : problem(outcome.refusal, exchange, deps);
}

function readInput(
  route: Route,
  rawPath: Record<string, string>,
  { request, url }: Exchange,
  bytes: Uint8Array,
): Result<RouteInput<unknown, unknown, unknown>> {
  const types = route.answers.flatMap(({ content }) => (content ? [content.type] : []));
  const preferred = preferredType(request.headers.get('accept'), types);
  if (preferred === undefined && route.errors.includes('not_acceptable'))
    return refuse('not_acceptable', `The operation answers with ${types.join(' or ')}.`);
  const path = route.pathParameters ? validateInput(route.pathParameters, rawPath, 'path') : ok(undefined);
  if (!path.ok) return route.errors.includes('capsule_not_found') ? refuse('capsule_not_found', 'No public capsule has this id.') : path;
  const repeated = route.queryParameters ? [...url.searchParams.keys()].find((name, index, all) => all.indexOf(name) !== index) : undefined;
  if (repeated !== undefined && !route.edge)
    return refuse('invalid_request', `The parameter "${repeated}" is given twice.`, {
      errors: [{ pointer: repeated, message: 'is given twice' }],
    });
  const query = route.queryParameters ? validateInput(route.queryParameters, Object.fromEntries(url.searchParams), 'query') : ok(undefined);
  if (!query.ok) return query;
  const idempotencyKey = readIdempotencyKey(route, request.headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  let body: Result<unknown> = ok(undefined);
  if (route.body) {
    const json = jsonBody(request.headers, bytes);
    body = json.ok ? validateInput(route.body, json.value, 'body') : json;
  }
  if (!body.ok) return body;
  return ok({
    path: path.value,
    query: query.value,
    body: body.value,
    idempotencyKey: idempotencyKey.value,
    prefersMarkdown: preferred === 'text/markdown',
    rawQuery: url.searchParams,
  });
}

/** Idempotency-Key, as a quoted string (RFC 9651) or bare, as clients in use send it. */
function readIdempotencyKey(route: Route, headers: Headers): Result<string | undefined> {
  const rule = route.headers?.find(({ name }) => name === 'Idempotency-Key');
  const raw = headers.get('idempotency-key');
  if (rule === undefined || raw === null) return ok(undefined);
  const key = raw.trim().replace(/^"(.*)"$/, '$1');
  if (key.length < rule.minLength || key.length > rule.maxLength || !/^[\x21-\x7e]+$/.test(key)) {
    return refuse(
      'invalid_idempotency_key',
      `The Idempotency-Key must have ${rule.minLength} to ${rule.maxLength} printable ASCII characters without spaces.`,
    );
  }
  return ok(key);
}

async function render(route: Route, outcome: Outcome, exchange: Exchange, deps: GatewayDependencies): Promise<Response> {
  switch (outcome.kind) {
    case 'redirect':
      return new Response(null, {
        status: outcome.status,
        headers: { Location: outcome.location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
      });
    case 'file':
      return deps.serveFile(exchange.request);
    case 'document':
      return cacheable(route, 200, outcome.document.contentType, outcome.document.body, outcome.document.etag, {}, exchange);
    case 'text':
      return cacheable(route, 200, outcome.contentType, outcome.body, await entityTag(outcome.body), outcome.headers ?? {}, exchange);
    case 'json': {
      const text = JSON.stringify(outcome.value);
      const etag = route.method === 'GET' ? await entityTag(text) : undefined;
      return cacheable(route, outcome.status, 'application/json', text, etag, outcome.headers ?? {}, exchange);
    }
  }
}

function cacheable(
  route: Route,
  status: number,
  contentType: string,
  body: string,
  etag: string | undefined,
  extra: Readonly<Record<string, string>>,
  { request }: Exchange,
): Response {
  const headers = new Headers({
    'Content-Type': contentType,
    'Cache-Control': route.cache === 'no-store' ? 'no-store' : `public, max-age=${route.cache}`,
    ...extra,
  });
  if (etag !== undefined && route.cache !== 'no-store') {
    headers.set('ETag', etag);
    if (matchesEntityTag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  }
  return new Response(body, { status, headers });
}

function problem(refusal: Refusal, exchange: Exchange, deps: GatewayDependencies): Response {
  return problemResponse(refusal, { baseUrl: deps.deployment.baseUrl, requestId: exchange.requestId, path: exchange.url.pathname });
}

/** Whether a request without a route is for the site: a rule for `/buy/*` also sends `/buy` and `/buy/` here. */
function isFileRequest({ request, url }: Exchange): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !url.pathname.startsWith(API_PREFIX);
}

function allowedMethods(routes: readonly Route[]): string[] {
  const methods = routes.map(({ method }) => method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** Answer to a preflight request (Fetch, CORS protocol). */
function preflight(methods: readonly string[]): Response {
  const allow = methods.join(', ');
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    },
  });
}

/** The client's own id if it is a plain one of at most 64 characters, else a new one. */
function requestIdOf(request: Request, deps: GatewayDependencies): string {
  const own = request.headers.get('x-request-id');
  if (own !== null && /^[A-Za-z0-9_-]{1,64}$/.test(own)) return own;
  return Array.from(deps.randomness.bytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Headers that every answer carries. A file's own headers stay as they are. */
function finish(response: Response, exchange: Exchange): Response {
  const headers = new Headers(response.headers);
  headers.set('X-Request-Id', exchange.requestId);
  headers.set('Gateway-Version', GATEWAY_VERSION);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  headers.set('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of rateLimitHeaders(exchange.limits)) headers.set(name, value);
  return new Response(exchange.request.method === 'HEAD' ? null : response.body, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}
