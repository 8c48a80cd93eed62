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
function logOfOldSessions(database: Database, nowMs: number, limit: number): Statement {
  return database.prepare(`DELETE FROM order_log WHERE session_id IN (${OLD_SESSIONS})`).bind(before(nowMs, LIMITS.sessionKeptDays), limit);
}

/** Removes these sessions. One that was paid stays, with its order and its log: they are the books. */
function oldSessions(database: Database, nowMs: number, limit: number): Statement {
  return database.prepare(`DELETE FROM checkout_sessions WHERE id IN (${OLD_SESSIONS})`).bind(before(nowMs, LIMITS.sessionKeptDays), limit);
}

/** Both of these, in the order in which they work. */
export const OLD_SESSION_REMOVALS = [logOfOldSessions, oldSessions] as const;

/** Orders of what was free and that are old, `?2` of them at most: no books need them. The same ones for all statements of a batch. */
const OLD_FREE_ORDERS = 'FROM orders WHERE total_minor = 0 AND created_at_ms <= ?1 ORDER BY created_at_ms, id LIMIT ?2';

/**
 * Removes at most `limit` orders of what was free, {@link LIMITS.freeOrderKeptDays} after they were made, and first all that belongs to
 * them. They name their sessions, so that the whole batch is looked at when it ends (developers.cloudflare.com/d1/sql-api/foreign-keys).
 */
export const FREE_ORDER_REMOVALS = [
  (database: Database): Statement => database.prepare('PRAGMA defer_foreign_keys = on'),
  ...[
    `DELETE FROM order_log WHERE session_id IN (SELECT session_id ${OLD_FREE_ORDERS})`,
    `DELETE FROM order_notices WHERE order_id IN (SELECT id ${OLD_FREE_ORDERS})`,
    `DELETE FROM checkout_sessions WHERE id IN (SELECT session_id ${OLD_FREE_ORDERS})`,
    `DELETE FROM orders WHERE id IN (SELECT id ${OLD_FREE_ORDERS})`,
  ].map(
    (sql) =>
      (database: Database, nowMs: number, limit: number): Statement =>
        database.prepare(sql).bind(before(nowMs, LIMITS.freeOrderKeptDays), limit),
  ),
] as const;

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
