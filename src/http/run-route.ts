import type * as z from 'zod';
import { type KnownKeys, type VerifiedKey, verifyKey } from '../gateway/agents/api-key.ts';
import { confirmByDatabase, confirmByList, keyRevoked, refuseWithoutScope } from '../gateway/agents/scopes.ts';
import type { NextStep } from '../gateway/error-next-actions.ts';
import { type ErrorCode, errorEntry } from '../gateway/errors.ts';
import { bindKey, bindRefusedKey, type KeyedRequest } from '../gateway/idempotency/bind-idempotency-key.ts';
import { noSuchCapsule, withSuggestedCapsules } from '../gateway/knowledge/read-capsule.ts';
import { remembered } from '../gateway/memory-caches.ts';
import { type FieldError, ok, type Refusal, type Refused, type Result, refuse, repeatable, withFurtherErrors } from '../gateway/result.ts';
import { withoutKeys } from '../schemas/api-keys.ts';
import type { Features } from '../schemas/feature-switches.ts';
import { memberNames } from '../schemas/zod-issue-messages.ts';
import { preferredType, prefersMarkdownProblem } from './content-negotiation.ts';
import {
  type Caller,
  confirmsByDatabase,
  type Outcome,
  type Protocol,
  type Route,
  type RouteHeader,
  type RouteInput,
} from './define-route.ts';
import { type GatewayDependencies, provide } from './gateway-dependencies.ts';
import { boundedBindings, type RequestContext, requestQuotas } from './rate-limits.ts';
import { formBody, isForm, isPercentEncodedUtf8, jsonBody, readBody, withoutNulls } from './read-body.ts';
import { echoHeaders, problemResponse, protocolError } from './render-problem.ts';
import { refusalPage, renderResponse } from './render-response.ts';
import { fillPath, stepTo } from './route-paths.ts';
import { validateInput } from './validate-input.ts';

interface RouteRun {
  readonly route: Route;
  readonly rawPath: Record<string, string>;
  readonly body: Result<Uint8Array>;
  readonly context: RequestContext;
  readonly deps: GatewayDependencies;
}

export async function runRoute(
  route: Route,
  rawPath: Record<string, string>,
  context: RequestContext,
  deps: GatewayDependencies,
  knownKeys: KnownKeys,
): Promise<Response> {
  const { request } = context;
  const sent = await readBody(request, deps.deployment.baseUrl, route.bodyLimits?.maxBytes);
  // A body has no meaning where the operation declares none (RFC 9110 section 9.3.1).
  const body = route.body || route.acceptsBytes ? sent : ok(new Uint8Array());
  const found = await outcomeOf({ route, rawPath, body, context, deps }, knownKeys);
  if (!found.ok) {
    const { capsule_id: sentId } = rawPath;
    const withId = (id: string): NextStep => {
      const names = { ...rawPath, capsule_id: id };
      const path = fillPath(route.path, (name) => Reflect.get(names, name) ?? '');
      // Tools take `id@version`, and operations a parameter.
      const [, version] = /@(\d+\.\d+\.\d+)$/.exec(sentId ?? '') ?? [];
      const hasVersion = version !== undefined && memberNames(route.queryParameters).includes('version');
      return stepTo(route, path, sentQuery(context.url) || (hasVersion ? `?version=${version}` : ''));
    };
    const sentBody = route.protocol?.withRequest && body.ok ? parseBody(route, request.headers, body.value) : undefined;
    const own = (sentBody?.ok && route.protocol?.withRequest?.(found.refusal, sentBody.value)) || found.refusal;
    const refusal = sentId === undefined ? own : await withSuggestedCapsules(own, sentId, deps.corpus, withId);
    const page = route.protocol ? undefined : await refusalPage(route, refusal, context, body, deps);
    return page ?? refusalResponse(refusal, route.protocol, context, deps, isDescribed(route, deps) ? route.id : undefined);
  }
  const response = await renderResponse(route, found.value, context, deps);
  // A cached response also goes to other callers.
  return route.protocol && route.cache === 'no-store' ? echoHeaders(response, route.protocol, request.headers) : response;
}

