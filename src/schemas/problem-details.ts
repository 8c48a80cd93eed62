import * as z from 'zod';
import { RootPath, Uri } from './primitives.ts';

export const NextAction = z
  .object({
    description: z.string().min(1).describe('What to do.'),
    method: z.enum(['GET', 'POST']).optional().describe('Method of the request to make.'),
    href: Uri.optional().describe('URL of the request to make, or of a page to read.'),
  })
  .describe('A next step after an error.');

/** Error of every route (RFC 9457), `application/problem+json`. */
export const Problem = z
  .object({
    type: Uri.describe('Page that explains the error code.'),
    title: z.string().min(1).describe('The error in a few words; the same for every occurrence.'),
    status: z.int().min(400).max(599).describe('HTTP status.'),
    detail: z.string().min(1).describe('What went wrong in this request.'),
    instance: RootPath.describe('Path of the request; API keys in it, and long paths, are truncated.'),
    code: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/)
      .describe('Permanent code of the error.'),
    request_id: z.string().min(1).max(64).describe('Id of the request, as in X-Request-Id.'),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON Pointer (RFC 6901) into the request body, or the name of a parameter.'),
          message: z.string().min(1).describe('What is wrong.'),
          did_you_mean: z
            .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
            .optional()
            .describe(
              'What may have been meant: the name of a member ("filters.tags" for one of another object), or a value (an array where the member is an array).',
            ),
          line: z.int().min(1).optional().describe('Line at which the body is not JSON, counted from 1.'),
          column: z.int().min(1).optional().describe('Column at which the body is not JSON, in characters, counted from 1.'),
        }),
      )
      .min(1)
      .optional()
      .describe('All errors in the input.'),
    next_actions: z.array(NextAction).describe('What to do next.'),
    retry_after_seconds: z.int().min(0).optional().describe('Seconds until a retry.'),
  })
  .describe('An error (RFC 9457).');
export type Problem = z.infer<typeof Problem>;
