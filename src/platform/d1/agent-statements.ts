import type { AgentRecord, NamedKey, NumberedRevocation, Revocation } from '../../gateway/agents/agent-ports.ts';
import { Scope } from '../../schemas/agents/registration.ts';
import { columnsOf, type Database, type Row, type SqlValue, type Statement } from './database.ts';

const AGENT = columnsOf<Omit<AgentRecord, 'granted'> & { readonly grantedScopes: string }>([
  'agent',
  'name',
  'platform',
  'contact',
  'keyId',
  'createdAtMs',
  'rotatedAtMs',
  'grantedScopes',
  'expiresAtMs',
]);

/** End of a statement that reads the newest agents, newest first, at most `?1`. */
const NEWEST_AGENTS = 'FROM agents ORDER BY created_at_ms DESC, agent LIMIT ?1';

/** A condition of a statement, and its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Adds an agent unless it is registered.
 *
 * @param condition With parameters from `?10` on.
 */
export function insertAgent(database: Database, record: AgentRecord, condition: SqlCondition = { sql: 'TRUE', values: [] }): Statement {
  const { granted, ...stored } = record;
  return database
    .prepare(`INSERT INTO agents (${AGENT.names}) SELECT ${AGENT.parameters} WHERE ${condition.sql} ON CONFLICT DO NOTHING`)
    .bind(...AGENT.values({ ...stored, grantedScopes: granted.join(' ') }), ...condition.values);
}

/** Reads one agent. */
export function agentById(database: Database, agent: string): Statement {
  return database.prepare(`SELECT ${AGENT.names} FROM agents WHERE agent = ?1`).bind(agent);
}

/** Reads the agents that registered last, newest first. */
export function newestAgents(database: Database, limit: number): Statement {
  return database.prepare(`SELECT ${AGENT.names} ${NEWEST_AGENTS}`).bind(limit);
}

/** Grants a scope to an agent or withdraws it, and returns the row. One statement, so that concurrent changes do not undo each other. */
export function setGrant(database: Database, agent: string, scope: Scope, isGranted: boolean): Statement {
  const without = "trim(replace(' ' || granted_scopes || ' ', ' ' || ?2 || ' ', ' '))";
  const changed = isGranted ? `trim(${without} || ' ' || ?2)` : without;
  return database.prepare(`UPDATE agents SET granted_scopes = ${changed} WHERE agent = ?1 RETURNING ${AGENT.names}`).bind(agent, scope);
}

/** The agent of a row. */
export function agentOf(row: Row): AgentRecord {
  const { grantedScopes, ...record } = AGENT.read(row);
  return { ...record, granted: grantedScopes.split(' ').filter((scope): scope is Scope => Scope.safeParse(scope).success) };
}

const REVOCATION = columnsOf<NumberedRevocation & { readonly createdAtMs: number }>([
  'sequence',
  'agent',
  'serial',
  'issuedMinute',
  'effectiveAtMs',
  'expiresAtMs',
  'createdAtMs',
]);

/** The revocation of a row, and when it was stored. */
export const revocationOf = REVOCATION.read;

/**
 * Stores a revocation, unless a stored one refuses the same keys no later, and returns the number of the row that was added.
 *
 * @param condition With parameters from `?7` on; `?1` to `?3` are agent, serial number and minute.
 */
export function insertRevocation(
  database: Database,
  { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs }: Revocation,
  nowMs: number,
  condition: SqlCondition = { sql: 'TRUE', values: [] },
): Statement {
  return database
    .prepare(
      `INSERT INTO revocations (agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms) SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM revocations WHERE agent = ?1 AND effective_at_ms <= ?4 AND ((serial IS NULL AND issued_minute >= ?3) OR (serial = ?2 AND issued_minute = ?3))) AND ${condition.sql} RETURNING sequence`,
    )
    .bind(agent, serial ?? null, issuedMinute, effectiveAtMs, expiresAtMs, nowMs, ...condition.values);
}

/** Reads unexpired revocations with higher numbers than `sequence`, in the order of their numbers. */
export function revocationsAbove(database: Database, sequence: number, nowMs: number, limit: number): Statement {
  return selectRevocations(database, 'sequence > ?1 AND expires_at_ms > ?2', [sequence, nowMs, limit], 'LIMIT ?3');
}

/** Reads the revocations that apply to one key, in force or not: its own, and those of all keys of its agent. */
export function revocationsOfKey(database: Database, { agent, serial, issuedMinute }: NamedKey): Statement {
  const condition = 'agent = ?1 AND (serial IS NULL OR (serial = ?2 AND issued_minute = ?3))';
  return selectRevocations(database, condition, [agent, serial, issuedMinute]);
}

/** Reads the revocations of one agent. */
export function revocationsOfAgent(database: Database, agent: string): Statement {
  return selectRevocations(database, 'agent = ?1', [agent]);
}

/** Reads the revocations of the agents that {@link newestAgents} reads. */
export function revocationsOfNewestAgents(database: Database, limit: number): Statement {
  return selectRevocations(database, `agent IN (SELECT agent ${NEWEST_AGENTS})`, [limit]);
}

function selectRevocations(database: Database, condition: string, values: readonly SqlValue[], end = ''): Statement {
  return database.prepare(`SELECT ${REVOCATION.names} FROM revocations WHERE ${condition} ORDER BY sequence ${end}`).bind(...values);
}
