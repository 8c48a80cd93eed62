import type * as z from 'zod';
import type { Route, RouteResponse } from '../../http/define-route.ts';
import type { OperationExample } from '../../publication/publication.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { componentRef, type OperationObject, type ParameterObject, type Reference, type ResponseObject } from './document.ts';
import { type HeaderName, hasEntityTag, headerRefs } from './headers.ts';
import type { ProblemLibrary } from './problems.ts';
import type { SchemaLibrary } from './schemas.ts';

/** Name of the security scheme. */
export const SECURITY_SCHEME = 'apiKey';
/** Response for a missing file, with a body of the host. */
export const MISSING_FILE = 'MissingFile';
/** Response when the entity tag still matches. */
export const NOT_MODIFIED = 'NotModified';

/** Example of a page. */
const PAGE = '<!DOCTYPE html><html lang="en"><head><title>…</title></head><body><main>…</main></body></html>';

/** Shared parts of all operations. */
export interface OperationParts {
  readonly schemas: SchemaLibrary;
  readonly problems: ProblemLibrary;
  readonly examples: ReadonlyMap<string, OperationExample>;
}

/** The operation of a route in a deployment with functions. */
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
      ...(servesFiles(route) ? { '404': componentRef('responses', MISSING_FILE) } : {}),
      ...parts.problems.of(route),
    },
  };
}

/** An operation that accepts a key, but does not need one, has an empty alternative (OpenAPI 3.1.1, "Operation Object"). */
function securityOf({ access, acceptsKey }: Route): readonly JsonObject[] {
  const key = { [SECURITY_SCHEME]: [] };
  if (access !== 'open') return [key];
  return acceptsKey === true ? [{}, key] : [];
}

/** Whether the host sends the body: a file, or a page that a function passes on. */
function servesFiles({ servedBy, responses }: Route): boolean {
  return servedBy === 'file' || responses.some(({ content }) => content?.type === 'text/html');
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

/** The example of a body. A body with several forms has one for each; the first belongs to the example response. */
function requestExamples({ request, otherRequests }: Partial<OperationExample> = {}): JsonObject {
  if (request === undefined) return {};
  if (otherRequests === undefined) return { example: request };
  return {
    examples: Object.fromEntries(Object.entries({ answered: request, ...otherRequests }).map(([name, value]) => [name, { value }])),
  };
}

/** Responses by status. If several have the same status, the first describes the status, and each of the others its schema. */
function responsesOf(
  route: Route,
  example: OperationExample | undefined,
  schemas: SchemaLibrary,
): Record<string, ResponseObject | Reference> {
  const responses: Record<string, ResponseObject> = {};
  for (const response of route.responses) {
    const before = responses[String(response.status)];
    const description = before ? undefined : response.description;
    responses[String(response.status)] = {
      description: before?.description ?? response.description,
      ...(route.servedBy === 'function' ? { headers: headerRefs(ownHeaders(route, response)) } : {}),
      ...(response.content === undefined
        ? {}
        : { content: { ...before?.content, [response.content.type]: mediaType(response, description, example, schemas) } }),
    };
  }
  return responses;
}

function ownHeaders(route: Route, { status }: RouteResponse): HeaderName[] {
  if (status === 302 || status === 303 || status === 308) return ['Location'];
  return hasEntityTag(route) ? ['ETag'] : [];
}

function mediaType(
  { content, description }: RouteResponse,
  responseDescription: string | undefined,
  example: OperationExample | undefined,
  schemas: SchemaLibrary,
): JsonObject {
  if (content === undefined) return {};
  const schema = schemas.use(content.schema, 'response');
  const isText = content.type === 'text/markdown';
  const value =
    example?.otherForms?.[content.type] ??
    (content.type === 'text/html' ? PAGE : undefined) ??
    (isText ? textOf(example?.response) : content.type.endsWith('json') ? example?.response : undefined);
  return {
    schema: responseDescription === undefined ? { ...schema, description } : schema,
    ...(value === undefined ? {} : { example: value }),
  };
}

/** The text of a capsule in its JSON response. */
function textOf(response: unknown): string | undefined {
  return typeof response === 'object' && response !== null && 'markdown' in response && typeof response.markdown === 'string'
    ? response.markdown
    : undefined;
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
    ...(example === undefined ? {} : { example }),
  };
}
