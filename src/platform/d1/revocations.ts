import type { NamedKey, NumberedRevocation, Revocation } from '../../gateway/agents/agent-ports.ts';
import { NEWEST_AGENTS } from './agents.ts';
import type { Database, Statement } from './database.ts';

/** A row of the table `revocations`. */
export interface RevocationRow {
  readonly sequence: number;
  readonly agent: string;
  readonly serial: number | null;
  readonly issued_minute: number;
  readonly effective_at_ms: number;
  readonly expires_at_ms: number;
  readonly created_at_ms: number;
}

const COLUMNS = 'sequence, agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms';

/**
 * Stores a revocation, unless one is there that refuses the same keys no later: repeating it adds no row. Gives back the number of a row
 * that was added.
 *
 * @param condition A further condition, with parameters from `?7` on; `?1` to `?3` are agent, serial number and minute.
 */
export function addedRevocation(
  database: Database,
  { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs }: Revocation,
  nowMs: number,
  condition?: { readonly sql: string; readonly values: readonly string[] },
): Statement {
  return database
    .prepare(
      `INSERT INTO revocations (agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms) SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM revocations WHERE agent = ?1 AND effective_at_ms <= ?4 AND ((serial IS NULL AND issued_minute >= ?3) OR (serial = ?2 AND issued_minute = ?3)))${condition ? ` AND ${condition.sql}` : ''} RETURNING sequence`,
    )
    .bind(agent, serial ?? null, issuedMinute, effectiveAtMs, expiresAtMs, nowMs, ...(condition?.values ?? []));
}

/** Reads revocations above a number that have not expired, in the order of their numbers. */
export function revocationsAbove(database: Database, sequence: number, nowMs: number, limit: number): Statement {
  return database
    .prepare(`SELECT ${COLUMNS} FROM revocations WHERE sequence > ?1 AND expires_at_ms > ?2 ORDER BY sequence LIMIT ?3`)
    .bind(sequence, nowMs, limit);
}

/** Reads the revocations that mean one key, in force or not: its own, and those of all keys of its agent. */
export function revocationsOfKey(database: Database, { agent, serial, issuedMinute }: NamedKey): Statement {
  return database
    .prepare(
      `SELECT ${COLUMNS} FROM revocations WHERE agent = ?1 AND (serial IS NULL OR (serial = ?2 AND issued_minute = ?3)) ORDER BY sequence`,
    )
    .bind(agent, serial, issuedMinute);
}

/** Reads the revocations of one agent. */
export function revocationsOf(database: Database, agent: string): Statement {
  return database.prepare(`SELECT ${COLUMNS} FROM revocations WHERE agent = ?1 ORDER BY sequence`).bind(agent);
}

/** Reads the revocations of the agents that `newestAgents` reads. */
export function revocationsOfNewestAgents(database: Database, limit: number): Statement {
  return database
    .prepare(`SELECT ${COLUMNS} FROM revocations WHERE agent IN (SELECT agent ${NEWEST_AGENTS}) ORDER BY sequence`)
    .bind(limit);
}

/** The revocation of a row. */
export function revocationOf(row: RevocationRow): NumberedRevocation {
  return {
    sequence: row.sequence,
    agent: row.agent,
    serial: row.serial ?? undefined,
    issuedMinute: row.issued_minute,
    effectiveAtMs: row.effective_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
