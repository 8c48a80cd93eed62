import type * as z from 'zod';
import type { ErrorCode } from '../gateway/errors.ts';
import { noSuchCapsule } from '../gateway/knowledge/read-capsule.ts';
import { type Fault, ok, type Refusal, type Result, refuse, withFurtherFaults } from '../gateway/result.ts';
import type { Features } from '../schemas/features.ts';
import { MISSING_KEY } from './authenticate.ts';
import type { Route, RouteInput } from './define-route.ts';
import { preferredType } from './negotiate.ts';
import { formBody, isForm, jsonBody } from './read-body.ts';
import type { RequestContext } from './request-context.ts';
import type { RouteHeader } from './route-headers.ts';
import { FAULTS_MAX, plainName, validateInput } from './validate-input.ts';

/** Example of a header whose value is any id. */
const EXAMPLE_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Printable ASCII characters without spaces. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]+$/;

/** A request that is validated except for its body. */
export type PartialInput = Omit<RouteInput<unknown, unknown, unknown>, 'body' | 'bindKey'>;

/** Validates path, query and headers of a request, in this order, and parses its body for {@link validateBody}. */
export function readRequest(
  route: Route,
  rawPath: Record<string, string>,
  context: RequestContext,
  bytes: Uint8Array,
): Result<PartialInput> {
  const { request, url } = context;
  const types = route.responses.flatMap(({ content }) => (content ? [content.type] : []));
  const preferred = preferredType(request.headers.get('accept'), types);
  if (preferred === undefined && route.errors.includes('not_acceptable'))
    return refuse('not_acceptable', `This operation responds with ${types.join(' or ')}.`);
  if (acceptsForms(route) && isForm(request.headers) && isCrossSite(request.headers, url))
    return refuse('cross_site_form', 'The form comes from another site.');
  const path = route.pathParameters ? validateInput(route.pathParameters, rawPath, 'path') : ok(undefined);
  if (!path.ok) return route.path.includes('{capsule_id}') ? noSuchCapsule() : path;
  const query = readQuery(route, url.searchParams);
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
    degrade(what) {
      context.degraded.add(what);
    },
    defer: context.defer,
  });
}

/** Whether an operation accepts forms, which browsers send without asking first. */
function acceptsForms({ bodyTypes }: Route): boolean {
  return bodyTypes?.includes('application/x-www-form-urlencoded') === true;
}

/**
 * Whether a browser sends a request for another site: by `Sec-Fetch-Site`, or else by `Origin` (W3C Fetch Metadata; the same rule as
 * `http.CrossOriginProtection` of Go). A request with neither is not from a browser.
 */
function isCrossSite(headers: Headers, { origin }: URL): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const sender = headers.get('origin');
  return sender !== null && sender !== origin;
}

function readQuery(route: Route, parameters: URLSearchParams): Result<unknown> {
  const { queryParameters: schema, forwardsParameters } = route;
  if (schema === undefined) return ok(undefined);
  const repeated = forwardsParameters ? undefined : repeatedName(parameters);
  if (repeated !== undefined)
    return refuse('invalid_request', `The parameter "${plainName(repeated)}" appears twice.`, {
      errors: [{ pointer: plainName(repeated), message: 'appears twice' }],
    });
  return validateInput(schema, Object.fromEntries(parameters), 'query');
}

/** Schemas of bodies by features and route: making one takes longer than validating with it. */
const BODY_SCHEMAS = new WeakMap<Features, Map<Route, z.ZodType>>();

/** The schema of a body that the features of the deployment leave. */
function bodySchema(route: Route, features: Features): z.ZodType | undefined {
  if (route.bodyOf === undefined) return route.body;
  const schemas = BODY_SCHEMAS.get(features) ?? new Map<Route, z.ZodType>();
  BODY_SCHEMAS.set(features, schemas);
  const schema = schemas.get(route) ?? route.bodyOf(features);
  schemas.set(route, schema);
  return schema;
}

/** Validates the parsed body of a request, by the schema that the features of the deployment leave. */
export function validateBody(route: Route, { sentBody }: Pick<PartialInput, 'sentBody'>, features: Features): Result<unknown> {
  const schema = bodySchema(route, features);
  return schema ? validateInput(schema, sentBody, 'body') : ok(undefined);
}

function parseBody(route: Route, headers: Headers, bytes: Uint8Array): Result<unknown> {
  if (route.bodyOptional && bytes.length === 0) return ok({});
  if (isForm(headers) && route.bodyTypes?.includes('application/x-www-form-urlencoded')) {
    const fields = formBody(bytes);
    return fields.ok && route.readForm ? ok(route.readForm(fields.value)) : fields;
  }
  const { bodyLimits, protocol, bodyTypes } = route;
  return jsonBody(headers, bytes, bodyLimits?.maxStringLength, protocol?.nonObjectCode, bodyTypes, protocol?.acceptsList);
}

