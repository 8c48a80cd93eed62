import { INSIGHT_DAYS, LIMITS } from '../../schemas/limits.ts';
import { DAY_MS, HOUR_MS } from '../../schemas/time.ts';
import type { Database, SqlValue, Statement } from './database.ts';

/** Which rows of a table are old. In SQL, `?1` is the current time in milliseconds and `?2` the most rows to delete. */
interface RetentionRule {
  /** The kind itself where it is left out. */
  readonly table?: string;
  readonly key: string;
  readonly isOld: string;
  /** Order of deletion, where several statements have to select the same rows. */
  readonly order?: string;
  /** Statements that delete the rows whose keys `rows` selects, after the rows that belong to them. */
  readonly statements?: (rows: string) => readonly string[];
}

function daysAgo(days: number): string {
  return `?1 - ${days * DAY_MS}`;
}

/** Requests delete a few old rows of the tables that they write to, so that these stay small; the companion deletes all others. */
const RETENTION_RULES = {
  registrations: { key: 'idempotency_key_sha256', isOld: 'expires_at_ms <= ?1' },
  agents: { key: 'agent', isOld: 'expires_at_ms <= ?1' },
  revocations: { key: 'sequence', isOld: 'expires_at_ms <= ?1' },
  idempotency: { key: 'caller, route, key_sha256', isOld: 'expires_at_ms <= ?1' },
  // Decided proposals, with their receipts.
  receipts: {
    table: 'proposals',
    key: 'sha256',
    isOld: `decided_at_ms <= ${daysAgo(LIMITS.decisionKeptDays)}`,
    order: 'decided_at_ms, number',
    statements: (rows) => [`DELETE FROM receipts WHERE proposal_sha256 IN (${rows})`, `DELETE FROM proposals WHERE sha256 IN (${rows})`],
  },
  // Ended windows stay for an hour: a fast clock must not delete one in which another location still counts.
  quotas: { key: 'ends_at_ms, name, subject', isOld: `ends_at_ms <= ?1 - ${HOUR_MS}` },
  insights: {
    key: 'day_ms, kind, name',
    isOld: `day_ms <= ${daysAgo(INSIGHT_DAYS.counts)} OR (kind = 'question' AND day_ms <= ${daysAgo(INSIGHT_DAYS.questions)})`,
  },
  // Payments with an unknown outcome stay.
  payments: {
    key: 'network, asset, payer, nonce',
    isOld: `(state = 'settled' AND claimed_at_ms <= ${daysAgo(LIMITS.paymentKeptDays)}) OR (state = 'failed' AND claimed_at_ms <= ${daysAgo(LIMITS.failedPaymentKeptDays)})`,
  },
  // Sessions with an unsettled payment stay for review, completed ones for accounting.
  checkout_sessions: {
    key: 'id',
    isOld: `state <> 'completed' AND state <> 'charging' AND expires_at_ms <= ${daysAgo(LIMITS.sessionKeptDays)}`,
    order: 'expires_at_ms, id',
    statements: (rows) => [`DELETE FROM order_log WHERE session_id IN (${rows})`, `DELETE FROM checkout_sessions WHERE id IN (${rows})`],
  },
  // Free orders are not needed for accounting.
  free_orders: {
    table: 'orders',
    key: 'id',
    isOld: `total_minor = 0 AND created_at_ms <= ${daysAgo(LIMITS.freeOrderKeptDays)}`,
    order: 'created_at_ms, id',
    statements: (rows) => {
      const sessions = `SELECT session_id FROM orders WHERE id IN (${rows})`;
      return [
        // Orders reference their sessions: the batch is checked when it ends (developers.cloudflare.com/d1/sql-api/foreign-keys).
        'PRAGMA defer_foreign_keys = on',
        `DELETE FROM order_log WHERE session_id IN (${sessions})`,
        `DELETE FROM order_notices WHERE order_id IN (${rows})`,
        `DELETE FROM checkout_sessions WHERE id IN (${sessions})`,
        `DELETE FROM orders WHERE id IN (${rows})`,
      ];
    },
  },
  invoice_requests: {
    key: 'number',
    isOld: `updated_at_ms <= ${daysAgo(LIMITS.invoiceWaitsDays)} AND (state = 'new' OR updated_at_ms <= ${daysAgo(LIMITS.invoiceKeptDays)})`,
  },
  // Deliveries that were given up stay.
  order_notices: { key: 'number', isOld: `state = 'sent' AND created_at_ms <= ${daysAgo(LIMITS.handledKeptDays)}` },
  // The payment processor repeats no event after that time. Events that need a review stay.
  processor_events: {
    key: 'id',
    isOld: `(outcome IN ('applied', 'duplicate', 'ignored') AND received_at_ms <= ${daysAgo(LIMITS.handledKeptDays)}) OR looked_at_ms <= ${daysAgo(LIMITS.handledKeptDays)}`,
  },
} satisfies Record<string, RetentionRule>;

export type RowKind = keyof typeof RETENTION_RULES;

export function isRowKind(kind: string): kind is RowKind {
  return Object.hasOwn(RETENTION_RULES, kind);
}

/** Deletes at most `limit` old rows, with the rows that belong to them, and the row with the values `key` if it is old. */
export function deleteOldRows(
  database: Database,
  kind: RowKind,
  nowMs: number,
  limit: number,
  key: readonly SqlValue[] = [],
): readonly Statement[] {
  const rule: RetentionRule = RETENTION_RULES[kind];
  const { table = kind } = rule;
  const order = rule.order === undefined ? '' : ` ORDER BY ${rule.order}`;
  const oldest = `SELECT ${rule.key} FROM ${table} WHERE ${rule.isOld}${order} LIMIT ?2`;
  const parameters = key.map((_, index) => `?${index + 3}`).join(', ');
  const named = `SELECT ${rule.key} FROM ${table} WHERE (${rule.isOld}) AND (${rule.key}) = (${parameters})`;
  const rows = key.length === 0 ? oldest : `SELECT * FROM (SELECT * FROM (${oldest}) UNION ALL ${named})`;
  const statements = rule.statements?.(rows) ?? [`DELETE FROM ${table} WHERE (${rule.key}) IN (${rows})`];
  return statements.map((sql) => {
    const statement = database.prepare(sql);
    return sql.startsWith('PRAGMA') ? statement : statement.bind(nowMs, limit, ...key);
  });
}

/** In one batch, long before its deadline, within the 50 statements of one invocation on the free plan of Workers. */
const ROWS_PER_RUN = 1_000;

/** Longer than any two clocks differ. */
const GRACE_MS = HOUR_MS;

/** Deletes old rows of every kind, up to a limit. Runs may be repeated, late or concurrent; a kind that fails does not stop the others. */
export async function runMaintenance(database: Database, nowMs: number) {
  const report: Record<string, { deleted: number } | { failed: string }> = {};
  for (const kind of Object.keys(RETENTION_RULES) as RowKind[]) {
    try {
      const results = await database.batch<{ readonly changes?: number }>([
        ...deleteOldRows(database, kind, nowMs - GRACE_MS, ROWS_PER_RUN),
        database.prepare('SELECT changes() AS changes'),
      ]);
      report[kind] = { deleted: results.at(-1)?.results[0]?.changes ?? 0 };
    } catch (error) {
      report[kind] = { failed: error instanceof Error ? error.message : String(error) };
    }
  }
  return report;
}
