import { protectedResource } from '../../gateway/agents/scopes.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { ProtectedResource } from '../../schemas/agents/registration.ts';
import { PATHS } from '../../schemas/paths.ts';
import { MCP_VERSIONS } from '../versions.ts';
import { JsonRpcAnswer, JsonRpcAnswers, mcpRoute } from './mcp-route.ts';

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

/** The MCP server of a site: its knowledge, its offers, and a checkout where one can be paid. */
export const callMcpRoute = mcpRoute(
  {
    id: 'callMcp',
    path: PATHS.mcp,
    answersTrailingSlash: true,
    summary: 'Use the site over MCP',
    description: `The Model Context Protocol, revision ${MCP_VERSIONS[0]} and those that begin with initialize: texts are searched, fetched, listed, and quotations verified. No key is needed. Searches with a key count against the limits of its agent, other searches against those of the network. A request is one JSON-RPC 2.0 message, and so is the response; clients of revisions before 2025-06-18 may send a batch. The server keeps nothing between requests.`,
    capability: 'knowledge',
    acceptsKey: true,
    named: 'tool, resource or prompt',
    example: 'search',
    toolErrors: { rpcCodes: {}, statuses: {}, codeOf: ({ code }) => code, data: () => ({}), errorSchema: JsonRpcAnswer },
    response: jsonResponse(
      'The result, or an error. The result of a tool is JSON in its text; one that fails has isError, and its text says why.',
      JsonRpcAnswers,
    ),
    errors: [],
    rateLimit: 'network',
  },
  async (_message, request, input, deps) => {
    const { serveMcp } = await import('./mcp-server.ts');
    return serveMcp(request, input, deps);
  },
);
