import * as z from 'zod';
import { describeIssue } from '../schemas/describe-issue.ts';
import { LIMITS } from '../schemas/limits.ts';

/** An instant (RFC 3339). */
export const Instant = z.iso.datetime({ offset: true, error: 'must be a date-time of RFC 3339' }).max(64);

/** A text of any content; only its length is checked. */
export const AnyText = z.string().max(LIMITS.jsonStringMaxLength);

/** An absolute address of any scheme (RFC 3986). */
export const AbsoluteUri = z.string().regex(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/, 'must be an absolute URI');

/**
 * An object that this service ignores. Its form is checked, because the protocol refuses malformed ones; documents show only its type.
 *
 * @param form Schema of the protocol.
 */
export function checkedObject(form: z.ZodType) {
  return z.looseObject({}).superRefine((value, context) => reportIssues(form, value, context));
}

/** The same for a list. */
export function checkedList(form: z.ZodType) {
  return z
    .array(z.unknown())
    .max(LIMITS.jsonMaxKeys)
    .superRefine((value, context) => reportIssues(z.array(form), value, context));
}

/** Reports what a schema finds wrong with a value. */
export function reportIssues(form: z.ZodType, value: unknown, context: z.RefinementCtx): void {
  for (const issue of form.safeParse(value).error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...issue.path], message: describeIssue(issue) });
}
