import { DEPLOY_SETTLES_SECONDS, type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { problemPath } from '../../schemas/paths.ts';
import { Problem } from '../../schemas/problem.ts';

/** The request id of examples. */
export const EXAMPLE_REQUEST_ID = '9f86d081884c7d659a2feaa0';

/** `Retry-After` of an error, in seconds, if it has one. */
export function retrySecondsOf(code: ErrorCode): number | undefined {
  return code === 'feed_restarted' ? DEPLOY_SETTLES_SECONDS : errorEntry(code).retryAfterSeconds;
}

/**
 * A problem document (RFC 9457) with an invented request id.
 *
 * @param path Of the operation that answers with it, such as `/orders/{receipt}`.
 */
export function exampleProblem(code: ErrorCode, path: string, baseUrl: string): Problem {
  const { title, status, explanation, nextActions } = errorEntry(code);
  const retry = retrySecondsOf(code);
  return Problem.parse({
    type: baseUrl + problemPath(code),
    title,
    status,
    detail: explanation,
    instance: path.replace(/\{[^{}]+\}/g, 'no-such-id'),
    code,
    request_id: EXAMPLE_REQUEST_ID,
    ...(code === 'invalid_request'
      ? { errors: [{ pointer: '/agent_name', message: `must have at most ${LIMITS.agentNameMaxLength} characters` }] }
      : {}),
    next_actions: nextActions.map(({ description, method, path: target }) => ({
      description,
      ...(method ? { method } : {}),
      ...(target ? { href: baseUrl + target } : {}),
    })),
    ...(retry === undefined ? {} : { retry_after_seconds: retry }),
  } satisfies Problem);
}
