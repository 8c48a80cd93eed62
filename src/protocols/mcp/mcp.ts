import { protectedResource } from '../../gateway/agents/scopes.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { ProtectedResource } from '../../schemas/agents.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { GATEWAY_VERSION } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../text/publication-model.ts';
import {
  jsonDocument,
  type OperationExamples,
  type ProtocolDocument,
  type ProtocolModule,
  type ProtocolSettings,
} from '../protocol-module.ts';
import { searchResults } from './knowledge-tools.ts';
import { JsonRpcAnswer, MCP_CAPABILITIES, MCP_VERSIONS, mcpRoute } from './mcp-route.ts';

const isEdge = ({ mode }: ProtocolSettings): boolean => mode !== 'static';

const formerCard = (name: string, path: string): ProtocolDocument => {
  return { name, path, isPublished: isEdge, make: (publication) => jsonDocument(formerServerCard(publication)) };
};

const MCP = { name: 'Model Context Protocol', version: MCP_VERSIONS[0] };

/** Its documents are the cards of the server. */
export const mcpProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static' ? undefined : { ...MCP, document: baseUrl + PATHS.mcpServerCard, services: Object.keys(MCP_CAPABILITIES) },
  documents: [
    {
      name: 'mcp_server_card',
      path: PATHS.mcpServerCard,
      listing: { title: 'MCP server card', note: 'address and revisions of the MCP server, which needs no key' },
      kind: 'knowledge',
      isPublished: isEdge,
      make: (publication) => ({ ...jsonDocument(serverCard(publication)), contentType: SERVER_CARD_TYPE }),
    },
    formerCard('mcp_former_card', PATHS.mcpFormerCard),
    formerCard('mcp_json', PATHS.mcpJson),
  ],
  operations: () => [callMcpRoute, mcpResourceRoute],
  examples: mcpExamples,
  schemas: { requests: {}, responses: {} },
};

function mcpExamples({ examples, deployment }: Publication): OperationExamples {
  const search = examples.get('searchKnowledge');
  const query = search?.parameters?.['q'];
  if (deployment.mode === 'static' || search === undefined || query === undefined) return {};
  const found = searchResults((search.response as SearchResponse).results);
  const content = [{ type: 'text', text: JSON.stringify(found) }];
  return {
    callMcp: {
      request: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query } } },
      response: { jsonrpc: '2.0', id: 1, result: { content, isError: false } },
    },
  };
}

/** At the address that clients form from that of the server (RFC 9728 section 3.1). No file can be below that of the whole site. */
export const mcpResourceRoute = defineRoute({
  id: 'getMcpResource',
  path: PATHS.mcpProtectedResource,
  summary: 'Get the metadata of the MCP server as a protected resource',
  description: 'Scopes and use of API keys at the MCP server (RFC 9728).',
  capability: 'knowledge',
  access: 'open',
  responses: [jsonResponse('The metadata.', ProtectedResource)],
  cache: 300,
  handle: async (_input, { deployment, features }) => jsonOutcome(ok(protectedResource(PATHS.mcp, deployment, features))),
});

const callMcpRoute = mcpRoute(
  {
    id: 'callMcp',
    path: PATHS.mcp,
    answersTrailingSlash: true,
    summary: 'Use the site over MCP',
    description: `The Model Context Protocol, revision ${MCP_VERSIONS[0]} and those that begin with initialize: texts are searched, fetched, listed, and quotations verified. No key is needed. Searches with a key count against the limits of its agent, other searches against those of the network. A request is one JSON-RPC 2.0 message, and so is the response. The server keeps nothing between requests.`,
    capability: 'knowledge',
    acceptsKey: true,
    named: 'tool, resource or prompt',
    example: 'search',
    toolErrors: { rpcCodes: {}, statuses: {}, codeOf: ({ code }) => code, data: () => ({}), errorSchema: JsonRpcAnswer },
    response: jsonResponse(
      'The result, or an error. The result of a tool is JSON in its text; one that fails has isError, and its text says why.',
      JsonRpcAnswer,
    ),
    errors: [],
    rateLimit: 'network',
  },
  async (_message, request, input, deps) => {
    const { serveMcp } = await import('./mcp-server.ts');
    return serveMcp(request, input, deps);
  },
);

/** Longest description of a server (SEP-2127). */
const DESCRIPTION_MAX = 100;

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The server card (SEP-2127, "MCP Server Cards"), whose schema allows no other members. */
function serverCard({ deployment, publisher: { tagline } }: Publication): object {
  const { baseUrl, name } = deployment;
  const { hostname } = new URL(baseUrl);
  const labels = /^[\d.]+$/.test(hostname) ? 'localhost' : hostname.split('.').reverse().join('.');
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${labels}/knowledge`,
    // The schema requires a semantic version, whose numbers have no leading zeros.
    version: GATEWAY_VERSION.replaceAll('-', '.').replaceAll('.0', '.'),
    description: tagline.length <= DESCRIPTION_MAX ? tagline : `${tagline.slice(0, DESCRIPTION_MAX - 1).trimEnd()}…`,
    title: name,
    websiteUrl: baseUrl + PATHS.home,
    remotes: [{ type: 'streamable-http', url: baseUrl + PATHS.mcp, supportedProtocolVersions: MCP_VERSIONS }],
  };
}

/** The earlier form of the card (SEP-1649), which scanners still ask for. */
function formerServerCard({ deployment, publisher }: Publication): object {
  const { baseUrl, name } = deployment;
  return {
    serverInfo: { name, version: GATEWAY_VERSION },
    name,
    version: GATEWAY_VERSION,
    description: publisher.description,
    protocolVersion: MCP_VERSIONS[0],
    endpoint: baseUrl + PATHS.mcp,
    transport: { type: 'streamable-http', endpoint: baseUrl + PATHS.mcp },
    capabilities: MCP_CAPABILITIES,
    authentication: { required: false },
  };
}
