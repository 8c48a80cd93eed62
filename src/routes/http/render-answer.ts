import { entityTag } from '../../gateway/entity-tag.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import type { GatewayDependencies, Outcome, Route } from '../define-route.ts';
import type { Exchange } from './exchange.ts';
import { matchesEntityTag } from './negotiate.ts';
import { rateLimitHeaders } from './rate-limits.ts';

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS =
  'X-Request-Id, Gateway-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, Allow, Content-Location, Link, WWW-Authenticate';

/** The HTTP answer to what a handler gave: body, caching, entity tag, 304. */
export async function renderAnswer(route: Route, outcome: Outcome, exchange: Exchange, deps: GatewayDependencies): Promise<Response> {
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

/** Headers that every answer carries. A file's own headers stay as they are. */
export function finishAnswer(response: Response, exchange: Exchange): Response {
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
