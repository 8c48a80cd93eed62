import type { ProposalRecord, ProposalStore, SentProposal } from '../../gateway/intake/proposal-queue.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { DAY_MS } from '../../schemas/time.ts';
import { columnsOf, type Database, type Row, readFirst, type Statement } from './database.ts';
import {
  deleteExpiredRecords,
  type IdempotencyRow,
  INSERT_RECORD,
  idempotencyRecordOf,
  isTakenFor,
  ON_CONFLICT_FILL_BOUND_KEY,
  selectIdempotencyRecord,
} from './idempotency.ts';
import { deleteOldRows } from './retention.ts';

const PROPOSAL = columnsOf<ProposalRecord>(['kind', 'capsuleId', 'sha256', 'state', 'receivedAtMs', 'decidedAtMs', 'reason']);

/** Proposals with old decisions that one request deletes, so that the table stays small without a schedule. */
const OLD_PROPOSALS_DELETED = 5;

const DECISIONS_COUNTED = 50;

/** True while the idempotency key ?1, ?2, ?3 has no response and belongs to no other body than ?10: a second request changes nothing. */
const KEY_IS_FREE = `NOT EXISTS (SELECT 1 FROM idempotency WHERE caller = ?1 AND route = ?2 AND key_sha256 = ?3 AND ${isTakenFor('?10')})`;

const LATEST_WAITS =
  'SELECT decided_at_ms - received_at_ms AS wait_ms FROM proposals WHERE decided_at_ms IS NOT NULL ORDER BY decided_at_ms DESC LIMIT ?1';

const COUNT_PENDING = "SELECT COUNT(*) AS waiting FROM proposals WHERE state = 'pending'";

/** The proposal with digest ?1, unless it was decided at ?2 or earlier: then the same proposal sent again is a new one. */
const UNDECIDED_OR_RECENT = 'FROM proposals WHERE sha256 = ?1 AND (decided_at_ms IS NULL OR decided_at_ms > ?2)';

const OWN_RESPONSE = `SELECT response FROM receipts WHERE proposal_sha256 = ?1 AND agent = ?3 AND EXISTS (SELECT 1 ${UNDECIDED_OR_RECENT})`;

/** Storing a proposal is one transaction. One that was applied although its response was lost is harmless: a retry reads the stored rows. */
export function d1Proposals(database: Database): ProposalStore {
  return {
    load: async (slot, agent, sha256, nowMs) => {
      const [given, own, state, waiting] = await database.batch<Record<string, unknown>>([
        selectIdempotencyRecord(database, slot, nowMs),
        database.prepare(OWN_RESPONSE).bind(sha256, decidedBefore(nowMs), agent),
        database.prepare(`SELECT state ${UNDECIDED_OR_RECENT}`).bind(sha256, decidedBefore(nowMs)),
        database.prepare(COUNT_PENDING),
      ]);
      const row = given?.results[0] as IdempotencyRow | undefined;
      return {
        stored: row && (await idempotencyRecordOf(row)),
        own: (own?.results[0] as { response: string } | undefined)?.response,
        state: (state?.results[0] as Pick<ProposalRecord, 'state'> | undefined)?.state,
        waiting: (waiting?.results[0] as { waiting: number } | undefined)?.waiting ?? 0,
      };
    },
    store: async (proposal) => {
      const results = await database.batch<IdempotencyRow>([
        ...deleteExpiredRecords(database, proposal.slot, proposal.receivedAtMs),
        ...deleteOldRows(database, 'receipts', proposal.receivedAtMs, OLD_PROPOSALS_DELETED, [proposal.sha256]),
        insertProposal(database, proposal),
        insertReceipt(database, proposal),
        insertResponse(database, proposal),
        selectIdempotencyRecord(database, proposal.slot, proposal.receivedAtMs),
      ]);
      const row = results.at(-1)?.results[0];
      return row && idempotencyRecordOf(row);
    },
    read: (receipt, agent) => {
      const sql =
        'SELECT p.kind, p.capsule_id, p.sha256, p.state, r.received_at_ms, p.decided_at_ms, p.reason FROM receipts r JOIN proposals p ON p.sha256 = r.proposal_sha256 WHERE r.receipt = ?1 AND r.agent = ?2';
      return readFirst(database.prepare(sql).bind(receipt, agent), PROPOSAL.read);
    },
    queue: async () => {
      const [waiting, waits] = await database.batch<Record<string, number>>([
        database.prepare(COUNT_PENDING),
        database.prepare(LATEST_WAITS).bind(DECISIONS_COUNTED),
      ]);
      const waitsMs = (waits?.results ?? []).map((row) => row['wait_ms'] ?? 0);
      return { waiting: waiting?.results[0]?.['waiting'] ?? 0, medianWaitMs: median(waitsMs) };
    },
  };
}