/** Whether a description of the operation alone is published: of those under /api whose feature is on. */
function isDescribed({ path, feature }: Route, { features }: GatewayDependencies): boolean {
  return path.startsWith('/api/') && (feature === undefined || features[feature]);
}

export function refusalResponse(
  refusal: Refusal,
  protocol: Protocol | undefined,
  { request, requestId, url }: RequestContext,
  { deployment: { baseUrl } }: GatewayDependencies,
  operationId?: string,
): Response {
  const isMarkdown = prefersMarkdownProblem(request.headers.get('accept'));
  if (protocol === undefined) return problemResponse(refusal, { baseUrl, requestId, path: url.pathname, operationId, isMarkdown });
  return echoHeaders(protocolError(protocol, refusal, { baseUrl }), protocol, request.headers);
}

/**
 * Admits, authenticates, limits, confirms the key, validates, handles. An invalid request counts against the limit, so that guessing costs as much;
 * one with a revoked key does not, because it would count against the agent's other keys.
 */
async function outcomeOf(run: RouteRun, knownKeys: KnownKeys): Promise<Result<Outcome>> {
  const { route, rawPath, body, context, deps } = run;
  const { request, url } = context;
  const refused = ({ refusal }: Refused): Refused => ({ ok: false, refusal: withErrorsOfOtherParts(refusal, run) });
  const declared = route.protocol ? declaredHeaders(route, request.headers, false) : ok({});
  const admitted = declared.ok && route.protocol ? route.protocol.admit(declared.value, deps) : declared;
  if (!admitted.ok) return refused(admitted);
  const key = mustAuthenticate(route, context) ? await authenticate(request, url.searchParams, deps, knownKeys) : undefined;
  if (key?.ok === false) return refused(key);
  const revoked = async (sent: VerifiedKey): Promise<Result<Outcome>> =>
    (await replayed(run, sent)) ?? keyRevoked(sent.payload, deps.revocations);
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
  if (!input.ok) return invalid(withErrorsOfOtherParts(input.refusal, run), run);
  const { idempotencyKey, sentBody } = input.value;
  const scope = idempotencyKey === undefined ? undefined : await route.keyScope?.(input.value);
  const keyed = scope && { ...scope, idempotencyKey, sentBody };
  const ownDeps = requestDependencies(deps, context);
  const outcome = await handle({ ...run, deps: ownDeps }, input.value, keyed);
  if (keyed === undefined) return outcome;
  const { refusal } = outcome.ok ? { refusal: undefined, ...outcome.value } : outcome;
  return bindRefusedKey(outcome, refusal, keyed, { keys: ownDeps.keys, nowMs: deps.clock.nowMs() });
}

async function replayed({ route, rawPath, body, context, deps }: RouteRun, key: VerifiedKey): Promise<Result<Outcome> | undefined> {
  const input = route.replay && body.ok ? readRequest(route, rawPath, context, body.value) : undefined;
  return input?.ok ? route.replay?.(input.value, key, deps) : undefined;
}

function mustAuthenticate({ access, acceptsKey }: Route, { request, url }: RequestContext): boolean {
  if (access !== 'open') return true;
  const isSent = (request.headers.get('authorization') ?? '').trim() !== '' || keyParameter(url.searchParams) !== undefined;
  return acceptsKey === true && isSent;
}

