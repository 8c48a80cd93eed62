import type * as z from 'zod';
import type { OpenApiObject, OperationObject, ParameterObject } from '../documents/openapi/openapi-types.ts';
import { PATHS } from '../schemas/paths.ts';
import { escapeMarkup } from '../text/markdown/write-markup.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The members of JSON Schema that pages show; every schema within another one is an object. */
interface SchemaView
  extends Pick<JsonSchema, '$ref' | 'type' | 'title' | 'description' | 'enum' | 'const' | 'default' | 'format' | 'required'>,
    Pick<JsonSchema, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'> {
  readonly items?: SchemaView;
  readonly properties?: Readonly<Record<string, SchemaView>>;
  readonly anyOf?: readonly SchemaView[];
  readonly oneOf?: readonly SchemaView[];
}

interface MediaView {
  readonly schema?: SchemaView;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface OperationView extends Required<Pick<OperationObject, 'operationId' | 'summary' | 'description' | 'tags' | 'security'>> {
  readonly parameters?: readonly (ParameterObject & { readonly schema: SchemaView })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaView>> };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, MediaView>> }>>;
}

/** The members of the OpenAPI document that pages show. */
export interface ApiDocument extends Pick<OpenApiObject, 'tags'> {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaView>> };
}

export interface PlacedOperation extends OperationView {
  readonly method: string;
  readonly path: string;
}

export function operationsOf(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Whether an operation needs an API key. An empty alternative makes it optional (OpenAPI 3.1.1, "Security Requirement Object"). */
export function keyUse({ security }: OperationView): 'none' | 'optional' | 'required' {
  if (security.length === 0) return 'none';
  return security.some((alternative) => Object.keys(alternative).length === 0) ? 'optional' : 'required';
}

/** The schema behind a reference; a description beside the reference takes precedence. */
export function resolveSchema(schema: SchemaView | undefined, document: ApiDocument): SchemaView {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined
    ? (schema ?? {})
    : { ...document.components.schemas[name], ...(schema?.description ? { description: schema.description } : {}) };
}

/** Levels of nested members on a page; the OpenAPI document has all. */
const MAX_DEPTH = 3;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};
const FORMAT_WORDS: Readonly<Record<string, string>> = { date: 'date', 'date-time': 'UTC time' };

/** A member of an object, or a parameter of a request; texts as HTML with everything escaped. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly meaning: string;
  /** Its own members: one group, or one for each form that it may have. */
  readonly groups: readonly { readonly title?: string; readonly members: readonly Member[] }[];
}

export function membersOf(schema: SchemaView | undefined, document: ApiDocument, depth = 1): Member[] {
  const resolved = resolveSchema(schema, document);
  const object = resolved.type === 'array' ? resolveSchema(resolved.items, document) : resolved;
  const required = new Set(object.required ?? []);
  return Object.entries(object.properties ?? {}).map(([name, member]) =>
    memberOf({ name, schema: member, isRequired: required.has(name) }, document, depth),
  );
}

export function parametersOf({ parameters = [] }: OperationView, document: ApiDocument): Member[] {
  return parameters.map(({ name, in: place, required = false, description, schema }) => {
    const member = memberOf(
      { name, schema: { ...resolveSchema(schema, document), description: description ?? '' }, isRequired: required },
      document,
    );
    return { ...member, type: `${place}, ${member.type}` };
  });
}

function memberOf(
  { name, schema, isRequired }: { name: string; schema: SchemaView | undefined; isRequired: boolean },
  document: ApiDocument,
  depth = 1,
): Member {
  const target = resolveSchema(schema, document);
  const inner = target.type === 'array' ? resolveSchema(target.items, document) : target;
  const forms = (inner.anyOf ?? inner.oneOf ?? [inner])
    .map((form) => resolveSchema(form, document))
    .filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return {
    name: escapeMarkup(name),
    type: describeType(target, document),
    isRequired,
    meaning: escapeMarkup(target.description ?? ''),
    groups:
      depth < MAX_DEPTH
        ? forms.map((form) => ({ ...(forms.length > 1 && { title: titleOf(form) }), members: membersOf(form, document, depth + 1) }))
        : [],
  };
}

/** What tells a form of an object from others: its title, or the values that one of its members has. */
function titleOf({ title, properties = {} }: SchemaView): string {
  const [name, { const: value, enum: values = [value] } = {}] =
    Object.entries(properties).find(([, { const: fixed, enum: some }]) => typeof fixed === 'string' || some) ?? [];
  return title ?? (name === undefined ? 'another form' : `${name} ${values.map((each) => `"${each}"`).join(', ')}`);
}

