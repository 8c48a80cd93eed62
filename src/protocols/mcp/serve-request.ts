import {
  createMcpHandler,
  type Result as HandlerResult,
  hostHeaderValidationResponse,
  type JSONRPCRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ErrorCode } from '../../gateway/errors.ts';
import { attempt, ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { GATEWAY_VERSION } from '../../schemas/limits.ts';
import { describeIssue } from '../../schemas/zod-issue-messages.ts';
import { withRpc } from '../json-rpc.ts';
import { type CallTool, MCP_VERSIONS, type ToolCaller } from './mcp-route.ts';

/** How long clients may keep lists and documents of a deploy, in milliseconds. */
export const CACHE_HINT = { ttlMs: 300_000, cacheScope: 'public' } as const;

const CACHED = ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list', 'server/discover'];
const CACHE_HINTS = Object.fromEntries(CACHED.map((method) => [method, CACHE_HINT]));

export interface ServerProfile {
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/**
 * Serves one request with a server of its own. The response is one JSON object; that to a notification is empty.
 * @throws What a handler throws, unless it is an error of the protocol.
 */
export async function serveRequest(
  request: Request,
  deps: GatewayDependencies,
  profile: ServerProfile,
  addHandlers: (server: Server) => void,
): Promise<Result<Extract<Outcome, { readonly kind: 'response' }>>> {
  if (isRebound(request, deps)) return refuse('cross_site_form', 'A page of another site sent this request to a service on this machine.');
  const thrown: unknown[] = [];
  const makeServer = (): Server => {
    const server = new ReportingServer(deps.deployment.name, profile, thrown);
    addHandlers(server);
    return server;
  };
  const response = await asJson(await createMcpHandler(makeServer, { legacy: 'stateless' }).fetch(request));
  if (thrown.length > 0) throw thrown[0];
  return ok({ kind: 'response', response });
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<HandlerResult>;

/**
 * A server that keeps unexpected errors of its handlers. The library would send their messages to the client, and lose them here. It throws
 * unexpected errors for invalid parameters as well; those become errors of the protocol.
 */
class ReportingServer extends Server {
  readonly #thrown: unknown[];

  constructor(name: string, { capabilities, ...profile }: ServerProfile, thrown: unknown[]) {
    const options = { ...profile, cacheHints: CACHE_HINTS, supportedProtocolVersions: [...MCP_VERSIONS] };
    super({ name, version: GATEWAY_VERSION }, { ...options, capabilities });
    this.#thrown = thrown;
  }

  /** The hook that the library documents for subclasses, around its own validation of a request. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        if (method.endsWith('/list') && request.params?.['cursor'])
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The list of ${method} has one page. Send no cursor.`);
        return await wrapped(request, context);
      } catch (error) {
        const issues = invalidParams(error);
        if (issues !== undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The params of ${method} are invalid: ${issues}.`);
        if (!ProtocolError.isInstance(error)) this.#thrown.push(error);
        throw error;
      }
    };
  }
}

/** The library's error has the issues of zod as JSON in its message, after words of its own where it checks a call of a tool. */
function invalidParams(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  return attempt(() => {
    const issues = JSON.parse(message.slice(message.indexOf('['))) as z.core.$ZodIssue[];
    return issues.map((issue) => `${issue.path.join('.')} ${describeIssue(issue)}`).join('; ');
  });
}

/** Whether a page of another site sent a request to a service on its reader's own machine by DNS rebinding (MCP, "Security"). */
function isRebound(request: Request, { deployment }: GatewayDependencies): boolean {
  if (!localhostAllowedHostnames().includes(new URL(deployment.baseUrl).hostname)) return false;
  const host = hostHeaderValidationResponse(request, localhostAllowedHostnames());
  return (host ?? originValidationResponse(request, localhostAllowedOrigins())) !== undefined;
}

/** Beginning of a line with data of a server-sent event (HTML Standard, section 9.2). */
const DATA = 'data: ';

/** A response as one JSON object, which MCP allows instead of events: nothing precedes the result. */
async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const events = (await response.text()).split('\n').filter((line) => line.startsWith(DATA));
  return new Response(events.at(-1)?.slice(DATA.length) ?? '', {
    status: response.status,
    headers: { 'Content-Type': 'application/json' },
  });
}

/** Errors of ours for those of the library, by their code in JSON-RPC; others are an invalid request. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  [ProtocolErrorCode.MethodNotFound]: 'rpc_method_not_found',
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 'version_unsupported',
};

/**
 * For a protocol that has tools only. Errors are returned as refusals, so that it writes them in its own shape. This module loads the library
 * of MCP, so it is imported with the first request. @param tools `list` is `tools/list` as JSON text.
 */
export async function serveToolRequest(
  request: Request,
  caller: ToolCaller,
  tools: { readonly list: string; readonly call: CallTool },
  deps: GatewayDependencies,
): ReturnType<typeof serveRequest> {
  let refused: Refusal | undefined;
  const served = await serveRequest(request, deps, { capabilities: { tools: {} } }, (server) => {
    server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(tools.list) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const called = await tools.call(params.name, params.arguments ?? {}, caller, deps);
      if (called.ok) {
        const { text, isError } = called.value;
        // What the schema of the output describes, even where the outcome is an error.
        return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text), isError };
      }
      refused = called.refusal;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refused.detail);
    });
  });
  if (!served.ok) return served;
  if (refused !== undefined) return { ok: false, refusal: refused };
  const { error } = (await served.value.response.clone().json()) as {
    readonly error?: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };
  };
  if (error === undefined) return served;
  const { code, message, data = {} } = error;
  return { ok: false, refusal: withRpc(refuse(CODES[code] ?? 'invalid_request', message).refusal, { code, data }) };
}
