import * as z from 'zod';
import { type Features, partsWithout } from './feature-switches.ts';

export type JsonObject = Record<string, unknown>;

export type Direction = 'request' | 'response';

/**
 * JSON Schemas (2020-12) of zod schemas that refer to each other by name. Requests stay closed where unknown members are refused; responses
 * are open, because members may be added.
 *
 * @param named Schemas by name; only these become references.
 * @param uri URL of a named schema, for `$ref`.
 * @param features Features of the deployment that publishes the schemas; without them, parts of every feature are included.
 */
export function namedSchemas(
  named: ReadonlyMap<string, z.ZodType>,
  uri: (name: string) => string,
  direction: Direction,
  features?: Features,
): Map<string, JsonObject> {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of named) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, { uri, ...conversion(direction, features) });
  return new Map(
    [...named].map(([name, schema]) => {
      const converted = withoutAddress(schemas[name] as JsonObject);
      return [name, isOpenIntersection(schema) ? foldedIntersection(converted) : converted];
    }),
  );
}

/** JSON Schema (2020-12) of one zod schema, without references. */
export function inlineSchema(schema: z.ZodType, direction: Direction, features?: Features): JsonObject {
  return withoutAddress(z.toJSONSchema(schema, conversion(direction, features)));
}

function conversion(direction: Direction, features: Features | undefined): z.core.ToJSONSchemaParams {
  return {
    io: direction === 'request' ? 'input' : 'output',
    override: ({ zodSchema, jsonSchema }) => {
      if (features) omitParts(zodSchema, jsonSchema as JsonObject, features);
      simplify(jsonSchema as JsonObject, direction);
    },
  };
}

function omitParts(schema: z.core.$ZodType, json: JsonObject, features: Features): void {
  if (schema instanceof z.ZodObject) {
    const absent = Object.keys(schema.shape).filter((name) => partsWithout(features, schema.shape[name]).includes('member'));
    for (const name of absent) delete (json['properties'] as JsonObject | undefined)?.[name];
    const required = json['required'];
    if (Array.isArray(required)) json['required'] = required.filter((name) => !absent.includes(name as string));
  }
  for (const part of partsWithout(features, schema)) {
    if (part === 'member') continue;
    const values = json['enum'];
    if (Array.isArray(values) && part.values) json['enum'] = values.filter((value) => !part.values?.includes(value as string));
    if (part.words !== undefined) json['description'] = String(json['description']).replace(part.words, '');
  }
}

function withoutAddress(schema: JsonObject): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  return rest;
}

function simplify(schema: JsonObject, direction: Direction): void {
  if (isEmptyObject(schema['additionalProperties'])) schema['additionalProperties'] = true;
  if (direction === 'response' && schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (direction === 'response' && schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (direction === 'response' && schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  delete schema['propertyNames'];
  if (schema['format'] === 'date' || schema['format'] === 'date-time') delete schema['pattern'];
  if (direction === 'response' || schema['type'] !== 'string' || 'maxLength' in schema || 'enum' in schema || 'const' in schema) return;
  const longest = schema['format'] === 'date' ? 'YYYY-MM-DD'.length : longestMatch(schema['pattern']);
  if (longest !== undefined) schema['maxLength'] = longest;
}

function foldedIntersection(schema: JsonObject): JsonObject {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>).map(([name, member]) => {
    const parts = Array.isArray(member['allOf']) ? (member['allOf'] as JsonObject[]) : [];
    const distinct = new Set(parts.map((part) => JSON.stringify(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))));
    return [name, distinct.size === 1 && parts[0] ? parts[0] : member] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: true };
}

/** Whether a schema is the intersection of two open objects, which the conversion merges without marking it open. */
function isOpenIntersection(schema: z.ZodType): boolean {
  const isOpen = (side: unknown): boolean => side instanceof z.ZodObject && side.def.catchall instanceof z.ZodUnknown;
  return schema instanceof z.ZodIntersection && isOpen(schema.def.left) && isOpen(schema.def.right);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Length of the longest match of a pattern of plain characters and classes with counted repetitions. */
export function longestMatch(pattern: unknown): number | undefined {
  if (typeof pattern !== 'string' || !/^\^.*\$$/.test(pattern)) return undefined;
  const inner = pattern.slice(1, -1);
  const piece = /(?:\[(?:\\.|[^\]\\])+\]|\\[dws]|\\[^A-Za-z0-9]|[A-Za-z0-9_ -])(?:\{(\d+)(?:,(\d+))?\}|\?)?/y;
  let length = 0;
  while (piece.lastIndex < inner.length) {
    const match = piece.exec(inner);
    if (match === null) return undefined;
    length += Number(match[2] ?? match[1] ?? 1);
  }
  return length;
}
