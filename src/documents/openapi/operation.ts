import type * as z from 'zod';
import { OUTAGE_RETRY_SECONDS } from '../../gateway/error-next-actions.ts';
import { DEPLOY_SETTLES_SECONDS, type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { errorsOf, type Protocol, type Route, type RouteResponse, statusOf } from '../../http/define-route.ts';
import { problemDocument } from '../../http/render-problem.ts';
import { fillPath } from '../../http/route-paths.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { GATEWAY_VERSION, LIMITS, RATE_LIMITS } from '../../schemas/limits.ts';
import { problemPath } from '../../schemas/paths.ts';
import type { Problem } from '../../schemas/problem-details.ts';
import type { OperationExample } from '../../text/publication-model.ts';
import type { SchemaLibrary } from './component-schemas.ts';
import {
  componentRef,
  type OperationObject,
  type ParameterObject,
  pascalCase,
  type Reference,
  type ResponseObject,
} from './openapi-types.ts';

export const SECURITY_SCHEME = 'apiKey';
export const MISSING_FILE = 'MissingFile';
export const NOT_MODIFIED = 'NotModified';

const PAGE = '<!DOCTYPE html><html lang="en"><head><title>…</title></head><body><main>…</main></body></html>';

interface OperationParts {
  readonly schemas: SchemaLibrary;
  readonly problems: ReturnType<typeof problemLibrary>;
  readonly examples: ReadonlyMap<string, OperationExample>;
}

export function operationObject(route: Route, parts: OperationParts): OperationObject {
  const example = parts.examples.get(route.id);
  const parameters = parametersOf(route, example);
  return {
    operationId: route.id,
    summary: route.summary,
    description: route.description,
    tags: [route.capability],
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, example, parts.schemas) }),
    ...(route.acceptsBytes ? { requestBody: signedBytes(example) } : {}),
    responses: {
      ...responsesOf(route, example, parts.schemas),
      ...(hasEntityTag(route) || route.servesBuiltPage ? { '304': componentRef('responses', NOT_MODIFIED) } : {}),
      // A file, or a page that a function passes on.
      ...(route.servedBy === 'file' || route.responses.some(({ content }) => content?.type === 'text/html')
        ? { '404': componentRef('responses', MISSING_FILE) }
        : {}),
      ...parts.problems.of(route),
    },
  };
}

/** An operation that accepts a key, but does not need one, has an empty alternative (OpenAPI 3.1.1, "Operation Object"). */
function securityOf({ access, acceptsKey }: Route): readonly JsonObject[] {
  const key = { [SECURITY_SCHEME]: [] };
  if (access !== 'open') return [key];
  return acceptsKey === undefined ? [] : [{}, key];
}

function signedBytes(example: OperationExample | undefined): JsonObject {
  return {
    required: true,
    description: 'The bytes exactly as they were signed.',
    content: { 'application/json': { schema: { type: 'object' }, ...requestExamples(example) } },
  };
}

function requestBody(
  { bodyLimits, bodyTypes = ['application/json'], bodyOptional }: Route,
  schema: NonNullable<Route['body']>,
  example: OperationExample | undefined,
  schemas: SchemaLibrary,
): JsonObject {
  const described = schemas.use(schema, 'request');
  return {
    required: !bodyOptional,
    description: `One JSON object in UTF-8${bodyTypes.length > 1 ? ', or the fields of a form' : ''}, at most ${bodyLimits?.maxBytes ?? LIMITS.bodyMaxBytes} bytes.`,
    content: Object.fromEntries(
      bodyTypes.map((type) => [type, { schema: described, ...(type === 'application/json' ? requestExamples(example) : {}) }]),
    ),
  };
}

function requestExamples({ request, otherRequests }: Partial<OperationExample> = {}): JsonObject {
  if (request === undefined) return {};
  if (otherRequests === undefined) return { example: request };
  return {
    examples: Object.fromEntries(Object.entries({ answered: request, ...otherRequests }).map(([name, value]) => [name, { value }])),
  };
}

function responsesOf(route: Route, example: OperationExample | undefined, schemas: SchemaLibrary) {
  const responses: Record<number, ResponseObject> = {};
  for (const { status, description, content } of route.responses) {
    const before = responses[status];
    responses[status] = {
      description: before?.description ?? description,
      ...(route.servedBy === 'function' ? { headers: headerRefs(ownHeaders(route, status)) } : {}),
      ...(content && { content: { ...before?.content, [content.type]: mediaType(content, before && description, example, schemas) } }),
    };
  }
  return responses;
}

