import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../text/publication-model.ts';

/**
 * Supported revisions of the Model Context Protocol, newest first. Since 2026-07-28 every request carries its version; older revisions
 * begin with `initialize`, which stores nothing here.
 */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Longest description of a server (SEP-2127). */
const DESCRIPTION_MAX = 100;

export const MCP_CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The server card (SEP-2127, "MCP Server Cards"), whose schema allows no other members. */
export function serverCard({ deployment, publisher: { tagline } }: Publication): object {
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
export function formerServerCard({ deployment, publisher }: Publication): object {
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
