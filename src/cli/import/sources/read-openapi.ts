import { basename, dirname, posix, resolve } from 'node:path';
import { parse } from 'yaml';
import { UserError } from '../../../publication/content-problem.ts';
import { slugOf } from '../../../publication/read/content-ids.ts';
import { decoded } from '../../../text/markdown/resolve-links.ts';
import { type Loose as Json, looseObject as record } from '../../verify/site-reader.ts';
import { convertMarkdown } from '../convert-page.ts';
import { attempt, type ImportNote, type OpenOptions, type Source, type SourcePage, TEXT_MAX_BYTES } from '../import-source.ts';
import { sha256 } from '../imported-capsules.ts';
import { codeBlock, escapeText, tableCell } from '../markdown/markdown-syntax.ts';
import { freeName } from '../plan-sections.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

const MEMBERS_DEPTH = 3;

/** Most members of an operation and most choices of a type: schemas that refer to each other can stand for more than there is room for. */
const MEMBERS_MAX = 1_000;
const CHOICES_MAX = 10;

const DESCRIPTION_MAX = 500;
const EXAMPLE_MAX = 20_000;

type Operation = ReturnType<typeof operationsOf>[number];

export function isOpenApi(text: string): boolean {
  const first = /^\s*(?:\{[\s\S]{0,2000}?"(?:openapi|swagger)"\s*:\s*"|(?:#[^\n]*\n|---\n|\s)*["']?(?:openapi|swagger)["']?\s*:)/;
  return first.test(text.slice(0, 4_000)) || /\n["']?openapi["']?\s*:\s*["']?3/.test(text);
}

/** Reads an OpenAPI document (3.x, and what Swagger 2.0 has in common with it) as a page for each tag or operation. @throws {UserError} Without any. */
export function readOpenApi(address: string, text: string, { by, today }: OpenOptions): Source {
  const document = parsed(address, text);
  const operations = operationsOf(document);
  if (operations.length === 0) throw new UserError(`${address} describes no operation under "paths"; name a document with operations`);
  const isRemote = /^https?:/.test(address);
  const skipped: ImportNote[] = Object.keys(record(document['webhooks'])).map((name) => ({
    path: `webhooks/${name}`,
    line: text.slice(0, Math.max(0, text.indexOf(name, Math.max(0, text.indexOf('webhooks'))))).split('\n').length,
    message: 'is a webhook, which the site calls and no reader can, and is left out',
  }));
  const pages = new Map<string, SourcePage>();
  const taken = new Set<string>();
  const addPage = (name: string, title: string, body: string, description: string, tag: string): void => {
    const path = freeName(name, taken);
    const message = 'would have more than 1 MB, and is left out; import it with --by operation';
    if (body.length > TEXT_MAX_BYTES) return void skipped.push({ path, line: 1, message });
    const given = { path, source: text, fields: { title, description, tags: [tag] }, body: `${body}\n`, sha256: sha256(text) };
    const url = isRemote ? `${address}#${path}` : undefined;
    pages.set(path, { ...convertMarkdown(given, { generator: 'openapi', today }), routes: [`/${path}`], url });
  };
  const written = (operation: Operation, depth: number): string | undefined =>
    attempt(() => operationText(operation, document, depth), `${operation.method} ${operation.path}`, skipped);
  const titleOf = ({ value, method, path }: Operation): string => textOf(value['summary']) || `${method.toUpperCase()} ${path}`;
  if (by === 'operation')
    for (const operation of operations) {
      const { method, path, tag, value } = operation;
      const name = (textOf(value['operationId']) || `${method} ${path}`).replace(/([a-z0-9])([A-Z])/g, '$1-$2');
      const description = firstLine(textOf(value['description'])) || textOf(value['summary']);
      const body = written(operation, 2);
      if (body !== undefined) addPage(`operations/${slugOf(name) || 'operation'}`, titleOf(operation), body, description, tag);
    }
  else
    for (const [tag, ofTag] of Map.groupBy(operations, (operation) => operation.tag)) {
      const description = textOf(record(list(document['tags']).find((one) => textOf(record(one)['name']) === tag))['description']);
      const sections = ofTag.flatMap((operation) => {
        const body = written(operation, 3);
        return body === undefined ? [] : [`## ${escapeText(titleOf(operation))}`, body];
      });
      const title = joined(': ', textOf(record(document['info'])['title']), tag);
      addPage(`tags/${slugOf(tag) || 'operations'}`, title, joined('\n\n', description, ...sections), firstLine(description), tag);
    }
  return {
    generator: 'openapi',
    from: isRemote ? address : posix.join(basename(dirname(resolve(address))), basename(address)),
    pages: [...pages.values()],
    isGone: (path) => !pages.has(path),
    skipped,
  };
}

