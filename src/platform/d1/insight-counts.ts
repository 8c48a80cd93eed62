import type { AddCounts, InsightCount, InsightReport } from '../../gateway/insights.ts';
import { INSIGHT_ROWS_PER_DAY } from '../../schemas/limits.ts';
import { DAY_MS, dayOf } from '../../schemas/time.ts';
import type { Database } from './database.ts';
import { selectSales } from './order-administration.ts';
import { deleteOldRows } from './retention.ts';

/** Old counts that one write deletes, so that the table stays small without a schedule. */
const OLD_ROWS_DELETED = 100;

/** Adds counts, and deletes some old ones. Once a day has had {@link INSIGHT_ROWS_PER_DAY}, nothing more is written on it. */
export function addInsightCounts(database: Database): AddCounts {
  return async (dayMs, counts, nowMs) => {
    const within = `coalesce((SELECT count FROM insights WHERE day_ms = ?1 AND kind = 'total' AND name = 'written'), 0) < ${INSIGHT_ROWS_PER_DAY}`;
    const added = 'ON CONFLICT (day_ms, kind, name) DO UPDATE SET count = count + excluded.count';
    const add = `INSERT INTO insights (day_ms, kind, name, count)
      SELECT ?1, json_extract(value, '$.kind'), json_extract(value, '$.name'), json_extract(value, '$.count') FROM json_each(?2) WHERE ${within} ${added}`;
    const note = `INSERT INTO insights (day_ms, kind, name, count) SELECT ?1, 'total', 'written', ?2 WHERE ${within} ${added}`;
    await database.batch([
      database.prepare(add).bind(dayMs, JSON.stringify(counts)),
      database.prepare(note).bind(dayMs, counts.length + 1),
      ...deleteOldRows(database, 'insights', nowMs, OLD_ROWS_DELETED),
    ]);
  };
}

export async function readInsights(database: Database, days: number, nowMs: number): Promise<InsightReport> {
  const sinceMs = nowMs - days * DAY_MS;
  const summed =
    "SELECT kind, name, SUM(count) AS count FROM insights WHERE day_ms > ?1 AND kind <> 'total' GROUP BY kind, name ORDER BY 3 DESC, name";
  const byDay = "SELECT day_ms, SUM(count) AS count FROM insights WHERE day_ms > ?1 AND kind = 'request' GROUP BY day_ms ORDER BY day_ms";
  const fullDays = "SELECT day_ms FROM insights WHERE day_ms > ?1 AND kind = 'total' AND name = 'written' AND count >= ?2 ORDER BY day_ms";
  const ordered =
    "SELECT 'order' AS kind, offer_id AS name, SUM(count) AS count FROM commerce_counts WHERE day > ?1 AND event = 'order' GROUP BY offer_id";
  const [counts, requests, full, orders, sales] = await database.batch<InsightCount & { day_ms: number }>([
    database.prepare(summed).bind(sinceMs),
    database.prepare(byDay).bind(sinceMs),
    database.prepare(fullDays).bind(sinceMs, INSIGHT_ROWS_PER_DAY),
    database.prepare(ordered).bind(dayOf(sinceMs)),
    selectSales(database, sinceMs, nowMs),
  ]);
  return {
    counts: [counts, orders, sales].flatMap((rows) => rows?.results.map(({ kind, name, count }) => ({ kind, name, count })) ?? []),
    incomplete: full?.results.map(({ day_ms }) => dayOf(day_ms)) ?? [],
    days: requests?.results.map(({ day_ms, count }) => ({ day: dayOf(day_ms), requests: count })) ?? [],
  };
}
