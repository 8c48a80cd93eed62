import type { ErrorCode } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Outcome, type Route, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { RouteHeader } from '../../http/route-headers.ts';
import { fromBase64Url } from '../../provenance/bytes.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { MCP_VERSIONS } from '../versions.ts';
import { invalidMessage, type JsonRpcId, JsonRpcRequest, JsonRpcResult, mcpBinding, type ToolErrors, withRpcContext } from './json-rpc.ts';

/** The first revision without `initialize`. */
const MCP_STATELESS = MCP_VERSIONS[0];

/** MCP error code of headers that contradict the body. */
const HEADER_MISMATCH = -32_020;

/** Prefix of the members of `_meta` that MCP defines. */
const META = 'io.modelcontextprotocol/';

/** How long clients may cache the list of tools, in milliseconds: like other documents of a deploy. */
const TOOLS_TTL_MS = 300_000;

/** The request that calls a tool. */
export type ToolCaller = Pick<
  RouteInput<unknown, unknown, unknown>,
  'headers' | 'network' | 'idempotencyKey' | 'defer' | 'useChallengeSolution'
>;

/** The tools of a protocol, as MCP serves them. */
export interface McpTools {
  /** `tools/list` as JSON text. */
  readonly list: (deps: GatewayDependencies) => string;
  /** @returns JSON text of an object, and whether the call failed, which a model looks at first (MCP, `CallToolResult`). */
  readonly call: (
    name: unknown,
    args: Readonly<Record<string, unknown>>,
    caller: ToolCaller,
    deps: GatewayDependencies,
  ) => Promise<Result<{ readonly text: string; readonly isError: boolean }>>;
  readonly errors: ToolErrors;
  /** Name of a tool, for documents. */
  readonly example: string;
}

/** The operation that serves the tools of a protocol over MCP: request and response are one JSON-RPC message each. */
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
      jsonResponse(resultDescription, JsonRpcResult),
      { status: 202, description: 'A notification was accepted; there is nothing to return.' },
    ],
    rateLimit: 'buy',
    handlesOverLimit: true,
    onInvalid: async (_path, refusal, _deps, sentBody) => invalidMessage(refusal, sentBody),
    handle: async (input, deps) => {
      const { id } = input.body;
      if (input.overLimit) return { ok: false, refusal: withRpcContext(input.overLimit, { id: id ?? null }) };
      if (id === undefined) return ok({ kind: 'empty', status: 202 });
      const response = await respond(input, id, tools, deps);
      return response.ok ? response : { ok: false, refusal: withId(response.refusal, id, input.headers) };
    },
  });
}

function mcpHeaders(exampleTool: string): RouteHeader[] {
  const bounds = { minLength: 1, maxLength: LIMITS.shortTextMaxLength };
  return [
    { name: 'MCP-Protocol-Version', description: 'Revision of MCP.', example: MCP_STATELESS, ...bounds },
    { name: 'Mcp-Method', description: `The method of the body; since ${MCP_STATELESS}.`, example: 'tools/call', ...bounds },
    { name: 'Mcp-Name', description: `The tool of the body; since ${MCP_STATELESS}.`, example: exampleTool, ...bounds },
  ];
}

