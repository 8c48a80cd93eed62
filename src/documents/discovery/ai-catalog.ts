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
  return {
    specVersion: '1.0',
    host: { displayName: publisher.name, identifier: publisher.issuer, documentationUrl: baseUrl + PATHS.docs },
    entries: agentSkills(publication).map(({ name, description, representativeQueries }) => ({
      identifier: `urn:air:${hostname}:skills:${name}`,
      displayName: `${publisher.name}: ${name}`,
      type: SKILL_TYPE,
      url: baseUrl + agentSkillPath(name),
      description,
      representativeQueries,
    })),
  };
}
