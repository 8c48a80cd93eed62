import { attempt } from '../gateway/result.ts';
import type { Database } from '../platform/d1/database.ts';
import { decideProposal, findProposal, listProposals, reopenProposal, type StoredProposal } from '../platform/d1/proposal-store.ts';
import { IntakeRequest } from '../schemas/intake/proposals.ts';
import { MINUTE_MS } from '../schemas/time.ts';
import { terminalBlock, terminalLine } from '../text/terminal-safe-text.ts';
import { ActionError } from './action-error.ts';

const REASON_MAX_LENGTH = 500;

export async function listProposalLines(database: Database, all: boolean, nowMs: number): Promise<string[]> {
  const proposals = await listProposals(database, all);
  if (proposals.length === 0) return [all ? 'there are no proposals' : 'there are no pending proposals'];
  return proposals.map((proposal) => describeInList(proposal, nowMs));
}

/** A proposal in full. @param name Its number, or a receipt for it. @throws {ActionError} If it does not exist. */
export async function showProposal(database: Database, name: string): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  return [describeProposal(proposal, requestOf(proposal))];
}

/** Accepts a proposal without its files, which `npm run intake -- accept` writes afterwards. @throws {ActionError} If it cannot be accepted. */
export async function acceptInDatabase(database: Database, name: string, nowMs: number): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  const { number } = proposal;
  requireUndecided(proposal, 'accepted');
  if (requestOf(proposal) === undefined)
    throw new ActionError(`proposal ${number} does not have the current format of proposals; you can reject it`);
  await decideProposal(database, number, { state: 'accepted', atMs: nowMs });
  return [`proposal ${number} is accepted; npm run intake writes it into content/`];
}

/** Makes a rejected proposal pending again. @throws {ActionError} If it was not rejected. */
export async function reopenRejected(database: Database, name: string): Promise<string[]> {
  const { number, state } = await proposalNamed(database, name);
  if (state !== 'rejected' || !(await reopenProposal(database, number)))
    throw new ActionError(`proposal ${number} is ${state}; what may be in content/ is reopened with npm run intake -- reopen ${number}`);
  return [`proposal ${number} is pending again`];
}

/** Rejects a proposal. Repeating it changes nothing. @throws {ActionError} If the reason is no line of text, or the proposal was accepted. */
export async function rejectProposal(database: Database, name: string, reason: string, nowMs: number): Promise<string[]> {
  const proposal = await proposalNamed(database, name);
  if (reason.trim() === '' || reason.length > REASON_MAX_LENGTH || terminalLine(reason) !== reason)
    throw new ActionError(`give a reason of at most ${REASON_MAX_LENGTH} characters on one line: --reason "The source does not say so."`);
  requireUndecided(proposal, 'rejected');
  const isNew = await decideProposal(database, proposal.number, { state: 'rejected', reason, atMs: nowMs });
  return [isNew ? `proposal ${proposal.number} is rejected` : `proposal ${proposal.number} was rejected before; its reason stays`];
}

export async function proposalNamed(database: Database, name: string): Promise<StoredProposal> {
  const proposal = await findProposal(database, /^\d{1,9}$/.test(name) ? Number(name) : name);
  if (proposal === undefined) throw new ActionError(`there is no proposal ${terminalLine(name)}`);
  return proposal;
}

/** The proposal as it may be accepted; `undefined` if it was stored under older rules and does not meet the current ones. */
export function requestOf({ body }: StoredProposal): IntakeRequest | undefined {
  return IntakeRequest.safeParse(attempt((): unknown => JSON.parse(body))).data;
}

export function requireUndecided({ number, state }: StoredProposal, next: 'accepted' | 'rejected'): void {
  if (state !== 'pending' && state !== next)
    throw new ActionError(`proposal ${number} was ${state} already; to change that, reopen it first`);
}

export function describeInList(proposal: StoredProposal, nowMs: number): string {
  const { number, kind, capsuleId, state, sha256, receivedAtMs, proposers } = proposal;
  const [first, ...others] = proposers;
  const who = first === undefined ? 'nobody' : nameOf(first);
  return [
    String(number).padStart(4),
    ageOf(nowMs - receivedAtMs).padStart(6),
    state.padEnd(8),
    kind.padEnd(10),
    terminalLine(capsuleId),
    `by ${who}${others.length === 0 ? '' : ` and ${others.length} more`}`,
    sha256.slice(0, 12),
  ].join('  ');
}

/** A proposal in full for a terminal. @param request What is proposed; `undefined` shows the body as it is stored. */
export function describeProposal(proposal: StoredProposal, request: IntakeRequest | undefined): string {
  const { number, kind, capsuleId, state, sha256, reason, decidedAtMs, proposers } = proposal;
  const parts = [
    `proposal ${number}: ${kind} of ${terminalLine(capsuleId)}, ${state}`,
    `digest   ${sha256}`,
    ...(decidedAtMs === undefined ? [] : [`decided  ${isoTime(decidedAtMs)}${reason === undefined ? '' : `: ${terminalLine(reason)}`}`]),
    ...proposers.flatMap((proposer) => [
      `from     ${nameOf(proposer)}, agt_${proposer.agent}, ${isoTime(proposer.receivedAtMs)}`,
      `receipt  ${terminalLine(proposer.receipt)}`,
      ...(proposer.note === undefined ? [] : ['note', terminalBlock(proposer.note)]),
    ]),
  ];
  if (request === undefined) {
    const body = attempt(() => JSON.stringify(JSON.parse(proposal.body), null, 2)) ?? proposal.body;
    parts.push('not in the current format of proposals; shown as stored', terminalBlock(body));
  } else if (request.kind === 'capsule')
    parts.push('metadata', terminalBlock(JSON.stringify(request.metadata, null, 2)), 'text', terminalBlock(request.markdown));
  else
    parts.push(
      `version  ${request.version}`,
      'passage',
      terminalBlock(request.quote),
      'replaced by',
      terminalBlock(request.replacement),
      'because',
      terminalBlock(request.reason),
      ...(request.sources.length === 0 ? [] : ['new sources', terminalBlock(JSON.stringify(request.sources, null, 2))]),
    );
  return parts.join('\n');
}

function nameOf({ name, agent }: StoredProposal['proposers'][number]): string {
  return name === undefined ? `agt_${agent}` : `"${terminalLine(name)}"`;
}

export function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
