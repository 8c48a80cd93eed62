import * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { clientOf } from '../../gateway/insights.ts';
import { ok, type Refusal, type Result, refuse, repeatable } from '../../gateway/result.ts';
import {
  defineRoute,
  type jsonResponse,
  type Outcome,
  type Protocol,
  type Route,
  type RouteDeclaration,
  type RouteHeader,
  type RouteInput,
} from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { withoutNulls } from '../../http/read-body.ts';
import { publishedFieldError, retryAfterOf } from '../../http/render-problem.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { asMember, suggestName } from '../../search/did-you-mean.ts';
import { JsonRpcId, rpcBinding, withRpc } from '../json-rpc.ts';

/** Newest first. Since 2026-07-28 every request carries its version; older revisions begin with `initialize`, which stores nothing here. */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const MCP_CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.optional().describe('Id of the request, which the response repeats; a notification has none. null is refused.'),
  method: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Method of MCP, such as tools/call.'),
  params: z.looseObject({}).optional().describe('Parameters of the method.'),
});
type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

export const JsonRpcResult = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.nullable().describe('Id of the request.'),
  result: z.looseObject({}).describe('Result of the method. A tool of UCP returns structuredContent and the same as text.'),
});

const JsonRpcError = z.object({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.nullable().describe('Id of the request, or null if it could not be read.'),
  error: z
    .looseObject({
      code: z.int().describe('Code of JSON-RPC, MCP or UCP.'),
      message: z.string().describe('What is wrong.'),
      data: z
        .looseObject({
          code: z.string().describe('Permanent code of the error.'),
          content: z.string().describe('What is wrong, in plain text.'),
        })
        .describe('Details.'),
    })
    .describe('The error.'),
});

/** A response of the library of MCP: a result or an error, whose `data` has the members of a refusal if it is one of ours. */
export const JsonRpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0').describe('Version of JSON-RPC.'),
  id: JsonRpcId.nullable().optional().describe('Id of the request; absent or null if it could not be read.'),
  result: z.looseObject({}).optional().describe('Result of the method.'),
  error: z
    .looseObject({ code: z.int().describe('Code of JSON-RPC or MCP.'), message: z.string().describe('The error in a few words.') })
    .optional()
    .describe('The error.'),
});

interface ToolErrors {
  readonly rpcCodes: Partial<Record<ErrorCode, number>>;
  readonly statuses: Partial<Record<ErrorCode, number>>;
  readonly codeOf: (refusal: Refusal) => string;
  /** Schema of errors, if the library of the protocol makes some of them. */
  readonly errorSchema?: z.ZodType;
  readonly data: (baseUrl: string) => Readonly<Record<string, unknown>>;
}

const MCP_STATELESS = MCP_VERSIONS[0];

export type McpInput = RouteInput<unknown, unknown, unknown>;

export type ToolCaller = Pick<McpInput, 'headers' | 'network' | 'idempotencyKey' | 'defer' | 'useChallengeSolution'>;

/** @returns JSON text of an object, and whether the call failed, which a model looks at first (MCP, `CallToolResult`). */
export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
  deps: GatewayDependencies,
) => Promise<Result<{ readonly text: string; readonly isError: boolean }>>;

/** Serves one message. @param request The message as the library of the protocol takes it. */
export type ServeMessage = (
  message: JsonRpcRequest,
  request: Request,
  input: McpInput,
  deps: GatewayDependencies,
) => Promise<Result<Extract<Outcome, { readonly kind: 'response' | 'empty' }>>>;

type McpEndpoint = Pick<RouteDeclaration<undefined, undefined, JsonRpcRequest>, 'id' | 'path' | 'summary' | 'description' | 'capability'> &
  Partial<Pick<Route, 'headers' | 'answersTrailingSlash' | 'acceptsKey'>> & {
    readonly rateLimit: 'network' | 'buy';
    readonly response: ReturnType<typeof jsonResponse>;
    readonly errors: readonly ErrorCode[];
    /** What messages name besides tools, for documents, and a tool as the example. */
    readonly named: string;
    readonly example: string;
    readonly toolErrors: ToolErrors;
    /** Whether a revision that only the header names is refused here, because the library does it in an older form. */
    readonly refusesVersions?: true;
  };

