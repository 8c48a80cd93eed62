import * as z from 'zod';
import type { SessionResponse } from '../../gateway/commerce/sessions/change-session.ts';
import type { CheckoutDependencies } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { bindRefusedKey } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import { builtDocument } from '../../http/document-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { validateInput } from '../../http/validate-input.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { type McpTools, mcpRoute, type ToolCaller } from '../mcp/serve-tools.ts';
import { lookUpCatalog, productOf, searchCatalog, type UcpCatalog, ucpCatalog } from './catalog.ts';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  readUcpCheckout,
  type UcpChange,
  type UcpRequest,
  ucpKeyScope,
  updateUcpCheckout,
} from './checkouts.ts';
import { platformProfile, profileOfHeader, UCP_CHANGE_HEADERS } from './http-binding.ts';
import { ucpError } from './messages.ts';
import { UcpLookupRequest, UcpProductRequest, UcpSearchRequest } from './schemas/catalog.ts';
import { UcpCheckoutRequest, UcpCompleteRequest } from './schemas/checkout.ts';

/** Metadata of a request over MCP, in the place of the headers of HTTP. */
const UcpToolMeta = z
  .looseObject({
    'ucp-agent': z
      .looseObject({ profile: z.string().max(LIMITS.urlMaxLength).describe('Address of the profile of the platform. It is not fetched.') })
      .describe('The calling platform.'),
    'idempotency-key': z
      .string()
      .min(LIMITS.idempotencyKeyMinLength)
      .max(LIMITS.idempotencyKeyMaxLength)
      .regex(/^[\x21-\x7e]+$/)
      .optional()
      .describe('A UUID, for tools that change something: the same request with the same key has one effect.'),
    'challenge-solution': z
      .string()
      .max(LIMITS.challengeSolutionMaxLength)
      .optional()
      .describe('Token and solution of a challenge, separated by a full stop, where a refusal requires one.'),
  })
  .describe('Who calls.');

const Id = z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the checkout session.');

/** One tool: what `tools/list` says of it, and what it does with its arguments. */
interface Tool {
  readonly title: string;
  readonly description: string;
  readonly isReading: boolean;
  /** Arguments besides `meta`, by the names of the service description of UCP (mcp.openrpc.json). */
  readonly args: z.ZodType;
  /** @returns The same JSON text as the operation over HTTP. */
  readonly run: (
    args: Readonly<Record<string, unknown>>,
    request: UcpRequest,
    caller: ToolCaller,
    deps: GatewayDependencies,
  ) => Promise<Result<string>>;
}

const TOOLS: Readonly<Record<string, Tool>> = {
  search_catalog: catalogTool(
    'Search the offers',
    'Offers that contain words of the query, the best first, with filters and pages.',
    z.looseObject({ catalog: UcpSearchRequest.describe('The search.') }),
    ({ catalog }, offers) => searchCatalog(catalog, offers),
  ),
  lookup_catalog: catalogTool(
    'Look offers up',
    'Offers by their ids or aliases.',
    z.looseObject({ catalog: UcpLookupRequest.describe('The lookup.') }),
    async ({ catalog }, offers) => lookUpCatalog(catalog, offers),
  ),
  get_product: catalogTool(
    'Read one offer',
    'One offer with its price.',
    z.looseObject({ catalog: UcpProductRequest.describe('The product to read.') }),
    async ({ catalog }, offers) => ok(productOf(catalog, offers)),
  ),
  create_checkout: checkoutTool(
    'create',
    'Open a checkout',
    'Opens a session at the prices of the catalog. A person pays it at its continue_url; nothing is charged by this tool.',
    z.looseObject({ checkout: UcpCheckoutRequest.describe('The checkout.') }),
    ({ checkout }, request, deps) => createUcpCheckout(checkout, request, deps),
  ),
  get_checkout: checkoutTool(
    undefined,
    'Read a checkout',
    'A session as it is now, with its order once it is paid.',
    z.looseObject({ id: Id }),
    ({ id }, _request, deps) => readUcpCheckout(id, deps),
  ),
  update_checkout: checkoutTool(
    'update',
    'Change a checkout',
    'Replaces the whole content of a session.',
    z.looseObject({ id: Id, checkout: UcpCheckoutRequest.describe('The whole new content of the checkout.') }),
    ({ id, checkout }, request, deps) => updateUcpCheckout(id, checkout, request, deps),
  ),
  complete_checkout: checkoutTool(
    'complete',
    'Ask to complete a checkout',
    'No payment instrument is accepted: the response names the page where a person pays.',
    z.looseObject({ id: Id, checkout: UcpCompleteRequest.optional().describe('How it is paid; no instrument is accepted.') }),
    ({ id }, request, deps) => completeUcpCheckout(id, request, deps),
  ),
  cancel_checkout: checkoutTool(
    'cancel',
    'Cancel a checkout',
    'Cancels a session that is not paid.',
    z.looseObject({ id: Id }),
    ({ id }, request, deps) => cancelUcpCheckout(id, request, deps),
  ),
};

