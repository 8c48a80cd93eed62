import { basename, dirname, posix, resolve } from 'node:path';
import { parse } from 'yaml';
import { UserError } from '../../../build/user-error.ts';
import { slugOf } from '../../../publication/read/content-ids.ts';
import { decoded } from '../../../text/markdown/text-references.ts';
import { convertMarkdown } from '../convert-page.ts';
import { sha256 } from '../imported-files.ts';
import { codeBlock, escapeText, tableCell } from '../markdown/markdown-forms.ts';
import { attempt, type ImportNote, type OpenOptions, type Source, type SourcePage, TEXT_MAX_BYTES } from '../source-page.ts';

type Json = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** Deepest schema that is listed member by member, and deepest type that is written in full. */
const MEMBERS_DEPTH = 3;

/**
 * Most members that are listed for an operation, and most choices of a type. Schemas refer to each other, so that a few of them can stand for more
 * members than there is room for.
 */
const MEMBERS_MAX = 1_000;
const CHOICES_MAX = 10;

/** Longest description of a member, and longest example, in characters. */
const DESCRIPTION_MAX = 500;
const EXAMPLE_MAX = 20_000;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly value: Json;
  readonly shared: readonly unknown[];
}

/** Whether a text is an OpenAPI document, in JSON or YAML. */
export function isOpenApi(text: string): boolean {
  return (
    /^\s*(?:\{[\s\S]{0,2000}?"(?:openapi|swagger)"\s*:\s*"|(?:#[^\n]*\n|---\n|\s)*["']?(?:openapi|swagger)["']?\s*:)/.test(
      text.slice(0, 4_000),
    ) || /\n["']?openapi["']?\s*:\s*["']?3/.test(text)
  );
}

/**
 * Reads an OpenAPI document (3.x, and what Swagger 2.0 has in common with it) as one page for each tag or operation.
 *
 * @param address Where it comes from: a path or a URL.
 * @throws {UserError} If it is not one, or describes no operation.
 */
export function readOpenApi(address: string, text: string, { by: unit, today }: OpenOptions): Source {
  const document = parsed(address, text);
  const operations = operationsOf(document);
  if (operations.length === 0) throw new UserError(`${address} describes no operation under "paths"; name a document with operations`);
  const info = record(document['info']);
  const digest = sha256(text);
  const page = (path: string, title: string, body: string, description: string, tags: readonly string[]): SourcePage => ({
    ...convertMarkdown({ path, source: text, fields: { title, description, tags }, body, sha256: digest }, { generator: 'openapi', today }),
    routes: [`/${path}`],
    url: /^https?:/.test(address) ? `${address}#${path}` : undefined,
  });
  const skipped: ImportNote[] = Object.keys(record(document['webhooks'])).map((name) => ({
    path: `webhooks/${name}`,
    line: text.slice(0, Math.max(0, text.indexOf(name, Math.max(0, text.indexOf('webhooks'))))).split('\n').length,
    message: 'is a webhook, which the site calls and no reader can, and is left out',
  }));
  const made =
    unit === 'operation'
      ? operations.flatMap(
          (operation) => attempt(() => operationPage(operation, document, page), `${operation.method} ${operation.path}`, skipped) ?? [],
        )
      : tagPages(operations, document, info, page, skipped);
  const pages = made.filter(({ path, text }) => {
    if (text.length <= TEXT_MAX_BYTES) return true;
    skipped.push({ path, line: 1, message: 'would have more than 1 MB, and is left out; import it with --by operation' });
    return false;
  });
  return {
    generator: 'openapi',
    from: /^https?:/.test(address) ? address : posix.join(basename(dirname(resolve(address))), basename(address)),
    pages: uniquePaths(pages),
    isGone: (path) => !pages.some((candidate) => candidate.path === path),
    skipped,
  };
}

function parsed(address: string, text: string): Json {
  let value: unknown;
  try {
    value = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { maxAliasCount: 1_000 });
  } catch (error) {
    throw new UserError(
      `${address} is neither valid JSON nor valid YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'it cannot be parsed'}`,
    );
  }
  const document = record(value);
  if (typeof document['openapi'] !== 'string' && typeof document['swagger'] !== 'string')
    throw new UserError(`${address} has no member "openapi"; name an OpenAPI document`);
  return document;
}

