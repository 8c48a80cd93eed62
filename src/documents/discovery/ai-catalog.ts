import { AGENT_CARD_TYPE } from '../../protocols/a2a/agent-card.ts';
import { SERVER_CARD_TYPE } from '../../protocols/mcp/server-card.ts';
import type { Publication } from '../../publication/publication.ts';
import { agentSkillPath, PATHS } from '../../schemas/paths.ts';
import { agentSkills } from '../skills/agent-skills.ts';

/** Media type of a skill in the catalog (Agentic Resource Discovery). */
const SKILL_TYPE = 'text/markdown; profile="urn:air:agent-skills"';

/** What agents can use here, as a catalog of Agentic Resource Discovery, version 1.0 (github.com/ards-project/ard-spec). */
export function aiCatalog(publication: Publication): object {
  const { deployment, publisher } = publication;
  const { baseUrl } = deployment;
  const { hostname } = new URL(baseUrl);
  const skills = agentSkills(publication);
  const [questions = []] = skills.map(({ representativeQueries }) => representativeQueries);
  const server = (name: string, type: string, path: string, description: string) => ({
    identifier: `urn:air:${hostname}:servers:${name}`,
    displayName: `${publisher.name}: ${name}`,
    type,
    url: baseUrl + path,
    description,
    representativeQueries: questions,
  });
  return {
    specVersion: '1.0',
    host: { displayName: publisher.name, identifier: publisher.issuer, documentationUrl: baseUrl + PATHS.docs },
    entries: [
      ...(deployment.mode === 'edge' && questions.length > 1
        ? [
            server('mcp', SERVER_CARD_TYPE, PATHS.mcpServerCard, 'MCP server: search, capsules, quotations to verify.'),
            server('a2a', AGENT_CARD_TYPE, PATHS.agentCard, 'A2A agent: answers questions with quotations.'),
          ]
        : []),
      ...skills.map(({ name, description, representativeQueries }) => ({
        identifier: `urn:air:${hostname}:skills:${name}`,
        displayName: `${publisher.name}: ${name}`,
        type: SKILL_TYPE,
        url: baseUrl + agentSkillPath(name),
        description,
        representativeQueries,
      })),
    ],
  };
}
