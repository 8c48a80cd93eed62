import type { JsonObject } from '../../schemas/json-schema.ts';

/** Keywords whose values are data or names, not schemas. */
const NOT_SCHEMAS: readonly string[] = ['enum', 'const', 'default', 'example', 'examples', 'required'];

/** Keywords that hold for values of any type, so that they cannot stand beside several types. */
const FOR_ANY_TYPE: readonly string[] = ['$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'description', 'default'];

/**
 * A schema whose alternatives of different plain types are one list of types: `{"type": ["string", "null"], "maxLength": 9}` in the place of
 * an `anyOf`. It accepts the same values, because every other keyword of JSON Schema 2020-12 holds for values of its own type alone.
 * Readers, and tools that count alternatives, have less to decide.
 */
export function mergeTypes(schema: JsonObject): JsonObject {
  const members = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, NOT_SCHEMAS.includes(keyword) ? value : withinValue(value)]),
  );
  const { anyOf, ...rest } = members;
  const alternatives = Array.isArray(anyOf) ? (anyOf as JsonObject[]) : [];
  const types = alternatives.map(({ type }) => type);
  const isPlain =
    types.length > 0 &&
    types.every((type) => typeof type === 'string') &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number')) &&
    !('type' in rest) &&
    alternatives.every((alternative) => !FOR_ANY_TYPE.some((keyword) => keyword in alternative));
  return isPlain ? { ...rest, ...Object.assign({}, ...alternatives), type: types } : members;
}

function withinValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withinValue);
  return typeof value === 'object' && value !== null ? mergeTypes(value as JsonObject) : value;
}
