import { entityTag } from '../../gateway/entity-tag.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import type { GatewayDependencies, Outcome, Route } from '../define-route.ts';
import type { Exchange } from './exchange.ts';
import { matchesEntityTag } from './negotiate.ts';
import { rateLimitHeaders } from './rate-limits.ts';
import { serveFile } from './serve-file.ts';

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS =
  'X-Request-Id, Gateway-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, Allow, Content-Location, Link, WWW-Authenticate, Gateway-Degraded';

/** The HTTP answer to what a handler gave: body, caching, entity tag, 304. */
export async function renderAnswer(route: Route, outcome: Outcome, exchange: Exchange, deps: GatewayDependencies): Promise<Response> {
  switch (outcome.kind) {
    case 'redirect':
      return new Response(null, {
        status: outcome.status,
        headers: { Location: outcome.location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
      });
    case 'file':
      return serveFile(exchange, deps, outcome.isBuilt);
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
  { request, degraded }: Exchange,
): Response {
  // What was made without something is kept by nobody, and stands for no whole answer.
  const isKept = route.cache !== 'no-store' && degraded.size === 0;
  const headers = new Headers({
    'Content-Type': contentType,
    'Cache-Control': isKept ? `public, max-age=${route.cache}` : 'no-store',
    ...extra,
  });
  if (etag !== undefined && isKept) {
    headers.set('ETag', etag);
    if (matchesEntityTag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  }
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
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    },
  });
}

/**
 * Headers that every answer carries. A file's own headers stay as they are.
 *
 * @param security Security headers of what has none of its own. An answer 304 gets no policy: a browser would put it in the place of
 *   the one that it has with the page it keeps (RFC 9111 section 3.2).
 */
export function finishAnswer(response: Response, exchange: Exchange, security: readonly (readonly [string, string])[]): Response {
  const headers = new Headers(response.headers);
  headers.set('X-Request-Id', exchange.requestId);
  headers.set('Gateway-Version', GATEWAY_VERSION);
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  for (const [name, value] of security)
    if (!headers.has(name) && !(response.status === 304 && name === 'Content-Security-Policy')) headers.set(name, value);
  if (exchange.degraded.size > 0) headers.set('Gateway-Degraded', [...exchange.degraded].sort().join(', '));
  for (const [name, value] of rateLimitHeaders(exchange.limits)) headers.set(name, value);
  return new Response(exchange.request.method === 'HEAD' ? null : response.body, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}
