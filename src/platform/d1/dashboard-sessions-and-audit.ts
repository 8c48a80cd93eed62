import { AUDIT_DAYS } from '../../schemas/limits.ts';
import { DAY_MS } from '../../schemas/time.ts';
import { columnsOf, type Database, readAll, readFirst } from './database.ts';

/*
 * Sign-ins of the publisher to the dashboard, and the log of what the publisher did. Every function throws if the database cannot be reached.
 */

export interface AuditEntry {
  readonly atMs: number;
  /** `dashboard` with the secret, an e-mail address at Cloudflare Access, or `command`. */
  readonly actor: string;
  /** The words of the command that does the same: `orders refund`. */
  readonly action: string;
  readonly subject: string;
  readonly isDone: boolean;
  /** What it changed, or why it changed nothing; `undefined` if it was interrupted. */
  readonly outcome: string | undefined;
}

const ENTRY = columnsOf<AuditEntry>(['atMs', 'actor', 'action', 'subject', 'isDone', 'outcome']);

/** Longest stored texts of an entry, in UTF-16 code units. */
const SUBJECT_MAX_LENGTH = 200;
const OUTCOME_MAX_LENGTH = 1_000;

/** Does something for the publisher, and records it. The lines describe what changed; otherwise it is what `run` threw. */
export async function withAudit(
  database: Database,
  { actor, action, subject, atMs }: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'atMs'>,
  run: () => Promise<readonly string[]>,
): Promise<{ readonly number: number } & ({ readonly lines: readonly string[] } | { readonly error: unknown })> {
  const [, entry] = await database.batch<{ number: number }>([
    database.prepare('DELETE FROM audit_log WHERE at_ms <= ?1').bind(atMs - AUDIT_DAYS * DAY_MS),
    database
      .prepare('INSERT INTO audit_log (at_ms, actor, action, subject) VALUES (?1, ?2, ?3, ?4) RETURNING number')
      .bind(atMs, actor, action, subject.slice(0, SUBJECT_MAX_LENGTH)),
  ]);
  const number = entry?.results[0]?.number ?? 0;
  const end = (isDone: boolean, outcome: string): Promise<unknown> => {
    const sql = 'UPDATE audit_log SET is_done = ?2, outcome = ?3 WHERE number = ?1';
    return database.prepare(sql).bind(number, Number(isDone), outcome.slice(0, OUTCOME_MAX_LENGTH)).all();
  };
  let lines: readonly string[];
  try {
    lines = await run();
  } catch (error) {
    await end(false, error instanceof Error ? error.message : String(error));
    return { number, error };
  }
  await end(true, lines.join('\n'));
  return { number, lines };
}

export function newestAuditEntries(database: Database, limit: number): Promise<AuditEntry[]> {
  return readAll(database.prepare(`SELECT ${ENTRY.names} FROM audit_log ORDER BY number DESC LIMIT ?1`).bind(limit), ENTRY.read);
}

export function auditEntry(database: Database, number: number): Promise<AuditEntry | undefined> {
  return readFirst(database.prepare(`SELECT ${ENTRY.names} FROM audit_log WHERE number = ?1`).bind(number), ENTRY.read);
}

export async function openAdminSession(database: Database, idSha256: string, nowMs: number, expiresAtMs: number): Promise<void> {
  await database.batch([
    database.prepare('DELETE FROM admin_sessions WHERE expires_at_ms <= ?1').bind(nowMs),
    database.prepare('INSERT INTO admin_sessions (id_sha256, expires_at_ms) VALUES (?1, ?2)').bind(idSha256, expiresAtMs),
  ]);
}

export async function isAdminSessionOpen(database: Database, idSha256: string, nowMs: number): Promise<boolean> {
  const sql = 'SELECT 1 AS open FROM admin_sessions WHERE id_sha256 = ?1 AND expires_at_ms > ?2';
  return (await database.prepare(sql).bind(idSha256, nowMs).first()) !== null;
}

export async function closeAdminSession(database: Database, idSha256: string): Promise<void> {
  await database.prepare('DELETE FROM admin_sessions WHERE id_sha256 = ?1').bind(idSha256).all();
}

/** Attempts to sign in: of one network in a window, and of all networks that are counted. Beyond that, isolates count in memory alone. */
export const SIGN_INS = { requests: 10, windowSeconds: 900, countedMax: 500 } as const;

/** Counts an attempt to sign in of a network, given by its digest. Whether it may be tried. */
export async function takeSignIn(database: Database, network: string, nowMs: number): Promise<boolean> {
  const windowMs = SIGN_INS.windowSeconds * 1_000;
  const endsAtMs = nowMs - (nowMs % windowMs) + windowMs;
  const sql = `INSERT INTO quotas (ends_at_ms, name, subject, count) SELECT ?1, 'admin_sign_ins', ?2, 1
    WHERE (SELECT COALESCE(SUM(count), 0) FROM quotas WHERE ends_at_ms = ?1 AND name = 'admin_sign_ins') < ${SIGN_INS.countedMax}
    ON CONFLICT (ends_at_ms, name, subject) DO UPDATE SET count = count + 1 RETURNING count`;
  const row = await database.prepare(sql).bind(endsAtMs, network).first<{ count: number }>();
  return (row?.count ?? 0) <= SIGN_INS.requests;
}
