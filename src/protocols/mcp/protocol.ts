import { errorEntry, type ErrorCode } from '../../gateway/errors.ts';
import { ok, type Refusal } from '../../gateway/result.ts';
import { JsonRpcError } from './schemas.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Protocol } from '../../http/protocol.ts';

/** Id of a request of JSON-RPC. */
export type JsonRpcId = string | number | null;

/** What a refusal says besides where it is answered over JSON-RPC. */
export interface JsonRpcFacts {
  readonly id: JsonRpcId;
  /** Code of JSON-RPC in the place of the one that follows from the code of the refusal. */
  readonly rpcCode?: number;
  /** Members of the data of the error. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Codes of JSON-RPC 2.0, MCP (2026-07-28) and UCP (overview, "Error Codes"); any other refusal is {@link REFUSED}. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_602,
  rpc_method_not_found: -32_601,
  internal: -32_603,
  invalid_profile_url: -32_001,
  version_unsupported: -32_022,
};
const REFUSED = -32_000;
/** What is no request of JSON-RPC at all. */
const NO_REQUEST = -32_600;

/** Statuses where they differ from those of the table; for UCP over MCP the status of HTTP is the first thing to look at. */
const STATUSES: Partial<Record<ErrorCode, number>> = { idempotency_conflict: 409 };

/** The refusal as the answer to a request. */
export function forRequest(refusal: Refusal, facts: JsonRpcFacts): Refusal {
  return { ...refusal, members: { ...refusal.members, jsonRpc: facts } };
}

/** Model Context Protocol over HTTP, each answer one JSON object. */
export const MCP: Protocol = {
  name: 'mcp',
  prefix: PATHS.ucpMcp,
  errorSchema: JsonRpcError,
  statusOf: (code) => STATUSES[code] ?? errorEntry(code).status,
  errorBody: (refusal, { baseUrl }) => {
    const { code, detail, errors, members } = refusal;
    const facts = members?.['jsonRpc'] as JsonRpcFacts | undefined;
    const retryAfter = refusal.retryAfterSeconds ?? errorEntry(code).retryAfterSeconds;
    const named = members?.['ucp_code'];
    return {
      jsonrpc: '2.0',
      id: facts?.id ?? null,
      error: {
        code: facts?.rpcCode ?? (facts === undefined && code === 'invalid_request' ? NO_REQUEST : (RPC_CODES[code] ?? REFUSED)),
        message: errorEntry(code).title,
        data: {
          code: typeof named === 'string' ? named : code,
          content: detail,
          ...(errors === undefined ? {} : { errors }),
          ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
          continue_url: baseUrl + PATHS.buy,
          ...facts?.data,
        },
      },
    };
  },
  admit: () => ok(undefined),
  admissionErrors: [],
  echoedHeaders: ['Request-Id'],
};
