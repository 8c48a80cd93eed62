import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { UserError } from '../../build/user-error.ts';
import { applyCorrection } from '../../gateway/intake/check-proposal.ts';
import type { StoredProposal } from '../../platform/d1/submissions.ts';
import { VERSIONS_FOLDER } from '../../publication/complete/frozen-versions.ts';
import { readContentFolder } from '../../publication/read/content-files.ts';
import { parseContentFile } from '../../publication/read/front-matter.ts';
import type { CapsuleProposal, CorrectionProposal } from '../../schemas/intake/intake.ts';
import { WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import { findInstructions } from '../../text/check/find-instructions.ts';
import { bodyText } from '../../text/markdown/markdown-tree.ts';
import { removeDigests, reviseCapsule, withoutDefaults } from '../capsules/revise-capsule.ts';

const AUTHOR_NAME_MIN_LENGTH = 2;

const CAPSULES_FOLDER = 'content/capsules';

export function capsuleFile(id: string): string {
  return `${CAPSULES_FOLDER}/${id}.md`;
}

export function frozenFile(id: string, version: string): string {
  return `${VERSIONS_FOLDER}/${frozenName(id, version)}`;
}

function frozenName(id: string, version: string): string {
  return `${id}/${version}.md`;
}

export function undoSteps(id: string, version: string | undefined): string {
  const file = capsuleFile(id);
  if (version === undefined) return `delete ${file}`;
  return `run "npm run revise ${id} -- --undo"`;
}

/** The version that was accepted from the proposal with this digest; a current one is preferred to frozen ones. */
export async function acceptedVersion(root: string, sha256: string) {
  const { files } = await readContentFolder(root, CAPSULES_FOLDER);
  const isFrozen = (path: string): boolean => path.startsWith(`${VERSIONS_FOLDER}/`);
  const accepted = files
    .filter(({ path, raw }) => raw.includes(sha256) && proposedDigest(path, raw) === sha256)
    .sort((a, b) => Number(isFrozen(a.path)) - Number(isFrozen(b.path)))[0];
  if (accepted === undefined) return undefined;
  // The folder of a frozen version is named after the capsule.
  const id = accepted.path
    .replace(`${VERSIONS_FOLDER}/`, '')
    .replace(`${CAPSULES_FOLDER}/`, '')
    .replace(/(?:\/[^/]*)?\.md$/, '');
  const isOnly = !files.some(({ path }) => path.startsWith(`${VERSIONS_FOLDER}/${id}/`));
  return { id, file: accepted.path, isOnly };
}

function proposedDigest(path: string, raw: string): string | undefined {
  const outcome = parseContentFile(path, raw, WrittenCapsule);
  return 'file' in outcome ? outcome.file.data.proposed?.sha256 : undefined;
}

export function capsuleFileText({ metadata, markdown }: CapsuleProposal, proposal: StoredProposal, today: string): string {
  const { title, summary, type, tags, language, evidence, license, written_by, derived_from, cites, sources } = metadata;
  const frontMatter = {
    title,
    summary,
    type,
    tags,
    language,
    version: '1.0.0',
    evidence,
    license,
    created: today,
    updated: today,
    written_by: written_by ?? { type: 'SoftwareAgent', name: authorName(proposal) },
    ...(derived_from.length === 0 ? {} : { derived_from }),
    ...(cites.length === 0 ? {} : { cites }),
    sources,
    proposed: provenanceOf(proposal),
  };
  return `---\n${stringify(frontMatter, { lineWidth: 0, aliasDuplicateObjects: false })}---\n\n${bodyText(markdown)}`;
}

/**
 * Applies a correction to the file of its capsule: freezes the current version as `npm run revise` does, replaces the passage, adds sources.
 */
export async function correctCapsule(root: string, correction: CorrectionProposal, proposal: StoredProposal, today: string): Promise<void> {
  const id = correction.capsule_id;
  const before = await readCapsuleFile(root, id);
  if (before === undefined)
    throw new UserError(`${capsuleFile(id)}, which is to be corrected, is missing or has mistakes; run npm run content:check`);
  const { version = '1.0.0' } = before.data;
  if (version !== correction.version)
    throw new UserError(`"${id}" is at version ${version}, but the correction is for ${correction.version}`);
  const corrected = applyCorrection(correction, before.body);
  if ('error' in corrected) throw new UserError(`the passage to correct ${corrected.error.message}`);
  await undoHalfRevision(root, id, version);
  await reviseCapsule(root, id, 'minor', today, { isFilePublished: true });
  const path = join(root, capsuleFile(id));
  const yaml = /^---[ \t]*\r?\n([\s\S]*?\n)---/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  const document = parseDocument(yaml);
  for (const source of correction.sources) document.addIn(['sources'], document.createNode(source));
  document.set('proposed', document.createNode(provenanceOf(proposal)));
  await writeFile(path, `---\n${document.toString({ lineWidth: 0 })}---\n\n${corrected.markdown}`);
}

async function undoHalfRevision(root: string, id: string, version: string): Promise<void> {
  const frozen = join(root, frozenFile(id, version));
  const [copy, current] = await Promise.all([
    readFile(frozen, 'utf8').catch(() => undefined),
    readFile(join(root, capsuleFile(id)), 'utf8'),
  ]);
  if (copy === undefined || withoutDefaults(copy) !== current) return;
  await rm(frozen);
  await removeDigests(root, (name) => name === frozenName(id, version));
}

async function readCapsuleFile(root: string, id: string) {
  const path = capsuleFile(id);
  const raw = await readFile(join(root, path), 'utf8').catch(() => undefined);
  if (raw === undefined) return undefined;
  const outcome = parseContentFile(path, raw, WrittenCapsule);
  return 'file' in outcome ? outcome.file : undefined;
}

function provenanceOf({ sha256, proposers }: StoredProposal) {
  const [first] = proposers;
  if (first === undefined) throw new UserError('no agent has a receipt for this proposal, so its author is unknown');
  return { agent: `agt_${first.agent}`, receipt: first.receipt, received: new Date(first.receivedAtMs).toISOString(), sha256 };
}

/** The registered name of the agent; its id if the name is too short or contains instructions. */
function authorName({ proposers }: StoredProposal): string {
  const [first] = proposers;
  const name = first?.name;
  const isName = name !== undefined && name.length >= AUTHOR_NAME_MIN_LENGTH && findInstructions(name).length === 0;
  return isName ? name : `agt_${first?.agent ?? ''}`;
}