function catalogTool<T>(
  title: string,
  description: string,
  schema: z.ZodType<T>,
  run: (args: T, catalog: UcpCatalog) => Promise<Result<unknown>>,
): Tool {
  return {
    title,
    description,
    isReading: true,
    args: schema,
    run: async (args, _request, _caller, deps) => {
      const read = validateInput(schema, args, 'body');
      if (!read.ok) return read;
      const response = await run(read.value, ucpCatalog(deps));
      return response.ok ? ok(JSON.stringify(response.value)) : response;
    },
  };
}

/** @param change What the tool changes; without one it reads, and takes no idempotency key. */
function checkoutTool<T>(
  change: UcpChange | undefined,
  title: string,
  description: string,
  schema: z.ZodType<T>,
  run: (args: T, request: UcpRequest, deps: CheckoutDependencies) => Promise<Result<SessionResponse>>,
): Tool {
  const respond = async (...[args, request, caller, deps]: Parameters<Tool['run']>): Promise<Result<SessionResponse>> => {
    const read = validateInput(schema, args, 'body');
    if (!read.ok) return read;
    const checkout = checkoutDependencies(deps, caller);
    return checkout.ok ? run(read.value, request, checkout.value) : checkout;
  };
  return {
    title,
    description,
    isReading: change === undefined,
    args: schema,
    run: async (args, request, caller, deps) => {
      const response = await respond(args, request, caller, deps);
      const bound = change === undefined ? response : await underKey(response, change, args['id'], request, deps);
      if (bound.ok) return ok(bound.value.body);
      // Over MCP the status 409 is kept for idempotency keys: that a session is closed is an outcome like others.
      if (bound.refusal.code !== 'session_closed') return bound;
      return ok(JSON.stringify(ucpError(bound.refusal, deps.deployment.baseUrl, 'checkout')));
    },
  };
}

/** Tools of UCP as `tools/list` of MCP names them. */
export function ucpTools(): JsonObject[] {
  const meta = inlineSchema(UcpToolMeta, 'request');
  return Object.entries(TOOLS).map(([name, { title, description, isReading, args }]) => {
    const schema = inlineSchema(args, 'request');
    return {
      name,
      title,
      description,
      inputSchema: {
        ...schema,
        properties: { meta, ...(schema['properties'] as JsonObject) },
        required: ['meta', ...((schema['required'] ?? []) as string[])],
      },
      outputSchema: {
        type: 'object',
        description: 'Response of UCP: the result, or messages that say why there is none.',
        properties: { ucp: { type: 'object', required: ['version', 'status'] } },
        required: ['ucp'],
      },
      annotations: { title, readOnlyHint: isReading, destructiveHint: name === 'cancel_checkout', openWorldHint: false },
    };
  });
}