function ownHeaders(route: Route, status: RouteResponse['status']): HeaderName[] {
  if (status === 302 || status === 303 || status === 308) return ['Location'];
  return hasEntityTag(route) ? ['ETag'] : [];
}

/** @param description Of this media type, where the description of the response is about another one. */
function mediaType(
  { type, schema: declared }: NonNullable<RouteResponse['content']>,
  description: string | undefined,
  { otherForms, response }: Partial<OperationExample> = {},
  schemas: SchemaLibrary,
): JsonObject {
  const schema = schemas.use(declared, 'response');
  const markdown = type === 'text/markdown' ? (response as { readonly markdown?: string } | undefined)?.markdown : undefined;
  const value = otherForms?.[type] ?? (type === 'text/html' ? PAGE : type.endsWith('json') ? response : markdown);
  return {
    schema: description === undefined ? schema : { ...schema, description },
    ...(value === undefined ? {} : { example: value }),
  };
}

/** Parameters of an operation. Fields are converted one by one: a named schema would become a reference and lose its parameters. */
function parametersOf(route: Route, example: OperationExample | undefined): ParameterObject[] {
  const values = example?.parameters ?? {};
  return [
    ...fieldsOf(route.pathParameters).map(([name, field]) => parameter(name, 'path', field, values[name])),
    ...fieldsOf(route.queryParameters).map(([name, field]) => parameter(name, 'query', field, values[name])),
    ...(route.headers ?? []).map(
      ({ name, description, minLength, maxLength, required = false, example: value }): ParameterObject => ({
        name,
        in: 'header',
        description,
        required: required !== false,
        schema: { type: 'string', minLength, maxLength, pattern: name === 'Idempotency-Key' ? '^[\\x21-\\x7e]+$' : '^[\\x20-\\x7e]+$' },
        example: value ?? '8e03978e-40d5-43e8-bc93-6894a57f9324',
      }),
    ),
  ];
}

function fieldsOf(schema: z.ZodType | undefined): [string, z.ZodType][] {
  if (schema === undefined) return [];
  if (!('shape' in schema)) throw new TypeError('parameters must be declared as an object schema');
  return Object.entries(schema.shape as Record<string, z.ZodType>);
}

function parameter(name: string, place: 'path' | 'query', field: z.ZodType, example: string | undefined): ParameterObject {
  const { description, ...schema } = inlineSchema(field, 'request');
  return {
    name,
    in: place,
    description: typeof description === 'string' ? description : name,
    required: place === 'path' || !field.safeParse(undefined).success,
    // A value without a bound of its own is bounded by the length of the address.
    schema:
      schema['type'] === 'string' && !('maxLength' in schema) && !('enum' in schema)
        ? { ...schema, maxLength: LIMITS.requestUrlMaxLength }
        : schema,
    ...(example === undefined ? {} : { example: schema['type'] === 'integer' ? Number(example) : example }),
  };
}

const NETWORK = RATE_LIMITS.network;

export const HEADERS = {
  'X-Request-Id': {
    description:
      "Id of the request: the caller's own, if it has at most 64 letters, digits, hyphens and underscores, else a new one. Errors contain it, too.",
    schema: { type: 'string', maxLength: 64 },
    example: '9f86d081884c7d659a2feaa0',
  },
  'Gateway-Version': { description: 'Date of the interface.', schema: { type: 'string', format: 'date' }, example: GATEWAY_VERSION },
  'RateLimit-Policy': {
    description:
      'Limits and quotas that the request counts against (draft-ietf-httpapi-ratelimit-headers): q requests in w seconds. Absent if limits are lifted.',
    schema: { type: 'string' },
    example: `"network";q=${NETWORK.requests};w=${NETWORK.windowSeconds}`,
  },
  RateLimit: {
    description:
      'What remains of each limit or quota: r requests, all available again in t seconds; if none remains, the next one in t seconds.',
    schema: { type: 'string' },
    example: `"network";r=${NETWORK.requests - 1};t=1`,
  },
  ETag: {
    description: 'Digest of the body. Send it in If-None-Match to get 304 if nothing has changed.',
    schema: { type: 'string' },
    example: '"5891b5b522d5df086d0ff0b110fbd9d2"',
  },
  Location: { description: 'Address of the redirect.', schema: { type: 'string', format: 'uri' } },
  'Retry-After': {
    description: 'Seconds to wait before you send the same request again.',
    schema: { type: 'integer', minimum: 0 },
    example: OUTAGE_RETRY_SECONDS,
  },
  'WWW-Authenticate': { description: 'Bearer challenge (RFC 6750), with the address where a key is issued.', schema: { type: 'string' } },
} as const satisfies Record<string, JsonObject>;