async function handle(run: RouteRun, input: PartialInput, keyed: KeyedRequest | undefined): Promise<Result<Outcome>> {
  const { route, deps } = run;
  const valid = validateBody(route, input.sentBody, deps.features);
  const withoutKey = valid.ok ? refuseKeyInBody(valid.value) : valid;
  const body = withoutKey.ok ? valid : withoutKey;
  if (!body.ok) return invalid(body.refusal, run);
  if (route.handle === undefined) throw new TypeError(`route ${route.id} has no handler`);
  const bind = async (): Promise<Result<undefined>> => {
    if (keyed === undefined) return ok(undefined);
    if (deps.keys === undefined) throw new Error('no database is bound');
    return bindKey(keyed, deps.keys, deps.clock.nowMs());
  };
  const provided = provide(route.needs ?? [], deps);
  const identify: RouteInput<unknown, unknown, unknown>['identify'] = (mustBeKey) => identifyCaller(route, run.context, deps, mustBeKey);
  return provided.ok ? route.handle({ ...input, body: body.value, bindKey: bind, identify }, provided.value) : provided;
}

/** The refusal of an invalid request; a refusal by the rate limit takes precedence. */
async function invalid(refusal: Refusal, { route, rawPath, context, deps }: RouteRun): Promise<Result<never>> {
  if (context.overLimit) return { ok: false, refusal: context.overLimit };
  return { ok: false, refusal: (await route.onInvalid?.(rawPath, refusal, deps, context.request)) ?? refusal };
}

function requestDependencies(deps: GatewayDependencies, context: RequestContext): GatewayDependencies {
  if (deps.quotas === undefined || deps.limiters === undefined) return deps;
  const quotas = requestQuotas(deps.quotas, context, deps);
  return { ...deps, quotas, keys: deps.keys && boundedBindings(deps.keys, deps.quotas, context.network) };
}

const EXAMPLE_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]+$/;

type PartialInput = Omit<RouteInput<unknown, unknown, unknown>, 'body' | 'bindKey' | 'identify'>;

const RESPONSE_TYPES = new WeakMap<Route, readonly string[]>();

function readRequest(route: Route, rawPath: Record<string, string>, context: RequestContext, bytes: Uint8Array): Result<PartialInput> {
  const { request, url } = context;
  const types = remembered(RESPONSE_TYPES, route, () => route.responses.flatMap(({ content }) => content?.type ?? []));
  const preferred = preferredType(request.headers.get('accept'), types);
  if (preferred === undefined && route.errors.includes('not_acceptable'))
    return refuse('not_acceptable', `This operation responds with ${types.join(' or ')}.`);
  if (route.bodyTypes?.includes('application/x-www-form-urlencoded') && isForm(request.headers) && isCrossSite(request.headers, url))
    return refuse('cross_site_form', 'The form comes from another site.');
  const path = route.pathParameters ? validateInput(route.pathParameters, rawPath, 'path') : ok(undefined);
  if (!path.ok) return route.path.includes('{capsule_id}') ? noSuchCapsule() : path;
  const query = readQuery(route, url);
  if (!query.ok) return query;
  const headers = declaredHeaders(route, request.headers);
  if (!headers.ok) return headers;
  const idempotencyKey = readIdempotencyKey(route, request.headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const sent = route.body ? parseBody(route, request.headers, bytes) : ok(undefined);
  if (!sent.ok) return sent;
  return ok({
    path: path.value,
    query: query.value,
    idempotencyKey: idempotencyKey.value,
    rawAddress: { path: url.pathname, query: url.search },
    isHead: request.method === 'HEAD',
    rawHeader: (name) => request.headers.get(name) ?? undefined,
    headers: headers.value,
    sentBody: sent.value,
    bytes: route.acceptsBytes ? bytes : new Uint8Array(),
    isForm: isForm(request.headers),
    preferredType: preferred ?? types[0],
    rawQuery: url.searchParams,
    caller: context.caller,
    network: context.network,
    overLimit: context.overLimit,
    takeRateLimit: context.takeRateLimit,
    useChallengeSolution(solution) {
      context.challengeSolution = solution;
    },
    degrade: (what) => void context.degraded.add(what),
    defer: context.defer,
  });
}

/** Whether a browser sends a request for another site (W3C Fetch Metadata; the same rule as `http.CrossOriginProtection` of Go). */
function isCrossSite(headers: Headers, { origin }: URL): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const sender = headers.get('origin');
  return sender !== null && sender !== origin;
}

