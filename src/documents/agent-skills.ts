import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../provenance/bytes.ts';
import { agentSkillPath } from '../schemas/paths.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';

export function agentSkillFiles({ skills }: Publication): DocumentFile[] {
  return skills.map(({ name, markdown }) => ({
    path: agentSkillPath(name),
    contentType: 'text/markdown; charset=utf-8',
    body: markdown,
  }));
}

/** The index of skills, version 0.2.0 of Agent Skills Discovery (github.com/cloudflare/agent-skills-discovery-rfc). */
export function agentSkillsIndex(publication: Publication): object {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: publishedSkills(publication).map(({ name, description, url, digest }) => ({
      name,
      type: 'skill-md',
      description,
      url,
      digest,
    })),
  };
}

export function mcpSkillList(publication: Publication): readonly Skill[] {
  return publishedSkills(publication).map(({ name, description, url, digest, size }) => ({
    uri: url,
    frontmatter: { name, description },
    resources: [{ uri: url, digest, size }],
  }));
}

function publishedSkills(publication: Publication) {
  return publication.skills.map(({ name, description, markdown }) => {
    const bytes = new TextEncoder().encode(markdown);
    const url = publication.deployment.baseUrl + agentSkillPath(name);
    return { name, description, url, digest: `sha256:${toHex(sha256(bytes))}`, size: bytes.length };
  });
}
