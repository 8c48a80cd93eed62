import { errorEntry } from '../../gateway/errors.ts';
import { refuse } from '../../gateway/result.ts';
import { publishedFault, retryAfterOf } from '../../http/render-problem.ts';
import { PATHS, problemPath } from '../../schemas/paths.ts';
import { rpcBinding } from '../json-rpc.ts';
import { A2A_VERSIONS } from '../versions.ts';
import { A2aFailure } from './schemas.ts';

/** Errors of A2A and their codes of JSON-RPC (A2A 1.0, section 5.4). */
const A2A_ERRORS = {
  TASK_NOT_FOUND: -32_001,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32_003,
  UNSUPPORTED_OPERATION: -32_004,
  CONTENT_TYPE_NOT_SUPPORTED: -32_005,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32_007,
} as const;
type A2aError = keyof typeof A2A_ERRORS;

const TYPE = 'type.googleapis.com/google.rpc.';

/** A refusal with an error of A2A. */
export function refuseA2a(reason: A2aError, detail: string) {
  return refuse('invalid_request', detail, { protocolCode: reason, rpc: { code: A2A_ERRORS[reason] } });
}

/** The refusal of a version of A2A. */
export function unsupportedVersion() {
  return refuse('version_unsupported', `This version of A2A is not supported. Send "A2A-Version: ${A2A_VERSIONS[0]}".`);
}

/** A2A over JSON-RPC (A2A 1.0, section 9). */
export const A2A_BINDING = rpcBinding({
  name: 'a2a',
  prefix: PATHS.a2a,
  errorSchema: A2aFailure,
  codes: { version_unsupported: -32_009 },
  errorOf: (refusal, baseUrl) => {
    const { code, detail, errors, protocolCode } = refusal;
    const retryAfter = retryAfterOf(refusal);
    return {
      message: detail === '' ? errorEntry(code).title : detail,
      data: [
        code === 'version_unsupported'
          ? errorInfo('VERSION_NOT_SUPPORTED', { supportedVersions: A2A_VERSIONS.join(', ') })
          : errorInfo(protocolCode ?? code.toUpperCase(), { code }),
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
    };
  },
});

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): object {
  return { '@type': `${TYPE}ErrorInfo`, reason, domain: 'a2a-protocol.org', metadata };
}