function describeType(schema: SchemaView, document: ApiDocument): string {
  if (schema.const !== undefined) return `always <code>${escapeMarkup(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return `one of ${schema.enum.map((value) => `<code>${escapeMarkup(String(value))}</code>`).join(', ')}`;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => describeType(resolveSchema(option, document), document)))].join(' or ');
  if (typeof schema.type === 'object') return schema.type.map((type) => describeType({ ...schema, type }, document)).join(' or ');
  if (schema.type === 'array')
    return `list of ${describeType(resolveSchema(schema.items, document), document)}${bounds(schema.minItems, schema.maxItems, 'item')}`;
  const name = FORMAT_WORDS[schema.format ?? ''] ?? TYPE_WORDS[schema.type ?? ''] ?? 'any value';
  const limits =
    schema.type === 'string'
      ? bounds(schema.minLength, schema.maxLength, 'character')
      : bounds(schema.minimum, schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum);
  return name + limits + (schema.default === undefined ? '' : `, ${escapeMarkup(JSON.stringify(schema.default))} by default`);
}

/** Bounds in words; a minimum of 0 is implied. */
function bounds(least: number | undefined, most: number | undefined, unit = ''): string {
  const words = (limit: string, value: number | undefined): string =>
    value ? `, ${limit} ${value}${unit === '' ? '' : ` ${unit}${value === 1 ? '' : 's'}`}` : '';
  return words('at least', least) + words('at most', most);
}

/** Lines of an example response on a page; the OpenAPI document has all. */
const MAX_LINES = 40;

type ExampleRequest = ReturnType<typeof exampleRequest>;

function exampleRequest(operation: PlacedOperation, document: ApiDocument) {
  const { method, parameters = [], requestBody } = operation;
  const known = parameters.filter(({ example }) => example !== undefined);
  const body = requestBody?.content['application/json'];
  const query = known
    .filter(({ in: place }) => place === 'query')
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const path = known
    .filter(({ in: place }) => place === 'path')
    .reduce((address, { name, example }) => address.replace(`{${name}}`, String(example)), operation.path);
  return {
    method,
    url: `${document.servers[0]?.url ?? ''}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    hasKey: keyUse(operation) === 'required',
    headers: known
      .filter(({ in: place, required }) => place === 'header' && required)
      .map(({ name, example }) => [name, String(example)] as const),
    hasBody: body !== undefined,
    body: body && examplesOf(body)[0],
    values: Object.fromEntries(known.filter(({ in: place }) => place !== 'header').map(({ name, example }) => [name, example])),
  };
}

export function samplesOf(operation: PlacedOperation, document: ApiDocument) {
  const request = exampleRequest(operation, document);
  const isJson = responseExample(operation) !== undefined;
  const call = PATHS.mcp in document.paths ? TOOL_CALLS[operation.operationId]?.(request) : undefined;
  const params = call && { name: call[0], arguments: call[1] };
  return [
    { id: 'curl', label: 'curl', language: 'sh', code: curlOf(request) },
    { id: 'typescript', label: 'TypeScript', language: 'ts', code: typescriptOf(request, isJson) },
    { id: 'python', label: 'Python', language: 'python', code: pythonOf(request, isJson) },
    ...(params ? [{ id: 'mcp', label: 'MCP', language: 'json', code: indented({ method: 'tools/call', params }) }] : []),
  ];
}

/** curl sends GET, and POST with a body; other methods are named. */
function curlOf({ method, url, hasKey, headers, hasBody, body }: ExampleRequest): string {
  const lines = [`curl -s ${method === 'GET' || (method === 'POST' && hasBody) ? '' : `-X ${method} `}'${url}'`];
  if (hasKey) lines.push(`  -H "Authorization: Bearer $API_KEY"`);
  lines.push(...headers.map(([name, value]) => `  -H '${name}: ${value}'`));
  if (hasBody) {
    const data = body === undefined ? '--data-binary @body.json' : `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
    lines.push(`  -H 'Content-Type: application/json'`, `  ${data}`);
  }
  return lines.join(' \\\n');
}

function typescriptOf({ method, url, hasKey, headers, hasBody, body }: ExampleRequest, isJson: boolean): string {
  const fields = [
    ...(hasKey ? [`Authorization: \`Bearer \${process.env.API_KEY}\``] : []),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(hasBody ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(fields.length === 0 ? [] : [`headers: { ${fields.join(', ')} }`]),
    ...(hasBody ? [`body: JSON.stringify(${indented(body ?? {}, '  ')})`] : []),
  ];
  const rest = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return `const answer = await fetch('${url}'${rest});\nconsole.log(answer.status, await answer.${isJson ? 'json' : 'text'}());`;
}

