import { slugOf } from '../publication/read/content-ids.ts';
import { PATHS } from '../schemas/paths.ts';

/** What the settings of a host of MCP call the server of a publication: the name of its publisher in the form of an id. */
export function mcpServerName(publisher: string): string {
  return slugOf(publisher) || 'knowledge';
}

export const CONNECTOR_HOSTS = [
  { id: 'claude', host: 'Claude' },
  { id: 'chatgpt', host: 'ChatGPT' },
] as const;

/**
 * @see https://code.claude.com/docs/en/mcp
 * @see https://developers.openai.com/codex/mcp
 * @see https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
 */
export function mcpCommands(publisher: string, baseUrl: string): readonly { readonly host: string; readonly command: string }[] {
  const name = mcpServerName(publisher);
  const url = baseUrl + PATHS.mcp;
  return [
    { host: 'Claude Code', command: `claude mcp add --transport http ${name} ${url}` },
    { host: 'Codex', command: `codex mcp add ${name} --url ${url}` },
    { host: 'Gemini CLI', command: `gemini mcp add --transport http ${name} ${url}` },
  ];
}

/**
 * Links that add the server to an MCP host, which asks its user first. `file` is the settings file of the host, and `settings` is what it takes
 * instead of the link. The links are `https`, because markdown viewers drop other schemes.
 *
 * @see https://cursor.com/docs/mcp/install-links
 * @see https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url
 */
export function mcpInstallLinks(publisher: string, baseUrl: string) {
  const name = mcpServerName(publisher);
  const url = baseUrl + PATHS.mcp;
  const link = (address: string, config: string): string => `${address}?${new URLSearchParams({ name, config })}`;
  return [
    {
      host: 'Cursor',
      href: link('https://cursor.com/en/install-mcp', btoa(JSON.stringify({ url }))),
      file: '.cursor/mcp.json',
      settings: JSON.stringify({ mcpServers: { [name]: { url } } }),
    },
    {
      host: 'VS Code',
      href: link('https://vscode.dev/redirect/mcp/install', JSON.stringify({ type: 'http', url })),
      file: '.vscode/mcp.json',
      settings: JSON.stringify({ servers: { [name]: { type: 'http', url } } }),
    },
  ] as const;
}