function operationsOf(document: Json): Operation[] {
  return Object.entries(record(document['paths'])).flatMap(([path, item]) => {
    const methods = record(resolved(item, document));
    return METHODS.flatMap((method) => {
      const value = record(methods[method]);
      if (Object.keys(value).length === 0) return [];
      const [tag] = Array.isArray(value['tags']) ? (value['tags'] as unknown[]) : [];
      const own =
        typeof tag === 'string' && tag !== ''
          ? tag
          : (path.split('/').find((part) => part !== '' && !part.startsWith('{')) ?? 'operations');
      return [{ method, path, tag: own, value, shared: list(methods['parameters']) }];
    });
  });
}

type MakePage = (path: string, title: string, body: string, description: string, tags: readonly string[]) => SourcePage;

function operationPage(operation: Operation, document: Json, page: MakePage): SourcePage {
  const { method, path, tag, value } = operation;
  const name = textOf(value['operationId']) || `${method} ${path}`;
  const summary = textOf(value['summary']);
  return page(
    `operations/${slugOf(name.replace(/([a-z0-9])([A-Z])/g, '$1-$2')) || 'operation'}`,
    summary || `${method.toUpperCase()} ${path}`,
    operationText(operation, document, 2),
    firstLine(textOf(value['description'])) || summary,
    [tag],
  );
}

function tagPages(operations: readonly Operation[], document: Json, info: Json, page: MakePage, skipped: ImportNote[]): SourcePage[] {
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  const descriptions = new Map(list(document['tags']).map((tag) => [textOf(record(tag)['name']), textOf(record(tag)['description'])]));
  return [...byTag].map(([tag, ofTag]) => {
    const description = descriptions.get(tag) ?? '';
    const body = [
      description,
      ...ofTag.flatMap(
        (operation) =>
          attempt(
            () =>
              `## ${escapeText(textOf(operation.value['summary']) || `${operation.method.toUpperCase()} ${operation.path}`)}\n\n${operationText(operation, document, 3)}`,
            `${operation.method} ${operation.path}`,
            skipped,
          ) ?? [],
      ),
    ];
    return page(
      `tags/${slugOf(tag) || 'operations'}`,
      [textOf(info['title']), tag].filter((part) => part !== '').join(': '),
      body.filter((part) => part !== '').join('\n\n'),
      firstLine(description),
      [tag],
    );
  });
}

function operationText({ method, path, value, shared }: Operation, document: Json, depth: number): string {
  const marks = '#'.repeat(depth);
  const room: Room = { members: MEMBERS_MAX };
  const parts = [
    `\`${method.toUpperCase()} ${path}\`${value['deprecated'] === true ? ' (deprecated)' : ''}`,
    nested(textOf(value['description']), depth),
  ];
  const parameters = [...shared, ...list(value['parameters'])].map((parameter) => record(resolved(parameter, document)));
  const fields = parameters.filter((parameter) => parameter['in'] !== 'body');
  if (fields.length > 0) {
    const rows = fields.map((parameter) => {
      const schema = resolved(parameter['schema'], document) ?? parameter;
      return [
        `\`${textOf(parameter['name'])}\``,
        textOf(parameter['in']),
        typeOf(schema, document),
        parameter['required'] === true ? 'yes' : 'no',
        textOf(parameter['description']) || textOf(record(schema)['description']),
      ];
    });
    parts.push(`${marks} Parameters`, table(['Name', 'In', 'Type', 'Required', 'Description'], rows));
  }
  const body = record(resolved(value['requestBody'], document));
  const bodySchema = mediaOf(body)['schema'] ?? parameters.find((parameter) => parameter['in'] === 'body')?.['schema'];
  if (bodySchema !== undefined)
    parts.push(
      `${marks} Request body`,
      nested(textOf(body['description']), depth),
      `Type: ${mediaTypes(body)}${typeOf(bodySchema, document)}`,
      memberList(bodySchema, document, 0, new Set(), room),
    );
  const responses = Object.entries(record(value['responses']));
  if (responses.length > 0) {
    parts.push(`${marks} Responses`);
    for (const [status, given] of responses) {
      const response = record(resolved(given, document));
      const schema = mediaOf(response)['schema'] ?? response['schema'];
      parts.push(`**${status}**: ${oneLine(textOf(response['description'])) || 'no description'}`);
      if (schema !== undefined && /^[2d]/.test(status))
        parts.push(`Type: ${mediaTypes(response)}${typeOf(schema, document)}`, memberList(schema, document, 0, new Set(), room));
    }
  }
  const example =
    exampleOf(body) ??
    responses.map(([, response]) => exampleOf(record(resolved(response, document)))).find((found) => found !== undefined);
  const written = example === undefined ? '' : (JSON.stringify(example, null, 2) ?? '');
  if (written !== '' && written.length <= EXAMPLE_MAX) parts.push(`${marks} Example`, codeBlock(written, 'json'));
  if (room.members < 0) parts.push(`The description has further members than the first ${MEMBERS_MAX}.`);
  return parts.filter((part) => part !== '').join('\n\n');
}

