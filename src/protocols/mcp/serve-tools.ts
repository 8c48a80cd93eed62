import type { ErrorCode } from '../../gateway/errors.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, type Route, type RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { RouteHeader } from '../../http/route-headers.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { MCP_VERSIONS } from '../versions.ts';
import {
  invalidMessage,
  type JsonRpcId,
  JsonRpcRequest,
  JsonRpcResult,
  mcpBinding,
  refusedSubscription,
  type ToolErrors,
  withRpcContext,
} from './json-rpc.ts';
import { libraryRequest } from './library-request.ts';

/** The first revision without `initialize`. */
const MCP_STATELESS = MCP_VERSIONS[0];

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
    name: string,
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
  const { resultDescription, headers = [], errors, ...named } = route;
  return defineRoute({
    ...named,
    errors: [...errors, 'version_unsupported', 'rpc_method_not_found', 'cross_site_form'],
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
      const version = input.headers['mcp-protocol-version'];
      if (version !== undefined && !MCP_VERSIONS.some((known) => known === version)) return unsupportedVersion(version, id);
      const served = refusedSubscription(input.body.method);
      if (!served.ok) return { ok: false, refusal: withRpcContext(served.refusal, { id }) };
      const { serveToolRequest } = await import('./tool-server.ts');
      return serveToolRequest(libraryRequest(input, deps.deployment.baseUrl + route.path), id, input, tools, deps);
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

/** Refuses a revision as MCP 2026-07-28 requires. The library answers one that is only in the header in an older form, without `supported`. */
function unsupportedVersion(requested: string, id: JsonRpcId): Result<never> {
  const refused = refuse('version_unsupported', `This revision of MCP is not supported. Use one of ${MCP_VERSIONS.join(', ')}.`);
  return { ok: false, refusal: withRpcContext(refused.refusal, { id, data: { supported: MCP_VERSIONS, requested } }) };
}