function parsed(address: string, text: string): Json {
  let value: unknown;
  try {
    value = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { maxAliasCount: 1_000 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'it cannot be parsed';
    throw new UserError(`${address} is neither valid JSON nor valid YAML: ${reason}`);
  }
  const document = record(value);
  if (typeof document['openapi'] !== 'string' && typeof document['swagger'] !== 'string')
    throw new UserError(`${address} has no member "openapi"; name an OpenAPI document`);
  return document;
}

function operationsOf(document: Json) {
  return Object.entries(record(document['paths'])).flatMap(([path, item]) => {
    const methods = record(resolved(item, document));
    return METHODS.flatMap((method) => {
      const value = record(methods[method]);
      if (Object.keys(value).length === 0) return [];
      const tag = textOf(list(value['tags'])[0]) || (path.split('/').find((part) => part !== '' && !part.startsWith('{')) ?? 'operations');
      return [{ method, path, tag, value, shared: list(methods['parameters']) }];
    });
  });
}

function operationText({ method, path, value, shared }: Operation, document: Json, depth: number): string {
  const marks = '#'.repeat(depth);
  const room = { members: MEMBERS_MAX };
  const deprecated = value['deprecated'] === true ? ' (deprecated)' : '';
  const parts = [`\`${method.toUpperCase()} ${path}\`${deprecated}`, nested(textOf(value['description']), depth)];
  const parameters = [...shared, ...list(value['parameters'])].map((parameter) => record(resolved(parameter, document)));
  const rows = parameters.flatMap((parameter) => {
    const schema = resolved(parameter['schema'], document) ?? parameter;
    const description = textOf(parameter['description']) || textOf(record(schema)['description']);
    const required = parameter['required'] === true ? 'yes' : 'no';
    const given = textOf(parameter['in']);
    return given === 'body' ? [] : [[`\`${textOf(parameter['name'])}\``, given, typeOf(schema, document), required, description]];
  });
  if (rows.length > 0) parts.push(`${marks} Parameters`, table(['Name', 'In', 'Type', 'Required', 'Description'], rows));
  const body = record(resolved(value['requestBody'], document));
  const bodySchema = mediaOf(body)['schema'] ?? parameters.find((parameter) => parameter['in'] === 'body')?.['schema'];
  const pushType = (holder: Json, schema: unknown): void => {
    const types = Object.keys(record(holder['content'])).map((type) => `\`${type}\`, `);
    parts.push(`Type: ${types.join('')}${typeOf(schema, document)}`, memberList(schema, document, 0, new Set(), room));
  };
  if (bodySchema !== undefined) {
    parts.push(`${marks} Request body`, nested(textOf(body['description']), depth));
    pushType(body, bodySchema);
  }
  const given = Object.entries(record(value['responses']));
  const responses = given.map(([status, response]) => [status, record(resolved(response, document))] as const);
  if (responses.length > 0) parts.push(`${marks} Responses`);
  for (const [status, response] of responses) {
    const schema = mediaOf(response)['schema'] ?? response['schema'];
    parts.push(`**${status}**: ${oneLine(textOf(response['description'])) || 'no description'}`);
    if (schema !== undefined && /^[2d]/.test(status)) pushType(response, schema);
  }
  const examples = [body, ...responses.map(([, response]) => response)]
    .map(mediaOf)
    .flatMap((media) => [media['example'], record(Object.values(record(media['examples']))[0])['value']]);
  const example = examples.find((found) => found !== undefined);
  const written = example === undefined ? '' : (JSON.stringify(example, null, 2) ?? '');
  if (written !== '' && written.length <= EXAMPLE_MAX) parts.push(`${marks} Example`, codeBlock(written, 'json'));
  if (room.members < 0) parts.push(`The description has further members than the first ${MEMBERS_MAX}.`);
  return joined('\n\n', ...parts);
}

/** @param room How many members may still be listed; less than none if some were left out. */
function memberList(given: unknown, document: Json, depth: number, seen: ReadonlySet<unknown>, room: { members: number }): string {
  const schema = record(resolved(given, document));
  if (seen.has(schema) || depth > MEMBERS_DEPTH) return '';
  const within = new Set([...seen, schema]);
  if (schema['items'] !== undefined) return memberList(schema['items'], document, depth, within, room);
  const merged = [schema, ...list(schema['allOf']).map((part) => record(resolved(part, document)))];
  const required = new Set(merged.flatMap((part) => list(part['required'])));
  const lines = merged.flatMap((part) =>
    Object.entries(record(part['properties'])).flatMap(([name, member]) => {
      if (room.members < 0 || room.members-- === 0) return [];
      const description = shortened(oneLine(textOf(record(resolved(member, document))['description'])));
      const facts = joined(', ', typeOf(member, document), required.has(name) ? 'required' : '');
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
  const values = list(schema['enum']).slice(0, 20);
  if (values.length > 0) return `one of ${values.map((value) => `\`${shortened(JSON.stringify(value))}\``).join(', ')}`;
  const types = Array.isArray(schema['type']) ? schema['type'].join(' or ') : textOf(schema['type']);
  if (depth > MEMBERS_DEPTH) return reference || 'any';
  if (schema['items'] !== undefined) return `array of ${typeOf(schema['items'], document, depth + 1)}`;
  if (reference !== '') return reference;
  const choices = [...list(schema['oneOf']), ...list(schema['anyOf'])].slice(0, CHOICES_MAX);
  if (choices.length > 0) return choices.map((choice) => typeOf(choice, document, depth + 1)).join(' or ');
  const format = textOf(schema['format']);
  return `${types === '' ? (schema['properties'] === undefined ? 'any' : 'object') : types}${format === '' ? '' : ` (${format})`}`;
}

function mediaOf(holder: Json): Json {
  return record(Object.values(record(holder['content']))[0]);
}

function resolved(value: unknown, document: Json, hops = 0): unknown {
  const reference = record(value)['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/') || hops > 10) return value;
  let at: unknown = document;
  for (const part of reference.slice(2).split('/')) at = record(at)[decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')];
  return at === undefined ? value : resolved(at, document, hops + 1);
}

function nested(text: string, depth: number): string {
  return text.trim().replace(/^#{1,6}(?=\s)/gm, '#'.repeat(Math.min(6, depth + 1)));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(tableCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function joined(between: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(between);
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

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