function readQuery(
  { queryParameters: schema, forwardsParameters, refusalPage: page, body, protocol, capability }: Route,
  { search, searchParams }: URL,
): Result<unknown> {
  if (schema === undefined) {
    // Other parameters, such as utm_source, have no effect; neither have those of a form's page, those that a platform adds to a checkout, and names
    // as common as those of JSON-RPC.
    const isCheckout = protocol !== undefined && capability === 'commerce';
    const names = page || isCheckout ? [] : memberNames(body);
    const misplaced = names.includes('jsonrpc') ? undefined : names.find((name) => searchParams.has(name));
    return misplaced === undefined ? ok(undefined) : refuseParameter(misplaced, 'is not read from the URL; this operation reads its body');
  }
  const seen = new Set<string>();
  const repeated = forwardsParameters ? undefined : [...searchParams.keys()].find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) return refuseParameter(repeated, 'appears twice');
  // A page shows its reader what could be read.
  const pairs = page ? [] : search.slice(1).split('&');
  const undecodable = pairs.flatMap((pair) => (isPercentEncodedUtf8(pair) ? [] : [...new URLSearchParams(pair).keys()]));
  const unread = undecodable.find((name) => memberNames(schema).includes(name));
  if (unread !== undefined) return refuseParameter(unread, 'is not UTF-8');
  return validateInput(schema, Object.fromEntries(searchParams), 'query');
}

function refuseParameter(parameter: string, message: string): Refused {
  const pointer = repeatable(parameter);
  return refuse('invalid_request', `The parameter "${pointer}" ${message}.`, { errors: [{ pointer, message }] });
}

/** Schemas of bodies by features and route: making one takes longer than validating with it. */
const BODY_SCHEMAS = new WeakMap<Features, Map<Route, z.ZodType>>();

function validateBody(route: Route, sentBody: unknown, features: Features): Result<unknown> {
  const { bodyOf } = route;
  const schemas = remembered(BODY_SCHEMAS, features, () => new Map<Route, z.ZodType>());
  const schema = bodyOf ? remembered(schemas, route, () => bodyOf(features)) : route.body;
  return schema ? validateInput(schema, sentBody, 'body') : ok(undefined);
}

function parseBody(route: Route, headers: Headers, bytes: Uint8Array): Result<unknown> {
  if (route.bodyOptional && bytes.length === 0) return ok({});
  if (isForm(headers) && route.bodyTypes?.includes('application/x-www-form-urlencoded')) {
    const fields = formBody(bytes);
    return fields.ok && route.readForm ? ok(route.readForm(fields.value)) : fields;
  }
  const { bodyLimits, protocol, bodyTypes } = route;
  const sent = jsonBody(headers, bytes, bodyLimits?.maxStringLength, protocol?.nonObjectCode, bodyTypes);
  return sent.ok && protocol === undefined ? ok(withoutNulls(sent.value)) : sent;
}

/** The headers that a route declares, except Idempotency-Key. All errors are reported at once. */
function declaredHeaders(route: Route, sent: Headers, requireAll = true): Result<Record<string, string>> {
  const values: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const header of route.headers ?? []) {
    const { name, minLength, maxLength, required } = header;
    const value = sent.get(name)?.trim();
    if (name === 'Idempotency-Key') continue;
    if (value === undefined || value === '') {
      if (required === true && requireAll) errors.push(missingHeader(header));
      continue;
    }
    if (value.length < minLength || value.length > maxLength || !/^[\x20-\x7e]+$/.test(value))
      errors.push({ pointer: name, message: `must have ${minLength} to ${maxLength} printable ASCII characters` });
    values[name.toLowerCase()] = value;
  }
  const [first, ...further] = errors;
  if (first === undefined) return ok(values);
  const { refusal } = refuse('invalid_request', `The header ${first.pointer} ${first.message}.`, { errors: [first] });
  return { ok: false, refusal: withFurtherErrors(refusal, further) };
}

