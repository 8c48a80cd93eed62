import { KEY_BOUND } from '../../gateway/idempotency/bind-idempotency-key.ts';
import type { IdempotencyKey, IdempotencyRecord, KeyBindings } from '../../gateway/platform-ports.ts';
import type { Database, Statement } from './database.ts';
import { deleteOldRows } from './retention.ts';

/** Expired records that one request deletes, so that the table stays small without a schedule. */
const EXPIRED_ROWS_DELETED = 20;

export interface IdempotencyRow {
  readonly body_sha256: string;
  readonly status: number;
  readonly response: string;
}

export const INSERT_RECORD = 'INSERT INTO idempotency (caller, route, key_sha256, body_sha256, status, response, expires_at_ms)';

export function selectIdempotencyRecord(database: Database, { caller, route, keySha256 }: IdempotencyKey, nowMs: number): Statement {
  const sql =
    'SELECT body_sha256, status, response FROM idempotency WHERE caller = ?1 AND route = ?2 AND key_sha256 = ?3 AND expires_at_ms > ?4';
  return database.prepare(sql).bind(caller, route, keySha256, nowMs);
}

/** Deletes the record of an idempotency key if it has expired, and a few other expired ones. */
export function deleteExpiredRecords(database: Database, key: IdempotencyKey, nowMs: number): readonly Statement[] {
  return deleteOldRows(database, 'idempotency', nowMs, EXPIRED_ROWS_DELETED, [key.caller, key.route, key.keySha256]);
}

export async function idempotencyRecordOf(row: IdempotencyRow): Promise<IdempotencyRecord> {
  return { bodySha256: row.body_sha256, status: row.status, response: await decompress(row.response) };
}

/** SQL: whether a row has a response already, or belongs to another body than the digest in the parameter `body`, such as `?4`. */
export function isTakenFor(body: string): string {
  return `NOT (status = ${KEY_BOUND} AND body_sha256 = ${body})`;
}

/** End of an INSERT of a response: a key that is only bound to the same body stores it; any other row stays. */
export const ON_CONFLICT_FILL_BOUND_KEY = `ON CONFLICT DO UPDATE SET status = excluded.status, response = excluded.response, expires_at_ms = excluded.expires_at_ms WHERE idempotency.status = ${KEY_BOUND} AND idempotency.body_sha256 = excluded.body_sha256`;

/** Idempotency keys in D1 that are bound to the body of a request and have no response yet: one row each, which expires. */
export function d1KeyBindings(database: Database): KeyBindings {
  return {
    find: async (key, nowMs) => (await selectIdempotencyRecord(database, key, nowMs).first<IdempotencyRow>())?.body_sha256,
    bind: async (key, bodySha256, nowMs, expiresAtMs) => {
      const results = await database.batch<IdempotencyRow>([
        ...deleteExpiredRecords(database, key, nowMs),
        database
          .prepare(`${INSERT_RECORD} VALUES (?1, ?2, ?3, ?4, ${KEY_BOUND}, '', ?5) ON CONFLICT DO NOTHING`)
          .bind(key.caller, key.route, key.keySha256, bodySha256, expiresAtMs),
        selectIdempotencyRecord(database, key, nowMs),
      ]);
      const row = results.at(-1)?.results[0];
      if (row === undefined) throw new Error('the idempotency key is absent after it was bound');
      return row.body_sha256;
    },
  };
}

/** Prefix of compressed text; no JSON begins with it. */
const COMPRESSED_PREFIX = 'gzip:';

/** Shorter text is not compressed. In UTF-16 code units. */
const COMPRESSED_MIN_LENGTH = 512;

/** Text in the form in which it is stored: gzip in base64 with a prefix, or the text itself if that is shorter. */
export async function compress(text: string): Promise<string> {
  if (text.length < COMPRESSED_MIN_LENGTH) return text;
  const bytes = await pipe(new CompressionStream('gzip'), Uint8Array.from(new TextEncoder().encode(text)));
  const stored = COMPRESSED_PREFIX + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return stored.length < text.length ? stored : text;
}

async function decompress(stored: string): Promise<string> {
  if (!stored.startsWith(COMPRESSED_PREFIX)) return stored;
  const bytes = Uint8Array.from(atob(stored.slice(COMPRESSED_PREFIX.length)), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await pipe(new DecompressionStream('gzip'), bytes));
}

async function pipe(through: CompressionStream | DecompressionStream, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}
