import * as z from 'zod';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { builtDocument, jsonResponse } from '../../http/define-route.ts';
import { validateInput } from '../../http/validate-input.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { type CallTool, JsonRpcResult, mcpRoute, type ToolCaller, unknownTool } from '../mcp/mcp-route.ts';
import type { UcpRequest } from './checkouts.ts';
import { DISCOVERY_FAILED, platformProfile, profileOfHeader, UCP_CHANGE_HEADERS } from './http-binding.ts';
import { UCP_OPERATIONS, type UcpTool } from './operations.ts';

const UcpToolMeta = z
  .looseObject({
    'ucp-agent': z
      .looseObject({ profile: z.string().max(LIMITS.urlMaxLength).describe("URL of the platform's profile. It is not fetched.") })
      .describe('The calling platform.'),
    'idempotency-key': z
      .string()
      .min(LIMITS.idempotencyKeyMinLength)
      .max(LIMITS.idempotencyKeyMaxLength)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301')
      .optional()
      .describe('A UUID, for tools that change something: the same request with the same key has one effect.'),
    'challenge-solution': z
      .string()
      .max(LIMITS.challengeSolutionMaxLength)
      .optional()
      .describe('Token and solution of a challenge, joined by a dot, if a refusal requires one.'),
  })
  .describe('The caller.');

const TOOLS: ReadonlyMap<string, UcpTool> = new Map(UCP_OPERATIONS.map(({ tool }) => [tool.name, tool]));

export function ucpTools(): JsonObject[] {
  const ofChange = inlineSchema(UcpToolMeta, 'request');
  // Tools are in every prompt: what only changes need is left out of the others.
  const ofReading = inlineSchema(UcpToolMeta.pick({ 'ucp-agent': true }).describe('The caller.'), 'request');
  return [...TOOLS.values()].map(({ name, title, description, isReading, args }) => {
    const schema = inlineSchema(args, 'request');
    return {
      name,
      title,
      description,
      inputSchema: {
        ...schema,
        properties: { meta: isReading ? ofReading : ofChange, ...(schema['properties'] as JsonObject) },
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

/** The platform and its idempotency key, from `meta`, or from the headers that UCP has over HTTP. */
function requestOf(args: Readonly<Record<string, unknown>>, caller: ToolCaller): Result<UcpRequest> {
  const { meta: sentMeta, ...sentBody } = args;
  const agent = memberOf(sentMeta, 'ucp-agent');
  const header = caller.headers['ucp-agent'];
  const profile =
    agent === undefined && header !== undefined
      ? profileOfHeader(header)
      : platformProfile(memberOf(agent, 'profile'), 'Send its URL as "profile" in the argument meta["ucp-agent"].');
  if (!profile.ok) return profile;
  const meta = validateInput(UcpToolMeta.partial(), sentMeta ?? {}, 'body');
  if (!meta.ok) return meta;
  const { 'challenge-solution': solution } = meta.value;
  if (solution !== undefined) caller.useChallengeSolution(solution);
  return ok({ profile: profile.value, idempotencyKey: meta.value['idempotency-key'] ?? caller.idempotencyKey, sentBody });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

export function isUcpTool(name: string): boolean {
  return TOOLS.has(name);
}

const callUcpTool: CallTool = async (name, args, caller, deps) => {
  const tool = TOOLS.get(name);
  if (tool === undefined) return refuse('invalid_request', unknownTool(name, [...TOOLS.keys()]));
  deps.insights?.count('tool', name);
  const request = requestOf(args, caller);
  if (!request.ok) return request;
  const response = await tool.run(args, request.value, caller, deps);
  if (!response.ok) return response;
  const { ucp } = JSON.parse(response.value) as { readonly ucp: { readonly status: string } };
  return ok({ text: response.value, isError: ucp.status === 'error' });
};

export const callUcpToolRoute = mcpRoute(
  {
    id: 'callUcpTool',
    path: PATHS.ucpMcp,
    summary: 'Call a tool of UCP over MCP',
    description:
      'The operations of UCP as tools of the Model Context Protocol: a request is one JSON-RPC 2.0 message, and so is the response. The server is stateless: initialize is optional.',
    capability: 'commerce',
    // Over MCP a platform names its profile in the arguments of a tool; the header of HTTP is an alternative.
    headers: UCP_CHANGE_HEADERS.map(({ required: _required, ...header }) => header),
    named: 'tool',
    example: 'search_catalog',
    response: jsonResponse('The result. In the result of a tool, isError is true if ucp.status is error.', JsonRpcResult),
    errors: [
      'invalid_cursor',
      'invalid_profile_url',
      'request_in_flight',
      'idempotency_conflict',
      'quota_exceeded',
      'not_configured',
      'state_unavailable',
    ],
    rateLimit: 'buy',
    refusesVersions: true,
    toolErrors: {
      // Clients of UCP look at the status of HTTP first (overview, "Error Codes").
      rpcCodes: { invalid_profile_url: DISCOVERY_FAILED },
      statuses: { idempotency_conflict: 409 },
      codeOf: ({ code, protocolCode }) => protocolCode ?? code,
      data: (baseUrl) => ({ continue_url: baseUrl + PATHS.buy }),
    },
  },
  async ({ id }, request, input, deps) => {
    if (id === undefined) return ok({ kind: 'empty', status: 202 });
    const { serveToolRequest } = await import('../mcp/serve-request.ts');
    return serveToolRequest(request, input, { list: builtDocument('ucp_tools', deps).body, call: callUcpTool }, deps);
  },
);