/** Longer examples are signatures, which nobody writes by hand. */
const SHOWN_EXAMPLE_MAX_LENGTH = 64;

function missingHeader({ name, example = EXAMPLE_ID }: RouteHeader): FieldError {
  const advice = example.length > SHOWN_EXAMPLE_MAX_LENGTH ? '' : `; send for example "${name}: ${example}"`;
  return { pointer: name, message: `is missing${advice}` };
}

/** Idempotency-Key as a quoted string (RFC 9651), or bare, as many clients send it. */
function readIdempotencyKey(route: Route, headers: Headers): Result<string | undefined> {
  const rule = route.headers?.find(({ name }) => name === 'Idempotency-Key');
  if (rule === undefined) return ok(undefined);
  const raw = headers.get('idempotency-key');
  if (raw === null) {
    const why = 'This operation requires an Idempotency-Key, so that a retry has no second effect.';
    const detail = `${why} Send for example "Idempotency-Key: ${EXAMPLE_ID}".`;
    return rule.required ? refuse('invalid_idempotency_key', detail, { errors: [missingHeader(rule)] }) : ok(undefined);
  }
  const key = raw.trim().replace(/^"(.*)"$/, '$1');
  if (key.length >= rule.minLength && key.length <= rule.maxLength && IDEMPOTENCY_KEY.test(key)) return ok(key);
  const message = `must have ${rule.minLength} to ${rule.maxLength} printable ASCII characters without spaces`;
  return refuse('invalid_idempotency_key', `The Idempotency-Key ${message}.`, { errors: [{ pointer: rule.name, message }] });
}

const REFUSALS_OF_ONE_PART: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'invalid_idempotency_key',
  'version_unsupported',
  'invalid_profile_url',
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
];

/** The refusal of one part of a request, with what is wrong with the other parts, so that a caller can correct everything at once. */
function withErrorsOfOtherParts(refusal: Refusal, { route, body, context, deps: { features } }: RouteRun): Refusal {
  if (!REFUSALS_OF_ONE_PART.includes(refusal.code)) return refusal;
  const { url, request } = context;
  const { headers } = request;
  const isMissing = (name: string): boolean => (headers.get(name) ?? '').trim() === '';
  const sent = body.ok && route.body ? parseBody(route, headers, body.value) : ok(undefined);
  const parts: readonly Result<unknown>[] = [
    route.access !== 'open' && isMissing('Authorization') ? refuse('api_key_missing', '', { errors: [MISSING_KEY] }) : ok(undefined),
    readQuery(route, url),
    declaredHeaders(route, headers),
    readIdempotencyKey(route, headers),
    sent.ok && body.ok ? validateBody(route, sent.value, features) : sent,
  ];
  const others = parts.flatMap((part) => (part.ok ? [] : [part.refusal]));
  const errors = others.flatMap(({ code, detail, errors: own }): readonly FieldError[] => {
    if (own !== undefined) return own.map((error) => ({ ...error, code }));
    return detail === refusal.detail ? [] : [{ pointer: '', message: detail.replace(/\.$/, ''), code }];
  });
  return withFurtherErrors(refusal, errors);
}

const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token'];

const KEY_ADVICE = 'Send keys in the Authorization header only, and treat this key as compromised.';

const SEND_KEY = errorEntry('api_key_missing').nextActions.toReversed();

const MISSING_KEY: FieldError = { pointer: 'Authorization', message: 'is missing; send "Authorization: Bearer <api_key>"' };

