import type { StoredProposal } from '../../platform/d1/proposal-decisions.ts';
import type { IntakeRequest } from '../../schemas/intake/intake.ts';
import { terminalBlock, terminalLine } from '../terminal-text.ts';

const MINUTE_MS = 60_000;

/** One line of the list of proposals: number, age, kind, capsule, who, digest. */
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

/**
 * A proposal in full, with terminal control characters escaped.
 *
 * @param request What is proposed; `undefined` if the stored body is not valid now: it is shown as stored then.
 */
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
  if (request === undefined) parts.push('not in the current format of proposals; shown as stored', terminalBlock(indented(proposal.body)));
  else if (request.kind === 'capsule')
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

/** JSON on several lines, and any other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function nameOf({ name, agent }: StoredProposal['proposers'][number]): string {
  return name === undefined ? `agt_${agent}` : `"${terminalLine(name)}"`;
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
