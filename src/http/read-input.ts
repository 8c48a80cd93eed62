import { noSuchCapsule } from '../gateway/knowledge/read-capsule.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import type { Features } from '../schemas/features.ts';
import type { Route, RouteInput } from './define-route.ts';
import { preferredType } from './negotiate.ts';
import { formBody, isForm, jsonBody } from './read-body.ts';
import type { RequestContext } from './request-context.ts';
import { plainName, validateInput } from './validate-input.ts';

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
  const path = route.pathParameters ? validateInput(route.pathParameters, rawPath, 'path') : ok(undefined);
  if (!path.ok) return route.path.includes('{capsule_id}') ? noSuchCapsule() : path;
  const repeated = route.queryParameters && !route.forwardsParameters ? repeatedName(url.searchParams) : undefined;
  if (repeated !== undefined)
    return refuse('invalid_request', `The parameter "${plainName(repeated)}" appears twice.`, {
      errors: [{ pointer: plainName(repeated), message: 'appears twice' }],
    });
  const query = route.queryParameters ? validateInput(route.queryParameters, Object.fromEntries(url.searchParams), 'query') : ok(undefined);
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

/** Validates the parsed body of a request, by the schema that the features of the deployment leave. */
export function validateBody({ body, bodyOf }: Route, { sentBody }: PartialInput, features: Features): Result<unknown> {
  const schema = bodyOf?.(features) ?? body;
  return schema ? validateInput(schema, sentBody, 'body') : ok(undefined);
}

function parseBody(route: Route, headers: Headers, bytes: Uint8Array): Result<Record<string, unknown>> {
  if (route.bodyOptional && bytes.length === 0) return ok({});
  if (isForm(headers) && route.bodyTypes?.includes('application/x-www-form-urlencoded')) {
    const fields = formBody(bytes);
    return fields.ok && route.readForm ? ok(route.readForm(fields.value)) : fields;
  }
  return jsonBody(headers, bytes, route.bodyLimits?.maxStringLength, route.protocol?.nonObjectCode, route.bodyTypes);
}

/**
 * The headers that a route declares, except Idempotency-Key, which has its own rules.
 *
 * @param requireAll Whether to refuse a request without a required header.
 */
export function declaredHeaders(route: Route, sent: Headers, requireAll = true): Result<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, minLength, maxLength, required } of route.headers ?? []) {
    const value = sent.get(name)?.trim();
    if (name === 'Idempotency-Key') continue;
    if (value === undefined || value === '') {
      if (required === true && requireAll) return invalidHeader(name, 'is missing');
      continue;
    }
    if (value.length < minLength || value.length > maxLength || !/^[\x20-\x7e]+$/.test(value))
      return invalidHeader(name, `must have ${minLength} to ${maxLength} printable ASCII characters`);
    values[name.toLowerCase()] = value;
  }
  return ok(values);
}

function invalidHeader(name: string, message: string): Result<never> {
  return refuse('invalid_request', `The header ${name} ${message}.`, { errors: [{ pointer: name, message }] });
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
  if (rule === undefined) return ok(undefined);
  if (raw === null)
    return rule.required
      ? refuse('invalid_idempotency_key', 'This operation requires an Idempotency-Key, so that a retry has no second effect.')
      : ok(undefined);
  const key = raw.trim().replace(/^"(.*)"$/, '$1');
  if (key.length < rule.minLength || key.length > rule.maxLength || !/^[\x21-\x7e]+$/.test(key)) {
    return refuse(
      'invalid_idempotency_key',
      `The Idempotency-Key must have ${rule.minLength} to ${rule.maxLength} printable ASCII characters without spaces.`,
    );
  }
  return ok(key);
}
