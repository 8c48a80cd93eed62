import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { JsonRpcRequest, JsonRpcResult, MCP_STATELESS, MCP_VERSIONS } from './schemas.ts';
import { builtDocument } from '../../http/document-route.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { defineRoute, type Outcome, type RouteHeader, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { forRequest, type JsonRpcId, MCP } from './protocol.ts';
import { UCP_CHANGE_HEADERS } from '../ucp/http-binding.ts';
import { mcpRevision } from './revision.ts';
import { runTool } from '../ucp/run-tool.ts';

/** How long the list of tools may be kept, in milliseconds: as long as any document of the same deploy. */
const TOOLS_KEPT_MS = 300_000;

const MCP_HEADERS: readonly RouteHeader[] = [
  ['MCP-Protocol-Version', 'Revision of MCP.', MCP_STATELESS],
  ['Mcp-Method', `Method, again; from ${MCP_STATELESS} on.`, 'tools/call'],
  ['Mcp-Name', `Tool, again; from ${MCP_STATELESS} on.`, 'search_catalog'],
].map(
  ([name, description, example]) => ({ name, description, example, minLength: 1, maxLength: LIMITS.shortTextMaxLength }) as RouteHeader,
);

export const callUcpToolRoute = defineRoute<undefined, undefined, JsonRpcRequest>({
  id: 'callUcpTool',
  method: 'POST',
  path: PATHS.ucpMcp,
  summary: 'Call a tool of UCP over MCP',
  description:
    'The operations of UCP as tools of the Model Context Protocol: one message of JSON-RPC 2.0, answered with one JSON object. Nothing is remembered between requests, so that initialize may be sent and need not be.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  // Over MCP a platform names its profile in the arguments of a tool; the header of HTTP is taken in their place.
  headers: [...UCP_CHANGE_HEADERS.map(({ required: _required, ...header }) => header), ...MCP_HEADERS],
  protocol: MCP,
  body: JsonRpcRequest,
  responses: [
    {
      status: 200,
      description: 'The result; of a tool, isError is true where its ucp.status is error.',
      content: { type: 'application/json', schema: JsonRpcResult },
    },
    { status: 202, description: 'A notification was taken; there is nothing to answer.' },
  ],
  errors: [
    'invalid_cursor',
    'invalid_profile_url',
    'version_unsupported',
    'rpc_method_not_found',
    'request_in_flight',
    'idempotency_conflict',
    'quota_exceeded',
    'not_configured',
    'state_unavailable',
  ],
  rateLimit: 'buy',
  handlesOverLimit: true,
  cache: 'no-store',
  handle: async (input, deps) => {
    const { id } = input.body;
    if (input.overLimit) return { ok: false, refusal: forRequest(input.overLimit, { id: id ?? null }) };
    if (id === undefined) return ok({ kind: 'empty', status: 202 });
    const answered = await answer(input, id, deps);
    return answered.ok ? answered : { ok: false, refusal: withId(answered.refusal, id, input) };
  },
});

async function answer(
  { body, ...caller }: RouteInput<undefined, undefined, JsonRpcRequest>,
  id: JsonRpcId,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const revision = mcpRevision(body, caller.headers);
  if (!revision.ok) return revision;
  const about = revision.value.isStateless ? '"resultType":"complete",' : '';
  const kept = revision.value.isStateless ? `"ttlMs":${TOOLS_KEPT_MS},"cacheScope":"public",` : '';
  const server = { name: deps.deployment.name, version: GATEWAY_VERSION };
  switch (body.method) {
    case 'initialize':
      return result(id, JSON.stringify({ protocolVersion: negotiated(body), capabilities: { tools: {} }, serverInfo: server }));
    case 'ping':
      return result(id, revision.value.isStateless ? '{"resultType":"complete"}' : '{}');
    case 'server/discover': {
      const found = {
        supportedVersions: MCP_VERSIONS,
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': server },
      };
      return result(id, `{${about}${kept}${JSON.stringify(found).slice(1)}`);
    }
    case 'tools/list':
      return result(id, `{${about}${kept}"tools":${builtDocument('ucp_tools', deps).body}}`);
    case 'tools/call': {
      const args = body.params?.['arguments'] ?? {};
      if (typeof args !== 'object' || Array.isArray(args)) return refuse('invalid_request', 'The arguments of a tool are one JSON object.');
      const text = await runTool(body.params?.['name'], args as Record<string, unknown>, caller, deps);
      if (!text.ok) return text;
      const content = `"content":[{"type":"text","text":${JSON.stringify(text.value)}}],"structuredContent":${text.value}`;
      return result(id, `{${about}${content},"isError":${saysError(text.value)}}`);
    }
    default:
      return refuse('rpc_method_not_found', 'This method is not served here.');
  }
}

/** The revision that is spoken with a client that begins with `initialize`: its own, or the newest that begins so. */
function negotiated({ params }: JsonRpcRequest): string {
  const [, newest, ...older] = MCP_VERSIONS;
  return [newest, ...older].find((version) => version === params?.['protocolVersion']) ?? newest;
}

/**
 * Whether a tool did not do what it was asked for. A model looks at `isError` first (MCP, `CallToolResult`), and UCP, which leaves it open,
 * says the same by its status.
 */
function saysError(answer: string): boolean {
  return (JSON.parse(answer) as { readonly ucp: { readonly status: string } }).ucp.status === 'error';
}

/** @param text Result as JSON text. */
function result(id: JsonRpcId, text: string): Result<Outcome> {
  return ok({ kind: 'text', contentType: 'application/json', body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}` });
}

/** The refusal as the answer to its request, with what MCP wants to be told of it. */
function withId(refusal: Refusal, id: JsonRpcId, { headers }: Pick<RouteInput<unknown, unknown, unknown>, 'headers'>): Refusal {
  const rpcCode = refusal.members?.['rpcCode'];
  const data =
    refusal.code === 'version_unsupported' && rpcCode === undefined
      ? { supported: MCP_VERSIONS, requested: headers['mcp-protocol-version'] ?? '' }
      : undefined;
  return forRequest(refusal, { id, ...(typeof rpcCode === 'number' ? { rpcCode } : {}), ...(data === undefined ? {} : { data }) });
}
