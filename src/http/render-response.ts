import { entityTag } from '../gateway/digests.ts';
import { GATEWAY_VERSION } from '../schemas/deployment.ts';
import type { Outcome, Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './request-context.ts';
import { matchesEntityTag } from './negotiate.ts';
import { pageHeaders } from './render-page.ts';
import { rateLimitHeaders } from './rate-limits.ts';
import { serveFile } from './serve-file.ts';

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS =
  'X-Request-Id, Gateway-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, Allow, Content-Location, Link, WWW-Authenticate, Gateway-Degraded, Request-Id, Idempotency-Key, Idempotent-Replayed, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Payment-Receipt';

/** The HTTP answer to what a handler gave: body, caching, entity tag, 304. */
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
    case 'document':
      return cacheable(route, 200, outcome.document.contentType, outcome.document.body, outcome.document.etag, {}, context);
    case 'text': {
      const etag = await tagOf(outcome.body, route, context);
      return cacheable(route, outcome.status ?? 200, outcome.contentType, outcome.body, etag, outcome.headers ?? {}, context);
    }
    case 'page': {
      const body = await deps.renderPage(outcome.page, outcome.props);
      return cacheable(route, 200, 'text/html; charset=utf-8', body, undefined, pageHeaders(outcome), context);
    }
    case 'bytes':
      return new Response(outcome.body, {
        headers: { 'Content-Type': outcome.contentType, 'Cache-Control': 'no-store', ...outcome.headers },
      });
    case 'empty':
      return new Response(null, { status: outcome.status ?? 204, headers: { 'Cache-Control': 'no-store', ...outcome.headers } });
    case 'json': {
      const text = JSON.stringify(outcome.value);
      const etag = await tagOf(text, route, context);
      return cacheable(route, outcome.status, 'application/json', text, etag, outcome.headers ?? {}, context);
    }
  }
}

/** The entity tag of an answer that somebody may ask for again. */
async function tagOf(body: string, route: Route, context: RequestContext): Promise<string | undefined> {
  return route.method === 'GET' && isKept(route, context) ? entityTag(body) : undefined;
}

/** Whether an answer may be reused. What was made without something is kept by nobody, and stands for no whole answer. */
function isKept({ cache }: Route, { degraded }: RequestContext): boolean {
  return cache !== 'no-store' && degraded.size === 0;
}

function cacheable(
  route: Route,
  status: number,
  contentType: string,
  body: string,
  etag: string | undefined,
  extra: Readonly<Record<string, string>>,
  context: RequestContext,
): Response {
  // What says itself how it is kept is kept by nobody else, and is never asked for again by its tag.
  const kept = isKept(route, context) && extra['Cache-Control'] === undefined;
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': kept ? `public, max-age=${route.cache}` : 'no-store',
    ...(etag !== undefined && kept ? { ETag: etag } : {}),
    ...extra,
  };
  if (etag !== undefined && kept && matchesEntityTag(context.request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  return new Response(body, { status, headers });
}

/** Answer to a preflight request (Fetch, CORS protocol). */
export function preflight(methods: readonly string[]): Response {
  const allow = methods.join(', ');
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, API-Version, Request-Id, Signature, Timestamp, UCP-Agent, MCP-Protocol-Version, Mcp-Method, Mcp-Name, PAYMENT-SIGNATURE, Challenge-Solution, Accept-Payment, Access-Control-Expose-Headers',
      'Access-Control-Max-Age': '86400',
    },
  });
}

/**
 * Gives an answer the headers that every one carries. Those that it has of its own stay as they are.
 *
 * @param response Its headers can be changed: it is none that was fetched.
 * @param security Security headers of what has none of its own. An answer 304 gets no policy: a browser would put it in the place of
 *   the one that it has with the page it keeps (RFC 9111 section 3.2).
 */
export function finishResponse(response: Response, context: RequestContext, security: readonly (readonly [string, string])[]): void {
  const { headers } = response;
  headers.set('X-Request-Id', context.requestId);
  headers.set('Gateway-Version', GATEWAY_VERSION);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  for (const [name, value] of security)
    if (!headers.has(name) && !(response.status === 304 && name === 'Content-Security-Policy')) headers.set(name, value);
  if (context.degraded.size > 0) headers.set('Gateway-Degraded', [...context.degraded].sort().join(', '));
  for (const [name, value] of rateLimitHeaders(context.limits)) headers.set(name, value);
}
