import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorCode } from '../../gateway/errors.ts';
import { type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { type JsonRpcId, withRpcContext } from './json-rpc.ts';
import { serveRequest } from './serve-request.ts';
import type { McpTools, ToolCaller } from './serve-tools.ts';
import { toolResult } from './tool-result.ts';

/** Errors of ours for those of the library, by their code in JSON-RPC; others are an invalid request. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  [ProtocolErrorCode.MethodNotFound]: 'rpc_method_not_found',
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 'version_unsupported',
};

/** An error of the library in a response. */
interface LibraryError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Serves one request to the server of a protocol that has tools only. Errors are returned as refusals, so that the protocol writes them in its
 * own shape. This module loads the library of MCP, so it is imported with the first request.
 *
 * @param id Id of the request, which refusals repeat.
 */
export async function serveToolRequest(
  request: Request,
  id: JsonRpcId,
  caller: ToolCaller,
  tools: McpTools,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  let refused: Refusal | undefined;
  const served = await serveRequest(request, deps, { capabilities: { tools: {} } }, (server) => {
    server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(tools.list(deps)) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const called = await tools.call(params.name, params.arguments ?? {}, caller, deps);
      if (called.ok) return toolResult(called.value.text, called.value.isError);
      refused = called.refusal;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refused.detail);
    });
  });
  if (!served.ok) return { ok: false, refusal: withRpcContext(served.refusal, { id }) };
  if (refused !== undefined) return { ok: false, refusal: withRpcContext(refused, { id }) };
  const { error } = (await served.value.response.clone().json()) as { readonly error?: LibraryError };
  if (error === undefined) return served;
  const { code, message, data = {} } = error;
  return { ok: false, refusal: withRpcContext(refuse(CODES[code] ?? 'invalid_request', message).refusal, { id, rpcCode: code, data }) };
}
