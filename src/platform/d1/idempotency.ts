import {
  type IdempotencyKey,
  type IdempotencyRecord,
  KEY_BOUND,
  type KeyBindings,
} from '../../gateway/idempotency/bind-idempotency-key.ts';
import { decompressedText } from '../compressed-text.ts';
import type { Database, Statement } from './database.ts';
import { deleteOldRows } from './maintenance.ts';

/** Expired records that one request deletes, so that the table stays small without a schedule. */
const EXPIRED_ROWS_DELETED = 20;

/** A row of the table `idempotency`, as {@link idempotencyRecord} reads it. */
export interface IdempotencyRow {
  readonly body_sha256: string;
  readonly status: number;
  readonly response: string;
}

/** Reads what was answered under an idempotency key and has not expired. */
export function idempotencyRecord(database: Database, { caller, route, keySha256 }: IdempotencyKey, nowMs: number): Statement {
  return database
    .prepare(
      'SELECT body_sha256, status, response FROM idempotency WHERE caller = ?1 AND route = ?2 AND key_sha256 = ?3 AND expires_at_ms > ?4',
    )
    .bind(caller, route, keySha256, nowMs);
}

/** Deletes the record of an idempotency key if it has expired, and a few others. */
export function deleteExpiredRecords(
  database: Database,
  { caller, route, keySha256 }: IdempotencyKey,
  nowMs: number,
): readonly Statement[] {
  return deleteOldRows(database, 'idempotency', nowMs, EXPIRED_ROWS_DELETED, [caller, route, keySha256]);
}

/** The answer of a row. */
export async function readRecord(row: IdempotencyRow): Promise<IdempotencyRecord> {
  return { bodySha256: row.body_sha256, status: row.status, response: await decompressedText(row.response) };
}

/**
 * True for a row of `idempotency` under which the request with the digest `body` cannot be answered any more: it has an answer, or belongs
 * to another body.
 *
 * @param body Parameter of the statement, such as `?4`.
 */
export function isTakenFor(body: string): string {
  return `NOT (status = ${KEY_BOUND} AND body_sha256 = ${body})`;
}

/** End of an INSERT of an answer: a row that is only bound to the same body takes the answer, and any other stays. */
export const ANSWERS_BOUND_KEY = `ON CONFLICT DO UPDATE SET status = excluded.status, response = excluded.response, expires_at_ms = excluded.expires_at_ms WHERE idempotency.status = ${KEY_BOUND} AND idempotency.body_sha256 = excluded.body_sha256`;

/** Idempotency keys in D1, bound to bodies: one row each, without an answer, which expires like others. */
export function d1KeyBindings(database: Database): KeyBindings {
  return {
    find: async (slot, nowMs) => (await idempotencyRecord(database, slot, nowMs).first<IdempotencyRow>())?.body_sha256,
    bind: async (slot, bodySha256, nowMs, expiresAtMs) => {
      const results = await database.batch<IdempotencyRow>([
        ...deleteExpiredRecords(database, slot, nowMs),
        database
          .prepare(
            `INSERT INTO idempotency (caller, route, key_sha256, body_sha256, status, response, expires_at_ms) VALUES (?1, ?2, ?3, ?4, ${KEY_BOUND}, '', ?5) ON CONFLICT DO NOTHING`,
          )
          .bind(slot.caller, slot.route, slot.keySha256, bodySha256, expiresAtMs),
        idempotencyRecord(database, slot, nowMs),
      ]);
      const row = results.at(-1)?.results[0];
      if (row === undefined) throw new Error('the idempotency key was not there after it was bound');
      return row.body_sha256;
    },
  };
}
