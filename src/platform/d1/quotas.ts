import type { QuotaTaken, ReadBudgets, ReturnableQuotas, Standing } from '../../gateway/ports.ts';
import {
  type Budget,
  BUDGET_WINDOW_SECONDS,
  BUDGETS,
  type BudgetName,
  type ExactQuota,
  KNOWN_AGENTS_SHARE,
  QUOTAS,
  type QuotaName,
} from '../../schemas/limits.ts';
import type { Database, Statement } from './database.ts';
import { REMOVALS_OF_KINDS } from './old-rows.ts';

/** Rows of windows that are over that one request removes, so that the table stays small without a schedule. */
const ENDED_ROWS_REMOVED = 5;

/** Old rows of a bounded kind that one request makes room by removing. */
const OLD_ROWS_REMOVED = 3;

/**
 * How long a row is kept after its window, in milliseconds. A clock that goes ahead by less removes no window in which another
 * location still counts.
 */
const KEPT_AFTER_END_MS = 3_600_000;

/** A count that a request raises, if it and all others that it raises are below their bounds. */
interface Wanted {
  readonly ends_at_ms: number;
  readonly name: string;
  readonly subject: string;
  readonly most: number;
  /** Kind of rows that are bounded too, and how many there may be. */
  readonly stored?: string | undefined;
  readonly stored_most?: number | undefined;
  /** Name of another count in the list: this one is raised only if that has reached `beside_from`. Without it, always. */
  readonly beside?: string;
  readonly beside_from?: number;
}

interface CountedRow {
  readonly name: string;
  readonly count: number;
  readonly stored: number;
}

/** The counts that are wanted, as they stand. */
const COUNTED =
  "WITH wanted AS MATERIALIZED (SELECT value ->> '$.ends_at_ms' AS ends_at_ms, value ->> '$.name' AS name, value ->> '$.subject' AS subject, value ->> '$.most' AS most, value ->> '$.stored' AS stored, value ->> '$.stored_most' AS stored_most, value ->> '$.beside' AS beside, value ->> '$.beside_from' AS beside_from FROM json_each(?1)), found AS MATERIALIZED (SELECT w.*, COALESCE(q.count, 0) AS count, COALESCE(r.count, 0) AS rows_stored FROM wanted w LEFT JOIN quotas q ON q.ends_at_ms = w.ends_at_ms AND q.name = w.name AND q.subject = w.subject LEFT JOIN row_counts r ON r.name = w.stored), counted AS MATERIALIZED (SELECT * FROM found f WHERE f.beside IS NULL OR (SELECT b.count FROM found b WHERE b.name = f.beside) >= f.beside_from)";

/**
 * Quotas and budgets in D1. One guarded statement raises all counts that a request needs, or none; two requests at the same time cannot
 * take the same one. A statement that was applied although its answer was lost has taken them.
 *
 * @param network Makes what is stored of a network: no address, and for each window something else.
 */
export function d1Quotas(database: Database, network: (network: string, window: string) => Promise<string>): ReturnableQuotas {
  return {
    take: async (name, subject, nowMs, standing = {}) => {
      const wanted = await wantedCounts(name, subject, nowMs, standing, network);
      const taken = await takeAll(database, name, wanted, nowMs);
      // Known agents have the room of anybody besides their own.
      if (!standing.isKnown || taken.refusedBy !== 'budget') return taken;
      return takeAll(database, name, await wantedCounts(name, subject, nowMs, { ...standing, isKnown: false }, network), nowMs);
    },
    giveBack: async (name, subject, takenAtMs) => {
      const wanted = await wantedCounts(name, subject, takenAtMs, {}, network);
      await database.batch(
        wanted.map(({ ends_at_ms, name: counted, subject: of }) =>
          database
            .prepare('UPDATE quotas SET count = count - 1 WHERE ends_at_ms = ?1 AND name = ?2 AND subject = ?3 AND count > 0')
            .bind(ends_at_ms, counted, of),
        ),
      );
    },
  };
}

/** Raises all counts, or none. */
async function takeAll(database: Database, name: QuotaName, wanted: readonly Wanted[], nowMs: number): Promise<QuotaTaken> {
  const list = JSON.stringify(wanted);
  const removals = wanted.flatMap(({ stored }) => (stored === undefined ? [] : (REMOVALS_OF_KINDS[stored] ?? [])));
  const results = await database.batch<CountedRow>([
    ...removals.map((removal) => removal(database, nowMs, OLD_ROWS_REMOVED)),
    database.prepare(`${COUNTED} SELECT name, count, rows_stored AS stored FROM counted`).bind(list),
    database
      .prepare(
        `${COUNTED} INSERT INTO quotas (ends_at_ms, name, subject, count) SELECT ends_at_ms, name, subject, 1 FROM counted WHERE NOT EXISTS (SELECT 1 FROM counted WHERE count >= most OR rows_stored >= stored_most) ON CONFLICT (ends_at_ms, name, subject) DO UPDATE SET count = count + 1 RETURNING name, count`,
      )
      .bind(list),
    endedQuotas(database, nowMs, ENDED_ROWS_REMOVED),
  ]);
  const [before, raised] = results.slice(removals.length);
  return outcomeOf(name, wanted, before?.results ?? [], (raised?.results.length ?? 0) > 0);
}

