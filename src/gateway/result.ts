import type { NextStep } from './error-next-actions.ts';
import type { ErrorCode } from './errors.ts';

/** An expected failure: an error code, and what went wrong in this request, safe to send. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** `detail` is about none of `errors`, which are of other parts of the request; otherwise it is about the first. */
  readonly errorsAreFurther?: true;
  /** By default the value of the code in the table of errors. */
  readonly retryAfterSeconds?: number;
  /** Replaces the next steps of the code. */
  readonly nextActions?: readonly NextStep[];
  /** Members that a payment scheme adds to the problem document (RFC 9457 section 3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Page on which a person can continue; published as `continue_url`. */
  readonly continueUrl?: string;
  /** The error's own name in the protocol of the request, if that is finer than the code. */
  readonly protocolCode?: string;
  /** Members of the error in a protocol over JSON-RPC 2.0: id of the request, code, and further members of `data`. */
  readonly rpc?: { readonly id?: string | number | null; readonly code?: number; readonly data?: Readonly<Record<string, unknown>> };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

export type Result<T> = { readonly ok: true; readonly value: T } | Refused;

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refuse(code: ErrorCode, detail: string, more: Omit<Refusal, 'code' | 'detail'> = {}): Refused {
  return { ok: false, refusal: { code, detail, ...more } };
}

/** What `read` returns; `undefined` if it throws, as decoders do for a text that is malformed. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export type SuggestedValue = string | number | boolean | readonly string[];

/** An invalid member of a request: a JSON Pointer or the name of a parameter, and what is wrong with it. */
export interface FieldError {
  readonly pointer: string;
  readonly message: string;
  /** A suggestion: the name of a member, `filters.tags` for one of another object, or a value. */
  readonly didYouMean?: SuggestedValue;
  /** Error code of this error, if it is not that of the refusal. */
  readonly code?: ErrorCode;
  /** Place where a text is not JSON, counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The suggestion of an error as a question; empty without one. */
export function suggestionOf({ didYouMean }: Pick<FieldError, 'didYouMean'>): string {
  return didYouMean === undefined ? '' : `Did you mean ${JSON.stringify(didYouMean)}?`;
}

export function listFieldErrors(what: string, errors: readonly FieldError[], max: number) {
  const first = `${errors[0]?.pointer ?? ''} ${errors[0]?.message ?? ''}`.trim();
  const question = errors[0] === undefined ? '' : suggestionOf(errors[0]);
  const listed = errors.length > max ? `, ${max} of them listed` : '';
  const detail =
    errors.length === 1 ? `${what} is invalid: ${first}.` : `${what} has ${errors.length} errors${listed}. The first: ${first}.`;
  return { detail: question === '' ? detail : `${detail} ${question}`, errors: errors.slice(0, max) };
}

export const FIELD_ERRORS_MAX = 20;

/** A name or value as it was sent, if it is plain enough to repeat in a response, and no key. */
export function repeatable(sent: string): string {
  return /^(?!.*akg_)[A-Za-z0-9_.,:+-]{1,80}$/.test(sent) ? sent : '(not repeated here)';
}

export function withFurtherErrors(refusal: Refusal, errors: readonly FieldError[]): Refusal {
  const known = refusal.errors ?? [];
  const isSaid = (at: number, { pointer, message }: FieldError): boolean =>
    known.some((error) => error.pointer === pointer) ||
    errors.slice(0, at).some((error) => error.pointer === pointer && error.message === message);
  const further = errors.filter((error, at) => !isSaid(at, error));
  if (further.length === 0) return refusal;
  const all = [...known, ...further].slice(0, FIELD_ERRORS_MAX);
  return { ...refusal, errors: all, ...(known.length === 0 ? { errorsAreFurther: true as const } : {}) };
}

/** Errors as sentences. An error of the whole body may be a sentence already. */
export function fieldErrorSentences(errors: readonly FieldError[]): string {
  return errors
    .map((error) => {
      const subject = error.pointer !== '' ? `${error.pointer} ` : /^[a-z]/.test(error.message) ? 'The body ' : '';
      return `${subject}${error.message}. ${suggestionOf(error)}`.trim();
    })
    .join(' ');
}

/** Whether an exception is a mistake of ours, such as a stored row that cannot be parsed, and not an outage of a store. */
export function isBug(error: unknown): boolean {
  return [TypeError, SyntaxError, RangeError, ReferenceError].some((kind) => error instanceof kind);
}

/** The result of a database call, or `state_unavailable`. Wrap only the call itself: other exceptions are bugs, not outages. */
export async function reached<T>(call: Promise<T>, detail: string): Promise<Result<T>> {
  try {
    return ok(await call);
  } catch {
    return refuse('state_unavailable', detail);
  }
}

/** Throws if the result is a refusal. */
export function expectValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`unexpected refusal: ${result.refusal.detail}`);
  return result.value;
}
