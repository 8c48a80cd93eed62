import { LIMITS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';

const MS_PER_DAY = 86_400_000;

/** Proposals whose decision is old, `?2` of them at most: the same ones for both statements of a batch. */
const OLD = 'FROM proposals WHERE decided_at_ms <= ?1 ORDER BY decided_at_ms, number LIMIT ?2';

/** The proposal with digest `?3`, if its decision is old. */
const OLD_ONE = 'FROM proposals WHERE sha256 = ?3 AND decided_at_ms <= ?1';

/**
 * Removes the receipts of at most `limit` proposals whose decision need not be kept any more, see `LIMITS.decisionKeptDays`, and of the
 * one with digest `sha256` if it is such a one.
 */
export function receiptsOfOldProposals(database: Database, nowMs: number, limit: number, sha256?: string): Statement {
  return database
    .prepare(`DELETE FROM receipts WHERE proposal_sha256 IN (SELECT sha256 ${OLD}) OR proposal_sha256 IN (SELECT sha256 ${OLD_ONE})`)
    .bind(decidedBefore(nowMs), limit, sha256 ?? null);
}

/** Removes these proposals. One that waits for a decision is never removed. */
export function oldProposals(database: Database, nowMs: number, limit: number, sha256?: string): Statement {
  return database
    .prepare(`DELETE FROM proposals WHERE number IN (SELECT number ${OLD}) OR number IN (SELECT number ${OLD_ONE})`)
    .bind(decidedBefore(nowMs), limit, sha256 ?? null);
}

/** Time in milliseconds: what was decided then or earlier is old. */
export function decidedBefore(nowMs: number): number {
  return nowMs - LIMITS.decisionKeptDays * MS_PER_DAY;
}
