import * as z from 'zod';

/** A schema without defaults, options and preparations around it. */
function unwrapped(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
  )
    return unwrapped(schema.unwrap());
  if (!(schema instanceof z.ZodPipe)) return schema;
  return unwrapped(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
}

/** The schema of a place in a value, without what makes it optional; `undefined` if the schema has no such place. */
export function schemaAt(schema: unknown, path: readonly PropertyKey[]): unknown {
  const inner = unwrapped(schema);
  const [name, ...below] = path;
  if (name === undefined) return inner;
  if (inner instanceof z.ZodArray) return schemaAt(inner.element, below);
  if (inner instanceof z.ZodRecord) return schemaAt(inner.valueType, below);
  return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name) ? schemaAt(inner.shape[String(name)], below) : undefined;
}

/** Names of the members of an object schema; none for any other. */
export function memberNames(schema: unknown): string[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}
