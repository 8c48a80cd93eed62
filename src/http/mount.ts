import { Hono } from 'hono';
import { keyRevoked } from '../gateway/agents/key-standing.ts';
import type { KnownKeys } from '../gateway/agents/api-key.ts';
import { toHex } from '../provenance/bytes.ts';
import { bindRefusedKey, bindKey, type KeyedRequest } from '../gateway/idempotency/bind-key.ts';
import { networkOf } from '../gateway/limits/token-bucket.ts';
import { RecentValues } from '../gateway/recent-values.ts';
import { ok, type Refusal, type Result, refuse } from '../gateway/result.ts';
import { LIMITS, RATE_LIMITS } from '../schemas/limits.ts';
import { answerHeaders } from './security-headers.ts';
import type { GatewayDependencies, Outcome, Protocol, Route } from './define-route.ts';
import { authenticate, confirm } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { type LimitReport, takeAllowance } from './rate-limits.ts';
import { boundedBindings, requestQuotas } from './request-quotas.ts';
import { readBody } from './read-body.ts';
import { protocolAt } from './protocol-at.ts';
import { declaredHeaders, readMembers, readRequest, type SentRequest } from './read-input.ts';
import { finishAnswer, preflight, renderAnswer } from './render-answer.ts';
import { problemResponse } from './render-problem.ts';
import { refusalPage } from './render-refusal-page.ts';
import { protocolError, withEchoes } from './render-protocol-error.ts';
import { serveFile } from './serve-file.ts';

/**
 * Answers one HTTP request. Never throws: what goes wrong becomes a problem document.
 *
 * @param waitUntil Keeps the isolate alive for work that goes on after the answer; without it such work is on its own.
 */
export type Gateway = (request: Request, waitUntil?: (work: Promise<unknown>) => void) => Promise<Response>;

/** Beginning of the paths that functions alone answer; see `functionPaths`. */
const API_PREFIX = '/api/';

/** Keys that one isolate remembers as good, the most recently used ones: each is checked again for its age alone. */
const KNOWN_KEYS_MAX = 1_000;

/**
 * Puts the function routes of a table behind one handler: limits, authentication, validation, rendering.
 *
 * @param table Every route of the deployment.
 */
export function createGateway(deps: GatewayDependencies, table: readonly Route[]): Gateway {
  const routes = table.filter(({ servedBy }) => servedBy === 'function');
  const security = answerHeaders(deps.deployment.baseUrl);
  const knownKeys: KnownKeys = new RecentValues(KNOWN_KEYS_MAX);
  /** A refusal at an address, in the shape of the protocol that is spoken there. */
  const refused = (refusal: Refusal, exchange: Exchange): Response => {
    const protocol = protocolAt(exchange.url.pathname, routes);
    return protocol ? refusalIn(protocol, refusal, exchange, deps) : problem(refusal, exchange, deps);
  };
  const app = new Hono<{ Bindings: { exchange: Exchange } }>();
  for (const route of routes) {
    const path = route.path.replace(/\{([^{}]+)\}/g, ':$1');
    app.on(route.method, path, (context) => answer(route, context.req.param(), context.env.exchange, deps, knownKeys));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = allowedMethods(routes.filter((route) => route.path === path));
    app.all(path.replace(/\{([^{}]+)\}/g, ':$1'), async (context) => {
      await readBody(context.env.exchange.request);
      if (context.req.method === 'OPTIONS') return preflight(methods);
      const allow = methods.join(', ');
      return refused(
        refuse('method_not_allowed', `This address takes ${allow}.`, { headers: { Allow: allow } }).refusal,
        context.env.exchange,
      );
    });
  }
  app.notFound(async ({ env: { exchange } }) => {
    await readBody(exchange.request);
    return isFileRequest(exchange)
      ? serveFile(exchange, deps, { missing: refuse('route_not_found', 'No page answers at this path.').refusal })
      : refused(refuse('route_not_found', 'No operation answers at this path.').refusal, exchange);
  });
  app.onError((error, context) => {
    logFault(error, context.env.exchange.requestId);
    return refused(refuse('internal', 'An unexpected fault; it was logged under the request id.').refusal, context.env.exchange);
  });

  return async (request, waitUntil) => {
    const requestId = requestIdOf(request, deps);
    const network = networkOf(request.headers.get('cf-connecting-ip') ?? undefined);
    const limits: LimitReport = new Map();
    const exchange: Exchange = {
      request,
      url: new URL(request.url),
      requestId,
      network,
      limits,
      degraded: new Set(),
      defer(work) {
        const logged = work.catch((error: unknown) => logFault(error, requestId));
        waitUntil?.(logged);
      },
      challengeSolution: undefined,
      caller: undefined,
      overLimit: undefined,
      take(name) {
        return takeAllowance(name, network, deps, limits);
      },
    };
    const admitted = await admit(exchange, deps);
    const response = admitted.ok ? await app.fetch(admitted.value, { exchange }) : refused(admitted.refusal, exchange);
    return finishAnswer(response, exchange, security);
  };
}

