import type { KnownKeys, VerifiedKey } from '../gateway/agents/api-key.ts';
import { keyRevoked } from '../gateway/agents/key-status.ts';
import { bindKey, bindRefusedKey, type KeyedRequest } from '../gateway/idempotency/bind-idempotency-key.ts';
import { withNearestCapsules } from '../gateway/knowledge/nearest-capsules.ts';
import { ok, type Refusal, type Result } from '../gateway/result.ts';
import { authenticate, confirmCaller, keyParameter, refuseKeyInBody } from './authenticate.ts';
import type { Outcome, Route } from './define-route.ts';
import { type GatewayDependencies, provide } from './gateway-dependencies.ts';
import { prefersMarkdownProblem } from './negotiate.ts';
import { echoHeaders, type Protocol, protocolError } from './protocol.ts';
import { boundedBindings, requestQuotas } from './rate-limits.ts';
import { readBody } from './read-body.ts';
import { declaredHeaders, type PartialInput, readRequest, validateBody, withAllFaults } from './read-input.ts';
import { refusalPage } from './render-page.ts';
import { problemResponse } from './render-problem.ts';
import { renderResponse } from './render-response.ts';
import type { RequestContext } from './request-context.ts';

/** Handles a request on a route, and renders the outcome. */
export async function runRoute(
  route: Route,
  rawPath: Record<string, string>,
  context: RequestContext,
  deps: GatewayDependencies,
  knownKeys: KnownKeys,
): Promise<Response> {
  const { request } = context;
  const sent = await readBody(request, route.bodyLimits?.maxBytes);
  // A body has no meaning where the operation declares none (RFC 9110 section 9.3.1).
  const body = route.body || route.acceptsBytes ? sent : ok(new Uint8Array());
  const outcome = await suggesting(await outcomeOf(route, rawPath, body, context, deps, knownKeys), rawPath, deps);
  if (!outcome.ok) {
    const page = route.protocol ? undefined : await refusalPage(route, outcome.refusal, context, body, deps);
    return page ?? refusalResponse(outcome.refusal, route.protocol, context, deps, isDescribed(route, deps) ? route.id : undefined);
  }
  const response = await renderResponse(route, outcome.value, context, deps);
  // A cached response also goes to other callers.
  return route.protocol && route.cache === 'no-store' ? echoHeaders(response, route.protocol, request.headers) : response;
}

/** A result whose refusal of an unknown capsule names those that may have been meant. */
async function suggesting<T>(result: Result<T>, rawPath: Record<string, string>, { corpus }: GatewayDependencies): Promise<Result<T>> {
  const { capsule_id: sent } = rawPath;
  return result.ok || sent === undefined ? result : { ok: false, refusal: await withNearestCapsules(result.refusal, sent, corpus) };
}

/** Whether a description of the operation alone is published: of those under /api whose feature is on. */
function isDescribed({ path, feature }: Route, { features }: GatewayDependencies): boolean {
  return path.startsWith('/api/') && (feature === undefined || features[feature]);
}

/** The response to a refusal, in the error shape of its protocol. */
export function refusalResponse(
  refusal: Refusal,
  protocol: Protocol | undefined,
  { request, requestId, url }: RequestContext,
  { deployment: { baseUrl } }: GatewayDependencies,
  operationId?: string,
): Response {
  const isMarkdown = prefersMarkdownProblem(request.headers.get('accept'));
  if (protocol === undefined) return problemResponse(refusal, { baseUrl, requestId, path: url.pathname, operationId, isMarkdown });
  return echoHeaders(protocolError(protocol, refusal, { baseUrl, requestId }), protocol, request.headers);
}

/**
 * Admits, authenticates, limits, confirms the key, validates, handles. An invalid request counts against the limit, so that guessing costs as
 * much; one with a revoked key does not, because it would count against the agent's other keys. The database is queried only within limits.
 */
