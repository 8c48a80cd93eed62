import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { withNearestCapsules } from '../../gateway/knowledge/nearest-capsules.ts';
import type { Result } from '../../gateway/result.ts';
import type { Outcome, Route } from '../../http/define-route.ts';
import { builtDocument } from '../../http/document-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { callUcpTool, isUcpTool } from '../ucp/mcp-tools.ts';
import { callKnowledgeTool, type McpInput } from './call-tool.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { completeCapsuleId, listResources, readResource, resourceTemplates } from './resources.ts';
import { serveRequest } from './serve-request.ts';
import { MCP_CAPABILITIES } from './server-card.ts';
import { addSkillHandlers, SKILLS_EXTENSION_ID } from './skills.ts';
import { toolRefusal, toolResult } from './tool-result.ts';

/**
 * Serves one request of the Model Context Protocol, of revision 2026-07-28 or of those that begin with `initialize`. Nothing is kept
 * between requests. This module loads the library of the protocol, so it is imported with the first request.
 *
 * @param routes Operations that are tools.
 */
export async function serveMcp(
  request: Request,
  input: McpInput,
  routes: readonly Route[],
  deps: GatewayDependencies,
): Promise<Result<Outcome>> {
  const capabilities = { ...MCP_CAPABILITIES, extensions: { [SKILLS_EXTENSION_ID]: {} } };
  const profile = { capabilities, instructions: deps.deployment.description };
  return serveRequest(request, deps, profile, (server) => addHandlers(server, input, routes, deps));
}

function addHandlers(server: Server, input: McpInput, routes: readonly Route[], deps: GatewayDependencies): void {
  server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(builtDocument('mcp_tools', deps).body) }));
  server.setRequestHandler('tools/call', ({ params }) => callTool(params.name, params.arguments ?? {}, input, routes, deps));
  server.setRequestHandler('resources/list', () => ({ resources: listResources(deps) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resourceTemplates(deps.deployment) }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await readResource(uri, input, deps);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, ...text }] };
  });
  addSkillHandlers(server, deps);
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = getPrompt(params.name, params.arguments ?? {});
    if (typeof prompt === 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, prompt);
    return prompt;
  });
  server.setRequestHandler('completion/complete', async ({ params: { argument } }) => {
    const values = argument.name === 'capsule_id' ? await completeCapsuleId(argument.value, deps) : [];
    return { completion: { values: [...values], total: values.length, hasMore: false } };
  });
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
    return called.ok ? toolResult(called.value.text, called.value.isError) : toolRefusal(called.refusal, deps.deployment.baseUrl);
  }
  const called = await callKnowledgeTool(name, args, input, routes, deps);
  if (called === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}". tools/list names all tools.`);
  if (called.ok) return toolResult(called.value, false);
  const { capsule_id: sent } = args;
  const refusal = typeof sent === 'string' ? await withNearestCapsules(called.refusal, sent, deps.corpus) : called.refusal;
  return toolRefusal(refusal, deps.deployment.baseUrl);
}
