import type * as z from 'zod';
import { type Fault, listFaults, ok, type Result, refuse } from '../gateway/result.ts';
import { describeIssue } from '../schemas/describe-issue.ts';

type InputPart = 'path' | 'query' | 'body';

const FAULTS_MAX = 20;

/** Validates one part of a request; each invalid place is listed once, with all its faults. */
export function validateInput<T>(schema: z.ZodType<T>, value: unknown, part: InputPart): Result<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const found = parsed.error.issues.flatMap((issue) => describe(issue, schema, part));
  const where = { path: 'The address', query: 'The query string', body: 'The body' }[part];
  const { detail, errors } = listFaults(where, mergeByPointer(found), FAULTS_MAX);
  return refuse('invalid_request', detail, { errors });
}

function mergeByPointer(faults: readonly Fault[]): Fault[] {
  const places = new Map<string, Set<string>>();
  for (const { pointer, message } of faults) places.set(pointer, (places.get(pointer) ?? new Set()).add(message));
  return [...places].map(([pointer, messages]) => ({ pointer, message: [...messages].join('; ') }));
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, part: InputPart): Fault[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path, part), message: describeIssue(issue) }];
  const names = issue.path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object).join(', ') : '';
  const known = names === '' ? '' : `; known names: ${names}`;
  return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key], part), message: `${describeIssue(issue)}${known}` }));
}

/** JSON Pointer (RFC 6901) into the body; the bare name of a parameter elsewhere. */
function pointerTo(path: readonly PropertyKey[], part: InputPart): string {
  const names = path.map((name) => plainName(String(name)));
  return part === 'body' ? names.map((name) => `/${name}`).join('') : names.join('.');
}

/** A name that is safe to repeat in a response. */
export function plainName(name: string): string {
  return /^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : '(a name that is not repeated here)';
}
