import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  listProposalLines,
  proposalNamed,
  rejectProposal,
  requestOf,
  requireUndecided,
  showProposal,
} from '../../administration/proposals.ts';
import { exists } from '../../build/local/local-stores.ts';
import { UserError } from '../../build/user-error.ts';
import type { Database } from '../../platform/d1/database.ts';
import { decideProposal, findProposal, reopenProposal as reopenStored, type StoredProposal } from '../../platform/d1/submissions.ts';
import { VERSIONS_DIGESTS } from '../../publication/complete/frozen-versions.ts';
import { InvalidContentError } from '../../publication/content-problem.ts';
import { replaceFile } from '../../publication/read/content-files.ts';
import { readContent } from '../../publication/read-content.ts';
import type { IntakeRequest } from '../../schemas/intake/intake.ts';
import { Id } from '../../schemas/primitives.ts';
import { dayOf } from '../../schemas/time.ts';
import { databaseCommand, runOnDatabase, type TaskContext, type TaskRunner } from '../database-command.ts';
import { examples } from '../define-command.ts';
import { acceptedVersion, capsuleFile, capsuleFileText, correctCapsule, frozenFile, undoSteps } from '../intake/proposal-content.ts';

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
 * @param name Its number, or a receipt for it.
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
  const today = dayOf(nowMs);
  const { files, written } = await acceptContent(root, proposal, request, { id, today });
  const undo = undoSteps(id, request.kind === 'correction' ? request.version : undefined);
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

/**
 * Undoes a decision in the database. Files stay as they are, because the publisher may have edited them.
 *
 * @param name Its number, or a receipt for it.
 * @throws {UserError} If it is pending, or a file still contains it.
 */
export async function reopenProposal(database: Database, name: string, root: string): Promise<string[]> {
  const { number, state, sha256, kind } = await proposalNamed(database, name);
  if (state === 'pending') throw new UserError(`proposal ${number} is pending already`);
  const held = await acceptedVersion(root, sha256);
  if (held !== undefined) {
    const isWhole = kind === 'capsule' && held.isOnly && held.file === capsuleFile(held.id);
    const remedy = isWhole ? undoSteps(held.id, undefined) : 'restore the previous files';
    throw new UserError(`${held.file} contains proposal ${number}: ${remedy}, then reopen it`);
  }
  if (!(await reopenStored(database, number))) throw new UserError(`proposal ${number} was reopened or removed in the meantime`);
  return [`proposal ${number} is pending again`];
}

/**
 * Writes a proposal into `content/`: a new capsule as a file, a correction as a new version of its capsule. It changes and checks a copy
 * first, so that nothing changes unless all content stays valid, and can be repeated after an interruption.
 *
 * @param id Id of the capsule; for a new one it may differ from the proposed id.
 * @throws {InvalidContentError} If the changed content has mistakes.
 * @throws {UserError} If the capsule exists, or `content/` contains the proposal under another id, or the corrected version is not current.
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
  if (request.kind === 'capsule' && (await exists(join(root, file))))
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
