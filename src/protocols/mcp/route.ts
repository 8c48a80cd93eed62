import { protectedResource } from '../../gateway/agents/scopes.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse, type Route } from '../../http/define-route.ts';
import { ProtectedResource } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { MCP_VERSIONS } from '../versions.ts';
import { invalidMessage, JsonRpcAnswer, JsonRpcRequest, mcpBinding, refusedSubscription, withRpcContext } from './json-rpc.ts';
import { OPERATION_TOOLS } from './knowledge-tools.ts';
import { libraryRequest } from './library-request.ts';

const [NEWEST] = MCP_VERSIONS;
const BOUNDS = { minLength: 1, maxLength: LIMITS.shortTextMaxLength };

/** Ids of the operations that are tools. */
export const MCP_TOOL_OPERATIONS: readonly string[] = Object.values(OPERATION_TOOLS);

/**
 * The metadata of the MCP server as a protected resource, at the address that clients form from that of the server (RFC 9728 section 3.1). No
 * file can be below the file with the metadata of the whole site.
 */
export const mcpResourceRoute = defineRoute({
  id: 'getMcpResource',
  method: 'GET',
  path: PATHS.mcpProtectedResource,
  summary: 'Get the metadata of the MCP server as a protected resource',
  description: 'Scopes and use of API keys at the MCP server (RFC 9728).',
  capability: 'knowledge',
  access: 'open',
  responses: [jsonResponse('The metadata.', ProtectedResource)],
  rateLimit: 'network',
  cache: 300,
  handle: async (_input, { deployment, features }) => jsonOutcome(ok(protectedResource(PATHS.mcp, deployment, features))),
});

/** The MCP server of a site: knowledge, and commerce where UCP is on. @param routes Operations that are tools. */
export function callMcpRoute(routes: readonly Route[]): Route {
  return defineRoute({
    id: 'callMcp',
    method: 'POST',
    path: PATHS.mcp,
    answersTrailingSlash: true,
    summary: 'Use the site over MCP',
    description: `The Model Context Protocol, revision ${NEWEST} and those that begin with initialize: search, fetch, query, capsules with their lineage, quotations to verify. No key is needed. Searches with a key count against the limits of its agent, other searches against those of the network. A request is one JSON-RPC 2.0 message, and so is the response. The server keeps nothing between requests.`,
    capability: 'knowledge',
    access: 'open',
    acceptsKey: true,
    headers: [
      { name: 'MCP-Protocol-Version', description: 'Revision of MCP.', example: NEWEST, ...BOUNDS },
      { name: 'Mcp-Method', description: `The method of the body; since ${NEWEST}.`, example: 'tools/call', ...BOUNDS },
      {
        name: 'Mcp-Name',
        description: `The tool, resource or prompt of the body; since ${NEWEST}.`,
        example: 'search',
        minLength: 1,
        maxLength: LIMITS.urlMaxLength,
      },
    ],
    protocol: mcpBinding(PATHS.mcp, {
      rpcCodes: {},
      statuses: {},
      codeOf: ({ code }) => code,
      data: () => ({}),
      errorSchema: JsonRpcAnswer,
    }),
    body: JsonRpcRequest,
    responses: [
      jsonResponse('The result, or an error. A tool that fails has isError, and the problem document as structuredContent.', JsonRpcAnswer),
      { status: 202, description: 'A notification was accepted; there is nothing to return.' },
    ],
    errors: ['version_unsupported', 'rpc_method_not_found', 'cross_site_form'],
    rateLimit: 'network',
    onInvalid: async (_path, refusal, _deps, sentBody) => invalidMessage(refusal, sentBody),
    handle: async (input, deps) => {
      const served = refusedSubscription(input.body.method);
      if (!served.ok) return { ok: false, refusal: withRpcContext(served.refusal, { id: input.body.id ?? null }) };
      const { serveMcp } = await import('./mcp-server.ts');
      const request = libraryRequest(input, deps.deployment.baseUrl + PATHS.mcp);
      return serveMcp(request, input, routes, deps);
    },
  });
}
