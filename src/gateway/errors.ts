import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { COMMERCE_ERRORS } from './commerce-errors.ts';
import {
  type ErrorDeclaration,
  type ErrorEntry,
  get,
  OUTAGE_RETRY_SECONDS,
  post,
  READ_OPENAPI,
  STATUS,
  WAIT,
} from './error-next-actions.ts';

export const REPEAT_ROTATION = post(
  'If the response to the rotation was lost, send the rotation again unchanged, with its Idempotency-Key and the old key.',
  `${PATHS.agentKeys}/rotate`,
);
export const REGISTER = post('Register to get a key that works immediately: send {"agent_name": "<name>"}.', `${PATHS.gateway}/register`);
const BROWSE = get('Browse the public capsules to find an id.', `${PATHS.publicCapsules}/browse`);
const INTAKE = get('Read what can be proposed and whether intake is open.', `${PATHS.publicCapsules}/intake`);
export const CHALLENGE = get('Request a challenge.', `${PATHS.gateway}/challenge`);
const SOLVE = {
  description:
    'Solve it: find a number for which the SHA-256 digest of "<token>.<number>" begins with difficulty_bits zero bits. Then send the same request again: a registration with token and solution in "challenge", any other request with the header "Challenge-Solution: <token>.<solution>".',
} as const;
export const READ_QUOTAS = get('Read the quotas in force.', `${PATHS.gateway}/capabilities`);
export const IDEMPOTENCY_ADVICE = ' If it carried an Idempotency-Key, use a new one.';
const CORRECT = { description: `Correct what "errors" lists and send the request again.${IDEMPOTENCY_ADVICE}` } as const;

/** Seconds to wait where only the publisher can fix the cause. */
const CONFIGURED_RETRY_SECONDS = 3_600;