function logFault(error: unknown, requestId: string): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: 'error', request_id: requestId, reason }));
}

/** What is checked before a route is looked for: the limit of the caller's network, and the length of the address. */
async function admit(exchange: Exchange, deps: GatewayDependencies): Promise<Result<Request>> {
  const { request } = exchange;
  const allowance = await takeAllowance('network', exchange.network, deps, exchange.limits);
  const isTooLong = request.url.length > LIMITS.urlMaxLength;
  if (allowance.ok && !isTooLong) return ok(request);
  await readBody(request);
  return allowance.ok ? refuse('uri_too_long', `The address has more than ${LIMITS.urlMaxLength} characters.`) : allowance;
}

/**
 * Authenticates, limits, asks whether the key still holds, validates, handles, renders. A request with a fault counts, so that guessing
 * is no cheaper, but not one with a key that is known to be revoked: it would count for the agent's other keys. The database is asked
 * only for what is within the limits.
 */
async function answer(
  route: Route,
  rawPath: Record<string, string>,
  exchange: Exchange,
  deps: GatewayDependencies,
  knownKeys: KnownKeys,
): Promise<Response> {
  const { request, url } = exchange;
  const sent = await readBody(request, route.bodyLimits?.maxBytes);
  // A body has no meaning where the operation takes none (RFC 9110 section 9.3.1).
  const body = route.body || route.takesBytes ? sent : ok(new Uint8Array());
  const outcome = await (async (): Promise<Result<Outcome>> => {
    const spoken = route.protocol ? admitProtocol(route, route.protocol, request.headers, deps) : ok(undefined);
    if (!spoken.ok) return spoken;
    const key = route.access === 'open' ? undefined : await authenticate(request, url.searchParams, deps, knownKeys);
    if (key?.ok === false) return key;
    if (key && deps.revocations.names(key.value.payload, deps.clock.nowMs())) return keyRevoked(key.value.payload);
    const limit = route.rateLimit === 'query' && key?.value.payload.isRaised ? 'query_raised' : route.rateLimit;
    const counted = RATE_LIMITS[limit].per === 'key' ? (key?.value.payload.agent ?? exchange.network) : exchange.network;
    if (limit !== 'network') {
      const allowance = await takeAllowance(limit, counted, deps, exchange.limits);
      if (!allowance.ok && !route.looksOverLimit) return allowance;
      if (!allowance.ok) exchange.overLimit = allowance.refusal;
    }
    if (key) {
      const confirmed = await confirm(key.value, route, exchange, deps);
      if (!confirmed.ok) return confirmed;
      exchange.caller = confirmed.value;
    }
    const sent = body.ok ? readRequest(route, rawPath, exchange, body.value) : body;
    if (!sent.ok) return invalid(sent.refusal, route, rawPath, exchange, deps);
    const keyed = await keyedRequest(route, sent.value);
    const answered = await handled(route, sent.value, keyed, rawPath, exchange, deps);
    const { keys, clock } = ofRequest(deps, exchange);
    return keyed ? bindRefusedKey(answered, refusalOf(answered), keyed, { keys, nowMs: clock.nowMs() }) : answered;
  })();
  if (!outcome.ok) {
    const { refusal } = outcome;
    if (route.protocol) return refusalIn(route.protocol, refusal, exchange, deps);
    return (await refusalPage(route, refusal, exchange, body, deps)) ?? problem(refusal, exchange, deps);
  }
  const response = await renderAnswer(route, outcome.value, exchange, deps);
  // What is kept by a cache goes to others, too.
  return route.protocol && route.cache === 'no-store' ? withEchoes(response, route.protocol, request.headers) : response;
}

