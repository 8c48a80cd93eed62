import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ErrorCode } from '../../gateway/errors.ts';
import { type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { answerOnce, CACHE_HINT, toolResult } from './answer-once.ts';
import type { McpTools, ToolCaller } from './serve-tools.ts';

/** Errors of ours for those of the library, by their code in JSON-RPC; others are an invalid request. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  [ProtocolErrorCode.MethodNotFound]: 'rpc_method_not_found',
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 'version_unsupported',
  [ProtocolErrorCode.InternalError]: 'internal',
};

/**
 * Answers one request to the server of a protocol that has tools only. Every error is a refusal, which the protocol writes in its own shape. This
 * module loads the library of MCP, so it is imported with the first request.
 */
export async function answerToolRequest(
  request: Request,
  caller: ToolCaller,
  tools: McpTools,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  let refused: Refusal | undefined;
  const answered = await answerOnce(request, deps, () => {
    const server = new Server(
      { name: deps.deployment.name, version: GATEWAY_VERSION },
      { capabilities: { tools: {} }, cacheHints: { 'tools/list': CACHE_HINT, 'server/discover': CACHE_HINT } },
    );
    server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(tools.list(deps)) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const called = await tools.call(params.name, params.arguments ?? {}, caller, deps);
      if (called.ok) return toolResult(called.value.text, called.value.isError);
      refused = called.refusal;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refused.detail);
    });
    return server;
  });
  if (!answered.ok) return answered;
  if (refused !== undefined) return { ok: false, refusal: refused };
  const { response } = answered.value;
  const { error } = (await response.clone().json()) as { readonly error?: { readonly code: number; readonly message: string } };
  if (error === undefined) return answered;
  return refuse(CODES[error.code] ?? 'invalid_request', error.message, { members: { rpcCode: error.code } });
}
