import type { AgentRecord } from '../../gateway/agents/agent-ports.ts';
import { Scope } from '../../schemas/agents/registration.ts';
import type { Database, Statement } from './database.ts';

/** A row of the table `agents`. */
export interface AgentRow {
  readonly agent: string;
  readonly name: string;
  readonly platform: string | null;
  readonly contact: string | null;
  readonly key_id: string;
  readonly created_at_ms: number;
  readonly rotated_at_ms: number | null;
  readonly granted_scopes: string;
  readonly expires_at_ms: number;
}

const COLUMNS = 'agent, name, platform, contact, key_id, created_at_ms, rotated_at_ms, granted_scopes, expires_at_ms';

/** The agents that registered last, at most `?1`, the newest first: the end of a statement that reads them. */
export const NEWEST_AGENTS = 'FROM agents ORDER BY created_at_ms DESC, agent LIMIT ?1';

/** Adds an agent unless it is there. */
export function addedAgent(database: Database, record: AgentRecord): Statement {
  return database
    .prepare(`INSERT INTO agents (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING`)
    .bind(...valuesOf(record));
}

/** Adds an agent unless it is there, if the registration with this key payload is the one that is kept under the idempotency key. */
export function claimedAgent(database: Database, record: AgentRecord, keySha256: string, keyPayload: string): Statement {
  return database
    .prepare(
      `INSERT INTO agents (${COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS (SELECT 1 FROM registrations WHERE idempotency_key_sha256 = ?10 AND key_payload = ?11) ON CONFLICT DO NOTHING`,
    )
    .bind(...valuesOf(record), keySha256, keyPayload);
}

/** Reads one agent. */
export function agentById(database: Database, agent: string): Statement {
  return database.prepare(`SELECT ${COLUMNS} FROM agents WHERE agent = ?1`).bind(agent);
}

/** Reads agents, those that registered last first. */
export function newestAgents(database: Database, limit: number): Statement {
  return database.prepare(`SELECT ${COLUMNS} ${NEWEST_AGENTS}`).bind(limit);
}

/**
 * Adds a scope to those granted to an agent, or takes it away, and gives the row back. One statement, so that two at the same time
 * cannot undo each other.
 */
export function changedGrant(database: Database, agent: string, scope: Scope, isGranted: boolean): Statement {
  const without = "trim(replace(' ' || granted_scopes || ' ', ' ' || ?2 || ' ', ' '))";
  const changed = isGranted ? `trim(${without} || ' ' || ?2)` : without;
  return database.prepare(`UPDATE agents SET granted_scopes = ${changed} WHERE agent = ?1 RETURNING ${COLUMNS}`).bind(agent, scope);
}

/** The record of a row. */
export function agentOf(row: AgentRow): AgentRecord {
  return {
    agent: row.agent,
    name: row.name,
    platform: row.platform ?? undefined,
    contact: row.contact ?? undefined,
    keyId: row.key_id,
    createdAtMs: row.created_at_ms,
    rotatedAtMs: row.rotated_at_ms ?? undefined,
    granted: row.granted_scopes.split(' ').flatMap((scope) => {
      const known = Scope.safeParse(scope);
      return known.success ? [known.data] : [];
    }),
    expiresAtMs: row.expires_at_ms,
  };
}

function valuesOf(record: AgentRecord): (string | number | null)[] {
  return [
    record.agent,
    record.name,
    record.platform ?? null,
    record.contact ?? null,
    record.keyId,
    record.createdAtMs,
    record.rotatedAtMs ?? null,
    record.granted.join(' '),
    record.expiresAtMs,
  ];
}