/**
 * The headers that a route declares, except Idempotency-Key, which has its own rules. All faults are reported at once.
 *
 * @param requireAll Whether to refuse a request without a required header.
 */
export function declaredHeaders(route: Route, sent: Headers, requireAll = true): Result<Record<string, string>> {
  const values: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const header of route.headers ?? []) {
    const { name, minLength, maxLength, required } = header;
    const value = sent.get(name)?.trim();
    if (name === 'Idempotency-Key') continue;
    if (value === undefined || value === '') {
      if (required === true && requireAll) faults.push(missingHeader(header));
      continue;
    }
    if (value.length < minLength || value.length > maxLength || !/^[\x20-\x7e]+$/.test(value))
      faults.push({ pointer: name, message: `must have ${minLength} to ${maxLength} printable ASCII characters` });
    values[name.toLowerCase()] = value;
  }
  const [first, ...further] = faults;
  if (first === undefined) return ok(values);
  const { refusal } = refuse('invalid_request', `The header ${first.pointer} ${first.message}.`, { errors: [first] });
  return { ok: false, refusal: withFurtherFaults(refusal, further, FAULTS_MAX) };
}

/** Longer examples are signatures, which nobody writes by hand. */
const SHOWN_EXAMPLE_MAX_LENGTH = 64;

/** The fault of a request without a required header, with a value that it could have. */
function missingHeader({ name, example = EXAMPLE_ID }: RouteHeader): Fault {
  const advice = example.length > SHOWN_EXAMPLE_MAX_LENGTH ? '' : `; send for example "${name}: ${example}"`;
  return { pointer: name, message: `is missing${advice}` };
}

function repeatedName(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  for (const name of parameters.keys()) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Idempotency-Key as a quoted string (RFC 9651), or bare, as many clients send it. */
function readIdempotencyKey(route: Route, headers: Headers): Result<string | undefined> {
  const rule = route.headers?.find(({ name }) => name === 'Idempotency-Key');
  const raw = headers.get('idempotency-key');
  if (rule === undefined || (raw === null && !rule.required)) return ok(undefined);
  if (raw === null) {
    const errors = [missingHeader(rule)];
    const why = 'This operation requires an Idempotency-Key, so that a retry has no second effect.';
    return refuse('invalid_idempotency_key', `${why} Send for example "Idempotency-Key: ${EXAMPLE_ID}".`, { errors });
  }
  const key = raw.trim().replace(/^"(.*)"$/, '$1');
  if (key.length >= rule.minLength && key.length <= rule.maxLength && IDEMPOTENCY_KEY.test(key)) return ok(key);
  const message = `must have ${rule.minLength} to ${rule.maxLength} printable ASCII characters without spaces`;
  return refuse('invalid_idempotency_key', `The Idempotency-Key ${message}.`, { errors: [{ pointer: rule.name, message }] });
}

/** Refusals of one part of a request, after which its other parts are read too. */
const OF_ONE_PART: readonly ErrorCode[] = [
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

/**
 * The refusal of one part of a request, with what is wrong with the other parts, so that a caller can correct everything at once: required
 * headers, the key, parameters and body. Read only after a refusal.
 */
export function withAllFaults(
  refusal: Refusal,
  route: Route,
  { request, url }: Pick<RequestContext, 'request' | 'url'>,
  body: Result<Uint8Array>,
  features: Features,
): Refusal {
  if (!OF_ONE_PART.includes(refusal.code)) return refusal;
  const { headers } = request;
  const isMissing = (name: string): boolean => (headers.get(name) ?? '').trim() === '';
  const required = (route.headers ?? []).filter((header) => header.required !== undefined && isMissing(header.name));
  const sent = body.ok && route.body ? parseBody(route, headers, body.value) : ok(undefined);
  const parts: readonly Result<unknown>[] = [
    route.access !== 'open' && isMissing('Authorization') ? refuse('api_key_missing', '', { errors: [MISSING_KEY] }) : ok(undefined),
    readQuery(route, url.searchParams),
    declaredHeaders(route, headers, false),
    readIdempotencyKey(route, headers),
    sent.ok && body.ok ? validateBody(route, { sentBody: sent.value }, features) : sent,
  ];
  const others = parts.flatMap((part) => (part.ok || part.refusal.detail === refusal.detail ? [] : [part.refusal]));
  const faults = others.flatMap(faultsOf);
  return withFurtherFaults(refusal, [...required.map(missingHeader), ...faults], FAULTS_MAX);
}

/** The faults of a refusal; of one without pointers, the whole. */
function faultsOf({ errors, detail }: Refusal): readonly Fault[] {
  return errors ?? [{ pointer: '', message: detail.replace(/\.$/, '') }];
}