/** The caller's key, if its signature is valid and it has not expired. Keys are accepted in the Authorization header only. */
export async function authenticate(
  request: Request,
  query: URLSearchParams,
  deps: GatewayDependencies,
  known?: KnownKeys,
): Promise<Result<VerifiedKey>> {
  const parameter = keyParameter(query);
  if (parameter !== undefined) return refuse('api_key_in_url', `The URL has the parameter "${parameter}". ${KEY_ADVICE}`);
  const header = request.headers.get('authorization');
  if (header === null || header.trim() === '')
    return refuse('api_key_missing', 'The request has no Authorization header.', { errors: [MISSING_KEY] });
  // White space is limited: a remembered key keeps the whole header in memory.
  const [, key] = /^[ \t]{0,8}Bearer {1,8}([\x21-\x7e]{1,256})[ \t]{0,8}$/i.exec(header) ?? [];
  if (key === undefined)
    return refuse('api_key_invalid', 'The Authorization header does not have the form "Bearer <api_key>".', { nextActions: SEND_KEY });
  if ('missing' in deps.secrets) return refuse('not_configured', deps.secrets.missing);
  return verifyKey(key, deps.deployment.keyPrefix, deps.secrets, deps.clock.nowMs(), known);
}

/** The query of a request, for the address that it may have meant; empty if a parameter has the name of a key, or if it is long. */
export function sentQuery({ search, searchParams }: URL): string {
  if (keyParameter(searchParams) !== undefined || search.length > REPEATED_QUERY_MAX_LENGTH) return '';
  return search.replaceAll(/[^?\w.~:/@!$&'()*+,;=%-]/g, encodeURIComponent);
}

const REPEATED_QUERY_MAX_LENGTH = 1_024;

function keyParameter(query: URLSearchParams): string | undefined {
  if (query.size === 0) return undefined;
  return [...query.keys()].map((name) => name.toLowerCase()).find((name) => KEY_PARAMETERS.includes(name));
}

/** Refuses a URL with a key anywhere, whatever is at the address: logs and histories have it, and an answer would repeat it. */
export function refuseKeyInUrl({ pathname, search }: URL): Result<undefined> {
  const hasKey = withoutKeys(pathname + search) !== undefined;
  return hasKey ? refuse('api_key_in_url', `The URL contains an API key. ${KEY_ADVICE}`) : ok(undefined);
}

/** Refuses a valid body with a key in one of its texts, which would be searched for, stored or passed on. */
export function refuseKeyInBody(body: unknown): Result<undefined> {
  const hasKey = body !== undefined && withoutKeys(JSON.stringify(body)) !== undefined;
  return hasKey ? refuse('invalid_request', `The body contains an API key. ${KEY_ADVICE}`) : ok(undefined);
}

/**
 * The caller by a key that only some responses need. The header may hold a payment or nothing instead, so what is no key of ours names nobody,
 * unless it must be one; a key that is no longer valid is refused.
 */
async function identifyCaller(
  route: Route,
  context: RequestContext,
  deps: GatewayDependencies,
  mustBeKey = false,
): Promise<Result<Caller | undefined>> {
  if (context.caller !== undefined) return ok(context.caller);
  const { request, url } = context;
  if (!/^[ \t]{0,8}Bearer /i.test(request.headers.get('authorization') ?? '')) return ok(undefined);
  const key = await authenticate(request, url.searchParams, deps);
  if (key.ok) return confirmCaller(key.value, route, context, deps);
  return key.refusal.code === 'api_key_invalid' && !mustBeKey ? ok(undefined) : key;
}

export async function confirmCaller(
  key: VerifiedKey,
  route: Route,
  context: RequestContext,
  deps: GatewayDependencies,
): Promise<Result<Caller>> {
  const nowMs = deps.clock.nowMs();
  const scopes = confirmsByDatabase(route)
    ? await confirmByDatabase(key.payload, nowMs, deps.deployment.intake, deps)
    : await confirmByList(key.payload, nowMs, deps, { degrade: (what) => void context.degraded.add(what), defer: context.defer });
  if (!scopes.ok) return scopes;
  const { access } = route;
  if (access !== 'open' && access !== 'key' && !scopes.value.includes(access))
    return refuseWithoutScope(`The key does not have the scope "${access}".`, access, deps.deployment.intake, deps.features);
  return ok({ key, scopes: scopes.value });
}
