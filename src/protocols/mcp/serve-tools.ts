import type { ErrorCode } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { defineRoute, type Outcome, type Route, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { RouteHeader } from '../../http/route-headers.ts';
import { fromBase64Url } from '../../provenance/bytes.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { inContext, type JsonRpcId, JsonRpcRequest, JsonRpcResult, mcpBinding, type ToolErrors } from './json-rpc.ts';

/** How long the list of tools may be kept, in milliseconds: as long as any document of the same deploy. */
const TOOLS_KEPT_MS = 300_000;

/** What a tool reads of the request that calls it. */
export type ToolCaller = Pick<
  RouteInput<unknown, unknown, unknown>,
  'headers' | 'network' | 'idempotencyKey' | 'defer' | 'useChallengeSolution'
>;

/** What a tool returns. */
export interface ToolResult {
  /** JSON text of an object. */
  readonly text: string;
  /** Whether the tool did not do what it was called for: a model looks at this first (MCP, `CallToolResult`). */
  readonly isError: boolean;
}

/** The tools of a protocol, as MCP serves them. */
export interface McpTools {
  /** `tools/list` as JSON text. */
  readonly list: (deps: GatewayDependencies) => string;
  readonly call: (
    name: unknown,
    args: Readonly<Record<string, unknown>>,
    caller: ToolCaller,
    deps: GatewayDependencies,
  ) => Promise<Result<ToolResult>>;
  readonly errors: ToolErrors;
  /** Name of a tool, for documents. */
  readonly example: string;
}

/** The operation over which MCP serves the tools of a protocol: one message of JSON-RPC, answered with one JSON object. */
export function mcpRoute(
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'headers'> & {
    readonly resultDescription: string;
    readonly errors: readonly ErrorCode[];
  },
  tools: McpTools,
): Route {
  const { resultDescription, headers = [], ...named } = route;
  return defineRoute({
    ...named,
    method: 'POST',
    capability: 'commerce',
    access: 'open',
    headers: [...headers, ...mcpHeaders(tools.example)],
    protocol: mcpBinding(route.path, tools.errors),
    body: JsonRpcRequest,
    responses: [
      { status: 200, description: resultDescription, content: { type: 'application/json', schema: JsonRpcResult } },
      { status: 202, description: 'A notification was accepted; there is nothing to return.' },
    ],
    rateLimit: 'buy',
    handlesOverLimit: true,
    handle: async (input, deps) => {
      const { id } = input.body;
      if (input.overLimit) return { ok: false, refusal: inContext(input.overLimit, { id: id ?? null }) };
      if (id === undefined) return ok({ kind: 'empty', status: 202 });
      const response = await respond(input, id, tools, deps);
      return response.ok ? response : { ok: false, refusal: withId(response.refusal, id, input) };
    },
  });
}

function mcpHeaders(exampleTool: string): RouteHeader[] {
  const bounds = { minLength: 1, maxLength: LIMITS.shortTextMaxLength };
  return [
    { name: 'MCP-Protocol-Version', description: 'Revision of MCP.', example: MCP_STATELESS, ...bounds },
    { name: 'Mcp-Method', description: `Method, again; from ${MCP_STATELESS} on.`, example: 'tools/call', ...bounds },
    { name: 'Mcp-Name', description: `Tool, again; from ${MCP_STATELESS} on.`, example: exampleTool, ...bounds },
  ];
}

async function respond(
  { body, ...caller }: RouteInput<undefined, undefined, JsonRpcRequest>,
  id: JsonRpcId,
  tools: McpTools,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const revision = mcpRevision(body, caller.headers);
  if (!revision.ok) return revision;
  const type = revision.value.isStateless ? '"resultType":"complete",' : '';
  const kept = revision.value.isStateless ? `"ttlMs":${TOOLS_KEPT_MS},"cacheScope":"public",` : '';
  const server = { name: deps.deployment.name, version: GATEWAY_VERSION };
  switch (body.method) {
    case 'initialize':
      return result(id, JSON.stringify({ protocolVersion: negotiated(body), capabilities: { tools: {} }, serverInfo: server }));
    case 'ping':
      return result(id, revision.value.isStateless ? '{"resultType":"complete"}' : '{}');
    case 'server/discover': {
      const discovered = {
        supportedVersions: MCP_VERSIONS,
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': server },
      };
      return result(id, `{${type}${kept}${JSON.stringify(discovered).slice(1)}`);
    }
    case 'tools/list':
      return result(id, `{${type}${kept}"tools":${tools.list(deps)}}`);
    case 'tools/call': {
      const args = body.params?.['arguments'] ?? {};
      if (typeof args !== 'object' || Array.isArray(args)) return refuse('invalid_request', 'The arguments of a tool are one JSON object.');
      const called = await tools.call(body.params?.['name'], args as Record<string, unknown>, caller, deps);
      if (!called.ok) return called;
      const { text, isError } = called.value;
      const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
      return result(id, `{${type}${content},"isError":${isError}}`);
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

/** @param text Result as JSON text. */
function result(id: JsonRpcId, text: string): Result<Outcome> {
  return ok({ kind: 'text', contentType: 'application/json', body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}` });
}

/** The refusal as the response to its request, with the members that MCP asks for. */
function withId(refusal: Refusal, id: JsonRpcId, { headers }: Pick<RouteInput<unknown, unknown, unknown>, 'headers'>): Refusal {
  const rpcCode = refusal.members?.['rpcCode'];
  const data =
    refusal.code === 'version_unsupported' && rpcCode === undefined
      ? { supported: MCP_VERSIONS, requested: headers['mcp-protocol-version'] ?? '' }
      : undefined;
  return inContext(refusal, { id, ...(typeof rpcCode === 'number' ? { rpcCode } : {}), ...(data === undefined ? {} : { data }) });
}

/**
 * Revisions of the Model Context Protocol that are spoken, the newest first. From 2026-07-28 on every request carries its version; the
 * older ones begin with `initialize`, and nothing of it is remembered here.
 */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The first revision without `initialize`. */
export const MCP_STATELESS = MCP_VERSIONS[0];

/** Code of MCP for headers that say something else than the body. */
const HEADER_MISMATCH = -32_020;

const META = 'io.modelcontextprotocol/';

/**
 * The revision of MCP that a request is written in, if it is spoken here and header and body agree on it. A request that names none, from
 * a client that knows only the tools, is read as one of the older revisions.
 *
 * @returns Whether the request is of a revision without `initialize`, whose results name their type.
 */
export function mcpRevision(
  { method, params }: JsonRpcRequest,
  headers: Readonly<Record<string, string>>,
): Result<{ readonly isStateless: boolean }> {
  const meta = (params?.['_meta'] ?? {}) as Readonly<Record<string, unknown>>;
  const inHeader = headers['mcp-protocol-version'];
  const inBody = meta[`${META}protocolVersion`];
  const version = inHeader ?? inBody;
  if (version !== undefined && !MCP_VERSIONS.some((known) => known === version))
    return refuse('version_unsupported', `The revisions of MCP that are spoken here: ${MCP_VERSIONS.join(', ')}.`, {
      members: { supported: MCP_VERSIONS },
    });
  if (version !== MCP_STATELESS) return inBody === undefined ? ok({ isStateless: false }) : mismatch('MCP-Protocol-Version');
  if (inBody === undefined || meta[`${META}clientCapabilities`] === undefined)
    return refuse('invalid_request', `A request of MCP ${MCP_STATELESS} names its version and the client's capabilities in _meta.`);
  if (inBody !== inHeader) return mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method');
  if (method === 'tools/call' && nameOf(headers['mcp-name']) !== params?.['name']) return mismatch('Mcp-Name');
  return ok({ isStateless: true });
}

function mismatch(name: string): Result<never> {
  return refuse('invalid_request', `The header ${name} is missing, or says something else than the body.`, {
    errors: [{ pointer: name, message: 'does not fit the body' }],
    members: { rpcCode: HEADER_MISMATCH },
  });
}

/** The name in a header, which may be written in Base64. */
function nameOf(header: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header ?? '') ?? [];
  if (encoded === undefined) return header;
  const bytes = fromBase64Url(
    encoded
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={1,2}$/, ''),
  );
  return bytes && new TextDecoder().decode(bytes);
}
