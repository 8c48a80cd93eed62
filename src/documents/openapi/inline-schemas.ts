import type { JsonObject } from '../../schemas/json-schema.ts';
import { componentRef } from './document.ts';

/**
 * Puts every named schema that one place alone refers to in that place: its name would cost a reader more than it tells.
 *
 * @param parts Operations and responses of a description.
 * @param schemas Its named schemas; none may be recursive.
 * @returns The parts, and the schemas that keep their names.
 */
export function inlineSingleUses<T>(parts: T, schemas: JsonObject): { readonly parts: T; readonly schemas: JsonObject } {
  const uses = new Map<string, number>();
  for (const [, name = ''] of JSON.stringify([parts, schemas]).matchAll(REFERENCE)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const isSingle = (name: string): boolean => uses.get(name) === 1;
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as JsonObject;
    const name = typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
    if (name !== undefined && isSingle(name)) return { ...(inlined(schemas[name]) as JsonObject), ...rest };
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inlined(member)]));
  };
  const named = Object.entries(schemas).filter(([name]) => !isSingle(name));
  return { parts: inlined(parts) as T, schemas: Object.fromEntries(named.map(([name, schema]) => [name, inlined(schema)])) };
}

const SCHEMAS = componentRef('schemas', '').$ref;
const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;
