import { readFileSync } from 'node:fs';
import { ACP_VERSION } from '../../protocols/acp/acp-schemas.ts';
import { hasPrice } from '../../schemas/commerce/terms.ts';
import { featuresOf } from '../../schemas/features.ts';
import { capsuleVersionPath, lineageFilePath } from '../../schemas/paths.ts';
import { fillTemplate } from '../../text/fill-template.ts';
import type { AgentSkill, FreeCapsule, Publication } from '../../text/publication-model.ts';

type SkillSource = Pick<Publication, 'deployment' | 'publisher' | 'offers' | 'capsules'>;

/** The skills of a publication: their texts are the templates in `agent-skills/`. */
export function agentSkills(source: SkillSource): readonly AgentSkill[] {
  const { deployment, publisher, offers, capsules } = source;
  const isEdge = deployment.mode === 'edge';
  const free = capsules.filter(({ metadata, markdown }) => metadata.status === 'current' && markdown !== undefined);
  const propose = isEdge && deployment.intake === 'open' ? proposeCorrection(source, free) : undefined;
  return [
    ...(free.length === 0 ? [] : [isEdge ? askAndVerify(source, free) : readAndVerify(source, free)]),
    ...(isEdge && featuresOf(publisher, offers).shop ? [buyOffer(source)] : []),
    agentSkill('mirror', source, [
      `Copy all texts of ${publisher.name} for offline use`,
      `Check that my mirror of ${publisher.name} is complete and unchanged`,
    ]),
    ...(propose === undefined ? [] : [propose]),
  ];
}

function agentSkill(
  name: string,
  { deployment: { baseUrl }, publisher }: SkillSource,
  representativeQueries: readonly string[],
  values: Readonly<Record<string, string>> = {},
  parts: Readonly<Record<string, boolean>> = {},
): AgentSkill {
  const template = templateOf(name).replace('{{verify_text}}', () => templateOf('verify-text').trim());
  // The name stands in the description only, which is a string in the syntax of JSON.
  const publisherName = JSON.stringify(publisher.name).slice(1, -1);
  const markdown = fillTemplate(template, { ...values, base_url: baseUrl, publisher: publisherName }, parts);
  const description = JSON.parse(/^description: (.*)$/m.exec(markdown)?.[1] ?? '""') as string;
  return { name, description, representativeQueries, markdown };
}

function templateOf(name: string): string {
  return readFileSync(new URL(`./agent-skills/${name}.md`, import.meta.url), 'utf8');
}

function questionsAbout({ publisher }: SkillSource, capsules: readonly FreeCapsule[]): string[] {
  const titles = capsules.slice(0, 4).map(({ metadata }) => metadata.title);
  return [...titles, `What does ${publisher.name} say about this subject, word for word?`];
}

/** The skill of asking a question and checking the quote of the answer; needs functions. */
function askAndVerify(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill {
  return agentSkill('ask-and-verify', source, questionsAbout(source, capsules), {
    // Within single quotes of a shell.
    question: (capsules[0]?.metadata.title ?? '').replaceAll("'", String.raw`'\''`),
    text_path: `$(node -p 'new URL(require("./answer.json").results[0].markdown_url).pathname')`,
    id: `$(node -p 'require("./answer.json").results[0].capsule_id')`,
  });
}

function readAndVerify(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill {
  const { capsule_id: id = '', version = '' } = capsules[0]?.metadata ?? {};
  return agentSkill('read-and-verify', source, questionsAbout(source, capsules), {
    ...{ id, version },
    text_path: capsuleVersionPath(id, version),
    lineage_path: lineageFilePath(id),
  });
}

/** The skill of buying: a checkout session where agents may open one, otherwise the page of an offer; needs functions. */
function buyOffer(source: SkillSource): AgentSkill {
  const { deployment, publisher, offers } = source;
  const offer = offers.find((one) => hasPrice(one)) ?? offers[0];
  const hasSessions = deployment.commerce.acp && offer !== undefined && hasPrice(offer);
  const queries = [`What does ${offer?.name ?? publisher.name} cost?`, `Prepare a purchase from ${publisher.name}`];
  const values = { id: offer?.id ?? '', acp_version: ACP_VERSION };
  return agentSkill('buy', source, queries, values, { session: hasSessions, page: !hasSessions });
}

/** Shortest and longest passage of the example, in characters. */
const PASSAGE_LENGTHS = { min: 30, max: 160 } as const;

/** The skill of proposing a correction; `undefined` if no text has a passage for its example. */
function proposeCorrection(source: SkillSource, capsules: readonly FreeCapsule[]): AgentSkill | undefined {
  const { name } = source.publisher;
  const found = capsules.flatMap((capsule) => {
    const quote = passageOf(capsule.markdown ?? '');
    return quote === undefined ? [] : [{ ...capsule.metadata, quote }];
  })[0];
  if (found === undefined) return undefined;
  const { capsule_id, version, quote } = found;
  const proposal = {
    kind: 'correction',
    capsule_id,
    version,
    quote,
    replacement: `${quote} (corrected)`,
    reason: 'Which source shows the error, and where.',
  };
  const queries = [`Report an error in a text of ${name}`, `Propose a correction to ${name}`];
  return agentSkill('propose', source, queries, { proposal: JSON.stringify(proposal, null, 2) });
}

/** A line of plain words that occurs once in a text. */
function passageOf(markdown: string): string | undefined {
  return markdown
    .split('\n')
    .flatMap((line) => /^[A-Z][\w ,;-]*/.exec(line)?.[0].slice(0, PASSAGE_LENGTHS.max).trim() ?? [])
    .find((passage) => passage.length >= PASSAGE_LENGTHS.min && markdown.split(passage).length === 2);
}
