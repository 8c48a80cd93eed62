import type { SubmissionStatus } from '../../schemas/intake/intake.ts';
import type { SigningSecrets } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import type { ProposalRecord, Submissions } from './intake-ports.ts';
import { isReceiptOf } from './receipt.ts';

/**
 * Where a proposal stands, for the agent that sent it. Every other receipt is answered alike, and without the database: neither the
 * answer nor its time tells whether there is such a proposal. Only a receipt that names a secret that is not in force is looked for,
 * by receipt and agent together, which takes alike long whether somebody else has it or nobody.
 */
export async function readProposal(
  receipt: string,
  agent: string,
  secrets: SigningSecrets,
  submissions: Submissions,
): Promise<Result<SubmissionStatus>> {
  if ((await isReceiptOf(receipt, agent, secrets)) === false) return noSuchProposal();
  let record: ProposalRecord | undefined;
  try {
    record = await submissions.read(receipt, agent);
  } catch {
    return outage('state_unavailable', 'The state of the proposal could not be read.');
  }
  if (record === undefined) return noSuchProposal();
  return ok({
    receipt,
    kind: record.kind,
    capsule_id: record.capsuleId,
    proposal_sha256: record.sha256,
    state: record.state,
    received_at: new Date(record.receivedAtMs).toISOString(),
    ...(record.decidedAtMs === undefined ? {} : { decided_at: new Date(record.decidedAtMs).toISOString() }),
    ...(record.reason === undefined ? {} : { reason: record.reason }),
  });
}

function noSuchProposal(): Result<never> {
  return refuse('submission_not_found', 'No proposal of this agent has this receipt.');
}