/** Binds the idempotency key of a refused call, which may be in its arguments. */
async function underKey(
  answered: Result<SessionResponse>,
  change: UcpChange,
  id: unknown,
  { profile, idempotencyKey, sentBody }: UcpRequest,
  { keys, clock }: GatewayDependencies,
): Promise<Result<SessionResponse>> {
  const scope = await ucpKeyScope(change, typeof id === 'string' ? id : undefined, profile);
  const refusal = answered.ok ? answered.value.refusal : answered.refusal;
  return bindRefusedKey(answered, refusal, { ...scope, idempotencyKey, sentBody }, { keys, nowMs: clock.nowMs() });
}

/** The calling platform, from the arguments, or from the headers that UCP has over HTTP. */
function requestOf(
  args: Readonly<Record<string, unknown>>,
  { headers, idempotencyKey, useChallengeSolution }: ToolCaller,
): Result<UcpRequest> {
  const { meta: sentMeta, ...sentBody } = args;
  const agent = (sentMeta as { readonly 'ucp-agent'?: unknown } | null | undefined)?.['ucp-agent'];
  const profile = agent === undefined ? profileOfHeader(headers['ucp-agent']) : platformProfile(profileIn(agent));
  if (!profile.ok) return profile;
  const meta = validateInput(UcpToolMeta.partial(), sentMeta ?? {}, 'body');
  if (!meta.ok) return meta;
  const { 'challenge-solution': solution } = meta.value;
  if (solution !== undefined) useChallengeSolution(solution);
  return ok({ profile: profile.value, idempotencyKey: meta.value['idempotency-key'] ?? idempotencyKey, sentBody });
}

function profileIn(agent: unknown): string | undefined {
  const profile = (agent as { readonly profile?: unknown } | null)?.profile;
  return typeof profile === 'string' ? profile : undefined;
}

/** Calls a tool: its response says by `ucp.status` whether it succeeded. */
const callTool: McpTools['call'] = async (name, args, caller, deps) => {
  const tool = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) return refuse('invalid_request', 'Unknown tool. tools/list names all tools.');
  const request = requestOf(args, caller);
  if (!request.ok) return request;
  const response = await tool.run(args, request.value, caller, deps);
  if (!response.ok) return response;
  const { ucp } = JSON.parse(response.value) as { readonly ucp: { readonly status: string } };
  return ok({ text: response.value, isError: ucp.status === 'error' });
};

/** The operations of UCP as tools of MCP. */
export const callUcpToolRoute = mcpRoute(
  {
    id: 'callUcpTool',
    path: PATHS.ucpMcp,
    summary: 'Call a tool of UCP over MCP',
    description:
      'The operations of UCP as tools of the Model Context Protocol: one message of JSON-RPC 2.0, answered with one JSON object. The server is stateless: initialize is optional.',
    // Over MCP a platform names its profile in the arguments of a tool; the header of HTTP is an alternative.
    headers: UCP_CHANGE_HEADERS.map(({ required: _required, ...header }) => header),
    resultDescription: 'The result; of a tool, isError is true where its ucp.status is error.',
    errors: [
      'invalid_cursor',
      'invalid_profile_url',
      'version_unsupported',
      'rpc_method_not_found',
      'request_in_flight',
      'idempotency_conflict',
      'quota_exceeded',
      'not_configured',
      'state_unavailable',
    ],
  },
  {
    list: (deps) => builtDocument('ucp_tools', deps).body,
    call: callTool,
    example: 'search_catalog',
    errors: {
      // UCP overview, "Error Codes". Clients of UCP look at the status of HTTP first.
      rpcCodes: { invalid_profile_url: -32_001 },
      statuses: { idempotency_conflict: 409 },
      codeOf: ({ code, members }) => (typeof members?.['ucp_code'] === 'string' ? members['ucp_code'] : code),
      data: (baseUrl) => ({ continue_url: baseUrl + PATHS.buy }),
    },
  },
);
