import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { type ErrorEntry, OUTAGE_RETRY_SECONDS, READ_OPENAPI, STATUS, WAIT } from './error-entry.ts';
import { UCP_ERRORS } from './protocol-errors.ts';
import { ORDER_ERRORS } from './commerce/orders/order-errors.ts';
import { PAYMENT_ERRORS } from './commerce/payments/payment-errors.ts';

const REGISTER = { description: 'Register to get a key; it is valid at once.', method: 'POST', path: `${PATHS.gateway}/register` } as const;
const BROWSE = { description: 'Browse the public capsules to find an id.', method: 'GET', path: `${PATHS.publicCapsules}/browse` } as const;
const INTAKE = {
  description: 'Read what may be proposed, how, and whether intake is open.',
  method: 'GET',
  path: `${PATHS.publicCapsules}/intake`,
} as const;
const CHALLENGE = { description: 'Ask for a challenge.', method: 'GET', path: `${PATHS.gateway}/challenge` } as const;
const SOLVE = {
  description:
    'Solve it, and send the same request again: a registration with token and solution in "challenge", any other request with the header "Challenge-Solution: <token>.<solution>".',
} as const;
/** The step that shows every quota. */
export const READ_QUOTAS = { description: 'Read the quotas in force.', method: 'GET', path: `${PATHS.gateway}/capabilities` } as const;
const CORRECT = {
  description: 'Correct the members named in "errors" and send the request again, under a new Idempotency-Key if it has one.',
} as const;

/** Seconds that a caller is asked to wait where only the publisher can mend what is missing. */
const MENDED_RETRY_SECONDS = 3_600;

