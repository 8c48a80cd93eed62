import type { ProposalRecord } from '../../gateway/intake/intake-ports.ts';
import type { Database } from './database.ts';

/** Most proposals that one list holds. */
const LIST_MAX = 500;

/** A stored proposal, as the publisher sees it. */
export interface StoredProposal extends ProposalRecord {
  /** Short name for the publisher's commands. */
  readonly number: number;
  /** The proposal without its note, as JSON. */
  readonly body: string;
  /** Who proposed it, the first one first. */
  readonly proposers: readonly Proposer[];
}

/** One agent that proposed. */
export interface Proposer {
  readonly receipt: string;
  /** Agent id, 16 hexadecimal digits. */
  readonly agent: string;
  /** Name in the registry, if the agent has a record there. */
  readonly name: string | undefined;
  readonly note: string | undefined;
  readonly receivedAtMs: number;
}

interface ProposalRow {
  readonly number: number;
  readonly sha256: string;
  readonly kind: ProposalRecord['kind'];
  readonly capsule_id: string;
  readonly body: string;
  readonly received_at_ms: number;
  readonly state: ProposalRecord['state'];
  readonly decided_at_ms: number | null;
  readonly reason: string | null;
}

interface ProposerRow {
  readonly proposal_sha256: string;
  readonly receipt: string;
  readonly agent: string;
  readonly name: string | null;
  readonly note: string | null;
  readonly received_at_ms: number;
}

const PROPOSALS = 'SELECT number, sha256, kind, capsule_id, body, received_at_ms, state, decided_at_ms, reason FROM proposals';
const PROPOSERS =
  'SELECT r.proposal_sha256, r.receipt, r.agent, a.name, r.note, r.received_at_ms FROM receipts r LEFT JOIN agents a ON a.agent = r.agent';

/**
 * Proposals that wait for a decision, oldest first; with `all` also those that were decided.
 *
 * @throws If the database cannot be reached.
 */
export async function listProposals(database: Database, all: boolean): Promise<StoredProposal[]> {
  const condition = all ? '' : " WHERE state = 'pending'";
  const wanted = `SELECT sha256 FROM proposals${condition} ORDER BY number LIMIT ${LIST_MAX}`;
  const [proposals, proposers] = await database.batch<ProposalRow | ProposerRow>([
    database.prepare(`${PROPOSALS}${condition} ORDER BY number LIMIT ${LIST_MAX}`),
    database.prepare(`${PROPOSERS} WHERE r.proposal_sha256 IN (${wanted}) ORDER BY r.received_at_ms`),
  ]);
  return joined((proposals?.results ?? []) as ProposalRow[], (proposers?.results ?? []) as ProposerRow[]);
}

/**
 * The proposal with a number or a receipt, if there is one.
 *
 * @throws If the database cannot be reached.
 */
export async function findProposal(database: Database, name: number | string): Promise<StoredProposal | undefined> {
  const condition = typeof name === 'number' ? 'number = ?1' : 'sha256 = (SELECT proposal_sha256 FROM receipts WHERE receipt = ?1)';
  const [proposals, proposers] = await database.batch<ProposalRow | ProposerRow>([
    database.prepare(`${PROPOSALS} WHERE ${condition}`).bind(name),
    database
      .prepare(`${PROPOSERS} WHERE r.proposal_sha256 = (SELECT sha256 FROM proposals WHERE ${condition}) ORDER BY r.received_at_ms`)
      .bind(name),
  ]);
  return joined((proposals?.results ?? []) as ProposalRow[], (proposers?.results ?? []) as ProposerRow[])[0];
}

/**
 * Decides about a proposal that waits. A decision stands: one that was made before is not changed.
 *
 * @param decision `capsuleId` is the id under which a proposal was accepted, if not the one that was proposed.
 * @returns Whether this call decided.
 * @throws If the database cannot be reached; the decision may have been stored all the same.
 */
export async function decideProposal(
  database: Database,
  number: number,
  decision: { readonly state: 'accepted' | 'rejected'; readonly reason?: string; readonly capsuleId?: string; readonly atMs: number },
): Promise<boolean> {
  const { results } = await database
    .prepare(
      "UPDATE proposals SET state = ?2, decided_at_ms = ?3, reason = ?4, capsule_id = coalesce(?5, capsule_id) WHERE number = ?1 AND state = 'pending' RETURNING number",
    )
    .bind(number, decision.state, decision.atMs, decision.reason ?? null, decision.capsuleId ?? null)
    .all<Pick<ProposalRow, 'number'>>();
  return results.length > 0;
}

/**
 * Takes a decision back: the proposal waits again, under the id that was proposed.
 *
 * @returns Whether there was a decision.
 * @throws If the database cannot be reached; the decision may have been taken back all the same.
 */
export async function reopenProposal(database: Database, number: number): Promise<boolean> {
  const { results } = await database
    .prepare(
      "UPDATE proposals SET state = 'pending', decided_at_ms = NULL, reason = NULL, capsule_id = CASE WHEN json_valid(body) THEN coalesce(json_extract(body, '$.capsule_id'), capsule_id) ELSE capsule_id END WHERE number = ?1 AND state <> 'pending' RETURNING number",
    )
    .bind(number)
    .all<Pick<ProposalRow, 'number'>>();
  return results.length > 0;
}

function joined(proposals: readonly ProposalRow[], proposers: readonly ProposerRow[]): StoredProposal[] {
  return proposals.map((row) => ({
    number: row.number,
    sha256: row.sha256,
    kind: row.kind,
    capsuleId: row.capsule_id,
    body: row.body,
    state: row.state,
    receivedAtMs: row.received_at_ms,
    decidedAtMs: row.decided_at_ms ?? undefined,
    reason: row.reason ?? undefined,
    proposers: proposers
      .filter(({ proposal_sha256 }) => proposal_sha256 === row.sha256)
      .map(({ receipt, agent, name, note, received_at_ms }) => ({
        receipt,
        agent,
        name: name ?? undefined,
        note: note ?? undefined,
        receivedAtMs: received_at_ms,
      })),
  }));
}
