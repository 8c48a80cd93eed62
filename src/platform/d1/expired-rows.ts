import type { Database, Statement } from './database.ts';

/** Removes at most `limit` agents whose newest key has expired. */
export function expiredAgents(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare('DELETE FROM agents WHERE agent IN (SELECT agent FROM agents WHERE expires_at_ms <= ?1 LIMIT ?2)')
    .bind(nowMs, limit);
}

/** Removes at most `limit` registrations that can no longer be replayed. */
export function expiredRegistrations(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      'DELETE FROM registrations WHERE idempotency_key_sha256 IN (SELECT idempotency_key_sha256 FROM registrations WHERE expires_at_ms <= ?1 LIMIT ?2)',
    )
    .bind(nowMs, limit);
}
