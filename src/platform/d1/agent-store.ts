import type {
  AgentRecord,
  AgentStore,
  HeldRotation,
  NewKey,
  NumberedRevocation,
  RegistrationRecord,
  RegistrationStore,
  Revocation,
  Rotation,
  RotationSlot,
} from '../../gateway/agents/agent-ports.ts';
import { KEY_BOUND } from '../../gateway/idempotency/bind-idempotency-key.ts';
import type { IdempotencyKey } from '../../gateway/platform-ports.ts';
import { Scope } from '../../schemas/api-keys.ts';
import { columnsOf, type Database, type Row, readAll, readFirst, type SqlValue, type Statement } from './database.ts';
import {
  deleteExpiredRecords,
  type IdempotencyRow,
  INSERT_RECORD,
  ON_CONFLICT_FILL_BOUND_KEY,
  selectIdempotencyRecord,
} from './idempotency.ts';
import { deleteOldRows } from './retention.ts';

/** Expired rows that one write deletes, so that the tables stay small without a schedule. */
const EXPIRED_ROWS_DELETED = 10;
const EXPIRED_REGISTRATIONS_DELETED = 20;

const ROTATE = 'rotateKey';

/** True unless a revocation names the key of the agent ?1 with the serial number ?2 and the minute ?3: a rotation stores one. */
const NOT_REPLACED = 'NOT EXISTS (SELECT 1 FROM revocations WHERE agent = ?1 AND serial = ?2 AND issued_minute = ?3)';

/** Agents and revocations in D1. Statements that belong together are one batch, which is one transaction. */
export function agentStore(database: Database): AgentStore {
  return {
    revocationsAfter: (...values) =>
      readAll(selectRevocations(database, 'sequence > ?1 AND expires_at_ms > ?2', values, 'LIMIT ?3'), revocationOf),
    status: async ({ agent, serial, issuedMinute }) => {
      const ofKey = 'agent = ?1 AND (serial IS NULL OR (serial = ?2 AND issued_minute = ?3))';
      const revoked = selectRevocations(database, ofKey, [agent, serial, issuedMinute]);
      const [revocations, record] = await database.batch<Row>([revoked, agentById(database, agent)]);
      const row = record?.results[0];
      return { revocations: (revocations?.results ?? []).map(revocationOf), record: row && agentOf(row) };
    },
    add: async (record) => {
      // The quota that admits the row deletes expired agents.
      await insertAgent(database, record).all();
    },
    revoke: async (revocation, nowMs) => {
      await database.batch([
        ...deleteOldRows(database, 'revocations', nowMs, EXPIRED_ROWS_DELETED),
        insertRevocation(database, revocation, nowMs),
      ]);
    },
    findRotation: async (slot, nowMs) => {
      const row = await selectIdempotencyRecord(database, keyOfSlot(slot), nowMs).first<IdempotencyRow>();
      return row === null ? undefined : rotationOf(row);
    },
    rotate: async (rotation, replaced, newKey, slot, nowMs) => {
      const { agent } = replaced;
      const deletions = deleteOldRows(database, 'revocations', nowMs, EXPIRED_ROWS_DELETED);
      if (slot === undefined) {
        const results = await database.batch([
          ...deletions,
          insertRevocation(database, replaced, nowMs, { sql: NOT_REPLACED, values: [] }),
          updateRotatedAgent(database, agent, newKey, nowMs, { sql: 'changes() > 0', values: [] }),
        ]);
        return results.at(-2)?.results.length === 1 ? rotation : undefined;
      }
      const response = JSON.stringify(rotation);
      const isStored = (route: number): SqlCondition => ({
        sql: `EXISTS (SELECT 1 FROM idempotency WHERE caller = ?1 AND route = ?${route} AND key_sha256 = ?${route + 1} AND response = ?${route + 2})`,
        values: [ROTATE, slot.keySha256, response],
      });
      const results = await database.batch<IdempotencyRow>([
        ...deletions,
        ...deleteExpiredRecords(database, keyOfSlot(slot), nowMs),
        insertRotation(database, slot, replaced, rotation.bodySha256, response),
        insertRevocation(database, replaced, nowMs, isStored(7)),
        updateRotatedAgent(database, agent, newKey, nowMs, isStored(6)),
        selectIdempotencyRecord(database, keyOfSlot(slot), nowMs),
      ]);
      const row = results.at(-1)?.results[0];
      return row && rotationOf(row);
    },
  };
}

