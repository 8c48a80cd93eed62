import type { ProposalRecord } from '../../gateway/intake/intake-ports.ts';
import { columnsOf, type Database, type Row } from './database.ts';
import { PROPOSAL } from './submissions.ts';

/** Most proposals in one list. */
const LIST_MAX = 500;

/** A stored proposal, as the publisher sees it. */
export interface StoredProposal extends ProposalRecord {
  /** Short name for the publisher's commands. */
  readonly number: number;
  /** The proposal without its note, as JSON. */
  readonly body: string;
  /** Agents that proposed it, earliest first. */
  readonly proposers: readonly Proposer[];
}

/** An agent that proposed. */
export interface Proposer {
  readonly receipt: string;
  /** Agent id, 16 hexadecimal digits. */
  readonly agent: string;
  /** Name in the registry, if the agent has a record there. */
  readonly name: string | undefined;
  readonly note: string | undefined;
  readonly receivedAtMs: number;
}

const STORED_PROPOSAL = `SELECT number, body, ${PROPOSAL.names} FROM proposals`;
const PROPOSERS =
  'SELECT r.proposal_sha256, r.receipt, r.agent, a.name, r.note, r.received_at_ms FROM receipts r LEFT JOIN agents a ON a.agent = r.agent';
const PROPOSER = columnsOf<Proposer>(['receipt', 'agent', 'name', 'note', 'receivedAtMs']);

/**
 * Pending proposals, oldest first; with `all` also decided ones.
 *
 * @throws If the database cannot be reached.
 */
export async function listProposals(database: Database, all: boolean): Promise<StoredProposal[]> {
  const condition = all ? '' : " WHERE state = 'pending'";
  const wanted = `SELECT sha256 FROM proposals${condition} ORDER BY number LIMIT ${LIST_MAX}`;
  const [proposals, proposers] = await database.batch<Row>([
    database.prepare(`${STORED_PROPOSAL}${condition} ORDER BY number LIMIT ${LIST_MAX}`),
    database.prepare(`${PROPOSERS} WHERE r.proposal_sha256 IN (${wanted}) ORDER BY r.received_at_ms`),
  ]);
  return joined(proposals?.results, proposers?.results);
}

/**
 * A proposal by its number or a receipt.
 *
 * @throws If the database cannot be reached.
 */
export async function findProposal(database: Database, name: number | string): Promise<StoredProposal | undefined> {
  const condition = typeof name === 'number' ? 'number = ?1' : 'sha256 = (SELECT proposal_sha256 FROM receipts WHERE receipt = ?1)';
  const [proposals, proposers] = await database.batch<Row>([
    database.prepare(`${STORED_PROPOSAL} WHERE ${condition}`).bind(name),
    database
      .prepare(`${PROPOSERS} WHERE r.proposal_sha256 = (SELECT sha256 FROM proposals WHERE ${condition}) ORDER BY r.received_at_ms`)
      .bind(name),
  ]);
  return joined(proposals?.results, proposers?.results)[0];
}

/**
 * Decides a pending proposal; an earlier decision is not changed.
 *
 * @param decision `capsuleId` is the id under which the proposal was accepted, if not the proposed one.
 * @returns Whether this call decided.
 * @throws If the database cannot be reached; the decision may have been stored.
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
    .all();
  return results.length > 0;
}

/**
 * Revokes a decision: the proposal is pending again, under the proposed id.
 *
 * @returns Whether there was a decision.
 * @throws If the database cannot be reached; the decision may have been revoked.
 */
export async function reopenProposal(database: Database, number: number): Promise<boolean> {
  const { results } = await database
    .prepare(
      "UPDATE proposals SET state = 'pending', decided_at_ms = NULL, reason = NULL, capsule_id = CASE WHEN json_valid(body) THEN coalesce(json_extract(body, '$.capsule_id'), capsule_id) ELSE capsule_id END WHERE number = ?1 AND state <> 'pending' RETURNING number",
    )
    .bind(number)
    .all();
  return results.length > 0;
}

function joined(proposals: readonly Row[] = [], proposers: readonly Row[] = []): StoredProposal[] {
  return proposals.map((row) => ({
    ...PROPOSAL.read(row),
    number: Number(row['number']),
    body: String(row['body']),
    proposers: proposers.filter(({ proposal_sha256 }) => proposal_sha256 === row['sha256']).map(PROPOSER.read),
  }));
}
