import { UserError } from '../../build/user-error.ts';
import type { Database } from '../../platform/d1/database.ts';
import {
  decideProposal,
  findProposal,
  listProposals,
  reopenProposal as reopenStored,
  type StoredProposal,
} from '../../platform/d1/proposal-decisions.ts';
import { IntakeRequest } from '../../schemas/intake/intake.ts';
import { Id } from '../../schemas/primitives.ts';
import type { TaskContext } from '../database-command.ts';
import { terminalLine } from '../terminal-text.ts';
import { acceptContent } from './accept-proposal.ts';
import { describeInList, describeProposal } from './describe-proposal.ts';
import { acceptedVersion, capsuleFile, undoSteps } from './proposal-content.ts';

/** Most characters of the reason of a rejection. */
const REASON_MAX_LENGTH = 500;

/** Pending proposals, or with `all` decided ones too, a line each. */
export async function listProposalLines(database: Database, all: boolean, nowMs: number): Promise<string[]> {
  const proposals = await listProposals(database, all);
  if (proposals.length === 0) return [all ? 'there are no proposals' : 'there are no pending proposals'];
  return proposals.map((proposal) => describeInList(proposal, nowMs));
}

/**
 * A proposal in full.
 *
 * @param name Its number, or a receipt for it.
 * @throws {UserError} If it does not exist.
 */
export async function showProposal(database: Database, name: string): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  return [describeProposal(proposal, requestOf(proposal))];
}

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
  const today = new Date(nowMs).toISOString().slice(0, 10);
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
 * Rejects a proposal. Repeating it changes nothing.
 *
 * @param name Its number, or a receipt for it.
 * @throws {UserError} If the reason is empty or too long, or the proposal was accepted.
 */
export async function rejectProposal(database: Database, name: string, reason: string, nowMs: number): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  if (reason.trim() === '' || reason.length > REASON_MAX_LENGTH || terminalLine(reason) !== reason)
    throw new UserError(`give a reason of at most ${REASON_MAX_LENGTH} characters on one line: --reason "The source does not say so."`);
  requireUndecided(proposal, 'rejected');
  const isNew = await decideProposal(database, proposal.number, { state: 'rejected', reason, atMs: nowMs });
  return [isNew ? `proposal ${proposal.number} is rejected` : `proposal ${proposal.number} was rejected before; its reason stays`];
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

async function proposalNamed(database: Database, name: string): Promise<StoredProposal> {
  const proposal = await findProposal(database, /^\d{1,9}$/.test(name) ? Number(name) : name);
  if (proposal === undefined) throw new UserError(`there is no proposal ${terminalLine(name)}`);
  return proposal;
}

/** The proposal as it may be accepted; `undefined` if it was stored under older rules and does not meet the current ones. */
function requestOf({ body }: StoredProposal): IntakeRequest | undefined {
  try {
    return IntakeRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function requireUndecided({ number, state }: StoredProposal, next: 'accepted' | 'rejected'): void {
  if (state !== 'pending' && state !== next)
    throw new UserError(`proposal ${number} was ${state} already; to change that, reopen it first`);
}