function rotationOf({ body_sha256, status, response }: IdempotencyRow): HeldRotation {
  return status === KEY_BOUND ? { bodySha256: body_sha256 } : (JSON.parse(response) as Rotation);
}

function keyOfSlot({ agent, keySha256 }: RotationSlot): IdempotencyKey {
  return { caller: agent, route: ROTATE, keySha256 };
}

/** Stores a rotation of a key that was not replaced yet: the payload of the new key, from which the response is made again; never the key. */
function insertRotation(
  database: Database,
  { agent, keySha256, expiresAtMs }: RotationSlot,
  { serial, issuedMinute }: Revocation,
  bodySha256: string,
  response: string,
): Statement {
  const sql = `${INSERT_RECORD} SELECT ?1, ?4, ?5, ?6, 201, ?7, ?8 WHERE ${NOT_REPLACED} ${ON_CONFLICT_FILL_BOUND_KEY}`;
  return database.prepare(sql).bind(agent, serial ?? null, issuedMinute, ROTATE, keySha256, bodySha256, response, expiresAtMs);
}

function updateRotatedAgent(database: Database, agent: string, key: NewKey, nowMs: number, condition: SqlCondition): Statement {
  const sql = `UPDATE agents SET key_id = ?2, rotated_at_ms = ?3, expires_at_ms = max(expires_at_ms, ?4), key_scopes = ?5 WHERE agent = ?1 AND ${condition.sql}`;
  return database.prepare(sql).bind(agent, key.keyId, nowMs, key.expiresAtMs, key.keyScopes.join(' '), ...condition.values);
}

const REGISTRATION = columnsOf<RegistrationRecord & { readonly idempotencyKeySha256: string }>([
  'idempotencyKeySha256',
  'bodySha256',
  'keyPayload',
  'createdAtMs',
  'expiresAtMs',
]);

const SELECT_REGISTRATION = `SELECT ${REGISTRATION.names} FROM registrations WHERE idempotency_key_sha256 = ?1`;

/** Registrations in D1. A batch that was applied although its response was lost is harmless: a retry reads the stored row. */
export function registrationStore(database: Database): RegistrationStore {
  return {
    find: (keySha256, nowMs) =>
      readFirst(database.prepare(`${SELECT_REGISTRATION} AND expires_at_ms > ?2`).bind(keySha256, nowMs), REGISTRATION.read),
    save: async (keySha256, record, agent) => {
      const results = await database.batch<Row>([
        ...deleteOldRows(database, 'registrations', record.createdAtMs, EXPIRED_REGISTRATIONS_DELETED, [keySha256]),
        database
          // Earlier versions stored the name here, too.
          .prepare(
            `INSERT INTO registrations (${REGISTRATION.names}, agent_name) VALUES (${REGISTRATION.parameters}, '') ON CONFLICT DO NOTHING`,
          )
          .bind(...REGISTRATION.values({ ...record, idempotencyKeySha256: keySha256 })),
        insertAgent(database, agent, {
          sql: 'EXISTS (SELECT 1 FROM registrations WHERE idempotency_key_sha256 = ?11 AND key_payload = ?12)',
          values: [keySha256, record.keyPayload],
        }),
        database.prepare(SELECT_REGISTRATION).bind(keySha256),
      ]);
      const row = results.at(-1)?.results[0];
      if (row === undefined) throw new Error('the registration is absent after it was stored');
      return REGISTRATION.read(row);
    },
  };
}