/** Every error of this service. Codes are permanent. OpenAPI responses and the pages under /problems are generated from this table. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    explanation:
      'A parameter or body member has the wrong type, is out of bounds, is missing or is unknown. "errors" lists each error with a pointer.',
    nextActions: [CORRECT, READ_OPENAPI],
  },
  invalid_json: {
    status: 400,
    title: 'The body is not acceptable JSON',
    explanation: `The body is not one JSON object in UTF-8, repeats a member name, is nested more than ${LIMITS.jsonMaxDepth} levels deep, has more than ${LIMITS.jsonMaxKeys} members and items, or contains a string longer than ${LIMITS.jsonStringMaxLength} characters.`,
    nextActions: [{ description: 'Send one JSON object in UTF-8, with each member once.' }, READ_OPENAPI],
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this request',
    explanation: 'A cursor continues one list. Send it unchanged, with the query and filters of the request that returned it.',
    nextActions: [{ description: 'Send the request without a cursor to start from the first page.' }],
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    explanation: `One rule holds for all operations: an Idempotency-Key has ${LIMITS.ownIdempotencyKeyMinLength} to ${LIMITS.idempotencyKeyMaxLength} printable ASCII characters without spaces, bare or in double quotes. It has at least ${LIMITS.idempotencyKeyMinLength} where a guessed one would lead to the response of somebody else: on operations without an API key, and on rotation. A key belongs to one operation, caller and body for ${LIMITS.idempotencyHours} hours. A UUID is accepted everywhere.`,
    nextActions: [{ description: 'Send a random key, such as a UUID, in the header Idempotency-Key.' }],
  },
  challenge_invalid: {
    status: 400,
    title: 'Invalid challenge solution',
    explanation: `This service did not issue the token, the token is older than ${LIMITS.challengeMinutes} minutes, the digest of token and solution has too few leading zero bits, your network now needs a harder challenge, or the challenge was already used.`,
    nextActions: [CHALLENGE, SOLVE],
  },
  api_key_missing: {
    status: 401,
    title: 'API key required',
    explanation:
      'The operation requires an API key in the Authorization header. Registration is open to agents and returns a key that works immediately.',
    nextActions: [REGISTER, { description: 'Send the key as "Authorization: Bearer <api_key>".' }],
  },
  api_key_invalid: {
    status: 401,
    title: 'Invalid API key',
    explanation:
      'The key is malformed, truncated, or not issued by this service. Keys begin with akg_live_ or akg_test_ and are 69 characters long.',
    nextActions: [{ description: 'Check that the key is complete.' }, REGISTER],
  },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    explanation: `A key works for ${LIMITS.keyTtlDays} days from the minute it was issued.`,
    nextActions: [REGISTER],
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    explanation: 'The owner of the key or the publisher revoked it, or a rotation replaced it and the overlap has ended.',
    nextActions: [REGISTER],
  },
  api_key_in_url: {
    status: 401,
    title: 'API keys are not accepted in URLs',
    explanation:
      'URLs end up in logs, histories and referrers, so a key anywhere in one is refused, at every address and even if it is valid. Treat a key that was sent this way as compromised.',
    nextActions: [{ description: 'Send the key as "Authorization: Bearer <api_key>".' }, REGISTER],
  },
  cross_site_form: {
    status: 403,
    title: 'Form sent from another site',
    explanation:
      'A browser sent a form of another site to this one, so its user may not have wanted it. Only forms of this site are accepted; programs send JSON, or a form without the headers Origin and Sec-Fetch-Site.',
    nextActions: [{ description: 'Open the page on this site and send its form, or send the request as JSON.' }],
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key lacks a scope',
    explanation: 'The key is valid but does not have the scope that the operation requires.',
    nextActions: [
      get(
        'Ask the publisher to grant the scope to your agent; it takes effect without a new key. Capabilities says how each scope is granted.',
        `${PATHS.gateway}/capabilities`,
      ),
      post(
        'Or register again and request the scope, if capabilities says that it is granted on request: send {"agent_name": "<name>", "scopes": ["read", "<scope>"]}.',
        `${PATHS.gateway}/register`,
      ),
    ],
  },
  challenge_required: {
    status: 403,
    title: 'Challenge required',
    explanation:
      'A challenge costs an agent some thousand digests, about a second, and slows down floods of requests. It is required for some scopes, and for requests that store data once callers together have used half of a daily budget. Capabilities and status report the level of every budget.',
    nextActions: [CHALLENGE, SOLVE],
  },
  intake_closed: {
    status: 403,
    title: 'Intake is closed',
    explanation: 'The publisher does not accept proposals through the API, or only from agents that were granted the scope submit.',
    nextActions: [INTAKE],
  },
  route_not_found: {
    status: 404,
    title: 'Path not found',
    retry: 'never',
    explanation:
      'No operation exists at this path. If one has a similar path, "detail" and "next_actions" name it. Paths have no trailing slash; a request with one is redirected (308).',
    nextActions: [get('List the operations of this deployment.', `${PATHS.gateway}/capabilities`), READ_OPENAPI],
  },
  capsule_not_found: {
    status: 404,
    title: 'Capsule or version not found',
    retry: 'never',
    explanation:
      'No public capsule has this id, or the capsule has no such version. A renamed capsule answers at its former address with a redirect, and one that was taken down with 410 or 451.',
    nextActions: [BROWSE, { description: 'If you named a version, omit it to get the current one.' }],
  },
  capsule_taken_down: {
    status: 410,
    title: 'Capsule taken down',
    retry: 'never',
    explanation:
      'The publisher removed the text of this capsule for good. Its lineage is a tombstone: the id, the digests of the versions, the day and the reason.',
    nextActions: [BROWSE],
  },
  capsule_blocked: {
    status: 451,
    title: 'Unavailable for legal reasons',
    retry: 'never',
    explanation:
      'The publisher removed the text of this capsule because the law demanded it (RFC 7725). Its lineage is a tombstone: the id, the digests of the versions, the day and the reason.',
    nextActions: [BROWSE],
  },
  submission_not_found: {
    status: 404,
    title: 'Proposal not found',
    retry: 'never',
    explanation:
      'The receipt is unknown or belongs to another agent. Both get the same response, so that nobody can find out what others have proposed.',
    nextActions: [INTAKE],
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path exists but does not support the method. The Allow header lists the methods that it supports.',
    nextActions: [READ_OPENAPI],
  },
  not_acceptable: {
    status: 406,
    title: 'No acceptable media type',
    explanation: 'The Accept header excludes every media type that the operation can return.',
    nextActions: [{ description: 'Send "Accept: application/json", or omit the header.' }],
  },
  corpus_superseded: {
    status: 409,
    title: 'The pinned corpus version is no longer available',
    explanation:
      'This deployment no longer serves the corpus version in the request. The newest version and at least two before it answer pinned requests; after a ranking change, only versions with the same ranking do.',
    nextActions: [{ description: 'Omit corpus_version to search the newest corpus.' }, STATUS],
  },
  feed_restarted: {
    status: 409,
    title: 'The change log does not hold this position',
    explanation:
      'A cursor of the change feed states how many events its owner has seen and the digest of the last one. If the log has another event at that position, it was restarted, or the cursor is from another site. If the log has fewer events, an older deployment may have responded, for instance within a minute of a deploy; retry after the time in Retry-After. If the error persists, the site was rolled back or the log was restarted.',
    nextActions: [
      { description: 'If the response has Retry-After, first wait for that time and retry.' },
      get('Download the bundle that the manifest names and compare it with your copy.', PATHS.mirrorManifest),
      get('Read the log from the beginning.', `${PATHS.publicCapsules}/changes`),
    ],
  },
  api_key_replaced: {
    status: 409,
    title: 'API key already replaced',
    retry: 'never',
    explanation:
      'A rotation replaced this key. It works until the overlap ends and cannot be rotated again: each key has one successor. Only the same rotation with its Idempotency-Key returns the new key again.',
    nextActions: [
      { description: 'Use the new key.' },
      REPEAT_ROTATION,
      post(
        'If it had no Idempotency-Key, or was not yours, revoke all keys of the agent with the old key, sending {"keys": "all"}, and register again.',
        `${PATHS.agentKeys}/revoke`,
      ),
    ],
  },
  already_published: {
    status: 409,
    title: 'Already published',
    retry: 'never',
    explanation:
      'The id of the proposed capsule is taken, a published capsule has the same text, or the passage to correct is not in the newest version.',
    nextActions: [BROWSE, INTAKE],
  },
  payload_too_large: {
    status: 413,
    title: 'Request body too large',
    explanation: `A request body has at most ${LIMITS.bodyMaxBytes} bytes, unless the operation states another limit.`,
    nextActions: [{ description: 'Send a smaller body; "detail" states the limit.' }],
  },
  uri_too_long: {
    status: 414,
    title: 'URL too long',
    explanation: `A URL has at most ${LIMITS.requestUrlMaxLength} characters.`,
    nextActions: [{ description: 'Shorten the URL.' }],
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    explanation: 'The operation accepts application/json in UTF-8, without a content coding.',
    nextActions: [{ description: 'Send "Content-Type: application/json" and uncompressed JSON in UTF-8, without Content-Encoding.' }],
  },
  idempotency_conflict: {
    status: 422,
    title: 'Idempotency-Key reused for another request',
    explanation:
      'The same key was sent before with another body, in a request that was accepted or refused. A key belongs to one request and its retries.',
    nextActions: [{ description: 'Send a new Idempotency-Key with a new request.' }],
  },
  submission_refused: {
    status: 422,
    title: 'The proposal breaks a content rule',
    explanation:
      'A proposal must meet the rules for proposals: text, sources, links and length. Text that hides characters, or that instructs a reading agent, is refused. "errors" lists each problem.',
    nextActions: [CORRECT, INTAKE],
  },
  quota_exceeded: {
    status: 429,
    title: 'Quota exceeded',
    retry: 'later',
    retryAfterSeconds: 3_600,
    explanation:
      'An exact quota is used up, such as the stored registrations of a network, or a daily budget that all callers share. "detail" names it, and capabilities lists all quotas and budgets. Retry-After states when requests are accepted again.',
    nextActions: [WAIT, READ_QUOTAS],
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retry: 'later',
    retryAfterSeconds: 60,
    explanation:
      'A published rate limit was reached. RateLimit-Policy names the limits, RateLimit reports what is left, and Retry-After states when to retry. A registration with a solved challenge is accepted immediately.',
    nextActions: [WAIT, get('Read the limits in force.', `${PATHS.gateway}/capabilities`)],
  },
  internal: {
    status: 500,
    title: 'Internal error',
    retry: 'later',
    explanation: 'An unexpected error occurred. Acknowledged requests are not affected.',
    nextActions: [{ description: 'Retry once; if it fails again, report the request_id.' }, STATUS],
  },
  not_configured: {
    status: 503,
    title: 'Operation not configured',
    retry: 'later',
    retryAfterSeconds: CONFIGURED_RETRY_SECONDS,
    explanation: 'The deployment declares the operation but lacks a secret or a binding for it. Only the publisher can fix this.',
    nextActions: [get('Read capsules without a key: browse and capsule URLs are open.', `${PATHS.publicCapsules}/browse`)],
  },
  index_unavailable: {
    status: 503,
    title: 'Capsule index unavailable',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation: 'The store of the index did not respond, or part of the index is missing. Pages and files of the site are not affected.',
    nextActions: [WAIT, STATUS],
  },
  state_unavailable: {
    status: 503,
    title: 'Database unavailable',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation:
      'The operation needs the database, which did not respond. Either nothing was changed, or a retry with the same Idempotency-Key finds what was stored.',
    nextActions: [WAIT],
  },
  file_unavailable: {
    status: 503,
    title: 'Page unavailable',
    retry: 'later',
    retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    explanation: 'The host of the static files did not respond when a function requested a page. Other pages need no function.',
    nextActions: [WAIT],
  },
  ...COMMERCE_ERRORS,
} as const satisfies Record<string, ErrorDeclaration>;

export type ErrorCode = keyof typeof ERRORS;

export function errorEntry(code: ErrorCode): ErrorEntry {
  return { retry: 'changed', ...ERRORS[code] };
}

/** Seconds until a deploy has reached every location and responses of the previous one have left the caches. */
export const DEPLOY_SETTLES_SECONDS = 60;
