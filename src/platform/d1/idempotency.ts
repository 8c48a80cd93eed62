import type { GivenAnswer, IdempotencySlot } from '../../gateway/intake/intake-ports.ts';
import { expandedText } from '../compressed-text.ts';
import type { Database, Statement } from './database.ts';

/** A row of the table `idempotency`, as {@link givenAnswer} reads it. */
export interface GivenAnswerRow {
  readonly body_sha256: string;
  readonly status: number;
  readonly response: string;
}

/** Reads what was answered under an idempotency key and has not expired. */
export function givenAnswer(database: Database, { caller, route, keySha256 }: IdempotencySlot, nowMs: number): Statement {
  return database
    .prepare(
      'SELECT body_sha256, status, response FROM idempotency WHERE caller = ?1 AND route = ?2 AND key_sha256 = ?3 AND expires_at_ms > ?4',
    )
    .bind(caller, route, keySha256, nowMs);
}

/** Removes what is kept under an idempotency key and has expired, and at most `limit` other expired rows. */
export function expiredAnswers(database: Database, { caller, route, keySha256 }: IdempotencySlot, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      'DELETE FROM idempotency WHERE (caller = ?3 AND route = ?4 AND key_sha256 = ?5 AND expires_at_ms <= ?1) OR (caller, route, key_sha256) IN (SELECT caller, route, key_sha256 FROM idempotency WHERE expires_at_ms <= ?1 LIMIT ?2)',
    )
    .bind(nowMs, limit, caller, route, keySha256);
}

/** Removes at most `limit` expired rows. */
export function allExpiredAnswers(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      'DELETE FROM idempotency WHERE (caller, route, key_sha256) IN (SELECT caller, route, key_sha256 FROM idempotency WHERE expires_at_ms <= ?1 LIMIT ?2)',
    )
    .bind(nowMs, limit);
}

/** The answer of a row. */
export async function answerOf(row: GivenAnswerRow): Promise<GivenAnswer> {
  return { bodySha256: row.body_sha256, status: row.status, response: await expandedText(row.response) };
}
