import type { Problem } from '../schemas/problem.ts';

/** An error with the members of a problem document. */
const ProblemError = Error as unknown as new (message: string) => Error & Readonly<Problem>;

/**
 * A refused request, with the members of its problem document (RFC 9457): `code` is permanent, `errors` are the invalid members, and
 * `next_actions` say what to do.
 */
export class GatewayError extends ProblemError {
  override readonly name = 'GatewayError';

  constructor(problem: Problem) {
    super(problem.detail);
    Object.assign(this, problem);
  }
}

/** The error of a response; one that something else than the gateway sent has the type `about:blank` (section 4.2.1) and no code. */
export function errorOf({ status, statusText, url }: Response, text: string): GatewayError {
  const unknown: Problem = {
    type: 'about:blank',
    title: statusText,
    status,
    detail: `${url} responded with status ${status}`,
    instance: url,
    code: '',
    request_id: '',
    next_actions: [],
  };
  try {
    return new GatewayError({ ...unknown, ...(JSON.parse(text) as Partial<Problem>) });
  } catch {
    return new GatewayError(unknown);
  }
}
