import { LIMITS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';

const MS_PER_DAY = 86_400_000;

/**
 * Sessions whose time is long over and that nobody paid, `?2` of them at most: the same ones for both statements of a batch. One whose
 * payment was begun and never settled is none of them: money may have been taken for it, so it stays until somebody has looked.
 */
const OLD_SESSIONS =
  "SELECT id FROM checkout_sessions WHERE state <> 'completed' AND state <> 'charging' AND expires_at_ms <= ?1 ORDER BY expires_at_ms, id LIMIT ?2";

/** Removes what the log says of at most `limit` sessions that nobody paid, {@link LIMITS.sessionKeptDays} after their time. */
export function logOfOldSessions(database: Database, nowMs: number, limit: number): Statement {
  return database.prepare(`DELETE FROM order_log WHERE session_id IN (${OLD_SESSIONS})`).bind(before(nowMs, LIMITS.sessionKeptDays), limit);
}

/** Removes these sessions. One that was paid stays, with its order and its log: they are the books. */
export function oldSessions(database: Database, nowMs: number, limit: number): Statement {
  return database.prepare(`DELETE FROM checkout_sessions WHERE id IN (${OLD_SESSIONS})`).bind(before(nowMs, LIMITS.sessionKeptDays), limit);
}

/** Removes at most `limit` notices that were sent, {@link LIMITS.handledKeptDays} after they were made. Those that were given up stay. */
export function sentNotices(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      "DELETE FROM order_notices WHERE number IN (SELECT number FROM order_notices WHERE state = 'sent' AND created_at_ms <= ?1 LIMIT ?2)",
    )
    .bind(before(nowMs, LIMITS.handledKeptDays), limit);
}

/**
 * Removes at most `limit` messages of the payment processor that were dealt with, {@link LIMITS.handledKeptDays} after they came or were
 * looked at: the processor repeats none for so long. Those that somebody has to look at stay.
 */
export function handledEvents(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      "DELETE FROM processor_events WHERE id IN (SELECT id FROM processor_events WHERE outcome IN ('applied', 'duplicate', 'ignored') AND received_at_ms <= ?1 UNION ALL SELECT id FROM processor_events WHERE looked_at_ms <= ?1 LIMIT ?2)",
    )
    .bind(before(nowMs, LIMITS.handledKeptDays), limit);
}

function before(nowMs: number, days: number): number {
  return nowMs - days * MS_PER_DAY;
}