/** How many members may still be listed; less than none if some were left out. */
interface Room {
  members: number;
}

function memberList(given: unknown, document: Json, depth: number, seen: ReadonlySet<unknown>, room: Room): string {
  const schema = record(resolved(given, document));
  if (seen.has(schema) || depth > MEMBERS_DEPTH) return '';
  const within = new Set([...seen, schema]);
  if (schema['items'] !== undefined) return memberList(schema['items'], document, depth, within, room);
  const merged = [schema, ...list(schema['allOf']).map((part) => record(resolved(part, document)))];
  const required = new Set(merged.flatMap((part) => list(part['required'])));
  const lines = merged.flatMap((part) =>
    Object.entries(record(part['properties'])).flatMap(([name, member]) => {
      if (room.members < 0 || room.members-- === 0) return [];
      const value = record(resolved(member, document));
      const description = shortened(oneLine(textOf(value['description'])));
      const facts = [typeOf(member, document), required.has(name) ? 'required' : ''].filter((fact) => fact !== '').join(', ');
      const below = memberList(member, document, depth + 1, within, room);
      return `${'  '.repeat(depth)}- \`${name}\` (${facts})${description === '' ? '' : `: ${description}`}${below === '' ? '' : `\n${below}`}`;
    }),
  );
  return lines.join('\n');
}

/** A type in words: `array of Pet`, `string (date-time)`, `one of "a", "b"`. */
function typeOf(given: unknown, document: Json, depth = 0): string {
  const reference = textOf(record(given)['$ref']).split('/').at(-1) ?? '';
  const schema = record(resolved(given, document));
  if (Array.isArray(schema['enum']))
    return `one of ${schema['enum']
      .slice(0, 20)
      .map((value) => `\`${shortened(JSON.stringify(value))}\``)
      .join(', ')}`;
  const types = Array.isArray(schema['type']) ? schema['type'].join(' or ') : textOf(schema['type']);
  if (depth > MEMBERS_DEPTH) return reference || 'any';
  if (schema['items'] !== undefined) return `array of ${typeOf(schema['items'], document, depth + 1)}`;
  if (reference !== '') return reference;
  const choices = [...list(schema['oneOf']), ...list(schema['anyOf'])].slice(0, CHOICES_MAX);
  if (choices.length > 0) return choices.map((choice) => typeOf(choice, document, depth + 1)).join(' or ');
  const format = textOf(schema['format']);
  return `${types === '' ? (schema['properties'] === undefined ? 'any' : 'object') : types}${format === '' ? '' : ` (${format})`}`;
}

/** The first media type of a request or response. */
function mediaOf(holder: Json): Json {
  return record(Object.values(record(holder['content']))[0]);
}

function mediaTypes(holder: Json): string {
  return Object.keys(record(holder['content']))
    .map((type) => `\`${type}\`, `)
    .join('');
}

function exampleOf(holder: Json): unknown {
  const { example, examples } = mediaOf(holder);
  return example !== undefined ? example : record(Object.values(record(examples))[0])['value'];
}

/** What a reference within the document stands for. */
function resolved(value: unknown, document: Json, hops = 0): unknown {
  const reference = record(value)['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/') || hops > 10) return value;
  let at: unknown = document;
  for (const part of reference.slice(2).split('/')) at = record(at)[decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')];
  return at === undefined ? value : resolved(at, document, hops + 1);
}

/** A description whose headings stand below one of a depth. */
function nested(text: string, depth: number): string {
  return text.trim().replace(/^#{1,6}(?=\s)/gm, '#'.repeat(Math.min(6, depth + 1)));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(tableCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function uniquePaths(pages: readonly SourcePage[]): SourcePage[] {
  const taken = new Map<string, number>();
  return pages.map((page) => {
    const count = (taken.get(page.path) ?? 0) + 1;
    taken.set(page.path, count);
    return count === 1 ? page : { ...page, path: `${page.path}-${count}`, routes: [`/${page.path}-${count}`] };
  });
}

function firstLine(text: string): string {
  return oneLine(text.trim().split(/\n\s*\n/)[0] ?? '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function shortened(text: string): string {
  return text.length <= DESCRIPTION_MAX ? text : `${text.slice(0, DESCRIPTION_MAX)}…`;
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
