import * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, refuse } from '../../gateway/result.ts';
import type { Protocol } from '../../http/protocol.ts';
import { publishedFault, retryAfterOf } from '../../http/render-problem.ts';
import { PATHS, problemPath } from '../../schemas/paths.ts';
import { A2A_VERSIONS } from '../versions.ts';
import { A2aFailure, A2aRequest } from './schemas.ts';

/** Errors of A2A and their codes of JSON-RPC (A2A 1.0, section 5.4). */
const A2A_ERRORS = {
  TASK_NOT_FOUND: -32_001,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32_003,
  UNSUPPORTED_OPERATION: -32_004,
  CONTENT_TYPE_NOT_SUPPORTED: -32_005,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32_007,
} as const;
type A2aError = keyof typeof A2A_ERRORS;

/** Codes of JSON-RPC 2.0 and A2A for codes of the error table; others are {@link REFUSED}. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_602,
  rpc_method_not_found: -32_601,
  internal: -32_603,
  version_unsupported: -32_009,
};
/** The body is not a JSON-RPC request. */
const INVALID_REQUEST = -32_600;
/** A refusal for which neither JSON-RPC nor A2A has a code (JSON-RPC 2.0, section 5.1: -32000 to -32099 are free; A2A has -32001 on). */
const REFUSED = -32_000;

const TYPE = 'type.googleapis.com/google.rpc.';

/** Members of an error besides the refusal. */
interface ErrorContext {
  readonly id: string | number;
}

/** A refusal with an error of A2A. */
export function refuseA2a(reason: A2aError, detail: string) {
  return refuse('invalid_request', detail, { members: { a2aError: reason } });
}

/** The refusal of a version of A2A. */
export function unsupportedVersion() {
  return refuse('version_unsupported', `This version of A2A is not supported. Send "A2A-Version: ${A2A_VERSIONS[0]}".`);
}

/** The refusal with the id of its request. */
export function withRequestId(refusal: Refusal, id: string | number): Refusal {
  return { ...refusal, members: { ...refusal.members, jsonRpc: { id } satisfies ErrorContext } };
}

/** The refusal of a body that is no request, with the id if the body has a valid one (JSON-RPC 2.0, section 5). */
export function invalidMessage(refusal: Refusal, sentBody: unknown): Refusal {
  const { success, data } = z.looseObject({ id: A2aRequest.shape.id }).safeParse(sentBody);
  return { ...refusal, members: { ...refusal.members, isNoRequest: true, ...(success ? { jsonRpc: { id: data.id } } : {}) } };
}

/** A2A over JSON-RPC (A2A 1.0, section 9). */
export const A2A_BINDING: Protocol = {
  name: 'a2a',
  prefix: PATHS.a2a,
  errorSchema: A2aFailure,
  statusOf: (code) => errorEntry(code).status,
  errorBody: (refusal, { baseUrl }) => {
    const { code, detail, errors, members } = refusal;
    const context = members?.['jsonRpc'] as ErrorContext | undefined;
    const a2aError = members?.['a2aError'] as A2aError | undefined;
    const isNoRequest = code === 'invalid_request' && (context === undefined || members?.['isNoRequest'] === true);
    const retryAfter = retryAfterOf(refusal);
    return {
      jsonrpc: '2.0',
      id: context?.id ?? null,
      error: {
        code: a2aError ? A2A_ERRORS[a2aError] : isNoRequest ? INVALID_REQUEST : (RPC_CODES[code] ?? REFUSED),
        message: detail === '' ? errorEntry(code).title : detail,
        data: [
          code === 'version_unsupported'
            ? errorInfo('VERSION_NOT_SUPPORTED', { supportedVersions: A2A_VERSIONS.join(', ') })
            : errorInfo(a2aError ?? code.toUpperCase(), { code }),
          ...(errors === undefined
            ? []
            : [
                {
                  '@type': `${TYPE}BadRequest`,
                  fieldViolations: errors.map(publishedFault).map(({ pointer, message }) => ({ field: pointer, description: message })),
                },
              ]),
          ...(retryAfter === undefined ? [] : [{ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfter}s` }]),
          { '@type': `${TYPE}Help`, links: [{ description: errorEntry(code).title, url: baseUrl + problemPath(code) }] },
        ],
      },
    };
  },
  admit: () => ok(undefined),
  admissionErrors: [],
  nonObjectCode: 'invalid_request',
  echoedHeaders: [],
};

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): object {
  return { '@type': `${TYPE}ErrorInfo`, reason, domain: 'a2a-protocol.org', metadata };
}
