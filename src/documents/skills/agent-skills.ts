import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../provenance/bytes.ts';
import type { DocumentFile, Publication } from '../../publication/publication.ts';
import { featuresOf } from '../../schemas/features.ts';
import { agentSkillPath } from '../../schemas/paths.ts';
import type { AgentSkill } from './agent-skill.ts';
import { askAndVerify } from './ask-and-verify.ts';
import { buyOffer } from './buy-offer.ts';
import { mirrorCorpus } from './mirror-corpus.ts';
import { proposeCorrection } from './propose-correction.ts';
import { readAndVerify } from './read-and-verify.ts';

/** The skills that work in a deployment, made with its addresses and its texts. */
export function agentSkills(publication: Publication): readonly AgentSkill[] {
  const { deployment, publisher, offers, capsules } = publication;
  const isEdge = deployment.mode === 'edge';
  const free = capsules.filter(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  const propose = isEdge && deployment.intake === 'open' ? proposeCorrection(publication, free) : undefined;
  return [
    ...(free.length === 0 ? [] : [isEdge ? askAndVerify(publication, free) : readAndVerify(publication, free)]),
    ...(isEdge && featuresOf(publisher, offers).shop ? [buyOffer(publication)] : []),
    mirrorCorpus(publication),
    ...(propose === undefined ? [] : [propose]),
  ];
}

/** The file SKILL.md of each skill. */
export function agentSkillFiles(publication: Publication): DocumentFile[] {
  return agentSkills(publication).map(({ name, markdown }) => ({
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

/** The skills as the MCP server lists them. */
export function mcpSkillList(publication: Publication): readonly Skill[] {
  return publishedSkills(publication).map(({ name, description, url, digest, size }) => ({
    uri: url,
    frontmatter: { name, description },
    resources: [{ uri: url, digest, size }],
  }));
}

/** Each skill with the address, digest and size (in bytes) of its file. */
function publishedSkills(publication: Publication) {
  return agentSkills(publication).map(({ name, description, markdown }) => {
    const bytes = new TextEncoder().encode(markdown);
    const url = publication.deployment.baseUrl + agentSkillPath(name);
    return { name, description, url, digest: `sha256:${toHex(sha256(bytes))}`, size: bytes.length };
  });
}
