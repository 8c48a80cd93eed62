import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import {
  listProposalLines,
  proposalNamed,
  rejectProposal,
  requestOf,
  requireUndecided,
  showProposal,
} from '../../administration/proposals.ts';
import { applyCorrection } from '../../gateway/intake/check-proposal.ts';
import type { Database } from '../../platform/d1/database.ts';
import { decideProposal, findProposal, reopenProposal as reopenStored, type StoredProposal } from '../../platform/d1/proposal-store.ts';
import { InvalidContentError, UserError } from '../../publication/content-problem.ts';
import { VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/frozen-versions.ts';
import { readContentFolder, replaceFile } from '../../publication/read/content-files.ts';
import { parseContentFile } from '../../publication/read/front-matter.ts';
import { readContent } from '../../publication/read-content.ts';
import type { CapsuleProposal, CorrectionProposal, IntakeRequest } from '../../schemas/intake/proposals.ts';
import { WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import { Id } from '../../schemas/primitives.ts';
import { dayOf } from '../../schemas/time.ts';
import { findInstructions } from '../../text/check/find-instructions.ts';
import { bodyText } from '../../text/markdown/markdown-tree.ts';
import { CAPSULES_FOLDER, splitFrontMatter } from '../capsules/capsule-file.ts';
import { removeDigests, reviseCapsule, withoutDefaults } from '../capsules/revise-capsule.ts';
import { databaseCommand, runOnDatabase, type TaskContext, type TaskRunner } from '../database-command.ts';
import { examples } from '../define-command.ts';

const PROPOSAL = ['<proposal>', 'number of the proposal, or a receipt for it'] as const;

export function intakeCommand(run: TaskRunner) {
  const { command, onDatabase, act } = databaseCommand(run);
  command
    .description('Review what agents propose: new capsules and corrections.')
    .addHelpText('after', examples('npm run intake -- list', 'npm run intake -- show 4', 'npm run intake -- accept 4 --as http-caching'));
  command
    .command('list')
    .description('list pending proposals')
    .option('--all', 'list decided proposals too')
    .action(({ all = false }) => onDatabase((database, { nowMs }) => listProposalLines(database, all, nowMs)));
  command
    .command('show')
    .description('print a proposal in full')
    .argument(...PROPOSAL)
    .action((name) => onDatabase((database) => showProposal(database, name)));
  command
    .command('accept')
    .description('write a proposal into content/')
    .argument(...PROPOSAL)
    .option('--as <id>', 'another id for a proposed capsule')
    .action((name, { as }) => act('intake accept', name, (database, context) => acceptProposal(database, name, as, context)));
  command
    .command('reject')
    .description('reject a proposal')
    .argument(...PROPOSAL)
    .requiredOption('--reason <text>', 'why, in one line; the agent reads it')
    .action((name, { reason }) => act('intake reject', name, (database, { nowMs }) => rejectProposal(database, name, reason, nowMs)));
  command
    .command('reopen')
    .description('undo a decision')
    .argument(...PROPOSAL)
    .action((name) => act('intake reopen', name, (database, { root }) => reopenProposal(database, name, root)));
  return command;
}

export const command = intakeCommand(runOnDatabase);

/**
 * Writes a proposal into `content/`, then stores the decision. After an interruption the same command continues.
 *
 * @param as Another id for a proposed capsule.
 * @throws {UserError | InvalidContentError} If it cannot be accepted. Nothing is changed then, unless another command rejected the proposal
 * at the same time; the message says how to undo the change.
 */
export async function acceptProposal(
  database: Database,
  name: string,
  as: string | undefined,
  { root, nowMs }: Pick<TaskContext, 'root' | 'nowMs'>,
): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  const { number } = proposal;
  requireUndecided(proposal, 'accepted');
  const request = requestOf(proposal);
  if (request === undefined)
    throw new UserError(`proposal ${number} does not have the current format of proposals; you can show or reject it`);
  if (as !== undefined && (request.kind === 'correction' || !Id.safeParse(as).success))
    throw new UserError('--as takes the id of a proposed capsule, such as http-caching');
  const id = as ?? proposal.capsuleId;
  if (proposal.state === 'accepted' && id !== proposal.capsuleId)
    throw new UserError(`proposal ${number} was accepted as ${proposal.capsuleId}; reopen it first to give it another id`);
  const { files, written } = await acceptContent(root, proposal, request, { id, today: dayOf(nowMs) });
  const undo = undoSteps(id, request.kind);
  if (!(await decideProposal(database, number, { state: 'accepted', capsuleId: id, atMs: nowMs }))) {
    const state = (await findProposal(database, number))?.state ?? 'removed';
    if (state !== 'accepted') throw new UserError(`proposal ${number} was ${state} in the meantime, but ${files[0]} contains it: ${undo}`);
  }
  return [
    ...files.map((file) => `${written ? 'wrote' : 'found'} ${file}`),
    `proposal ${number} is accepted; read the text, then build and publish`,
    ...(written ? [`to undo it before that: ${undo}, then npm run intake -- reopen ${number}`] : []),
  ];
}

/** Undoes a decision in the database. Files stay, because the publisher may have edited them. @throws {UserError} If one still contains it. */
export async function reopenProposal(database: Database, name: string, root: string): Promise<string[]> {
  const { number, state, sha256, kind } = await proposalNamed(database, name);
  if (state === 'pending') throw new UserError(`proposal ${number} is pending already`);
  const held = await acceptedVersion(root, sha256);
  if (held !== undefined) {
    const isWhole = kind === 'capsule' && held.isOnly && held.file === capsuleFile(held.id);
    const remedy = isWhole ? undoSteps(held.id, 'capsule') : 'restore the previous files';
    throw new UserError(`${held.file} contains proposal ${number}: ${remedy}, then reopen it`);
  }
  if (!(await reopenStored(database, number))) throw new UserError(`proposal ${number} was reopened or removed in the meantime`);
  return [`proposal ${number} is pending again`];
}

/**
 * Writes a proposal into `content/`: a new capsule as a file, a correction as a new version of its capsule. It changes and checks a copy
 * first, so that nothing changes unless all content stays valid, and can be repeated after an interruption.
 *
 * @throws {InvalidContentError | UserError} If the changed content has mistakes, the capsule or the proposal is there already, or the
 * corrected version is not current.
 */
export async function acceptContent(
  root: string,
  proposal: StoredProposal,
  request: IntakeRequest,
  { id, today }: { readonly id: string; readonly today: string },
) {
  const file = capsuleFile(id);
  const frozen = request.kind === 'capsule' ? [] : [frozenFile(id, request.version), VERSIONS_DIGESTS];
  const files = [file, ...frozen];
  const accepted = await acceptedVersion(root, proposal.sha256);
  if (accepted?.id === id) return { files: [accepted.file], written: false };
  if (accepted !== undefined) throw new UserError(`${accepted.file} contains the proposal already; accept it under that id`);
  if (request.kind === 'capsule' && existsSync(join(root, file)))
    throw new UserError(`${file} exists; accept the proposal under another id with --as`);
  const trial = await mkdtemp(join(tmpdir(), 'akg-intake-'));
  try {
    await cp(join(root, 'content'), join(trial, 'content'), { recursive: true });
    if (request.kind === 'capsule') await writeFile(join(trial, file), capsuleFileText(request, proposal, today));
    else await correctCapsule(trial, request, proposal, today);
    const { problems } = await readContent(trial, { today });
    if (problems.length > 0) throw new InvalidContentError(problems);
    // The current version comes last: until it is written, a repeated run starts over.
    for (const path of [...frozen, file]) await replaceFile(join(root, path), await readFile(join(trial, path)));
    return { files, written: true };
  } finally {
    await rm(trial, { recursive: true });
  }
}

export function capsuleFile(id: string): string {
  return `${CAPSULES_FOLDER}/${id}.md`;
}

function frozenFile(id: string, version: string): string {
  return `${VERSIONS_FOLDER}/${id}/${version}.md`;
}

function undoSteps(id: string, kind: IntakeRequest['kind']): string {
  return kind === 'capsule' ? `delete ${capsuleFile(id)}` : `run "npm run revise ${id} -- --undo"`;
}

async function acceptedVersion(root: string, sha256: string) {
  const files = await readContentFolder(root, CAPSULES_FOLDER);
  const isFrozen = (path: string): boolean => path.startsWith(`${VERSIONS_FOLDER}/`);
  const accepted = files
    .filter(({ path, raw }) => raw.includes(sha256) && capsuleIn(path, raw)?.data.proposed?.sha256 === sha256)
    .sort((a, b) => Number(isFrozen(a.path)) - Number(isFrozen(b.path)))[0];
  if (accepted === undefined) return undefined;
  // The folder of a frozen version is named after the capsule.
  const id = accepted.path
    .replace(`${VERSIONS_FOLDER}/`, '')
    .replace(`${CAPSULES_FOLDER}/`, '')
    .replace(/(?:\/[^/]*)?\.md$/, '');
  return { id, file: accepted.path, isOnly: !files.some(({ path }) => path.startsWith(`${VERSIONS_FOLDER}/${id}/`)) };
}

function capsuleIn(path: string, raw: string) {
  const outcome = parseContentFile(path, raw, WrittenCapsule);
  return 'file' in outcome ? outcome.file : undefined;
}

function capsuleFileText({ metadata, markdown }: CapsuleProposal, proposal: StoredProposal, today: string): string {
  const { title, summary, type, tags, language, evidence, license, written_by, derived_from, cites, sources } = metadata;
  const frontMatter = {
    ...{ title, summary, type, tags, language, version: '1.0.0', evidence, license, created: today, updated: today },
    written_by: written_by ?? { type: 'SoftwareAgent', name: authorName(proposal) },
    ...(derived_from.length === 0 ? {} : { derived_from }),
    ...(cites.length === 0 ? {} : { cites }),
    sources,
    proposed: provenanceOf(proposal),
  };
  return `---\n${stringify(frontMatter, { lineWidth: 0, aliasDuplicateObjects: false })}---\n\n${bodyText(markdown)}`;
}

/** Applies a correction: freezes the current version of its capsule as `npm run revise` does, replaces the passage, adds sources. */
async function correctCapsule(root: string, correction: CorrectionProposal, proposal: StoredProposal, today: string): Promise<void> {
  const id = correction.capsule_id;
  const path = join(root, capsuleFile(id));
  const raw = await readFile(path, 'utf8').catch(() => undefined);
  const before = raw === undefined ? undefined : capsuleIn(capsuleFile(id), raw);
  if (before === undefined)
    throw new UserError(`${capsuleFile(id)}, which is to be corrected, is missing or has mistakes; run npm run content:check`);
  const { version = '1.0.0' } = before.data;
  if (version !== correction.version)
    throw new UserError(`"${id}" is at version ${version}, but the correction is for ${correction.version}`);
  const corrected = applyCorrection(correction, before.body);
  if ('error' in corrected) throw new UserError(`the passage to correct ${corrected.error.message}`);
  await undoHalfRevision(root, id, version);
  await reviseCapsule(root, id, 'minor', today, { isFilePublished: true });
  const document = parseDocument(splitFrontMatter(await readFile(path, 'utf8')).frontMatter.replace(/^---|---\s*$/g, ''));
  for (const source of correction.sources) document.addIn(['sources'], document.createNode(source));
  document.set('proposed', document.createNode(provenanceOf(proposal)));
  await writeFile(path, `---\n${document.toString({ lineWidth: 0 })}---\n\n${corrected.markdown}`);
}

async function undoHalfRevision(root: string, id: string, version: string): Promise<void> {
  const frozen = join(root, frozenFile(id, version));
  const copy = await readFile(frozen, 'utf8').catch(() => undefined);
  if (copy === undefined || withoutDefaults(copy) !== (await readFile(join(root, capsuleFile(id)), 'utf8'))) return;
  await rm(frozen);
  await removeDigests(root, (name) => name === `${id}/${version}.md`);
}

function provenanceOf({ sha256, proposers }: StoredProposal) {
  const [first] = proposers;
  if (first === undefined) throw new UserError('no agent has a receipt for this proposal, so its author is unknown');
  return { agent: `agt_${first.agent}`, receipt: first.receipt, received: new Date(first.receivedAtMs).toISOString(), sha256 };
}

const AUTHOR_NAME_MIN_LENGTH = 2;

function authorName({ proposers: [first] }: StoredProposal): string {
  const { name = '', agent = '' } = first ?? {};
  return name.length >= AUTHOR_NAME_MIN_LENGTH && findInstructions(name).length === 0 ? name : `agt_${agent}`;
}
