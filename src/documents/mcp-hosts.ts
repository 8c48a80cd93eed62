import { slugOf } from '../publication/read/content-ids.ts';
import { PATHS } from '../schemas/paths.ts';

/** What the settings of a host of MCP call the server of a publication: the name of its publisher in the form of an id. */
export function mcpServerName(publisher: string): string {
  return slugOf(publisher) || 'knowledge';
}

/** A link that adds the server to a host of MCP, which asks its user first. */
export interface McpInstallLink {
  readonly host: 'Cursor' | 'VS Code';
  readonly href: string;
}

/**
 * Links that add the MCP server of a site to a host. They are `https` links, because markdown viewers drop other schemes.
 *
 * @see https://cursor.com/docs/mcp/install-links
 * @see https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url
 */
export function mcpInstallLinks(publisher: string, baseUrl: string): readonly McpInstallLink[] {
  const name = mcpServerName(publisher);
  const url = baseUrl + PATHS.mcp;
  const link = (address: string, config: string): string => `${address}?${new URLSearchParams({ name, config })}`;
  return [
    { host: 'Cursor', href: link('https://cursor.com/en/install-mcp', btoa(JSON.stringify({ url }))) },
    { host: 'VS Code', href: link('https://vscode.dev/redirect/mcp/install', JSON.stringify({ type: 'http', url })) },
  ];
}
