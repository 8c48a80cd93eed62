import * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { Protocol } from '../../http/protocol.ts';
import { publishedFault, retryAfterOf } from '../../http/render-problem.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

const Id = z.union([z.string().max(LIMITS.shortTextMaxLength), z.number()], 'must be a string or a number');

/** A message of JSON-RPC 2.0: a request, or a notification, which has no id. */
export const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.optional().describe('Id of the request, which the response repeats; a notification has none. null is refused.'),
  method: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Method of MCP, such as tools/call.'),
  params: z.looseObject({}).optional().describe('Parameters of the method.'),
});
export type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** What a client sends: one message, or a batch of them (JSON-RPC 2.0, section 6), which revisions of MCP before 2025-06-18 have. */
export const JsonRpcBody = z.union([
  JsonRpcRequest,
  z.array(JsonRpcRequest).min(1).max(LIMITS.rpcBatchMax).describe('A batch. Revisions since 2025-06-18 have none.'),
]);
export type JsonRpcBody = z.infer<typeof JsonRpcBody>;

/** Id of a request of JSON-RPC. */
export type JsonRpcId = string | number | null;

/** The response to a request that succeeded. */
export const JsonRpcResult = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().describe('Id of the request.'),
  result: z.looseObject({}).describe('Result of the method. A tool of UCP returns structuredContent and the same as text.'),
});

/** The response to a request that failed. */
const JsonRpcError = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().describe('Id of the request, or null if it could not be read.'),
  error: z
    .looseObject({
      code: z.int().describe('Code of JSON-RPC, MCP or UCP.'),
      message: z.string().describe('The error in a few words.'),
      data: z
        .looseObject({
          code: z.string().describe('Permanent code of the error.'),
          content: z.string().describe('What is wrong, in plain text.'),
        })
        .describe('Details.'),
    })
    .describe('The error.'),
});

/** A response of the library of MCP: a result or an error, whose `data` has the members of a refusal if it is one of ours. */
export const JsonRpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().optional().describe('Id of the request; absent or null if it could not be read.'),
  result: z.looseObject({}).optional().describe('Result of the method.'),
  error: z
    .looseObject({ code: z.int().describe('Code of JSON-RPC or MCP.'), message: z.string().describe('The error in a few words.') })
    .optional()
    .describe('The error.'),
});

/** What `/mcp` responds with: to a message one answer, to a batch a list of them. */
export const JsonRpcBatchAnswer = z.array(JsonRpcAnswer).describe('The answers to a batch, in order.');
export const JsonRpcAnswers = z.union([JsonRpcAnswer, JsonRpcBatchAnswer]);

/** Members of a JSON-RPC error besides the refusal. */
interface ErrorContext {
  readonly id?: JsonRpcId;
  /** JSON-RPC code, if not the default for the code of the refusal. */
  readonly rpcCode?: number;
  /** Further members of `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Codes of JSON-RPC 2.0 and MCP 2026-07-28; others are {@link REFUSED}, unless the tools name a code. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_602,
  rpc_method_not_found: -32_601,
  internal: -32_603,
  version_unsupported: -32_022,
};
const REFUSED = -32_000;
/** The body is not a JSON-RPC request. */
const INVALID_REQUEST = -32_600;

/** How the tools of a protocol report errors over MCP. */
export interface ToolErrors {
  readonly rpcCodes: Partial<Record<ErrorCode, number>>;
  /** HTTP statuses that differ from the error table. */
  readonly statuses: Partial<Record<ErrorCode, number>>;
  readonly codeOf: (refusal: Refusal) => string;
  /** Schema of errors, if the library of the protocol makes some of them. */
  readonly errorSchema?: z.ZodType;
  /** Members of `data` in every error. */
  readonly data: (baseUrl: string) => Readonly<Record<string, unknown>>;
}

/** The refusal with members of its JSON-RPC error, besides those that it has. */
export function withRpcContext(refusal: Refusal, context: ErrorContext): Refusal {
  return {
    ...refusal,
    members: { ...refusal.members, jsonRpc: { ...(refusal.members?.['jsonRpc'] as ErrorContext | undefined), ...context } },
  };
}

/** The refusal of a body that is no request, with the id if the body has a valid one (JSON-RPC 2.0, section 5). */
export function invalidMessage(refusal: Refusal, sentBody: unknown): Refusal {
  const { success, data } = z.looseObject({ id: Id }).safeParse(sentBody);
  return success ? withRpcContext(refusal, { id: data.id, rpcCode: INVALID_REQUEST }) : refusal;
}

/** Model Context Protocol over HTTP at a path, each response one JSON object. */
export function mcpBinding(path: string, { rpcCodes, statuses, codeOf, data, errorSchema = JsonRpcError }: ToolErrors): Protocol {
  const codes = { ...RPC_CODES, ...rpcCodes };
  return {
    name: 'mcp',
    prefix: path,
    errorSchema,
    ...(path === PATHS.mcp ? { metadataPath: PATHS.mcpProtectedResource } : {}),
    statusOf: (code) => statuses[code] ?? errorEntry(code).status,
    errorBody: (refusal, { baseUrl }) => {
      const { code, detail, errors, members } = refusal;
      const context = members?.['jsonRpc'] as ErrorContext | undefined;
      const retryAfter = retryAfterOf(refusal);
      const isNoRequest = context === undefined && code === 'invalid_request';
      return {
        jsonrpc: '2.0',
        id: context?.id ?? null,
        error: {
          code: context?.rpcCode ?? (isNoRequest ? INVALID_REQUEST : (codes[code] ?? REFUSED)),
          message: errorEntry(code).title,
          data: {
            code: codeOf(refusal),
            content: detail,
            ...(errors === undefined ? {} : { errors: errors.map(publishedFault) }),
            ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
            ...data(baseUrl),
            ...context?.data,
          },
        },
      };
    },
    admit: () => ok(undefined),
    admissionErrors: [],
    nonObjectCode: 'invalid_request',
    acceptsList: true,
    echoedHeaders: ['Request-Id'],
  };
}

/** Refuses `subscriptions/listen`: nothing here changes before the next deploy, and every response is one JSON object. */
export function refusedSubscription(method: string): Result<undefined> {
  return method === 'subscriptions/listen'
    ? refuse('rpc_method_not_found', 'There is nothing to subscribe to: what this server lists changes only with a deploy.')
    : ok(undefined);
}
