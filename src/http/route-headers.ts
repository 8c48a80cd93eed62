import { LIMITS } from '../schemas/limits.ts';

/** Request headers that single routes declare. */
export type RequestHeaderName =
  | 'A2A-Version'
  | 'Idempotency-Key'
  | 'API-Version'
  | 'Request-Id'
  | 'Signature'
  | 'Timestamp'
  | 'UCP-Agent'
  | 'MCP-Protocol-Version'
  | 'Mcp-Method'
  | 'Mcp-Name'
  | 'Stripe-Signature'
  | 'PAYMENT-SIGNATURE'
  | 'Challenge-Solution';

/** A request header of a route. */
export interface RouteHeader {
  readonly name: RequestHeaderName;
  readonly description: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** A value for documents; a UUID by default. */
  readonly example?: string;
  /** Whether a request without it is refused: as invalid, or by the admission of its protocol. */
  readonly required?: true | 'by_protocol';
}

/** The header of every operation that stores something for an open caller: a solved challenge, if a budget requires one. */
export const CHALLENGE_SOLUTION: RouteHeader = {
  name: 'Challenge-Solution',
  description:
    'Token and solution of a challenge, separated by a full stop. Required only while much of a budget is used; see capabilities and status. One challenge lets one request through.',
  minLength: 3,
  maxLength: LIMITS.challengeSolutionMaxLength,
  example: 'AQFpI2VrAAAAAAAAAAAAAAAAAAAAAAA.4q3',
};

/** The id of a request, which protocols repeat in the response. */
export const REQUEST_ID: RouteHeader = {
  name: 'Request-Id',
  description: 'Id of the request, which the response repeats.',
  minLength: 1,
  maxLength: 255,
};

/** Which minimum length the idempotency keys of an operation have, and whether one is required. */
interface IdempotencyKeyRule {
  /** Whether a key belongs to one agent, so that no other can guess it: then any length will do. */
  readonly isOwn?: boolean;
  readonly isRequired?: boolean;
}

/** The Idempotency-Key of an operation. The rule for all operations is in `LIMITS` and on the page of `invalid_idempotency_key`. */
export function idempotencyKey(description: string, { isOwn = false, isRequired = false }: IdempotencyKeyRule = {}): RouteHeader {
  return {
    name: 'Idempotency-Key',
    description,
    minLength: isOwn ? LIMITS.ownIdempotencyKeyMinLength : LIMITS.idempotencyKeyMinLength,
    maxLength: LIMITS.idempotencyKeyMaxLength,
    ...(isRequired ? { required: true } : {}),
  };
}
