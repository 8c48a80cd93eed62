import type { Quotas } from '../../gateway/ports.ts';
import { QUOTAS } from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';

interface Row {
  readonly count: number;
}

/** Rows of windows that are over that one request removes, so that the table stays small without a schedule. */
const ENDED_ROWS_REMOVED = 5;

/**
 * How long a row is kept after its window, in milliseconds. A clock that goes ahead by less removes no window in which another
 * location still counts.
 */
const KEPT_AFTER_END_MS = 3_600_000;

/**
 * Quotas in D1. One guarded statement counts, and the row that it gives back tells whether there was one left; two requests at
 * the same time cannot take the same one. A statement that was applied although its answer was lost has taken one.
 *
 * @param network Makes what is stored of a network: no address, and for each window something else.
 */
export function d1Quotas(database: Database, network: (network: string, window: string) => Promise<string>): Quotas {
  return {
    take: async (name, subject, nowMs) => {
      const { requests, windowSeconds, per } = QUOTAS[name];
      const windowMs = windowSeconds * 1_000;
      const endsAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs;
      const stored = per === 'network' ? await network(subject, `${name} ${endsAtMs}`) : subject;
      const [taken] = await database.batch<Row>([
        database
          .prepare(
            'INSERT INTO quotas (ends_at_ms, name, subject, count) VALUES (?1, ?2, ?3, 1) ON CONFLICT (ends_at_ms, name, subject) DO UPDATE SET count = count + 1 WHERE count < ?4 RETURNING count',
          )
          .bind(endsAtMs, name, stored, requests),
        endedQuotas(database, nowMs, ENDED_ROWS_REMOVED),
      ]);
      const count = taken?.results[0]?.count;
      return { allowed: count !== undefined, remaining: requests - (count ?? requests), endsAtMs };
    },
  };
}

/** Removes at most `limit` rows of windows that are over. */
export function endedQuotas(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      'DELETE FROM quotas WHERE (ends_at_ms, name, subject) IN (SELECT ends_at_ms, name, subject FROM quotas WHERE ends_at_ms <= ?1 LIMIT ?2)',
    )
    .bind(nowMs - KEPT_AFTER_END_MS, limit);
}