const AGENT = columnsOf<
  Omit<AgentRecord, 'granted' | 'keyScopes'> & { readonly grantedScopes: string; readonly keyScopes?: string | undefined }
>(['agent', 'name', 'platform', 'contact', 'keyId', 'createdAtMs', 'rotatedAtMs', 'grantedScopes', 'keyScopes', 'expiresAtMs']);

const NEWEST_AGENTS = 'FROM agents ORDER BY created_at_ms DESC, agent LIMIT ?1';

interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Adds an agent unless it is registered. The condition has parameters from `?11` on. */
function insertAgent(database: Database, record: AgentRecord, condition: SqlCondition = { sql: 'TRUE', values: [] }): Statement {
  const { granted, keyScopes, ...stored } = record;
  const sql = `INSERT INTO agents (${AGENT.names}) SELECT ${AGENT.parameters} WHERE ${condition.sql} ON CONFLICT DO NOTHING`;
  return database
    .prepare(sql)
    .bind(...AGENT.values({ ...stored, grantedScopes: granted.join(' '), keyScopes: keyScopes?.join(' ') }), ...condition.values);
}

export function agentById(database: Database, agent: string): Statement {
  return database.prepare(`SELECT ${AGENT.names} FROM agents WHERE agent = ?1`).bind(agent);
}

export function newestAgents(database: Database, limit: number): Statement {
  return database.prepare(`SELECT ${AGENT.names} ${NEWEST_AGENTS}`).bind(limit);
}

/** Grants a scope to an agent or withdraws it, and returns the row. One statement, so that concurrent changes do not undo each other. */
export function setGrant(database: Database, agent: string, scope: Scope, isGranted: boolean): Statement {
  const without = "trim(replace(' ' || granted_scopes || ' ', ' ' || ?2 || ' ', ' '))";
  const changed = isGranted ? `trim(${without} || ' ' || ?2)` : without;
  return database.prepare(`UPDATE agents SET granted_scopes = ${changed} WHERE agent = ?1 RETURNING ${AGENT.names}`).bind(agent, scope);
}

export function agentOf(row: Row): AgentRecord {
  const { grantedScopes, keyScopes, ...record } = AGENT.read(row);
  const scopesIn = (text: string): Scope[] => text.split(' ').filter((scope): scope is Scope => Scope.safeParse(scope).success);
  return { ...record, granted: scopesIn(grantedScopes), ...(keyScopes === undefined ? {} : { keyScopes: scopesIn(keyScopes) }) };
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

export const revocationOf = REVOCATION.read;

/** Stores a revocation, unless a stored one refuses the same keys no later. The condition has parameters from `?7` on. */
function insertRevocation(
  database: Database,
  { agent, serial, issuedMinute, effectiveAtMs, expiresAtMs }: Revocation,
  nowMs: number,
  condition: SqlCondition = { sql: 'TRUE', values: [] },
): Statement {
  const sql = `INSERT INTO revocations (agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms) SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM revocations WHERE agent = ?1 AND effective_at_ms <= ?4 AND ((serial IS NULL AND issued_minute >= ?3) OR (serial = ?2 AND issued_minute = ?3))) AND ${condition.sql} RETURNING sequence`;
  return database.prepare(sql).bind(agent, serial ?? null, issuedMinute, effectiveAtMs, expiresAtMs, nowMs, ...condition.values);
}

export function revocationsOfAgent(database: Database, agent: string): Statement {
  return selectRevocations(database, 'agent = ?1', [agent]);
}

export function revocationsOfNewestAgents(database: Database, limit: number): Statement {
  return selectRevocations(database, `agent IN (SELECT agent ${NEWEST_AGENTS})`, [limit]);
}

function selectRevocations(database: Database, condition: string, values: readonly SqlValue[], end = ''): Statement {
  return database.prepare(`SELECT ${REVOCATION.names} FROM revocations WHERE ${condition} ORDER BY sequence ${end}`).bind(...values);
}
