import type { AgentStore, HeldRotation, Revocation, Rotation, RotationSlot } from '../../gateway/agents/agent-ports.ts';
import type { IdempotencyKey } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { KEY_BOUND } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { type AgentRow, addedAgent, agentById, agentOf } from './agents.ts';
import type { Database, Statement } from './database.ts';
import { ANSWERS_BOUND_KEY, deleteExpiredRecords, type IdempotencyRow, idempotencyRecord } from './idempotency.ts';
import { deleteOldRows } from './maintenance.ts';
import { addedRevocation, type RevocationRow, revocationOf, revocationsAbove, revocationsOfKey } from './revocations.ts';

/** Expired rows that one write deletes, so that the tables stay small without a schedule. */
const EXPIRED_ROWS_DELETED = 10;

/** Name under which rotations stand in the table `idempotency`: the operation's. */
const ROTATE = 'rotateKey';

/** True while no revocation names the key itself, of the agent ?1, with the serial number ?2 and the minute ?3: a rotation stores one. */
const NOT_REPLACED = 'NOT EXISTS (SELECT 1 FROM revocations WHERE agent = ?1 AND serial = ?2 AND issued_minute = ?3)';

/** Agents and revocations in D1. What belongs together is one batch, which is one transaction. */
export function agentStore(database: Database): AgentStore {
  return {
    revocationsAfter: async (sequence, nowMs, limit) => {
      const { results } = await revocationsAbove(database, sequence, nowMs, limit).all<RevocationRow>();
      return results.map(revocationOf);
    },
    standing: async (key) => {
      const [revocations, record] = await database.batch<unknown>([revocationsOfKey(database, key), agentById(database, key.agent)]);
      const [row] = (record?.results ?? []) as AgentRow[];
      return {
        revocations: ((revocations?.results ?? []) as RevocationRow[]).map(revocationOf),
        record: row && agentOf(row),
      };
    },
    add: async (record) => {
      await database.batch([...deleteOldRows(database, 'agents', record.createdAtMs, EXPIRED_ROWS_DELETED), addedAgent(database, record)]);
    },
    revoke: async (revocation, nowMs) => {
      await database.batch([
        ...deleteOldRows(database, 'revocations', nowMs, EXPIRED_ROWS_DELETED),
        addedRevocation(database, revocation, nowMs),
      ]);
    },
    findRotation: async (slot, nowMs) => {
      const row = await idempotencyRecord(database, answerSlot(slot), nowMs).first<IdempotencyRow>();
      return row === null ? undefined : rotationOf(row);
    },
    rotate: async (rotation, replaced, newKey, slot, nowMs) => {
      const { agent } = replaced;
      const deletions = deleteOldRows(database, 'revocations', nowMs, EXPIRED_ROWS_DELETED);
      if (slot === undefined) {
        const results = await database.batch<RevocationRow>([
          ...deletions,
          addedRevocation(database, replaced, nowMs, { sql: NOT_REPLACED, values: [] }),
          rotatedAgent(database, agent, newKey, nowMs, { sql: 'changes() > 0', values: [] }),
        ]);
        return results.at(-2)?.results.length === 1 ? rotation : undefined;
      }
      const response = JSON.stringify(rotation);
      const results = await database.batch<IdempotencyRow>([
        ...deletions,
        ...deleteExpiredRecords(database, answerSlot(slot), nowMs),
        keptRotation(database, slot, replaced, rotation.bodySha256, response),
        addedRevocation(database, replaced, nowMs, {
          sql: 'EXISTS (SELECT 1 FROM idempotency WHERE caller = ?1 AND route = ?7 AND key_sha256 = ?8 AND response = ?9)',
          values: [ROTATE, slot.keySha256, response],
        }),
        rotatedAgent(database, agent, newKey, nowMs, {
          sql: 'EXISTS (SELECT 1 FROM idempotency WHERE caller = ?1 AND route = ?5 AND key_sha256 = ?6 AND response = ?7)',
          values: [ROTATE, slot.keySha256, response],
        }),
        idempotencyRecord(database, answerSlot(slot), nowMs),
      ]);
      const row = results.at(-1)?.results[0];
      return row && rotationOf(row);
    },
  };
}

function rotationOf({ body_sha256, status, response }: IdempotencyRow): HeldRotation {
  return status === KEY_BOUND ? { bodySha256: body_sha256 } : (JSON.parse(response) as Rotation);
}

function answerSlot({ agent, keySha256 }: RotationSlot): IdempotencyKey {
  return { caller: agent, route: ROTATE, keySha256 };
}

/**
 * Keeps a rotation of a key that was not replaced yet. What is kept is the payload of the new key, never the key: the answer is made
 * from it anew.
 */
function keptRotation(
  database: Database,
  { agent, keySha256, expiresAtMs }: RotationSlot,
  { serial, issuedMinute }: Revocation,
  bodySha256: string,
  response: string,
): Statement {
  return database
    .prepare(
      `INSERT INTO idempotency (caller, route, key_sha256, body_sha256, status, response, expires_at_ms) SELECT ?1, ?4, ?5, ?6, 201, ?7, ?8 WHERE ${NOT_REPLACED} ${ANSWERS_BOUND_KEY}`,
    )
    .bind(agent, serial ?? null, issuedMinute, ROTATE, keySha256, bodySha256, response, expiresAtMs);
}

function rotatedAgent(
  database: Database,
  agent: string,
  { keyId, expiresAtMs }: { readonly keyId: string; readonly expiresAtMs: number },
  nowMs: number,
  condition?: { readonly sql: string; readonly values: readonly string[] },
): Statement {
  return database
    .prepare(
      `UPDATE agents SET key_id = ?2, rotated_at_ms = ?3, expires_at_ms = max(expires_at_ms, ?4) WHERE agent = ?1${condition ? ` AND ${condition.sql}` : ''}`,
    )
    .bind(agent, keyId, nowMs, expiresAtMs, ...(condition?.values ?? []));
}