function insertProposal(database: Database, { slot, sha256, kind, capsuleId, body, record, receivedAtMs }: SentProposal): Statement {
  const sql = `INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms) SELECT ?4, ?5, ?6, ?7, ?8 WHERE ${KEY_IS_FREE} AND (SELECT COUNT(*) FROM proposals WHERE state = 'pending') < ?9 ON CONFLICT DO NOTHING`;
  return database
    .prepare(sql)
    .bind(slot.caller, slot.route, slot.keySha256, sha256, kind, capsuleId, body, receivedAtMs, LIMITS.intakeQueueMax, record.bodySha256);
}

/** Stores the receipt of a stored proposal; the first receipt of an agent stays. */
function insertReceipt(database: Database, { slot, sha256, agent, receipt, note, record, receivedAtMs }: SentProposal): Statement {
  const sql = `INSERT INTO receipts (proposal_sha256, agent, receipt, note, response, received_at_ms) SELECT ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${KEY_IS_FREE} AND EXISTS (SELECT 1 FROM proposals WHERE sha256 = ?4) ON CONFLICT DO NOTHING`;
  return database
    .prepare(sql)
    .bind(slot.caller, slot.route, slot.keySha256, sha256, agent, receipt, note ?? null, record.response, receivedAtMs, record.bodySha256);
}

function insertResponse(database: Database, { slot, sha256, agent, record, recordExpiresAtMs }: SentProposal): Statement {
  const sql = `${INSERT_RECORD} SELECT ?1, ?2, ?3, ?4, ?5, json_replace(r.response, '$.state', p.state), ?6 FROM receipts r JOIN proposals p ON p.sha256 = r.proposal_sha256 WHERE r.proposal_sha256 = ?7 AND r.agent = ?8 ${ON_CONFLICT_FILL_BOUND_KEY}`;
  return database
    .prepare(sql)
    .bind(slot.caller, slot.route, slot.keySha256, record.bodySha256, record.status, recordExpiresAtMs, sha256, agent);
}

/** Milliseconds since the epoch: a proposal that was decided then or earlier is old. */
function decidedBefore(nowMs: number): number {
  return nowMs - LIMITS.decisionKeptDays * DAY_MS;
}

function median(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

const LIST_MAX = 500;

/* The publisher's commands. Every function throws if the database cannot be reached; a change may still have been stored. */

export interface StoredProposal extends ProposalRecord {
  /** Short name for the publisher's commands. */
  readonly number: number;
  /** The proposal without its note, as JSON. */
  readonly body: string;
  /** Agents that proposed it, earliest first. */
  readonly proposers: readonly Proposer[];
}

interface Proposer {
  readonly receipt: string;
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

/** Pending proposals, oldest first; with `all` also decided ones. */
export async function listProposals(database: Database, all: boolean): Promise<StoredProposal[]> {
  const condition = all ? '' : " WHERE state = 'pending'";
  const wanted = `SELECT sha256 FROM proposals${condition} ORDER BY number LIMIT ${LIST_MAX}`;
  const [proposals, proposers] = await database.batch<Row>([
    database.prepare(`${STORED_PROPOSAL}${condition} ORDER BY number LIMIT ${LIST_MAX}`),
    database.prepare(`${PROPOSERS} WHERE r.proposal_sha256 IN (${wanted}) ORDER BY r.received_at_ms`),
  ]);
  return joined(proposals?.results, proposers?.results);
}

export async function findProposal(database: Database, name: number | string): Promise<StoredProposal | undefined> {
  const condition = typeof name === 'number' ? 'number = ?1' : 'sha256 = (SELECT proposal_sha256 FROM receipts WHERE receipt = ?1)';
  const found = `SELECT sha256 FROM proposals WHERE ${condition}`;
  const [proposals, proposers] = await database.batch<Row>([
    database.prepare(`${STORED_PROPOSAL} WHERE ${condition}`).bind(name),
    database.prepare(`${PROPOSERS} WHERE r.proposal_sha256 = (${found}) ORDER BY r.received_at_ms`).bind(name),
  ]);
  return joined(proposals?.results, proposers?.results)[0];
}

/** `false` if it was decided before. `capsuleId` is the id under which it was accepted, if not the proposed one. */
export async function decideProposal(
  database: Database,
  number: number,
  decision: { readonly state: 'accepted' | 'rejected'; readonly reason?: string; readonly capsuleId?: string; readonly atMs: number },
): Promise<boolean> {
  const sql =
    "UPDATE proposals SET state = ?2, decided_at_ms = ?3, reason = ?4, capsule_id = coalesce(?5, capsule_id) WHERE number = ?1 AND state = 'pending' RETURNING number";
  const { state, atMs, reason = null, capsuleId = null } = decision;
  const { results } = await database.prepare(sql).bind(number, state, atMs, reason, capsuleId).all();
  return results.length > 0;
}

/** The proposal is pending again, under the proposed id. `false` if there was no decision. */
export async function reopenProposal(database: Database, number: number): Promise<boolean> {
  const sql =
    "UPDATE proposals SET state = 'pending', decided_at_ms = NULL, reason = NULL, capsule_id = CASE WHEN json_valid(body) THEN coalesce(json_extract(body, '$.capsule_id'), capsule_id) ELSE capsule_id END WHERE number = ?1 AND state <> 'pending' RETURNING number";
  const { results } = await database.prepare(sql).bind(number).all();
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
