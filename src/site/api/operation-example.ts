import { type ApiDocument, type MediaView, type PlacedOperation, resolveSchema } from './api-document.ts';
import { memberRows } from './schema-table.ts';

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

/** One form of a request body. */
interface BodyForm {
  /** Fragment of the page. */
  readonly id: string;
  /** Absent if the body has only one form, like `description` and `example`. */
  readonly title?: string;
  readonly description?: string;
  /** Rows of the table of members, as HTML. */
  readonly rows: string[][];
  /** A body of this form, as JSON. */
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
