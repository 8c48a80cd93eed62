import type { JsonObject } from '../../schemas/json-schema.ts';
import { componentRef, pascalCase } from './document.ts';

/** Members that repeat what a program needs once: examples, and prose about them. */
const EXAMPLE_MEMBERS: readonly string[] = ['example', 'examples'];

/** Members of a response's schema that only a validator reads: a caller takes what it gets. */
const VALIDATION_MEMBERS: readonly string[] = [
  ...['pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'exclusiveMinimum', 'uniqueItems'],
  ...['additionalProperties', 'default', 'required', 'format'],
];

/** Most values of a response's member that are listed. */
const LISTED_VALUES_MAX = 4;

/** Those that a caller hardly ever meets: an error names them if it does. */
const FINE_MEMBERS: readonly string[] = ['pattern', 'minLength', 'minItems', 'uniqueItems'];

/** Members whose keys are names, not keywords. */
const NAMES_BELOW: readonly string[] = ['properties', 'patternProperties', '$defs'];

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  return /^.+?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** How much of a schema stays. */
export interface Shortening {
  /** Descriptions: whole, their first sentence, or none. */
  readonly descriptions: 'whole' | 'first' | 'none';
  /** What stays of bounds, patterns, formats and required members: all, all but the finest, or nothing. */
  readonly validation: 'whole' | 'bounds' | 'none';
}

/** A schema without examples and with as much else as asked for. */
export function shortSchema(schema: unknown, shortening: Shortening): unknown {
  return shortened(schema, shortening, false);
}

function shortened(value: unknown, shortening: Shortening, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item, shortening, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (isNames) return [[key, shortened(member, shortening, false)]];
      if (EXAMPLE_MEMBERS.includes(key)) return [];
      if (key === 'description' && typeof member === 'string') {
        if (shortening.descriptions === 'none') return [];
        return [[key, shortening.descriptions === 'first' ? firstSentence(member) : member]];
      }
      if (isLeftOut(key, member, shortening.validation)) return [];
      const type = key === 'anyOf' && shortening.validation === 'none' ? nullableType(member) : undefined;
      if (type !== undefined) return [['type', type]];
      if (key === 'const' || key === 'enum' || key === 'required') return [[key, member]];
      return [[key, shortened(member, shortening, NAMES_BELOW.includes(key))]];
    }),
  );
}

function isLeftOut(key: string, member: unknown, validation: Shortening['validation']): boolean {
  if (validation === 'whole') return false;
  if (validation === 'none' && key === 'enum') return (member as unknown[]).length > LISTED_VALUES_MAX;
  if (validation === 'none') return VALIDATION_MEMBERS.includes(key) && !isObjectMap(key, member);
  return FINE_MEMBERS.includes(key) || member === Number.MAX_SAFE_INTEGER;
}

/** A plain type that may be null, in its short form. */
function nullableType(alternatives: unknown): string[] | undefined {
  const types = (alternatives as JsonObject[]).map(({ type }) => type);
  const isPlain = types.length === 2 && types[1] === 'null' && ['string', 'number', 'integer', 'boolean'].includes(String(types[0]));
  const isBare = Object.keys((alternatives as JsonObject[])[0] ?? {}).every((key) => key === 'type' || VALIDATION_MEMBERS.includes(key));
  return isPlain && isBare ? (types as string[]) : undefined;
}

/** Whether additional members have a schema of their own, which says what the values of a map are. */
function isObjectMap(key: string, member: unknown): boolean {
  return key === 'additionalProperties' && typeof member === 'object';
}

/** Bytes of JSON from which a schema that occurs twice is worth a name. */
const SHARED_MIN_BYTES = 120;

/**
 * Gives every large schema that occurs more than once a name, and refers to it. The name comes from the member that holds it.
 *
 * @param parts Parts of the document that hold schemas.
 * @param taken Names that schemas have already.
 * @returns The parts with references, and the named schemas.
 */
export function shareSchemas<T>(parts: T, taken: Iterable<string>): { readonly parts: T; readonly schemas: JsonObject } {
  const counts = new Map<string, number>();
  eachSchema(parts, (text) => counts.set(text, (counts.get(text) ?? 0) + 1));
  const names = new Map<string, string>();
  const used = new Set(taken);
  const schemas: JsonObject = {};
  const replaced = (value: unknown, key: string, isNames: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => replaced(item, key, false));
    if (typeof value !== 'object' || value === null) return value;
    const text = isNames ? undefined : schemaText(value);
    const known = text === undefined ? undefined : names.get(text);
    if (known !== undefined) return componentRef('schemas', known);
    const members = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        replaced(member, isNames || !STRUCTURAL.includes(name) ? name : key, !isNames && NAMES_BELOW.includes(name)),
      ]),
    );
    if (text === undefined || (counts.get(text) ?? 0) < 2) return members;
    const name = freeName(pascalCase(key.replace(/[^A-Za-z0-9]+/g, '_')), used);
    names.set(text, name);
    schemas[name] = members;
    return componentRef('schemas', name);
  };
  return { parts: replaced(parts, 'shared', false) as T, schemas };
}

/** Keywords that say nothing about what a schema below them is. */
const STRUCTURAL: readonly string[] = [
  'schema',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'properties',
  'additionalProperties',
  'application/json',
];

function freeName(wanted: string, used: Set<string>): string {
  const base = wanted === '' ? 'Shared' : wanted.charAt(0).toUpperCase() + wanted.slice(1);
  let name = base;
  for (let count = 2; used.has(name); count += 1) name = `${base}${count}`;
  used.add(name);
  return name;
}

/** The JSON of an object that is a large schema. */
function schemaText(value: object): string | undefined {
  if (!('type' in value || 'anyOf' in value || 'oneOf' in value || 'allOf' in value)) return undefined;
  const text = JSON.stringify(value);
  return text.length < SHARED_MIN_BYTES ? undefined : text;
}

function eachSchema(value: unknown, seen: (text: string) => void, isNames = false): void {
  if (Array.isArray(value)) for (const item of value) eachSchema(item, seen);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const text = isNames ? undefined : schemaText(value);
  if (text !== undefined) seen(text);
  for (const [name, member] of Object.entries(value)) eachSchema(member, seen, !isNames && NAMES_BELOW.includes(name));
}
