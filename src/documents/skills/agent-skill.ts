/** Instructions that teach an agent one task at this site, as a file SKILL.md (agentskills.io). */
export interface AgentSkill {
  /** Permanent name: lower case with hyphens, at most 64 characters. */
  readonly name: string;
  /** What the skill does and when to use it, at most 1,024 characters. */
  readonly description: string;
  /** Questions and requests that the skill serves, 2 to 5. */
  readonly representativeQueries: readonly string[];
  /** The whole file, with front matter. */
  readonly markdown: string;
}

/** A skill, whose file begins with the front matter that the format requires. */
export function agentSkill({ body, ...skill }: Omit<AgentSkill, 'markdown'> & { readonly body: string }): AgentSkill {
  const { name, description } = skill;
  return { ...skill, markdown: `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body.trim()}\n` };
}
