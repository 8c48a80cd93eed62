import type * as z from 'zod';
import { ok, type Result, refuse } from '../../gateway/result.ts';

/** Where a part of the input stands, for pointers. */
type InputPart = 'path' | 'query' | 'body';

/** Parses one part of a request; every fault is listed with its place. */
export function validateInput<T>(schema: z.ZodType<T>, value: unknown, part: InputPart): Result<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const errors = parsed.error.issues.flatMap((issue) => describe(issue, schema, part)).slice(0, 20);
  const where = { path: 'address', query: 'query string', body: 'body' }[part];
  return refuse(
    'invalid_request',
    `The ${where} has ${errors.length === 1 ? 'a fault' : `${errors.length} faults`}: ${errors[0]?.pointer ?? ''} ${errors[0]?.message ?? ''}`.trim(),
    { errors },
  );
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, part: InputPart): { pointer: string; message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 && 'shape' in schema ? ` Known members: ${Object.keys(schema.shape as object).join(', ')}.` : '';
    return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key], part), message: `is not known here.${known}` }));
  }
  if (issue.code === 'invalid_type') {
    const missing = issue.message.includes('undefined');
    return [{ pointer: pointerTo(issue.path, part), message: missing ? 'is missing' : `must be ${article(issue.expected)}` }];
  }
  return [{ pointer: pointerTo(issue.path, part), message: issue.message }];
}

function article(expected: string): string {
  const words: Record<string, string> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text',
    object: 'an object',
    array: 'a list',
    boolean: 'true or false',
  };
  return words[expected] ?? `of the type ${expected}`;
}

/** JSON Pointer (RFC 6901) into the body; the bare name of a parameter elsewhere. */
function pointerTo(path: readonly PropertyKey[], part: InputPart): string {
  const names = path.map((name) => String(name).slice(0, 80));
  return part === 'body' ? names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') : names.join('.');
}
