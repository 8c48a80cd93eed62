import type { RegistrationClaims, RegistrationRecord } from '../../gateway/ports.ts';
import { claimedAgent } from './agents.ts';
import type { Database } from './database.ts';
import { deleteOldRows } from './maintenance.ts';

interface Row {
  readonly body_sha256: string;
  readonly key_payload: string;
  readonly agent_name: string;
  readonly platform: string | null;
  readonly contact: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

const COLUMNS = 'body_sha256, key_payload, agent_name, platform, contact, created_at_ms, expires_at_ms';

/** Expired rows that one registration deletes, so that the table stays small without a schedule. */
const EXPIRED_ROWS_DELETED = 20;

/**
 * Registrations in D1. One batch, which is one transaction: remove what has expired, insert unless there, add the agent to the registry, read back. A
 * batch that was applied although its answer was lost is harmless: the repetition reads the row that is there.
 */
export function registrationClaims(database: Database): RegistrationClaims {
  return {
    find: async (keySha256, nowMs) => {
      const row = await database
        .prepare(`SELECT ${COLUMNS} FROM registrations WHERE idempotency_key_sha256 = ?1 AND expires_at_ms > ?2`)
        .bind(keySha256, nowMs)
        .first<Row>();
      return row === null ? undefined : fromRow(row);
    },
    claim: async (keySha256, record, agent) => {
      const results = await database.batch<Row>([
        ...deleteOldRows(database, 'registrations', record.createdAtMs, EXPIRED_ROWS_DELETED, [keySha256]),
        database
          .prepare(
            'INSERT INTO registrations (idempotency_key_sha256, body_sha256, key_payload, agent_name, platform, contact, created_at_ms, expires_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING',
          )
          .bind(
            keySha256,
            record.bodySha256,
            record.keyPayload,
            record.agentName,
            record.platform ?? null,
            record.contact ?? null,
            record.createdAtMs,
            record.expiresAtMs,
          ),
        claimedAgent(database, agent, keySha256, record.keyPayload),
        database.prepare(`SELECT ${COLUMNS} FROM registrations WHERE idempotency_key_sha256 = ?1`).bind(keySha256),
      ]);
      const row = results.at(-1)?.results[0];
      if (row === undefined) throw new Error('the registration was not there after it was stored');
      return fromRow(row);
    },
  };
}

function fromRow(row: Row): RegistrationRecord {
  return {
    bodySha256: row.body_sha256,
    keyPayload: row.key_payload,
    agentName: row.agent_name,
    platform: row.platform ?? undefined,
    contact: row.contact ?? undefined,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