/** An endpoint of MCP over HTTP: a request is one message, of every revision, since MCP 2025-06-18 removed batches; the response is JSON. */
export function mcpRoute(endpoint: McpEndpoint, serve: ServeMessage): Route {
  const { response, headers = [], errors, named, example, toolErrors, refusesVersions, ...declared } = endpoint;
  return defineRoute({
    ...declared,
    method: 'POST',
    access: 'open',
    errors: [...errors, 'version_unsupported', 'rpc_method_not_found', 'cross_site_form'],
    headers: [...headers, ...mcpHeaders(named, example)],
    protocol: mcpBinding(declared.path, toolErrors),
    body: JsonRpcRequest,
    responses: [response, { status: 202, description: 'A notification was accepted; there is nothing to return.' }],
    handlesOverLimit: true,
    handle: async (input, deps) => {
      const { body: sent, overLimit } = input;
      // Tools of UCP take what its schemas say.
      const { params } = sent;
      const body =
        declared.path === PATHS.mcp && params
          ? { ...sent, params: { ...params, arguments: withoutNulls(params['arguments']) ?? undefined } }
          : sent;
      const client = clientNameOf(body.params);
      if (client !== undefined) deps.insights?.count('client', clientOf(client));
      const checked = refusesVersions === true ? checkVersion(input.headers['mcp-protocol-version']) : ok(undefined);
      const allowed = overLimit ? { ok: false as const, refusal: overLimit } : checked.ok ? refusedSubscription(body.method) : checked;
      const url = deps.deployment.baseUrl + declared.path;
      const served = allowed.ok ? await serve(body, libraryRequest(input, body, url), input, deps) : allowed;
      return served.ok ? served : { ok: false, refusal: withRpc(served.refusal, { id: body.id ?? null }) };
    },
  });
}

const CLIENT = z.object({ name: z.string() });

/** What a client calls itself: in `initialize`, and in every message since 2026-07-28. */
function clientNameOf({ clientInfo, _meta }: Readonly<Record<string, unknown>> = {}): string | undefined {
  const meta = z.looseObject({}).safeParse(_meta).data;
  return CLIENT.safeParse(clientInfo ?? meta?.['io.modelcontextprotocol/clientInfo']).data?.name;
}

function mcpHeaders(named: string, exampleTool: string): RouteHeader[] {
  const bounds = { minLength: 1, maxLength: LIMITS.shortTextMaxLength };
  const name = `The ${named} of the body; since ${MCP_STATELESS}.`;
  return [
    {
      name: 'MCP-Protocol-Version',
      description: `Revision of MCP. Since ${MCP_STATELESS}, "_meta" of the params names it too.`,
      example: MCP_VERSIONS[1],
      ...bounds,
    },
    { name: 'Mcp-Method', description: `The method of the body; since ${MCP_STATELESS}.`, example: 'tools/call', ...bounds },
    { name: 'Mcp-Name', description: name, example: exampleTool, ...bounds, maxLength: LIMITS.urlMaxLength },
  ];
}

/** Refuses a revision as MCP 2026-07-28 requires. The library answers one that is only in the header in an older form, without `supported`. */
function checkVersion(requested: string | undefined): Result<undefined> {
  if (requested === undefined || MCP_VERSIONS.some((known) => known === requested)) return ok(undefined);
  const refused = refuse('version_unsupported', `This revision of MCP is not supported. Use one of ${MCP_VERSIONS.join(', ')}.`);
  return { ok: false, refusal: withRpc(refused.refusal, { data: { supported: MCP_VERSIONS, requested } }) };
}

const READ_HEADERS = ['host', 'origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

/** A message as the library of the protocol takes it. @param url Absolute address of the endpoint. */
function libraryRequest({ rawHeader }: Pick<McpInput, 'rawHeader'>, message: JsonRpcRequest, url: string): Request {
  const headers = new Headers({ host: new URL(url).host });
  for (const name of READ_HEADERS) {
    const value = rawHeader(name);
    if (value !== undefined) headers.set(name, value);
  }
  // Every response is one JSON object, so what else a client accepts does not matter.
  headers.set('accept', 'application/json, text/event-stream');
  headers.set('content-type', 'application/json');
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(message) });
}

function mcpBinding(path: string, { rpcCodes, statuses, codeOf, data, errorSchema = JsonRpcError }: ToolErrors): Protocol {
  return rpcBinding({
    name: 'mcp',
    prefix: path,
    errorSchema,
    ...(path === PATHS.mcp ? { metadataPath: PATHS.mcpProtectedResource } : {}),
    codes: { version_unsupported: -32_022, ...rpcCodes },
    statuses,
    errorOf: (refusal, baseUrl) => {
      const { code, detail, errors, rpc } = refusal;
      const retryAfter = retryAfterOf(refusal);
      return {
        message: detail === '' ? errorEntry(code).title : detail,
        data: {
          code: codeOf(refusal),
          content: detail,
          ...(errors === undefined ? {} : { errors: errors.map(publishedFieldError) }),
          ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
          ...data(baseUrl),
          ...rpc?.data,
        },
      };
    },
    echoedHeaders: ['Request-Id'],
  });
}

/** The error for an unknown tool, with a suggestion: some clients put the name of the server before the name of a tool. */
export function unknownTool(name: string, tools: readonly string[]): string {
  const meant = suggestName(name, tools) ?? tools.find((known) => asMember(name).includes(known));
  const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `Unknown tool "${repeatable(name)}".${question} tools/list names all tools.`;
}

/** Refuses `subscriptions/listen`: nothing here changes before the next deploy, and every response is one JSON object. */
function refusedSubscription(method: string): Result<undefined> {
  return method === 'subscriptions/listen'
    ? refuse('rpc_method_not_found', 'There is nothing to subscribe to: what this server lists changes only with a deploy.')
    : ok(undefined);
}
