import { fromBase64Url } from '../../provenance/bytes.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { type JsonRpcRequest, MCP_STATELESS, MCP_VERSIONS } from './schemas.ts';

/** Code of MCP for headers that say something else than the body. */
const HEADER_MISMATCH = -32_020;

const META = 'io.modelcontextprotocol/';

/** How a request of MCP is answered. */
export interface McpRevision {
  /** Whether the request is one of the revisions without `initialize`, whose results say what they are. */
  readonly isStateless: boolean;
}

/**
 * Which revision of MCP a request is written in, if it is spoken here and header and body agree on it. A request that names none, as
 * clients send that know UCP and no more of MCP than its tools, is answered like one of the older revisions.
 */
export function mcpRevision({ method, params }: JsonRpcRequest, headers: Readonly<Record<string, string>>): Result<McpRevision> {
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