async function outcomeOf(
  route: Route,
  rawPath: Record<string, string>,
  body: Result<Uint8Array>,
  context: RequestContext,
  deps: GatewayDependencies,
  knownKeys: KnownKeys,
): Promise<Result<Outcome>> {
  const { request, url } = context;
  const refused = ({ refusal }: { readonly refusal: Refusal }): Result<never> => ({
    ok: false,
    refusal: withAllFaults(refusal, route, context, body, deps.features),
  });
  const admitted = route.protocol ? admitProtocol(route, route.protocol, request.headers, deps) : ok(undefined);
  if (!admitted.ok) return refused(admitted);
  const key = mustAuthenticate(route, context) ? await authenticate(request, url.searchParams, deps, knownKeys) : undefined;
  if (key?.ok === false) return refused(key);
  const revoked = async (sent: VerifiedKey): Promise<Result<Outcome>> =>
    (await replayed(route, rawPath, sent, body, context, deps)) ?? keyRevoked(sent.payload);
  if (key && deps.revocations.names(key.value.payload, deps.clock.nowMs())) return revoked(key.value);
  context.key = key?.value;
  // The limit of the network was counted before the route was matched.
  if (route.rateLimit !== 'network') {
    const allowance = await context.takeRateLimit(route.rateLimit);
    if (!allowance.ok && !route.handlesOverLimit) return allowance;
    if (!allowance.ok) context.overLimit = allowance.refusal;
  }
  if (key) {
    const caller = await confirmCaller(key.value, route, context, deps);
    if (!caller.ok) return caller.refusal.code === 'api_key_revoked' ? revoked(key.value) : caller;
    context.caller = caller.value;
  }
  const input = body.ok ? readRequest(route, rawPath, context, body.value) : body;
  if (!input.ok) {
    return invalid(withAllFaults(input.refusal, route, context, body, deps.features), route, rawPath, context, deps);
  }
  const keyed = await keyedRequest(route, input.value);
  const ownDeps = requestDependencies(deps, context);
  const outcome = await handle(route, input.value, keyed, rawPath, context, ownDeps);
  return keyed ? bindRefusedKey(outcome, refusalOf(outcome), keyed, { keys: ownDeps.keys, nowMs: deps.clock.nowMs() }) : outcome;
}

/** The response that a request with a revoked key repeats; `undefined` without one. */
async function replayed(
  route: Route,
  rawPath: Record<string, string>,
  key: VerifiedKey,
  body: Result<Uint8Array>,
  context: RequestContext,
  deps: GatewayDependencies,
): Promise<Result<Outcome> | undefined> {
  const input = route.replay && body.ok ? readRequest(route, rawPath, context, body.value) : undefined;
  return input?.ok ? route.replay?.(input.value, key, deps) : undefined;
}

/** Whether the key of a request is verified: the operation needs one, or accepts the one that is sent. */
function mustAuthenticate({ access, acceptsKey }: Route, { request, url }: RequestContext): boolean {
  if (access !== 'open') return true;
  const isSent = (request.headers.get('authorization') ?? '').trim() !== '' || keyParameter(url.searchParams) !== undefined;
  return acceptsKey === true && isSent;
}

/** Admits a request to a protocol, which reports missing headers itself. */
function admitProtocol(route: Route, protocol: Protocol, sent: Headers, deps: GatewayDependencies): Result<undefined> {
  const headers = declaredHeaders(route, sent, false);
  return headers.ok ? protocol.admit(headers.value, deps) : headers;
}

/** Validates the body and calls the handler. */
async function handle(
  route: Route,
  input: PartialInput,
  keyed: KeyedRequest | undefined,
  rawPath: Record<string, string>,
  context: RequestContext,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const valid = validateBody(route, input, deps.features);
  const withoutKey = valid.ok ? refuseKeyInBody(valid.value) : valid;
  const body = withoutKey.ok ? valid : withoutKey;
  if (!body.ok) return invalid(body.refusal, route, rawPath, context, deps, input.sentBody);
  if (route.handle === undefined) throw new TypeError(`route ${route.id} has no handler`);
  const bind = async (): Promise<Result<undefined>> => {
    if (keyed === undefined) return ok(undefined);
    if (deps.keys === undefined) throw new Error('no database is bound');
    return bindKey(keyed, deps.keys, deps.clock.nowMs());
  };
  const provided = provide(route.needs ?? [], deps);
  return provided.ok ? route.handle({ ...input, body: body.value, bindKey: bind }, provided.value) : provided;
}

/** The refusal of an invalid request; a refusal by the rate limit takes precedence. */
async function invalid(
  refusal: Refusal,
  { onInvalid }: Route,
  rawPath: Record<string, string>,
  { overLimit }: RequestContext,
  deps: GatewayDependencies,
  sentBody?: unknown,
): Promise<Result<never>> {
  if (overLimit) return { ok: false, refusal: overLimit };
  return { ok: false, refusal: onInvalid ? await onInvalid(rawPath, refusal, deps, sentBody) : refusal };
}

/** The request under its idempotency key, unless its route binds keys itself. */
async function keyedRequest({ keyScope }: Route, input: PartialInput): Promise<KeyedRequest | undefined> {
  const { idempotencyKey, sentBody } = input;
  return keyScope && idempotencyKey !== undefined ? { ...(await keyScope(input)), idempotencyKey, sentBody } : undefined;
}

function refusalOf(outcome: Result<Outcome>): Refusal | undefined {
  if (!outcome.ok) return outcome.refusal;
  return outcome.value.kind === 'text' ? outcome.value.refusal : undefined;
}

/** Dependencies with the quotas of one request, which also limit the keys that refusals bind. */
function requestDependencies(deps: GatewayDependencies, context: RequestContext): GatewayDependencies {
  if (deps.quotas === undefined || deps.limiters === undefined) return deps;
  const quotas = requestQuotas(deps.quotas, context, deps);
  return { ...deps, quotas, keys: deps.keys && boundedBindings(deps.keys, deps.quotas, context.network) };
}
