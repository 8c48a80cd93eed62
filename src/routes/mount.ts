import { Hono } from 'hono';
import { networkOf } from '../gateway/limits/token-bucket.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { LIMITS } from '../schemas/limits.ts';
import type { GatewayDependencies, Outcome, Route } from './define-route.ts';
import { authenticate } from './http/authenticate.ts';
import type { Exchange } from './http/exchange.ts';
import { takeAllowance } from './http/rate-limits.ts';
import { readBody } from './http/read-body.ts';
import { readInput } from './http/read-input.ts';
import { finishAnswer, preflight, renderAnswer } from './http/render-answer.ts';
import { problemResponse } from './http/render-problem.ts';
import { routeTable } from './table.ts';

/** Answers one HTTP request. Never throws: what goes wrong becomes a problem document. */
export type Gateway = (request: Request) => Promise<Response>;

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
    return finishAnswer(response, exchange);
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

/** Authenticates, limits, validates, handles, renders: a request with a fault counts, so that guessing is no cheaper. */
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
  return outcome.ok ? renderAnswer(route, outcome.value, exchange, deps) : problem(outcome.refusal, exchange, deps);
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

/** The client's own id if it is a plain one of at most 64 characters, else a new one. */
function requestIdOf(request: Request, deps: GatewayDependencies): string {
  const own = request.headers.get('x-request-id');
  if (own !== null && /^[A-Za-z0-9_-]{1,64}$/.test(own)) return own;
  return Array.from(deps.randomness.bytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