/** What the handler answers to a request that is right, or what is wrong with its body. */
async function handled(
  route: Route,
  sent: SentRequest,
  keyed: KeyedRequest | undefined,
  rawPath: Record<string, string>,
  exchange: Exchange,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const body = readMembers(route, sent);
  if (!body.ok) return invalid(body.refusal, route, rawPath, exchange, deps);
  if (route.handle === undefined) throw new TypeError(`route ${route.id} has no handler`);
  const bind = async (): Promise<Result<undefined>> => {
    if (keyed === undefined) return ok(undefined);
    if (deps.keys === undefined) throw new Error('no database is bound');
    return bindKey(keyed, deps.keys, deps.clock.nowMs());
  };
  return route.handle({ ...sent, body: body.value, bindKey: bind }, ofRequest(deps, exchange));
}

async function invalid(
  refusal: Refusal,
  { onInvalid }: Route,
  rawPath: Record<string, string>,
  { overLimit }: Exchange,
  deps: GatewayDependencies,
): Promise<Result<never>> {
  if (overLimit) return { ok: false, refusal: overLimit };
  return { ok: false, refusal: onInvalid ? await onInvalid(rawPath, refusal, deps) : refusal };
}

/** The request as its idempotency key sees it, if it has one and its route leaves that key to this place. */
async function keyedRequest({ keyScope }: Route, sent: SentRequest): Promise<KeyedRequest | undefined> {
  const { idempotencyKey, sentBody } = sent;
  return keyScope && idempotencyKey !== undefined ? { ...(await keyScope(sent)), idempotencyKey, sentBody } : undefined;
}

/** Why nothing was done, if nothing was. */
function refusalOf(answered: Result<Outcome>): Refusal | undefined {
  if (!answered.ok) return answered.refusal;
  return answered.value.kind === 'text' ? answered.value.refusal : undefined;
}

function refusalIn(protocol: Protocol, refusal: Refusal, { requestId, request }: Exchange, deps: GatewayDependencies): Response {
  return withEchoes(protocolError(protocol, refusal, { baseUrl: deps.deployment.baseUrl, requestId }), protocol, request.headers);
}

function admitProtocol(route: Route, protocol: Protocol, headers: Headers, deps: GatewayDependencies): Result<undefined> {
  // A protocol says itself what is wrong with a request without its version.
  const declared = declaredHeaders(route, headers, false);
  return declared.ok ? protocol.admit(declared.value, deps) : declared;
}

/** What a handler works with: quotas are those of the request, and bound what its refusal leaves, unless a benchmark has lifted them. */
function ofRequest(deps: GatewayDependencies, exchange: Exchange): GatewayDependencies {
  if (deps.quotas === undefined || deps.limiters === undefined) return deps;
  const quotas = requestQuotas(deps.quotas, exchange, deps);
  return { ...deps, quotas, keys: deps.keys && boundedBindings(deps.keys, deps.quotas, exchange.network) };
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
  return toHex(deps.randomness.bytes(12));
}
