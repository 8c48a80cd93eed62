import { UserError } from '../../build/user-error.ts';
import type { Database } from '../../platform/d1/database.ts';
import { decideProposal, findProposal, listProposals, reopenProposal, type StoredProposal } from '../../platform/d1/proposal-decisions.ts';
import { IntakeRequest } from '../../schemas/intake/intake.ts';
import { Id } from '../../schemas/primitives.ts';
import { terminalLine } from '../terminal-text.ts';
import { acceptContent } from './accept-proposal.ts';
import { describeInList, describeProposal } from './describe-proposal.ts';
import { acceptedVersion, capsuleFile, undoSteps } from './proposal-content.ts';

/** A task of the publisher. `name` is the number of a proposal or a receipt for it. */
export type IntakeTask =
  | { readonly action: 'list'; readonly all: boolean }
  | { readonly action: 'show'; readonly name: string }
  | { readonly action: 'accept'; readonly name: string; readonly as: string | undefined }
  | { readonly action: 'reject'; readonly name: string; readonly reason: string }
  | { readonly action: 'reopen'; readonly name: string };

/** Where and when a task runs. */
export interface IntakeContext {
  /** Folder of the project. */
  readonly root: string;
  readonly nowMs: number;
}

/** Longest reason of a rejection, in characters: the agent reads it. */
const REASON_MAX_LENGTH = 500;

/**
 * Runs a task and returns the text to print.
 *
 * @throws {UserError | InvalidContentError} If it cannot be done. Nothing was changed then, unless somebody
 * rejected a proposal while it was accepted here: its file is there, and the message says what to do with it.
 * @throws If the database cannot be reached; a file of the accepted proposal, and the decision, may be there all the same.
 */
export async function administerIntake(command: IntakeTask, database: Database, context: IntakeContext): Promise<string> {
  if (command.action === 'list') return list(database, command.all, context.nowMs);
  const proposal = await findProposal(database, /^\d{1,9}$/.test(command.name) ? Number(command.name) : command.name);
  if (proposal === undefined) throw new UserError(`there is no proposal ${terminalLine(command.name)}`);
  if (command.action === 'show') return describeProposal(proposal, requestOf(proposal));
  if (command.action === 'accept') return accept(database, proposal, command.as, context);
  if (command.action === 'reopen') return reopen(database, proposal, context.root);
  return reject(database, proposal, command.reason, context.nowMs);
}

/** The proposal as it may be accepted; `undefined` if it was stored under rules that were different and does not meet those of now. */
function requestOf({ body }: StoredProposal): IntakeRequest | undefined {
  try {
    return IntakeRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

async function list(database: Database, all: boolean, nowMs: number): Promise<string> {
  const proposals = await listProposals(database, all);
  if (proposals.length === 0) return all ? 'there are no proposals' : 'no proposal waits for a decision';
  return proposals.map((proposal) => describeInList(proposal, nowMs)).join('\n');
}

/** The file first, then the decision: after a stop in between the same command goes on. */
async function accept(
  database: Database,
  proposal: StoredProposal,
  as: string | undefined,
  { root, nowMs }: IntakeContext,
): Promise<string> {
  const { number } = proposal;
  checkUndecided(proposal, 'accepted');
  const request = requestOf(proposal);
  if (request === undefined)
    throw new UserError(`proposal ${number} does not have the form that proposals must have now; it can be shown and rejected`);
  if (as !== undefined && (request.kind === 'correction' || !Id.safeParse(as).success))
    throw new UserError('--as gives a proposed capsule another id, such as http-caching');
  const id = as ?? proposal.capsuleId;
  if (proposal.state === 'accepted' && id !== proposal.capsuleId)
    throw new UserError(`proposal ${number} was accepted as ${proposal.capsuleId}; reopen it first to give it another id`);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const { files, written } = await acceptContent(root, proposal, request, { id, today });
  const back = undoSteps(id, request.kind === 'correction' ? request.version : undefined);
  if (!(await decideProposal(database, number, { state: 'accepted', capsuleId: id, atMs: nowMs }))) {
    const state = (await findProposal(database, number))?.state ?? 'removed';
    if (state !== 'accepted')
      throw new UserError(`proposal ${number} was ${state} in the meantime, which stands, but ${files[0]} holds it: ${back}`);
  }
  return [
    ...files.map((file) => `${written ? 'wrote' : 'found'} ${file}`),
    `proposal ${number} is accepted; read the text, then build and publish`,
    ...(written ? [`to undo it before that: ${back}, then npm run intake -- reopen ${number}`] : []),
  ].join('\n');
}

/** Only what the database holds changes. Files are the publisher's, who may have edited them since. */
async function reopen(database: Database, { number, state, sha256, kind }: StoredProposal, root: string): Promise<string> {
  if (state === 'pending') throw new UserError(`proposal ${number} waits for a decision already`);
  const held = await acceptedVersion(root, sha256);
  if (held !== undefined) {
    const isWhole = kind === 'capsule' && held.isOnly && held.file === capsuleFile(held.id);
    const remedy = isWhole ? undoSteps(held.id, undefined) : 'put back what was there before it';
    throw new UserError(`${held.file} holds proposal ${number}: ${remedy}, then reopen it`);
  }
  if (!(await reopenProposal(database, number))) throw new UserError(`proposal ${number} was reopened or removed in the meantime`);
  return `proposal ${number} waits for a decision again`;
}

async function reject(database: Database, proposal: StoredProposal, reason: string, nowMs: number): Promise<string> {
  if (reason.trim() === '' || reason.length > REASON_MAX_LENGTH || terminalLine(reason) !== reason)
    throw new UserError(`give a reason of at most ${REASON_MAX_LENGTH} characters on one line: --reason "The source does not say so."`);
  checkUndecided(proposal, 'rejected');
  const isNew = await decideProposal(database, proposal.number, { state: 'rejected', reason, atMs: nowMs });
  return isNew ? `proposal ${proposal.number} is rejected` : `proposal ${proposal.number} was rejected before; its reason stays`;
}

/** Throws for a proposal that was decided differently. */
function checkUndecided({ number, state }: StoredProposal, next: 'accepted' | 'rejected'): void {
  if (state !== 'pending' && state !== next)
    throw new UserError(`proposal ${number} was ${state} already; a decision stands unless it is reopened`);
}
