import { escapeMarkup } from '../text/markdown/write-markup.ts';

/** The members of a JSON Schema that pages show. */
interface SchemaView {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: SchemaView;
  readonly properties?: Readonly<Record<string, SchemaView>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly SchemaView[];
  readonly oneOf?: readonly SchemaView[];
  readonly allOf?: readonly SchemaView[];
}

/** A body of one media type, with an example or several by name. */
interface MediaView {
  readonly schema?: SchemaView;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface ResponseView {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaView>>;
}

interface OperationView {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: SchemaView;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaView>> };
  readonly responses: Readonly<Record<string, ResponseView>>;
}

/** The members of the OpenAPI document that pages show. */
export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaView>> };
}

export interface PlacedOperation extends OperationView {
  readonly method: string;
  readonly path: string;
}

/** All operations in the order of the document. */
export function operationsOf(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
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

/** Rows of a table of members: name, type with bounds, meaning; as HTML with everything escaped. */
export function memberRows(schema: SchemaView | undefined, document: ApiDocument, prefix = '', depth = 1): string[][] {
  const resolved = resolveSchema(schema, document);
  const object = resolved.type === 'array' ? resolveSchema(resolved.items, document) : resolved;
  const required = new Set(object.required ?? []);
  return Object.entries(object.properties ?? {}).flatMap(([name, member]) => {
    const target = resolveSchema(member, document);
    const isList = target.type === 'array';
    const label = `${prefix}${name}${isList ? '[]' : ''}`;
    const row = [
      `<code>${escapeMarkup(label)}</code>`,
      `${describeType(target, document)}${required.has(name) ? '' : ', optional'}`,
      escapeMarkup(target.description ?? ''),
    ];
    const nested = isList ? resolveSchema(target.items, document) : target;
    return nested.properties && depth < MAX_DEPTH ? [row, ...memberRows(nested, document, `${label}.`, depth + 1)] : [row];
  });
}

/** Type and bounds of a schema in words, as HTML. */
export function describeType(schema: SchemaView, document: ApiDocument): string {
  if (schema.const !== undefined) return `always <code>${escapeMarkup(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return `one of ${schema.enum.map((value) => `<code>${escapeMarkup(String(value))}</code>`).join(', ')}`;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => describeType(resolveSchema(option, document), document)).join(' or ');
  if (typeof schema.type === 'object') return schema.type.map((type) => describeType({ ...schema, type }, document)).join(' or ');
  if (schema.type === 'array')
    return `list of ${describeType(resolveSchema(schema.items, document), document)}${bounds(schema.minItems, schema.maxItems, 'item')}`;
  const name = FORMAT_WORDS[schema.format ?? ''] ?? TYPE_WORDS[schema.type ?? ''] ?? 'any value';
  const limits =
    schema.type === 'string'
      ? bounds(schema.minLength, schema.maxLength, 'character')
      : bounds(schema.minimum, schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum);
  const fallback = schema.default === undefined ? '' : `, ${escapeMarkup(JSON.stringify(schema.default))} by default`;
  return name + limits + fallback;
}

/** Bounds in words; a minimum of 0 is implied. */
function bounds(least: number | undefined, most: number | undefined, unit = ''): string {
  const words = (limit: string, value: number | undefined): string =>
    value ? `, ${limit} ${value}${unit === '' ? '' : ` ${unit}${value === 1 ? '' : 's'}`}` : '';
  return words('at least', least) + words('at most', most);
}

/** Lines of an example response on a page; the OpenAPI document has all. */
const MAX_LINES = 60;

/** A request with curl, as shell command. */
export function curlOf(operation: PlacedOperation, document: ApiDocument): string {
  const base = document.servers[0]?.url ?? '';
  let path = operation.path;
  const query: string[] = [];
  const headers: string[] = [];
  for (const { name, in: place, required, example } of operation.parameters ?? []) {
    if (example === undefined) continue;
    if (place === 'path') path = path.replace(`{${name}}`, String(example));
    if (place === 'header' && required === true) headers.push(`  -H '${name}: ${String(example)}'`);
    if (place === 'query') query.push(`${name}=${encodeURIComponent(String(example))}`);
  }
  const lines = [`curl -s '${base}${path}${query.length === 0 ? '' : `?${query.join('&')}`}'`];
  if (operation.security.length > 0) lines.push(`  -H "Authorization: Bearer $API_KEY"`);
  lines.push(...headers);
  const body = operation.requestBody?.content['application/json'];
  if (body) {
    const [example] = examplesOf(body);
    const data = example === undefined ? '--data-binary @body.json' : `-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`;
    lines.push(`  -H 'Content-Type: application/json'`, `  ${data}`);
  }
  return lines.join(' \\\n');
}

/** Examples of a body; the first belongs to the response that is shown. */
function examplesOf({ example, examples }: MediaView): unknown[] {
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

/** An example with long texts and lists cut, so that its shape can be seen. */
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
  readonly rows: string[][];
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
    return [{ id: 'body-members', rows: memberRows(single ?? schema, document) }];
  }
  return schema.oneOf.map((option, index) => {
    const form = resolveSchema(option, document);
    const constants = Object.entries(form.properties ?? {}).filter(([, member]) => member.const !== undefined);
    const example = examples.find((value) => constants.every(([name, member]) => memberOf(value, name) === member.const));
    return {
      id: `body-${index + 1}`,
      title: form.title ?? `Form ${index + 1}`,
      description: form.description ?? '',
      rows: memberRows(form, document),
      ...(example === undefined ? {} : { example: JSON.stringify(example, null, 2) }),
    };
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