/** Reads what is used of budgets. */
export function d1Budgets(database: Database): ReadBudgets {
  return async (nowMs) => {
    const endsAtMs = windowEnd(BUDGET_WINDOW_SECONDS, nowMs);
    const budgets = (Object.keys(BUDGETS) as BudgetName[]).map((budget) => wantedBudget(budget, endsAtMs, {}));
    const { results } = await database
      .prepare(`${COUNTED} SELECT name, count, rows_stored AS stored FROM counted`)
      .bind(JSON.stringify(budgets))
      .all<CountedRow>();
    return new Map(
      results.map(({ name, count, stored }) => [name.slice(BUDGET_PREFIX.length) as BudgetName, { requests: count, rowsStored: stored }]),
    );
  };
}

/** Beginning of the names of budgets in the table, which holds quotas as well. */
export const BUDGET_PREFIX = 'budget ';

/** Whom a budget is counted for, as it stands in the table. */
const ANYBODY = 'anybody';
const KNOWN = 'known agents';

async function wantedCounts(
  name: QuotaName,
  subject: string,
  nowMs: number,
  standing: Standing,
  network: (network: string, window: string) => Promise<string>,
): Promise<Wanted[]> {
  const { budget, per }: ExactQuota = QUOTAS[name];
  const plain = wantedQuota(name, subject, nowMs);
  const quota = per === 'network' ? { ...plain, subject: await network(subject, `${name} ${plain.ends_at_ms}`) } : plain;
  if (budget === undefined) return [quota];
  const total = wantedBudget(budget, windowEnd(BUDGET_WINDOW_SECONDS, nowMs), standing);
  const { solvedChallenge } = standing;
  if (solvedChallenge === undefined) return [quota, total];
  // A challenge is used up only where the request would not be let through without it.
  const used = {
    ...wantedQuota('solved_challenges', solvedChallenge.id, nowMs),
    // The count lives as long as the challenge itself, whatever the window of the clock.
    ends_at_ms: solvedChallenge.endsAtMs,
    beside: total.name,
    beside_from: BUDGETS[budget].withoutChallenge,
  };
  return [quota, total, used];
}

function wantedQuota(name: QuotaName, subject: string, nowMs: number): Wanted {
  const { requests, windowSeconds } = QUOTAS[name];
  return { ends_at_ms: windowEnd(windowSeconds, nowMs), name, subject, most: requests };
}

function wantedBudget(name: BudgetName, endsAtMs: number, { isKnown = false, solvedChallenge }: Standing): Wanted {
  const { requests, withoutChallenge, stored }: Budget = BUDGETS[name];
  return {
    ends_at_ms: endsAtMs,
    name: BUDGET_PREFIX + name,
    subject: isKnown ? KNOWN : ANYBODY,
    most: isKnown ? Math.ceil(requests * KNOWN_AGENTS_SHARE) : solvedChallenge === undefined ? withoutChallenge : requests,
    ...(isKnown || stored === undefined ? {} : { stored: stored.kind, stored_most: stored.rows }),
  };
}

function windowEnd(windowSeconds: number, nowMs: number): number {
  const windowMs = windowSeconds * 1_000;
  return (Math.floor(nowMs / windowMs) + 1) * windowMs;
}

function outcomeOf(name: QuotaName, wanted: readonly Wanted[], before: readonly CountedRow[], allowed: boolean): QuotaTaken {
  const countOf = (one: Wanted): CountedRow | undefined => before.find((row) => row.name === one.name);
  const [quota] = wanted;
  if (quota === undefined) throw new TypeError('a request takes at least one count');
  const remaining = Math.max(0, quota.most - (countOf(quota)?.count ?? 0) - (allowed ? 1 : 0));
  const taken = { remaining, endsAtMs: quota.ends_at_ms };
  if (allowed) return { ...taken, allowed: true };
  const isFull = (one: Wanted): boolean => (countOf(one)?.count ?? 0) >= one.most;
  if (isFull(quota)) return { ...taken, allowed: false, refusedBy: 'quota' };
  if (wanted.some((one) => one.name === 'solved_challenges' && isFull(one)))
    return { ...taken, allowed: false, refusedBy: 'used_challenge' };
  const { budget }: ExactQuota = QUOTAS[name];
  const total = wanted.find((one) => one.name === BUDGET_PREFIX + String(budget));
  if (budget === undefined || total === undefined) throw new TypeError('a request was refused by no count');
  const endsAtMs = total.ends_at_ms;
  const counted = countOf(total);
  if (counted !== undefined && total.stored_most !== undefined && counted.stored >= total.stored_most)
    return { ...taken, allowed: false, refusedBy: 'storage', endsAtMs };
  const isBeyondChallenge = total.subject === KNOWN || (counted?.count ?? 0) >= BUDGETS[budget].requests;
  return { ...taken, allowed: false, refusedBy: isBeyondChallenge ? 'budget' : 'challenge', endsAtMs };
}

/** Removes at most `limit` rows of windows that are over. */
export function endedQuotas(database: Database, nowMs: number, limit: number): Statement {
  return database
    .prepare(
      'DELETE FROM quotas WHERE (ends_at_ms, name, subject) IN (SELECT ends_at_ms, name, subject FROM quotas WHERE ends_at_ms <= ?1 LIMIT ?2)',
    )
    .bind(nowMs - KEPT_AFTER_END_MS, limit);
}
