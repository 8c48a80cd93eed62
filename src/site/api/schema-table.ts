import { escapeMarkup } from '../../publication/markdown/write-markup.ts';
import { type ApiDocument, resolveSchema, type SchemaView } from './api-document.ts';

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