/** With the package requests: hosts may refuse what the standard library calls itself. */
function pythonOf({ method, url, hasKey, headers, hasBody, body }: ExampleRequest, isJson: boolean): string {
  const fields = [
    ...(hasKey ? [`"Authorization": f"Bearer {os.environ['API_KEY']}"`] : []),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const options = [
    JSON.stringify(url),
    ...(fields.length === 0 ? [] : [`headers={${fields.join(', ')}}`]),
    ...(hasBody ? [`json=${pythonValue(body ?? {})}`] : []),
  ];
  const imports = hasKey ? 'import os\nimport requests' : 'import requests';
  const call = `requests.${method.toLowerCase()}(\n${options.map((option) => `    ${option},\n`).join('')})`;
  return `${imports}\n\nanswer = ${call}\nprint(answer.status_code, answer.${isJson ? 'json()' : 'text'})`;
}

const PYTHON_NAMES: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** A JSON value in Python, which has other names for three literals. Only a literal ends a line. */
function pythonValue(value: unknown): string {
  return indented(value, '    ').replace(/(?:true|false|null)(?=,?$)/gm, (name) => PYTHON_NAMES[name] ?? name);
}

function indented(value: unknown, before = ''): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${before}`);
}

type ToolCall = (request: ExampleRequest) => readonly [name: string, args: unknown];

/** Operations that a tool of the MCP server does as well (`src/protocols/mcp/knowledge-tools.ts`), and its arguments. */
const TOOL_CALLS: Readonly<Record<string, ToolCall>> = {
  queryKnowledge: ({ body }) => ['query', body],
  searchKnowledge: ({ values }) => ['search', { query: values['q'] }],
  getCapsule: ({ values }) => ['fetch', { id: values['capsule_id'] }],
  getCapsuleLineage: ({ values }) => ['fetch', { id: values['capsule_id'], include: ['lineage'] }],
  getRelatedCapsules: ({ values }) => ['fetch', { id: values['capsule_id'], include: ['related'] }],
  verifyQuote: ({ values: { capsule_id: id, text: quote, ...rest } }) => ['verify_quote', { id, quote, ...rest }],
  browseCapsules: ({ values }) => ['browse', values],
  getOffers: () => ['offers', {}],
};

/**
 * Whether its page offers to send a request: it answers with JSON at once, and neither buys, nor leads to where one pays, nor writes to the
 * publisher.
 */
export function isTried({ method, tags, responses }: PlacedOperation): boolean {
  const answers = Object.entries(responses);
  return (
    (method === 'GET' || !tags.includes('commerce')) &&
    answers.some(([status, { content = {} }]) => /^20[01]$/.test(status) && Object.keys(content).some((type) => type.endsWith('json'))) &&
    !answers.some(([status]) => /^30[23]$/.test(status))
  );
}

/** Examples of a body; the first belongs to the response that is shown. */
export function examplesOf({ example, examples }: MediaView): unknown[] {
  return example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
}

/** The example of a successful response as JSON, shortened. */
export function responseExample({ responses }: PlacedOperation): { code: string; status: string } | undefined {
  for (const [status, { content }] of Object.entries(responses)) {
    const example = content?.['application/json']?.example;
    if (example === undefined || !status.startsWith('2')) continue;
    const lines = JSON.stringify(shorten(example), null, 2).split('\n');
    return { status, code: (lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines).join('\n') };
  }
  return undefined;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 160 ? `${value.slice(0, 157)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 3).map(shorten);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
  return value;
}

interface BodyForm {
  readonly id: string;
  /** Absent if the body has only one form, like `description` and `example`. */
  readonly title?: string;
  readonly description?: string;
  readonly members: readonly Member[];
  readonly example?: string;
}

/** The forms of a request body: the members of a union, or the only form. */
export function bodyForms(body: MediaView | undefined, document: ApiDocument): BodyForm[] {
  if (body === undefined) return [];
  const schema = resolveSchema(body.schema, document);
  const examples = examplesOf(body);
  if (schema.oneOf === undefined) {
    // Where a batch may be sent, its items have the form that is shown.
    const single = schema.anyOf?.map((option) => resolveSchema(option, document)).find(({ items }) => items === undefined);
    return [{ id: 'body-members', members: membersOf(single ?? schema, document) }];
  }
  return schema.oneOf.map((option, index) => {
    const form = resolveSchema(option, document);
    const constants = Object.entries(form.properties ?? {}).filter(([, member]) => member.const !== undefined);
    const example = examples.find((value) => constants.every(([name, member]) => constantOf(value, name) === member.const));
    return {
      id: `body-${index + 1}`,
      title: form.title ?? `Form ${index + 1}`,
      description: form.description ?? '',
      members: membersOf(form, document),
      ...(example === undefined ? {} : { example: JSON.stringify(example, null, 2) }),
    };
  });
}

function constantOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
