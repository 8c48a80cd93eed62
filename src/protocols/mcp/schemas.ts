import * as z from 'zod';
import { LIMITS } from '../../schemas/limits.ts';

/**
 * Revisions of the Model Context Protocol that are spoken, the newest first. From 2026-07-28 on every request carries its version; the
 * older ones begin with `initialize`, and nothing of it is remembered here.
 */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The first revision without `initialize`. */
export const MCP_STATELESS = MCP_VERSIONS[0];

const Id = z.union([z.string().max(LIMITS.shortTextMaxLength), z.number()]);

/** A message of JSON-RPC 2.0: a request, or a notification, which has no id. Batches are arrays, and refused. */
export const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullish().describe('Id of the request, which the answer repeats; a notification has none.'),
  method: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('initialize, ping, server/discover, tools/list or tools/call.'),
  params: z.looseObject({}).optional().describe('Parameters of the method.'),
});
export type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** The answer to a request that was carried out. */
export const JsonRpcResult = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: Id.nullable().describe('Id of the request.'),
  result: z.looseObject({}).describe('Result of the method; of a tool, structuredContent and the same as text.'),
});

/** The answer to a request that was not carried out. */
export const JsonRpcError = z.object({
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
