import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { fieldErrorSentences, ok, refuse } from '../../gateway/result.ts';
import { CHALLENGE_SOLUTION, idempotencyKey, type Protocol, REQUEST_ID, type RouteHeader } from '../../http/define-route.ts';
import { jsonPath } from '../../http/validate-input.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ACP_VERSION, AcpError } from './acp-schemas.ts';

/** Codes that have another name in the protocol (rfcs/rfc.agentic_checkout.md, section 6, and its examples). */
const CODES: Partial<Record<ErrorCode, string>> = {
  invalid_idempotency_key: 'idempotency_key_required',
  request_in_flight: 'idempotency_in_flight',
  offer_not_found: 'invalid_item_id',
  cart_refused: 'quantity_exceeded',
  payment_unsupported: 'unsupported',
  version_unsupported: 'unsupported_api_version',
};

/** Statuses that differ from the error table: the protocol reserves 422 for a conflict of keys, and 404 for an unknown session. */
const STATUSES: Partial<Record<ErrorCode, number>> = { offer_not_found: 400, cart_refused: 400, payment_unsupported: 400 };

function typeOf(code: ErrorCode): AcpError['type'] {
  if (code === 'payment_declined' || code === 'internal') return 'processing_error';
  const isLater = code === 'rate_limited' || code === 'quota_exceeded' || errorEntry(code).status >= 500;
  return isLater ? 'service_unavailable' : 'invalid_request';
}

export const ACP_BINDING: Protocol = {
  name: 'acp',
  prefix: PATHS.acp,
  errorSchema: AcpError,
  statuses: STATUSES,
  errorBody: ({ code, detail, errors = [], errorsAreFurther, protocolCode }): AcpError => {
    const first = errorsAreFurther ? undefined : errors[0];
    const isOfCart = code === 'cart_refused' && errors.length > 1;
    const further = isOfCart ? [] : errorsAreFurther ? errors : errors.slice(1);
    // No item of a cart that is refused as a whole is at fault.
    const param = jsonPath(isOfCart ? first?.pointer.replace(/\/\d+$/, '') : first?.pointer);
    return {
      type: typeOf(code),
      code: protocolCode ?? CODES[code] ?? code,
      // An error of the protocol has one message, which names all errors.
      message: further.length === 0 ? detail : `${detail} Also: ${fieldErrorSentences(further)}`,
      ...(param === undefined ? {} : { param }),
      ...(code === 'version_unsupported' ? { supported_versions: [ACP_VERSION] } : {}),
    };
  },
  admit: (headers) => {
    const version = headers['api-version'];
    if (version === ACP_VERSION) return ok(undefined);
    const [subject, fault, protocolCode] =
      version === undefined
        ? ['The header API-Version', 'is missing', 'missing_api_version']
        : ['This API-Version', 'is not supported', 'unsupported_api_version'];
    return refuse('version_unsupported', `${subject} ${fault}. Send API-Version: ${ACP_VERSION}.`, {
      errors: [{ pointer: 'API-Version', message: `${fault}; send "API-Version: ${ACP_VERSION}"` }],
      protocolCode,
    });
  },
  admissionErrors: ['version_unsupported'],
  echoedHeaders: ['Idempotency-Key', 'Request-Id'],
};

/** Operations that are specific to this site need no version. */
export const ACP_SITE_BINDING: Protocol = { ...ACP_BINDING, admit: () => ok(undefined), admissionErrors: [] };

/** A closed session is 405 where it is canceled (openapi.agentic_checkout.yaml). */
export const ACP_CANCEL_BINDING: Protocol = { ...ACP_BINDING, name: 'acp_cancel', statuses: { ...STATUSES, session_closed: 405 } };

export const ACP_HEADERS: readonly RouteHeader[] = [
  {
    name: 'API-Version',
    description: `Version of the protocol: ${ACP_VERSION}. A request without it, or with another one, is refused.`,
    minLength: 1,
    maxLength: 255,
    example: ACP_VERSION,
    required: true,
  },
  REQUEST_ID,
  {
    name: 'Signature',
    description: 'Accepted and ignored: the API key identifies the caller.',
    minLength: 1,
    maxLength: 1_024,
    example: 'ZXhhbXBsZQ',
  },
  { name: 'Timestamp', description: 'Accepted and ignored.', minLength: 1, maxLength: 64, example: '2026-11-22T12:00:00Z' },
];

export const ACP_POST_HEADERS: readonly RouteHeader[] = [
  ...ACP_HEADERS,
  CHALLENGE_SOLUTION,
  idempotencyKey(
    'Unique text, such as a UUID, that makes retries safe: for 24 hours the same request of the same agent has one effect and one response. A replayed response has the header Idempotent-Replayed.',
    { isOwn: true, isRequired: true },
  ),
];
