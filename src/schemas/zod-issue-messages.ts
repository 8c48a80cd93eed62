import * as z from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  boolean: 'true or false',
};

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/** Describes an issue as a predicate: `must be a whole number`, `is missing`. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  // Messages of zod begin with a capital letter.
  if (/^[a-z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'is unknown';
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${KINDS[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'invalid_value':
      return issue.values.length === 1 ? `must be "${String(issue.values[0])}"` : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? `must be one of ${issue.options.map(String).join(', ')}` : issue.message;
    case 'invalid_format':
      return issue.format === 'regex' ? 'has the wrong form' : `must be a valid ${issue.format}`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? issue.message : describeIssue(issue.issues[0]);
    case 'too_small':
      return sizeMessage('at least', issue.origin, issue.minimum);
    case 'too_big':
      return sizeMessage('at most', issue.origin, issue.maximum);
    default:
      return issue.message;
  }
}

function sizeMessage(bound: string, origin: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound} ${limit}` : `must have ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

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
  if (inner instanceof z.ZodDiscriminatedUnion && name === inner.def.discriminator)
    return z.enum(inner.options.flatMap((option) => [...(schemaAt(option, path) as z.ZodLiteral<string>).values]));
  const { shape = {} } = objectOf(inner) ?? {};
  return Object.hasOwn(shape, name) ? schemaAt(shape[String(name)], below) : undefined;
}

export function memberNames(schema: unknown): string[] {
  return Object.keys(objectOf(schema)?.shape ?? {});
}

/** The object that a schema describes, or the only one of its alternatives. */
function objectOf(schema: unknown): z.ZodObject | undefined {
  const inner = unwrapped(schema);
  const [object, ...others] = (inner instanceof z.ZodUnion ? inner.options : [inner]).filter((one) => one instanceof z.ZodObject);
  return others.length === 0 ? object : undefined;
}
