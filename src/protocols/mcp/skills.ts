import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { SKILLS_EXTENSION_ID, SKILLS_GET_METHOD, SKILLS_LIST_METHOD, type Skill } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import { builtDocument } from '../../http/document-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { MCP_VERSIONS } from '../versions.ts';
import { CACHE_HINT } from './serve-request.ts';

export { SKILLS_EXTENSION_ID };

/** The skills of a deployment, made at build. Their URIs are addresses of the site, and their files are resources. */
export function mcpSkills(deps: Pick<GatewayDependencies, 'documents'>): Skill[] {
  return JSON.parse(builtDocument('mcp_skills', deps).body);
}

/**
 * Lets a server list its skills, and return one by the address of its file: Skills over MCP (SEP-2640). By hand, because the extension of the
 * library attaches to its other class of servers, which keeps the resources itself.
 */
export function addSkillHandlers(server: Server, deps: GatewayDependencies): void {
  // Older revisions have no such members.
  const cache = () => (server.getNegotiatedProtocolVersion() === MCP_VERSIONS[0] ? CACHE_HINT : {});
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: z.looseObject({}) }, () => ({ skills: mcpSkills(deps), ...cache() }));
  server.setRequestHandler(SKILLS_GET_METHOD, { params: z.looseObject({ uri: z.string() }) }, ({ uri }) => {
    const skill = mcpSkills(deps).find((known) => known.uri === uri);
    if (skill === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is at ${uri}. skills/list names all skills.`);
    return { skill, ...cache() };
  });
}