/**
 * Every error that this service answers with. A code, once published, keeps its meaning for good. OpenAPI responses and
 * the pages under /problems are made from this table.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    retry: 'changed',
    explanation:
      'A parameter or a member of the body has the wrong type, is out of bounds, is missing or is not known. Every fault is listed with a pointer to its place.',
    nextActions: [CORRECT, READ_OPENAPI],
  },
  invalid_json: {
    status: 400,
    title: 'The body is not a JSON object',
    retry: 'changed',
    explanation: `The body could not be read as one JSON object in UTF-8, names a member twice, is nested deeper than ${LIMITS.jsonMaxDepth} levels, has more than ${LIMITS.jsonMaxKeys} members and items, or a text of more than ${LIMITS.jsonStringMaxLength} characters.`,
    nextActions: [{ description: 'Send one JSON object in UTF-8.' }, READ_OPENAPI],
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this request',
    retry: 'changed',
    explanation:
      'A cursor continues exactly one list: it must come from the answer before, unchanged, and be sent with the same query and filters.',
    nextActions: [{ description: 'Send the request without a cursor to start from the first page.' }],
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not usable',
    retry: 'changed',
    explanation: `An Idempotency-Key has at most ${LIMITS.idempotencyKeyMaxLength} printable ASCII characters. On registration and rotation it needs at least ${LIMITS.idempotencyKeyMinLength}, because whoever knows it can have the same key answered again; on a proposal, which cannot do without one, at least ${LIMITS.proposalKeyMinLength}.`,
    nextActions: [
      { description: 'Send a random key such as a UUID in a quoted string; where the header is optional, it can be left out.' },
    ],
  },
  challenge_invalid: {
    status: 400,
    title: 'The challenge is not solved',
    retry: 'changed',
    explanation: `The token of the challenge is not of this service or older than ${LIMITS.challengeMinutes} minutes, the digest of token and solution has too few leading zero bits, the network has to solve a harder one now, or the challenge let another request through before.`,
    nextActions: [CHALLENGE, SOLVE],
  },
  api_key_missing: {
    status: 401,
    title: 'An API key is needed',
    retry: 'changed',
    explanation:
      'The operation takes an API key in the Authorization header. Registration is open, needs no person and answers with a key that works at once.',
    nextActions: [REGISTER, { description: 'Send the key as "Authorization: Bearer <api_key>".' }],
  },
  api_key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    retry: 'changed',
    explanation:
      'The key is damaged, was cut off, or was not issued by this service. Keys begin with akg_live_ or akg_test_ and are 69 characters long.',
    nextActions: [{ description: 'Check that the whole key was copied.' }, REGISTER],
  },
  api_key_expired: {
    status: 401,
    title: 'The API key has expired',
    retry: 'changed',
    explanation: `A key works for ${LIMITS.keyTtlDays} days from the minute in which it was issued.`,
    nextActions: [REGISTER],
  },
  api_key_revoked: {
    status: 401,
    title: 'The API key was revoked',
    retry: 'changed',
    explanation:
      'The owner of the key or the publisher revoked it, or it was replaced by a rotation and the time in which both work is over.',
    nextActions: [REGISTER],
  },
  api_key_in_url: {
    status: 401,
    title: 'API keys are not taken from the address',
    retry: 'changed',
    explanation:
      'Addresses end up in logs, histories and referrers, so a key in the query string is refused even if it is valid. Treat a key that was sent this way as lost.',
    nextActions: [{ description: 'Send the key as "Authorization: Bearer <api_key>".' }, REGISTER],
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key lacks a scope',
    retry: 'changed',
    explanation: 'The key is valid but was not given the scope that this operation needs.',
    nextActions: [
      {
        description:
          'Ask the publisher to grant the scope to your agent; it counts without a new key. Capabilities says how each scope is given.',
        method: 'GET',
        path: `${PATHS.gateway}/capabilities`,
      },
      {
        description: 'Or register again and ask for the scope: buy is given on request, submit for a solved challenge.',
        method: 'POST',
        path: `${PATHS.gateway}/register`,
      },
    ],
  },
  challenge_required: {
    status: 403,
    title: 'A challenge must be solved first',
    retry: 'changed',
    explanation:
      'A challenge costs an agent some thousand digests, about a second, and a flood of requests its speed. One is needed for a key with the scope submit, and for requests that store something while callers together have used much of the budget of a day; capabilities and status tell the level of every budget.',
    nextActions: [CHALLENGE, SOLVE],
  },
  intake_closed: {
    status: 403,
    title: 'Proposals are not taken here',
    retry: 'changed',
    explanation: 'The publisher takes no proposals by the API, or only from agents that were granted the scope submit by name.',
    nextActions: [INTAKE],
  },
  route_not_found: {
    status: 404,
    title: 'There is no such address',
    retry: 'never',
    explanation: 'No operation answers at this path. Paths have no slash at the end.',
    nextActions: [
      { description: 'List the operations that answer here.', method: 'GET', path: `${PATHS.gateway}/capabilities` },
      READ_OPENAPI,
    ],
  },
  capsule_not_found: {
    status: 404,
    title: 'There is no such capsule',
    retry: 'never',
    explanation: 'No public capsule has this id, or it has no such version. Ids never change, and published capsules are never removed.',
    nextActions: [BROWSE],
  },
  submission_not_found: {
    status: 404,
    title: 'There is no such proposal of yours',
    retry: 'never',
    explanation:
      'The receipt is unknown, or belongs to another agent. Both are answered alike, so that nobody learns what others have proposed.',
    nextActions: [INTAKE],
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    retry: 'changed',
    explanation: 'The address exists but does not take this method. The Allow header lists the ones it takes.',
    nextActions: [READ_OPENAPI],
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types can be answered',
    retry: 'changed',
    explanation: 'The Accept header rules out every form that the operation can answer with.',
    nextActions: [{ description: 'Send "Accept: application/json", or leave the header out.' }],
  },
  corpus_superseded: {
    status: 409,
    title: 'The pinned corpus version is no longer kept',
    retry: 'changed',
    explanation:
      'The request names a corpus version that this deployment does not list any more. The newest version and at least two before it answer pinned requests; after a change of the ranking only those that were ranked in the same way.',
    nextActions: [{ description: 'Leave corpus_version out to search the newest corpus.' }, STATUS],
  },
  feed_restarted: {
    status: 409,
    title: 'The log of changes does not hold this position',
    retry: 'changed',
    explanation:
      'A cursor of the feed of changes names how many events its owner has seen and the digest of the last. The log here has another event at that place: it was begun anew, or the cursor is of another site. Or it has fewer events: an older deployment may have answered, for instance for a minute after a deploy, and Retry-After says when to ask again; if it stays so, the site was rolled back or the log begun anew.',
    nextActions: [
      { description: 'If the answer has Retry-After, wait so long and send the same request again before you do anything else.' },
      { description: 'Take the bundle that the manifest names, and compare it with your copy.', method: 'GET', path: PATHS.mirrorManifest },
      { description: 'Read the log from its beginning.', method: 'GET', path: `${PATHS.publicCapsules}/changes` },
    ],
  },
  api_key_replaced: {
    status: 409,
    title: 'The API key was replaced already',
    retry: 'never',
    explanation:
      'A rotation has replaced the key, which works for the rest of the overlap and can be rotated no second time: one key has one successor. The same rotation under its Idempotency-Key is answered again, so nobody but its owner gets the new key by the old one.',
    nextActions: [
      { description: 'Use the new key.' },
      {
        description: 'If its answer was lost: send that rotation again as it was, with its Idempotency-Key, while the old key works.',
        method: 'POST',
        path: `${PATHS.agentKeys}/rotate`,
      },
      {
        description: 'If it had no Idempotency-Key, or was not yours: revoke all keys of the agent with the old key, and register again.',
        method: 'POST',
        path: `${PATHS.agentKeys}/revoke`,
      },
    ],
  },
  already_published: {
    status: 409,
    title: 'What is proposed is published already',
    retry: 'never',
    explanation:
      'The id of the proposed capsule is taken, a published capsule has the same text, or the sentence to correct is not in the newest version any more.',
    nextActions: [BROWSE, INTAKE],
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    retry: 'changed',
    explanation: `A request body has at most ${LIMITS.bodyMaxBytes} bytes, and a proposal at most ${LIMITS.intakeBodyMaxBytes}.`,
    nextActions: [{ description: 'Send a smaller body; "detail" says how large it may be.' }],
  },
  uri_too_long: {
    status: 414,
    title: 'The address is too long',
    retry: 'changed',
    explanation: `An address has at most ${LIMITS.urlMaxLength} characters.`,
    nextActions: [{ description: 'Shorten the query string.' }],
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    retry: 'changed',
    explanation: 'The operation takes a body with the media type application/json, in UTF-8 and without a content coding.',
    nextActions: [
      { description: 'Send "Content-Type: application/json", and the JSON as it is, in UTF-8: not compressed, without Content-Encoding.' },
    ],
  },
  idempotency_conflict: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    retry: 'changed',
    explanation:
      'The same key came with another body before, in a request that was accepted or refused. A key belongs to one request and its repetitions.',
    nextActions: [{ description: 'Send a new Idempotency-Key for a new request.' }],
  },
  submission_refused: {
    status: 422,
    title: 'The proposal breaks a rule for content',
    retry: 'changed',
    explanation:
      'A proposal is held to the rules of published capsules: its text, sources, links and length. Text that hides characters, or that tells a reading agent what to do, is refused. Every fault is listed with its place.',
    nextActions: [CORRECT, INTAKE],
  },
  quota_exceeded: {
    status: 429,
    title: 'A quota is used up',
    retry: 'later',
    retryAfterSeconds: 3_600,
    explanation:
      'A quota that the database counts exactly is used up: registrations that a network leaves in the database, keys that may submit, rotations and revocations, proposals, checkout sessions, invoices; or the budget that all callers share for a day; or the queue of proposals is full. Retry-After says when there is room again.',
    nextActions: [WAIT, READ_QUOTAS],
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retry: 'later',
    retryAfterSeconds: 60,
    explanation:
      'A published rate limit was reached. RateLimit-Policy names the limits, RateLimit tells what is left, Retry-After when to come back. A registration can go on at once with a solved challenge.',
    nextActions: [
      WAIT,
      { description: 'Read the limits in force.', method: 'GET', path: `${PATHS.gateway}/capabilities` },
      { ...CHALLENGE, description: 'On a registration: ask for a challenge; a solved one lets it through.' },
    ],
  },
  internal: {
    status: 500,
    title: 'The service made a mistake',
    retry: 'later',
    explanation: 'Something happened that should not. Nothing that was acknowledged before is lost.',
    nextActions: [{ description: 'Try once more; if it fails again, report the request_id.' }, STATUS],
  },
  not_configured: {
    status: 503,
    title: 'The operation is not configured',
    retry: 'later',
    retryAfterSeconds: MENDED_RETRY_SECONDS,
    explanation: 'The deployment declares the operation but lacks a secret or a binding for it. Only its publisher can mend this.',
    nextActions: [
      {
        description: 'Read capsules without a key: browse and capsule addresses are open.',
        method: 'GET',
        path: `${PATHS.publicCapsules}/browse`,
      },
    ],
  },
  index_unavailable: {
    status: 503,
    title: 'The capsule index cannot be read at the moment',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation: 'The store that holds the index did not answer, or a part of it is missing. Pages and files of the site are not affected.',
    nextActions: [WAIT, STATUS],
  },
  state_unavailable: {
    status: 503,
    title: 'The database cannot be reached at the moment',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The operation needs the database, which did not answer. Nothing was changed, or the same Idempotency-Key will find what was.',
    nextActions: [WAIT],
  },
  file_unavailable: {
    status: 503,
    title: 'The page cannot be read at the moment',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation: 'The host of the static files did not answer a function that asked it for a page. Other pages need no function.',
    nextActions: [WAIT],
  },
  ...PAYMENT_ERRORS,
  ...ORDER_ERRORS,
  ...UCP_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

/** Permanent code of an error. */
export type ErrorCode = keyof typeof ERRORS;

/** The table entry of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return ERRORS[code];
}

/** Seconds within which a deploy has reached every place that answers, and answers of the one before have left the caches. */
export const DEPLOY_SETTLES_SECONDS = 60;
