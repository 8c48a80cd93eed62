import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorCode } from '../../gateway/errors.ts';
import { type Refusal, refuse } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { withRpc } from '../json-rpc.ts';
import type { CallTool, ToolCaller } from './mcp-route.ts';
import { serveRequest } from './serve-request.ts';

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
 * @param tools `list` is `tools/list` as JSON text.
 */
export async function serveToolRequest(
  request: Request,
  caller: ToolCaller,
  tools: { readonly list: string; readonly call: CallTool },
  deps: GatewayDependencies,
): ReturnType<typeof serveRequest> {
  let refused: Refusal | undefined;
  const served = await serveRequest(request, deps, { capabilities: { tools: {} } }, (server) => {
    server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(tools.list) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const called = await tools.call(params.name, params.arguments ?? {}, caller, deps);
      if (called.ok) {
        const { text, isError } = called.value;
        // What the schema of the output describes, even where the outcome is an error.
        return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text), isError };
      }
      refused = called.refusal;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refused.detail);
    });
  });
  if (!served.ok) return served;
  if (refused !== undefined) return { ok: false, refusal: refused };
  const { error } = (await served.value.response.clone().json()) as { readonly error?: LibraryError };
  if (error === undefined) return served;
  const { code, message, data = {} } = error;
  return { ok: false, refusal: withRpc(refuse(CODES[code] ?? 'invalid_request', message).refusal, { code, data }) };
}
