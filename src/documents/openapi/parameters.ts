import type * as z from 'zod';
import type { Route } from '../../http/define-route.ts';
import type { OperationExample } from '../../publication/publication.ts';
import { inlineSchema } from '../../schemas/json-schema.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { ParameterObject } from './document.ts';

/**
 * Parameters of an operation. Each field of a shape is converted by itself: a whole schema that has a name would become
 * a bare reference, and its parameters would silently be lost.
 */
export function parametersOf(route: Route, example: OperationExample | undefined): ParameterObject[] {
  const values = example?.parameters ?? {};
  return [
    ...fieldsOf(route.pathParameters).map(([name, field]) => parameter(name, 'path', field, values[name])),
    ...fieldsOf(route.queryParameters).map(([name, field]) => parameter(name, 'query', field, values[name])),
    ...(route.headers ?? []).map(
      ({ name, description, minLength, maxLength, required = false, example: value }): ParameterObject => ({
        name,
        in: 'header',
        description,
        required: required !== false,
        schema: { type: 'string', minLength, maxLength, pattern: name === 'Idempotency-Key' ? '^[\\x21-\\x7e]+$' : '^[\\x20-\\x7e]+$' },
        example: value ?? '8e03978e-40d5-43e8-bc93-6894a57f9324',
      }),
    ),
  ];
}

/** Fields of an object schema; a schema of another kind is a mistake in the table. */
function fieldsOf(schema: z.ZodType | undefined): [string, z.ZodType][] {
  if (schema === undefined) return [];
  if (!('shape' in schema)) throw new TypeError('parameters must be declared as an object schema');
  return Object.entries(schema.shape as Record<string, z.ZodType>);
}

function parameter(name: string, place: 'path' | 'query', field: z.ZodType, example: string | undefined): ParameterObject {
  const { description, ...schema } = inlineSchema(field, 'request');
  return {
    name,
    in: place,
    description: typeof description === 'string' ? description : name,
    required: place === 'path' || !field.safeParse(undefined).success,
    // A value without a bound of its own is bounded by the address that it stands in.
    schema:
      schema['type'] === 'string' && !('maxLength' in schema) && !('enum' in schema)
        ? { ...schema, maxLength: LIMITS.urlMaxLength }
        : schema,
    ...(example === undefined ? {} : { example }),
  };
}
