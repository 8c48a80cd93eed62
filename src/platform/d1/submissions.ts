import type { ProposalRecord, SentProposal, Submissions } from '../../gateway/intake/intake-ports.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';
import { ANSWERS_BOUND_KEY, deleteExpiredRecords, type IdempotencyRow, idempotencyRecord, isTakenFor, readRecord } from './idempotency.ts';
import { deleteOldRows } from './maintenance.ts';

interface ProposalRow {
  readonly kind: ProposalRecord['kind'];
  readonly capsule_id: string;
  readonly sha256: string;
  readonly state: ProposalRecord['state'];
  readonly received_at_ms: number;
  readonly decided_at_ms: number | null;
  readonly reason: string | null;
}

/** Proposals with old decisions that one request deletes, so that the table stays small without a schedule. */
const OLD_PROPOSALS_DELETED = 5;

const DAY_MS = 86_400_000;

/** Decisions whose median wait is reported. */
const DECISIONS_COUNTED = 50;

/** True while the idempotency key ?1, ?2, ?3 has no answer and belongs to no other body than ?10: a second request under it changes nothing. */
const KEY_IS_FREE = `NOT EXISTS (SELECT 1 FROM idempotency WHERE caller = ?1 AND route = ?2 AND key_sha256 = ?3 AND ${isTakenFor('?10')})`;

/** The proposal with digest ?1, unless it was decided at ?2 or earlier: the same one sent again is a new one then. */
const KEPT = 'FROM proposals WHERE sha256 = ?1 AND (decided_at_ms IS NULL OR decided_at_ms > ?2)';

/**
 * Proposals in D1. Storing one is one batch, which is one transaction; each statement keeps what is there. A batch that was
 * applied although its answer was lost is harmless: the repetition reads the rows that are there.
 */
export function d1Submissions(database: Database): Submissions {
  return {
    load: async (slot, agent, sha256, nowMs) => {
      const [given, own, state, waiting] = await database.batch<Record<string, unknown>>([
        idempotencyRecord(database, slot, nowMs),
        database
          .prepare(`SELECT response FROM receipts WHERE proposal_sha256 = ?1 AND agent = ?3 AND EXISTS (SELECT 1 ${KEPT})`)
          .bind(sha256, decidedBefore(nowMs), agent),
        database.prepare(`SELECT state ${KEPT}`).bind(sha256, decidedBefore(nowMs)),
        database.prepare("SELECT COUNT(*) AS waiting FROM proposals WHERE state = 'pending'"),
      ]);
      const row = given?.results[0] as IdempotencyRow | undefined;
      return {
        stored: row && (await readRecord(row)),
        own: (own?.results[0] as { response: string } | undefined)?.response,
        state: (state?.results[0] as Pick<ProposalRow, 'state'> | undefined)?.state,
        waiting: (waiting?.results[0] as { waiting: number } | undefined)?.waiting ?? 0,
      };
    },
    store: async (proposal) => {
      const results = await database.batch<IdempotencyRow>([
        ...deleteExpiredRecords(database, proposal.slot, proposal.receivedAtMs),
        ...deleteOldRows(database, 'receipts', proposal.receivedAtMs, OLD_PROPOSALS_DELETED, [proposal.sha256]),
        insertProposal(database, proposal),
        insertReceipt(database, proposal),
        insertAnswer(database, proposal),
        idempotencyRecord(database, proposal.slot, proposal.receivedAtMs),
      ]);
      const row = results.at(-1)?.results[0];
      return row && readRecord(row);
    },
    read: async (receipt, agent) => {
      const row = await database
        .prepare(
          'SELECT p.kind, p.capsule_id, p.sha256, p.state, r.received_at_ms, p.decided_at_ms, p.reason FROM receipts r JOIN proposals p ON p.sha256 = r.proposal_sha256 WHERE r.receipt = ?1 AND r.agent = ?2',
        )
        .bind(receipt, agent)
        .first<ProposalRow>();
      return row === null ? undefined : recordOf(row);
    },
    queue: async () => {
      const [waiting, waits] = await database.batch<Record<string, number>>([
        database.prepare("SELECT COUNT(*) AS waiting FROM proposals WHERE state = 'pending'"),
        database
          .prepare(
            'SELECT decided_at_ms - received_at_ms AS wait_ms FROM proposals WHERE decided_at_ms IS NOT NULL ORDER BY decided_at_ms DESC LIMIT ?1',
          )
          .bind(DECISIONS_COUNTED),
      ]);
      return {
        waiting: waiting?.results[0]?.['waiting'] ?? 0,
        medianWaitMs: median((waits?.results ?? []).map((row) => row['wait_ms'] ?? 0)),
      };
    },
  };
}

/** A proposal that is not there yet, while the queue has room. */
function insertProposal(database: Database, { slot, sha256, kind, capsuleId, body, answer, receivedAtMs }: SentProposal): Statement {
  return database
    .prepare(
      `INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms) SELECT ?4, ?5, ?6, ?7, ?8 WHERE ${KEY_IS_FREE} AND (SELECT COUNT(*) FROM proposals WHERE state = 'pending') < ?9 ON CONFLICT DO NOTHING`,
    )
    .bind(slot.caller, slot.route, slot.keySha256, sha256, kind, capsuleId, body, receivedAtMs, LIMITS.intakeQueueMax, answer.bodySha256);
}

/** A receipt over a proposal that is there; the first one of an agent stays. */
function insertReceipt(database: Database, { slot, sha256, agent, receipt, note, answer, receivedAtMs }: SentProposal): Statement {
  return database
    .prepare(
      `INSERT INTO receipts (proposal_sha256, agent, receipt, note, response, received_at_ms) SELECT ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${KEY_IS_FREE} AND EXISTS (SELECT 1 FROM proposals WHERE sha256 = ?4) ON CONFLICT DO NOTHING`,
    )
    .bind(slot.caller, slot.route, slot.keySha256, sha256, agent, receipt, note ?? null, answer.response, receivedAtMs, answer.bodySha256);
}

/** Under a free idempotency key, the answer of the receipt that is there, with the state that the proposal has by now. */
function insertAnswer(database: Database, { slot, sha256, agent, answer, answerExpiresAtMs }: SentProposal): Statement {
  return database
    .prepare(
      `INSERT INTO idempotency (caller, route, key_sha256, body_sha256, status, response, expires_at_ms) SELECT ?1, ?2, ?3, ?4, ?5, json_replace(r.response, '$.state', p.state), ?6 FROM receipts r JOIN proposals p ON p.sha256 = r.proposal_sha256 WHERE r.proposal_sha256 = ?7 AND r.agent = ?8 ${ANSWERS_BOUND_KEY}`,
    )
    .bind(slot.caller, slot.route, slot.keySha256, answer.bodySha256, answer.status, answerExpiresAtMs, sha256, agent);
}

/** Time in milliseconds: a proposal that was decided then or earlier is old. */
function decidedBefore(nowMs: number): number {
  return nowMs - LIMITS.decisionKeptDays * DAY_MS;
}

function recordOf(row: ProposalRow): ProposalRecord {
  return {
    kind: row.kind,
    capsuleId: row.capsule_id,
    sha256: row.sha256,
    state: row.state,
    receivedAtMs: row.received_at_ms,
    decidedAtMs: row.decided_at_ms ?? undefined,
    reason: row.reason ?? undefined,
  };
}

/** The middle one of some numbers, or the mean of the two middle ones. */
function median(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}