async function respond(
  { body, ...caller }: RouteInput<undefined, undefined, JsonRpcRequest>,
  id: JsonRpcId,
  tools: McpTools,
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const isStateless = readRevision(body, caller.headers);
  if (!isStateless.ok) return isStateless;
  const type = isStateless.value ? '"resultType":"complete",' : '';
  const caching = isStateless.value ? `"ttlMs":${TOOLS_TTL_MS},"cacheScope":"public",` : '';
  const server = { name: deps.deployment.name, version: GATEWAY_VERSION };
  switch (body.method) {
    case 'initialize':
      return result(id, JSON.stringify({ protocolVersion: negotiateVersion(body), capabilities: { tools: {} }, serverInfo: server }));
    case 'ping':
      return result(id, isStateless.value ? '{"resultType":"complete"}' : '{}');
    case 'server/discover': {
      const discovered = {
        supportedVersions: MCP_VERSIONS,
        capabilities: { tools: {} },
        _meta: { [`${META}serverInfo`]: server },
      };
      return result(id, `{${type}${caching}${JSON.stringify(discovered).slice(1)}`);
    }
    case 'tools/list':
      return result(id, `{${type}${caching}"tools":${tools.list(deps)}}`);
    case 'tools/call': {
      const args = body.params?.['arguments'] ?? {};
      if (typeof args !== 'object' || Array.isArray(args))
        return refuse('invalid_request', 'The arguments of a tool must be a JSON object.');
      const called = await tools.call(body.params?.['name'], args as Record<string, unknown>, caller, deps);
      if (!called.ok) return called;
      const { text, isError } = called.value;
      const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
      return result(id, `{${type}${content},"isError":${isError}}`);
    }
    default:
      return refuse('rpc_method_not_found', 'Unknown method. Supported: initialize, ping, server/discover, tools/list, tools/call.');
  }
}

/** The revision for a client that begins with `initialize`: its own if it is supported, else the newest of that kind. */
function negotiateVersion({ params }: JsonRpcRequest): string {
  const [, newest, ...older] = MCP_VERSIONS;
  return [newest, ...older].find((version) => version === params?.['protocolVersion']) ?? newest;
}

/** @param text Result as JSON text. */
function result(id: JsonRpcId, text: string): Result<Outcome> {
  return ok({ kind: 'text', contentType: 'application/json', body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}` });
}

/** The refusal as the response to its request, with the members that MCP requires. */
function withId(refusal: Refusal, id: JsonRpcId, headers: RouteInput<unknown, unknown, unknown>['headers']): Refusal {
  const rpcCode = refusal.members?.['rpcCode'];
  const data =
    refusal.code === 'version_unsupported' && rpcCode === undefined
      ? { supported: MCP_VERSIONS, requested: headers['mcp-protocol-version'] ?? '' }
      : undefined;
  return withRpcContext(refusal, { id, ...(typeof rpcCode === 'number' ? { rpcCode } : {}), ...(data === undefined ? {} : { data }) });
}

/**
 * Whether a request is of a revision without `initialize`, whose results name their type. A request without a version, from a client that
 * knows only the tools, counts as one of an older revision.
 */
function readRevision({ method, params }: JsonRpcRequest, headers: Readonly<Record<string, string>>): Result<boolean> {
  const meta = (params?.['_meta'] ?? {}) as Readonly<Record<string, unknown>>;
  const inHeader = headers['mcp-protocol-version'];
  const inBody = meta[`${META}protocolVersion`];
  const version = inHeader ?? inBody;
  if (version !== undefined && !MCP_VERSIONS.some((known) => known === version))
    return refuse('version_unsupported', `This revision of MCP is not supported. Use one of ${MCP_VERSIONS.join(', ')}.`, {
      members: { supported: MCP_VERSIONS },
    });
  if (version !== MCP_STATELESS) return inBody === undefined ? ok(false) : mismatch('MCP-Protocol-Version');
  if (inBody === undefined || meta[`${META}clientCapabilities`] === undefined)
    return refuse('invalid_request', `A request of MCP ${MCP_STATELESS} must name its version and the client's capabilities in _meta.`);
  if (inBody !== inHeader) return mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method');
  if (method === 'tools/call' && decodeName(headers['mcp-name']) !== params?.['name']) return mismatch('Mcp-Name');
  return ok(true);
}

function mismatch(name: string): Result<never> {
  return refuse('invalid_request', `The header ${name} is missing or differs from the body.`, {
    errors: [{ pointer: name, message: 'differs from the body' }],
    members: { rpcCode: HEADER_MISMATCH },
  });
}

/** The name in a header, which may be in Base64. */
function decodeName(header: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*?)={0,2}\?=$/.exec(header ?? '') ?? [];
  if (encoded === undefined) return header;
  const bytes = fromBase64Url(encoded.replaceAll('+', '-').replaceAll('/', '_'));
  return bytes && new TextDecoder().decode(bytes);
}
