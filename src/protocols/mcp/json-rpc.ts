import * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal } from '../../gateway/result.ts';
import type { Protocol } from '../../http/protocol.ts';
import { LIMITS } from '../../schemas/limits.ts';

const Id = z.union([z.string().max(LIMITS.shortTextMaxLength), z.number()]);

/** A message of JSON-RPC 2.0: a request, or a notification, which has no id. Batches are arrays, and refused. */
export const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullish().describe('Id of the request, which the response repeats; a notification has none.'),
  method: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('initialize, ping, server/discover, tools/list or tools/call.'),
  params: z.looseObject({}).optional().describe('Parameters of the method.'),
});
export type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** Id of a request of JSON-RPC. */
export type JsonRpcId = string | number | null;

/** The response to a request that succeeded. */
export const JsonRpcResult = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().describe('Id of the request.'),
  result: z.looseObject({}).describe('Result of the method; of a tool, structuredContent and the same as text.'),
});

/** The response to a request that failed. */
const JsonRpcError = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().describe('Id of the request, or null where it could not be read.'),
  error: z
    .looseObject({
      code: z.int().describe('Code of JSON-RPC, MCP or UCP.'),
      message: z.string().describe('What is wrong, in a few words.'),
      data: z.looseObject({ code: z.string().describe('Permanent code of the error.'), content: z.string() }).describe('Details.'),
    })
    .describe('The error.'),
});

/** What an error over JSON-RPC says besides the refusal. */
interface ErrorContext {
  readonly id: JsonRpcId;
  /** Code of JSON-RPC in the place of the one that follows from the code of the refusal. */
  readonly rpcCode?: number;
  /** Members of the data of the error. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Codes of JSON-RPC 2.0 and MCP 2026-07-28; any other refusal is {@link REFUSED}, unless the tools have a code for it. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_602,
  rpc_method_not_found: -32_601,
  internal: -32_603,
  version_unsupported: -32_022,
};
const REFUSED = -32_000;
/** A body that is not a request of JSON-RPC at all. */
const NO_REQUEST = -32_600;

/** How tools name their refusals over MCP. */
export interface ToolErrors {
  readonly rpcCodes: Partial<Record<ErrorCode, number>>;
  /** Statuses of HTTP where they differ from those of the table. */
  readonly statuses: Partial<Record<ErrorCode, number>>;
  readonly codeOf: (refusal: Refusal) => string;
  /** Members of the data of every error. */
  readonly data: (baseUrl: string) => Readonly<Record<string, unknown>>;
}

/** The refusal as the response to a request. */
export function inContext(refusal: Refusal, context: ErrorContext): Refusal {
  return { ...refusal, members: { ...refusal.members, jsonRpc: context } };
}

/** Model Context Protocol over HTTP at a path, each response one JSON object. */
export function mcpBinding(path: string, { rpcCodes, statuses, codeOf, data }: ToolErrors): Protocol {
  const codes = { ...RPC_CODES, ...rpcCodes };
  return {
    name: 'mcp',
    prefix: path,
    errorSchema: JsonRpcError,
    statusOf: (code) => statuses[code] ?? errorEntry(code).status,
    errorBody: (refusal, { baseUrl }) => {
      const { code, detail, errors, members } = refusal;
      const context = members?.['jsonRpc'] as ErrorContext | undefined;
      const retryAfter = refusal.retryAfterSeconds ?? errorEntry(code).retryAfterSeconds;
      const isNoRequest = context === undefined && code === 'invalid_request';
      return {
        jsonrpc: '2.0',
        id: context?.id ?? null,
        error: {
          code: context?.rpcCode ?? (isNoRequest ? NO_REQUEST : (codes[code] ?? REFUSED)),
          message: errorEntry(code).title,
          data: {
            code: codeOf(refusal),
            content: detail,
            ...(errors === undefined ? {} : { errors }),
            ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
            ...data(baseUrl),
            ...context?.data,
          },
        },
      };
    },
    admit: () => ok(undefined),
    admissionErrors: [],
    echoedHeaders: ['Request-Id'],
  };
}
