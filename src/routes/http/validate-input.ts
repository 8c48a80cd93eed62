import type * as z from 'zod';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { describeIssue } from '../../schemas/describe-issue.ts';

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
  if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path, part), message: describeIssue(issue) }];
  const names = issue.path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object).join(', ') : '';
  const known = names === '' ? '' : `; known are ${names}`;
  return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key], part), message: `${describeIssue(issue)}${known}` }));
}

/** JSON Pointer (RFC 6901) into the body; the bare name of a parameter elsewhere. */
function pointerTo(path: readonly PropertyKey[], part: InputPart): string {
  const names = path.map((name) => plainName(String(name)));
  return part === 'body' ? names.map((name) => `/${name}`).join('') : names.join('.');
}

/** A name that may be repeated in an answer. Any other text of a request is not: an answer is no place for foreign sentences. */
export function plainName(name: string): string {
  return /^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : '(a name that is not repeated here)';
}
