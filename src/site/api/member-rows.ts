import { type ApiDocument, resolveSchema, type SchemaView } from './api-document.ts';

/** Deepest nesting of members that a page lists; deeper ones are in the OpenAPI document. */
const MAX_DEPTH = 3;

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
      `<code>${escapeHtml(label)}</code>`,
      `${describeType(target, document)}${required.has(name) ? '' : ', optional'}`,
      escapeHtml(target.description ?? ''),
    ];
    const nested = isList ? resolveSchema(target.items, document) : target;
    return nested.properties && depth < MAX_DEPTH ? [row, ...memberRows(nested, document, `${label}.`, depth + 1)] : [row];
  });
}

/** Type and bounds of a schema in words, as HTML. */
export function describeType(schema: SchemaView, document: ApiDocument): string {
  if (schema.const !== undefined) return `always <code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return `one of ${schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ')}`;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => describeType(resolveSchema(option, document), document)).join(' or ');
  if (schema.type === 'array')
    return `list of ${describeType(resolveSchema(schema.items, document), document)}${bounds(
      [
        [schema.minItems, 'at least'],
        [schema.maxItems, 'at most'],
      ],
      'items',
    )}`;
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    object: 'object',
    null: 'null',
  };
  const name = schema.format === 'date' ? 'date' : schema.format === 'date-time' ? 'UTC time' : (words[schema.type ?? ''] ?? 'any value');
  const limits =
    schema.type === 'string'
      ? bounds(
          [
            [schema.minLength, 'at least'],
            [schema.maxLength, 'at most'],
          ],
          'characters',
        )
      : bounds(
          [
            [schema.minimum, 'at least'],
            [schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum, 'at most'],
          ],
          '',
        );
  const fallback = schema.default === undefined ? '' : `, ${escapeHtml(JSON.stringify(schema.default))} by default`;
  return name + limits + fallback;
}

function bounds(limits: readonly (readonly [number | undefined, string])[], unit: string): string {
  const said = limits
    .filter(([value]) => value !== undefined && value !== 0)
    .map(([value, words]) => `${words} ${value}${unit === '' ? '' : ` ${value === 1 ? unit.replace(/s$/, '') : unit}`}`);
  return said.length === 0 ? '' : `, ${said.join(', ')}`;
}

/** A text as HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