type HeaderName = keyof typeof HEADERS;

const COMMON: readonly HeaderName[] = ['X-Request-Id', 'Gateway-Version', 'RateLimit-Policy', 'RateLimit'];

export function headerRefs(more: readonly HeaderName[] = []): JsonObject {
  return Object.fromEntries([...COMMON, ...more].map((name) => [name, componentRef('headers', name)]));
}

function hasEntityTag({ method, cache, servedBy }: Route): boolean {
  return method === 'GET' && cache !== 'no-store' && servedBy === 'function';
}

const WITHOUT_PAGE: readonly ErrorCode[] = ['internal'];

/** Groups errors by status, because the codes of a status share a response. Equal groups are one component. */
export function problemLibrary(table: readonly Route[], baseUrl: string, problem: JsonObject, schemaOf: (schema: z.ZodType) => JsonObject) {
  const responses: Record<string, ResponseObject> = {};
  const examples: JsonObject = {};
  const byRoute = new Map<Route, Record<string, Reference>>();
  for (const route of table.filter(({ servedBy }) => servedBy === 'function')) {
    const { protocol } = route;
    const references: Record<string, Reference> = {};
    const byStatus = Map.groupBy(errorsOf(route), (code) => statusOf(code, protocol));
    for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
      const page = route.refusalPage !== undefined && codes.some((code) => !WITHOUT_PAGE.includes(code));
      const kind = protocol ? pascalCase(protocol.name) : page ? 'Page' : 'Problem';
      const name = `${kind}${status}${codes.map(pascalCase).join('')}`;
      const response = problemResponse(status, codes, baseUrl, problem);
      if (protocol) responses[name] ??= { ...response, content: protocolErrors(codes, protocol, baseUrl, schemaOf) };
      else responses[name] ??= page ? { ...response, content: { ...response.content, 'text/html': ERROR_PAGE } } : response;
      for (const code of protocol ? [] : codes)
        examples[`Problem${pascalCase(code)}`] ??= { summary: errorEntry(code).title, value: exampleProblem(code, route.path, baseUrl) };
      references[String(status)] = componentRef('responses', name);
    }
    byRoute.set(route, references);
  }
  return { responses, examples, of: (route: Route): Record<string, Reference> => byRoute.get(route) ?? {} };
}

const ERROR_PAGE = { schema: { type: 'string', description: 'The same as a page, for callers that prefer HTML, such as browsers.' } };

function protocolErrors(
  codes: readonly ErrorCode[],
  { errorSchema, errorBody }: Protocol,
  baseUrl: string,
  schemaOf: (schema: z.ZodType) => JsonObject,
): NonNullable<ResponseObject['content']> {
  const examples = codes.map((code) => {
    const { title, explanation } = errorEntry(code);
    return [code, { summary: title, value: errorBody({ code, detail: explanation }, baseUrl) }];
  });
  return { 'application/json': { schema: schemaOf(errorSchema), examples: Object.fromEntries(examples) } };
}

function problemResponse(status: number, codes: readonly ErrorCode[], baseUrl: string, problem: JsonObject): ResponseObject {
  const lines = codes.map((code) => `- [\`${code}\`](${baseUrl}${problemPath(code)}): ${errorEntry(code).title}.`);
  return {
    description: `One of these errors, by \`code\`:\n${lines.join('\n')}`,
    headers: headerRefs([
      ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
      ...(codes.some((code) => retrySecondsOf(code) !== undefined) ? (['Retry-After'] as const) : []),
    ]),
    content: {
      'application/problem+json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, componentRef('examples', `Problem${pascalCase(code)}`)])),
      },
    },
  };
}

const EXAMPLE_REQUEST_ID = '9f86d081884c7d659a2feaa0';

function retrySecondsOf(code: ErrorCode): number | undefined {
  return code === 'feed_restarted' ? DEPLOY_SETTLES_SECONDS : errorEntry(code).retryAfterSeconds;
}

/** With an invented request id. @param path Of the operation that answers with it, such as `/orders/{receipt}`. */
export function exampleProblem(code: ErrorCode, path: string, baseUrl: string): Problem {
  const errors = [{ pointer: '/agent_name', message: `must have at most ${LIMITS.agentNameMaxLength} characters` }];
  const retryAfterSeconds = retrySecondsOf(code);
  const refusal = {
    code,
    detail: errorEntry(code).explanation,
    ...(code === 'invalid_request' ? { errors } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return problemDocument(refusal, { baseUrl, requestId: EXAMPLE_REQUEST_ID, path: fillPath(path, () => 'no-such-id') });
}
