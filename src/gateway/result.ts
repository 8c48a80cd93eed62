import type { ErrorCode } from './errors.ts';
import { type NextStep, OUTAGE_RETRY_SECONDS } from './next-steps.ts';

/** An expected no: a code of the table, and what went wrong this time, safe to send. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** Steps that fit this occurrence better than those of the code. */
  readonly nextActions?: readonly NextStep[];
  /** Members that the answer has besides those of every problem document (RFC 9457 section 3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers that go with the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A value, or a refusal. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** A result that holds a value. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A result that holds a refusal. */
export function refuse(
  code: ErrorCode,
  detail: string,
  more: Omit<Refusal, 'code' | 'detail'> = {},
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { code, detail, ...more } };
}

/** A refusal because a store did not answer. */
export function outage(
  code: 'index_unavailable' | 'state_unavailable' | 'file_unavailable',
  detail: string,
): { readonly ok: false; readonly refusal: Refusal } {
  return refuse(code, detail, { retryAfterSeconds: OUTAGE_RETRY_SECONDS });
}

/** Something wrong in an input: a JSON Pointer or the name of a parameter, and what is wrong there. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/**
 * What a refusal says of faults: how many there are in all with the first of them in its `detail`, and the list, cut where it is long.
 *
 * @param what The thing that has them, such as `The body`.
 * @param max Most faults that are listed.
 */
export function listFaults(
  what: string,
  faults: readonly Fault[],
  max: number,
): { readonly detail: string; readonly errors: readonly Fault[] } {
  const first = `${faults[0]?.pointer ?? ''} ${faults[0]?.message ?? ''}`.trim();
  const listed = faults.length > max ? `, of which ${max} are listed` : '';
  const detail =
    faults.length === 1 ? `${what} has a fault: ${first}.` : `${what} has ${faults.length} faults${listed}. The first: ${first}.`;
  return { detail, errors: faults.slice(0, max) };
}

/**
 * What a call of the database gives, or that it could not be reached. Only the call itself belongs in it: whatever else fails is a
 * mistake of ours, and no outage.
 *
 * @param detail What that means for the caller, and what to do.
 */
export async function reached<T>(call: Promise<T>, detail: string): Promise<Result<T>> {
  try {
    return ok(await call);
  } catch {
    return outage('state_unavailable', detail);
  }
}

/**
 * The value of a result that cannot be a refusal, unless this software is at fault: what the build reads of what it has just built.
 *
 * @throws {Error} If it is a refusal.
 */
export function expectValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`unexpected refusal: ${result.refusal.detail}`);
  return result.value;
}
