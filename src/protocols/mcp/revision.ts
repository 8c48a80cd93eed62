import { ok, type Result, refuse } from '../../gateway/result.ts';
import { fromBase64Url } from '../../provenance/bytes.ts';
import type { JsonRpcRequest } from './json-rpc.ts';

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
