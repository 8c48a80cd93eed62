import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { withNearestCapsules } from '../../gateway/knowledge/nearest-capsules.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome, Route } from '../../http/define-route.ts';
import { builtDocument } from '../../http/document-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { problemDocument } from '../../http/render-problem.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import { callUcpTool, isUcpTool } from '../ucp/mcp-tools.ts';
import { callKnowledgeTool, type McpInput } from './call-tool.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { completeCapsuleId, listResources, readResource, resourceTemplates } from './resources.ts';

/** How long clients may keep lists and documents of a deploy, in milliseconds. */
const CACHE_HINT = { ttlMs: 300_000, cacheScope: 'public' } as const;

/**
 * Answers one request of the Model Context Protocol, of revision 2026-07-28 or of those that begin with `initialize`. Nothing is kept
 * between requests. This module loads the library of the protocol, so it is imported with the first request.
 *
 * @param routes Operations that are tools.
 */
export async function answerMcp(
  request: Request,
  input: McpInput,
  routes: readonly Route[],
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  if (isRebound(request, deps)) return refuse('cross_site_form', 'A page of another site sent this request to a service on this machine.');
  const handler = createMcpHandler(() => knowledgeServer(input, routes, deps), { legacy: 'stateless' });
  return ok({ kind: 'response', response: await asJson(await handler.fetch(request)) });
}

/** Whether a page of another site sent a request to a service on its reader's own machine by DNS rebinding (MCP, "Security"). */
function isRebound(request: Request, { deployment }: GatewayDependencies): boolean {
  if (!localhostAllowedHostnames().includes(new URL(deployment.baseUrl).hostname)) return false;
  const host = hostHeaderValidationResponse(request, localhostAllowedHostnames());
  return (host ?? originValidationResponse(request, localhostAllowedOrigins())) !== undefined;
}

/** A response as one JSON object, which MCP allows instead of events: nothing precedes the result. */
async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const events = (await response.text()).split('\n').filter((line) => line.startsWith(DATA));
  return new Response(events.at(-1)?.slice(DATA.length) ?? '', {
    status: response.status,
    headers: { 'Content-Type': 'application/json' },
  });
}

/** What begins a line with data of a server-sent event (HTML Standard, section 9.2). */
const DATA = 'data: ';

function knowledgeServer(input: McpInput, routes: readonly Route[], deps: GatewayDependencies): Server {
  const { name, description } = deps.deployment;
  const server = new Server(
    { name, version: GATEWAY_VERSION },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: description,
      cacheHints: {
        'tools/list': CACHE_HINT,
        'resources/list': CACHE_HINT,
        'resources/templates/list': CACHE_HINT,
        'resources/read': CACHE_HINT,
        'prompts/list': CACHE_HINT,
        'server/discover': CACHE_HINT,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(builtDocument('mcp_tools', deps).body) }));
  server.setRequestHandler('tools/call', ({ params }) => callTool(params.name, params.arguments ?? {}, input, routes, deps));
  server.setRequestHandler('resources/list', () => ({ resources: listResources(deps) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resourceTemplates(deps.deployment) }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await readResource(uri, input, deps);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, ...text }] };
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = getPrompt(params.name, params.arguments ?? {});
    if (typeof prompt === 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, prompt);
    return prompt;
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const isId = ref.type === 'ref/resource' && argument.name === 'capsule_id';
    const values = isId ? await completeCapsuleId(argument.value, deps) : [];
    return { completion: { values: [...values], total: values.length, hasMore: false } };
  });
  return server;
}

async function callTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  input: McpInput,
  routes: readonly Route[],
  deps: GatewayDependencies,
) {
  if (deps.deployment.commerce.ucp && isUcpTool(name)) {
    const allowance = await input.takeRateLimit('buy');
    const called = allowance.ok ? await callUcpTool(name, args, input, deps) : allowance;
    return called.ok ? toolResult(called.value.text, called.value.isError) : toolRefusal(called.refusal, deps);
  }
  const called = await callKnowledgeTool(name, args, input, routes, deps);
  if (called === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}". tools/list names all tools.`);
  if (called.ok) return toolResult(called.value, false);
  const { capsule_id: sent } = args;
  const refusal = typeof sent === 'string' ? await withNearestCapsules(called.refusal, sent, deps.corpus) : called.refusal;
  return toolRefusal(refusal, deps);
}

/** @param text JSON text of an object; clients without structured content read it as text. */
function toolResult(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) as Record<string, unknown>, isError };
}

/** A refusal as a model reads it: the problem document that HTTP would send. */
function toolRefusal(refusal: Refusal, { deployment: { baseUrl } }: GatewayDependencies) {
  const { request_id: _request, instance: _instance, ...problem } = problemDocument(refusal, { baseUrl, requestId: '', path: PATHS.mcp });
  return toolResult(JSON.stringify(problem), true);
}
