import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, refuse } from '../../gateway/result.ts';
import type { RouteHeader } from '../../http/define-route.ts';
import type { Protocol } from '../../http/protocol.ts';
import { CHALLENGE_SOLUTION } from '../../http/rate-limits.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ACP_VERSION, AcpError } from './schemas/responses.ts';

/** Codes that the protocol has words of its own for (rfcs/rfc.agentic_checkout.md, section 6, and its examples); all others are those of the table. */
const CODES: Partial<Record<ErrorCode, string>> = {
  invalid_idempotency_key: 'idempotency_key_required',
  request_in_flight: 'idempotency_in_flight',
  offer_not_found: 'invalid_item_id',
  cart_refused: 'quantity_exceeded',
  payment_unsupported: 'unsupported',
};

/** Statuses that differ from the table: 422 belongs to a conflict of keys, and 404 to a session that is not there. */
const STATUSES: Partial<Record<ErrorCode, number>> = { offer_not_found: 400, cart_refused: 400, payment_unsupported: 400 };

/** Errors below 500 after which the same request may succeed later. */
const LATER: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded'];

const PROCESSING: readonly ErrorCode[] = ['payment_declined', 'internal'];

function statusOf(code: ErrorCode): number {
  return STATUSES[code] ?? errorEntry(code).status;
}

function kindOf(code: ErrorCode): AcpError['type'] {
  if (PROCESSING.includes(code)) return 'processing_error';
  return LATER.includes(code) || statusOf(code) >= 500 ? 'service_unavailable' : 'invalid_request';
}

/** The Agentic Commerce Protocol 2026-04-17 at its edge. */
export const ACP_BINDING: Protocol = {
  name: 'acp',
  prefix: PATHS.acp,
  errorSchema: AcpError,
  statusOf,
  errorBody: (refusal): AcpError => {
    const param = jsonPath(refusal.errors?.[0]?.pointer);
    return {
      type: kindOf(refusal.code),
      code: codeOf(refusal),
      message: refusal.detail,
      ...(param === undefined ? {} : { param }),
      ...(refusal.code === 'version_unsupported' ? { supported_versions: [ACP_VERSION] } : {}),
    };
  },
  admit: (headers) => {
    const version = headers['api-version'];
    if (version === ACP_VERSION) return ok(undefined);
    return refuse(
      'version_unsupported',
      `The header API-Version ${version === undefined ? 'is missing' : 'names another version'}; this service supports ${ACP_VERSION}.`,
      {
        members: { code: version === undefined ? 'missing_api_version' : 'unsupported_api_version' },
      },
    );
  },
  admissionErrors: ['version_unsupported'],
  echoedHeaders: ['Idempotency-Key', 'Request-Id'],
};

/** Binding of operations that belong to this site and not to the protocol: they need no version. */
export const ACP_SITE_BINDING: Protocol = { ...ACP_BINDING, admit: () => ok(undefined), admissionErrors: [] };

/** Binding of the operation that cancels: a closed session is 405 (openapi.agentic_checkout.yaml). */
export const ACP_CANCEL_BINDING: Protocol = {
  ...ACP_BINDING,
  name: 'acp_cancel',
  statusOf: (code) => (code === 'session_closed' ? 405 : statusOf(code)),
};

function codeOf({ code, members }: Refusal): string {
  if (code === 'version_unsupported')
    return members?.['code'] === 'missing_api_version' ? 'missing_api_version' : 'unsupported_api_version';
  return CODES[code] ?? code;
}

/** JSONPath (RFC 9535) of the place that a JSON pointer names; `undefined` for what is no place in a body. */
function jsonPath(pointer: string | undefined): string | undefined {
  if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
  let path = '$';
  for (const name of pointer.split('/').slice(1)) {
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else if (/^[A-Za-z_]\w*$/.test(name)) path += `.${name}`;
    else break;
  }
  return path;
}

/** Headers of every request. */
export const ACP_HEADERS: readonly RouteHeader[] = [
  {
    name: 'API-Version',
    description: `Version of the protocol: ${ACP_VERSION}. A request without it, or with another one, is refused.`,
    minLength: 1,
    maxLength: 255,
    example: ACP_VERSION,
    required: true,
  },
  { name: 'Request-Id', description: 'Id of the request, which the response repeats.', minLength: 1, maxLength: 255 },
  {
    name: 'Signature',
    description: 'Accepted and ignored: the API key identifies the caller.',
    minLength: 1,
    maxLength: 1_024,
    example: 'ZXhhbXBsZQ',
  },
  {
    name: 'Timestamp',
    description: 'Accepted and ignored.',
    minLength: 1,
    maxLength: 64,
    example: '2026-11-22T12:00:00Z',
  },
];

/** Headers of every POST. */
export const ACP_POST_HEADERS: readonly RouteHeader[] = [
  ...ACP_HEADERS,
  CHALLENGE_SOLUTION,
  {
    name: 'Idempotency-Key',
    description:
      'Unique text, such as a UUID, that makes retries safe: for 24 hours the same request of the same agent has one effect and one response. A replayed response has the header Idempotent-Replayed.',
    minLength: 1,
    maxLength: LIMITS.idempotencyKeyMaxLength,
    required: true,
  },
];
