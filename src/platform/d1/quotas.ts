import { keyedDigest } from '../../gateway/digests-and-base62.ts';
import type { BudgetAccess, QuotaTaken, ReadBudgets, ReturnableQuotas, SigningSecrets } from '../../gateway/platform-ports.ts';
import { toBytes, toHex } from '../../provenance/bytes-and-sha256.ts';
import {
  BUDGET_WINDOW_SECONDS,
  BUDGETS,
  type Budget,
  type BudgetName,
  type ExactQuota,
  KNOWN_AGENTS_SHARE,
  QUOTAS,
  type QuotaName,
} from '../../schemas/limits.ts';
import type { Database } from './database.ts';
import { deleteOldRows, isRowKind } from './retention.ts';

/** Rows of ended windows that one request deletes, so that the table stays small even without scheduled maintenance. */
const ENDED_ROWS_DELETED = 5;

/** Old rows of a bounded kind that one request deletes, so that a full table has room for the next request. */
const OLD_ROWS_DELETED = 3;

interface Counter {
  readonly ends_at_ms: number;
  readonly name: string;
  readonly subject: string;
  readonly max_count: number;
  /** Kind of rows that is limited too, and the maximum number of stored rows. */
  readonly row_kind?: string | undefined;
  readonly max_rows?: number | undefined;
  /** This counter applies only once the named counter has reached `from_count`; without a name it always applies. */
  readonly after_name?: string;
  readonly from_count?: number;
}

interface CounterRow {
  readonly name: string;
  readonly count: number;
  readonly stored: number;
}

const COUNTER_COLUMNS = ['ends_at_ms', 'name', 'subject', 'max_count', 'row_kind', 'max_rows', 'after_name', 'from_count']
  .map((column) => `value ->> '$.${column}' AS ${column}`)
  .join(', ');

/** The counters of a request, as JSON in `?1`, with their counts; `counters` are those that apply. */
const WITH_COUNTERS = `WITH requested AS MATERIALIZED (SELECT ${COUNTER_COLUMNS} FROM json_each(?1)), current AS MATERIALIZED (SELECT r.*, COALESCE(q.count, 0) AS count, COALESCE(n.count, 0) AS rows_stored FROM requested r LEFT JOIN quotas q ON q.ends_at_ms = r.ends_at_ms AND q.name = r.name AND q.subject = r.subject LEFT JOIN row_counts n ON n.name = r.row_kind), counters AS MATERIALIZED (SELECT * FROM current c WHERE c.after_name IS NULL OR (SELECT b.count FROM current b WHERE b.name = c.after_name) >= c.from_count)`;

const SELECT_COUNTERS = `${WITH_COUNTERS} SELECT name, count, rows_stored AS stored FROM counters`;
const RAISE_COUNTERS = `${WITH_COUNTERS} INSERT INTO quotas (ends_at_ms, name, subject, count) SELECT ends_at_ms, name, subject, 1 FROM counters WHERE NOT EXISTS (SELECT 1 FROM counters WHERE count >= max_count OR rows_stored >= max_rows) ON CONFLICT (ends_at_ms, name, subject) DO UPDATE SET count = count + 1 RETURNING name, count`;

type NetworkDigest = (network: string, window: string) => Promise<string>;

/**
 * One guarded statement increments all counters of a request or none, so that concurrent requests cannot take the same unit. If its response was lost,
 * it may have incremented them.
 */
export function d1Quotas(database: Database, network: NetworkDigest): ReturnableQuotas {
  return {
    take: async (name, subject, nowMs, access = {}) => {
      const counters = await countersOf(name, subject, nowMs, access, network);
      const taken = await takeAll(database, name, counters, nowMs);
      // Known agents may also use the budget of all callers.
      if (!access.isKnown || taken.refusedBy !== 'budget') return taken;
      return takeAll(database, name, await countersOf(name, subject, nowMs, { ...access, isKnown: false }, network), nowMs);
    },
    giveBack: async (name, subject, takenAtMs) => {
      const counters = await countersOf(name, subject, takenAtMs, {}, network);
      await database.batch(
        counters.map((counter) =>
          database
            .prepare('UPDATE quotas SET count = count - 1 WHERE ends_at_ms = ?1 AND name = ?2 AND subject = ?3 AND count > 0')
            .bind(counter.ends_at_ms, counter.name, counter.subject),
        ),
      );
    },
  };
}

async function takeAll(database: Database, name: QuotaName, counters: readonly Counter[], nowMs: number): Promise<QuotaTaken> {
  const list = JSON.stringify(counters);
  const deletions = counters.flatMap(({ row_kind: kind }) =>
    kind !== undefined && isRowKind(kind) ? deleteOldRows(database, kind, nowMs, OLD_ROWS_DELETED) : [],
  );
  const results = await database.batch<CounterRow>([
    ...deletions,
    database.prepare(SELECT_COUNTERS).bind(list),
    database.prepare(RAISE_COUNTERS).bind(list),
    ...deleteOldRows(database, 'quotas', nowMs, ENDED_ROWS_DELETED),
  ]);
  const [before, raised] = results.slice(deletions.length);
  return outcomeOf(name, counters, before?.results ?? [], (raised?.results.length ?? 0) > 0);
}

export function d1Budgets(database: Database): ReadBudgets {
  return async (nowMs) => {
    const endsAtMs = windowEnd(BUDGET_WINDOW_SECONDS, nowMs);
    const budgets = (Object.keys(BUDGETS) as BudgetName[]).map((budget) => budgetCounter(budget, endsAtMs, {}));
    const { results } = await database.prepare(SELECT_COUNTERS).bind(JSON.stringify(budgets)).all<CounterRow>();
    return new Map(
      results.map(({ name, count, stored }) => [name.slice(BUDGET_PREFIX.length) as BudgetName, { requests: count, rowsStored: stored }]),
    );
  };
}

/** Prefix of the names of budgets in the table, which also holds quotas. */
export const BUDGET_PREFIX = 'budget ';

const ANYBODY = 'anybody';
const KNOWN = 'known agents';

async function countersOf(name: QuotaName, subject: string, nowMs: number, access: BudgetAccess, network: NetworkDigest) {
  const { budget, per }: ExactQuota = QUOTAS[name];
  const plain = quotaCounter(name, subject, nowMs);
  const quota: Counter = per === 'network' ? { ...plain, subject: await network(subject, `${name} ${plain.ends_at_ms}`) } : plain;
  const { solvedChallenge } = access;
  // The counter lives as long as the challenge.
  const used = solvedChallenge && { ...quotaCounter('solved_challenges', solvedChallenge.id, nowMs), ends_at_ms: solvedChallenge.endsAtMs };
  if (budget === undefined) return [name === 'solved_challenges' && used ? used : quota];
  const total = budgetCounter(budget, windowEnd(BUDGET_WINDOW_SECONDS, nowMs), access);
  // A challenge is spent only if the request would be refused without it.
  return used ? [quota, total, { ...used, after_name: total.name, from_count: BUDGETS[budget].withoutChallenge }] : [quota, total];
}

function quotaCounter(name: QuotaName, subject: string, nowMs: number): Counter {
  const { requests, windowSeconds } = QUOTAS[name];
  return { ends_at_ms: windowEnd(windowSeconds, nowMs), name, subject, max_count: requests };
}

function budgetCounter(name: BudgetName, endsAtMs: number, { isKnown = false, solvedChallenge }: BudgetAccess): Counter {
  const { requests, withoutChallenge, stored }: Budget = BUDGETS[name];
  return {
    ends_at_ms: endsAtMs,
    name: BUDGET_PREFIX + name,
    subject: isKnown ? KNOWN : ANYBODY,
    max_count: isKnown ? Math.ceil(requests * KNOWN_AGENTS_SHARE) : solvedChallenge === undefined ? withoutChallenge : requests,
    ...(isKnown || stored === undefined ? {} : { row_kind: stored.kind, max_rows: stored.rows }),
  };
}

function windowEnd(windowSeconds: number, nowMs: number): number {
  const windowMs = windowSeconds * 1_000;
  return (Math.floor(nowMs / windowMs) + 1) * windowMs;
}

function outcomeOf(name: QuotaName, counters: readonly Counter[], before: readonly CounterRow[], allowed: boolean): QuotaTaken {
  const countOf = (counter: Counter): CounterRow | undefined => before.find(({ name }) => name === counter.name);
  const [quota] = counters;
  if (quota === undefined) throw new TypeError('a request has at least one counter');
  const remaining = Math.max(0, quota.max_count - (countOf(quota)?.count ?? 0) - (allowed ? 1 : 0));
  const taken = { remaining, endsAtMs: quota.ends_at_ms };
  if (allowed) return { ...taken, allowed: true };
  const isFull = (counter: Counter): boolean => (countOf(counter)?.count ?? 0) >= counter.max_count;
  if (isFull(quota)) return { ...taken, allowed: false, refusedBy: 'quota' };
  if (counters.some((counter) => counter.name === 'solved_challenges' && isFull(counter)))
    return { ...taken, allowed: false, refusedBy: 'used_challenge' };
  const { budget }: ExactQuota = QUOTAS[name];
  const total = counters.find((counter) => counter.name === BUDGET_PREFIX + String(budget));
  if (budget === undefined || total === undefined) throw new TypeError('no counter refused the request');
  const endsAtMs = total.ends_at_ms;
  const row = countOf(total);
  if (row !== undefined && total.max_rows !== undefined && row.stored >= total.max_rows)
    return { ...taken, allowed: false, refusedBy: 'storage', endsAtMs };
  const isBeyondChallenge = total.subject === KNOWN || (row?.count ?? 0) >= BUDGETS[budget].requests;
  return { ...taken, allowed: false, refusedBy: isBeyondChallenge ? 'budget' : 'challenge', endsAtMs };
}

/** Stored bytes of a digest: enough that no two networks collide. */
const DIGEST_BYTES = 16;

/** A keyed digest of a network, so that a reader of the database cannot try all; another in each window, so that no row reveals who returned. */
export function networkDigest([secret]: SigningSecrets): NetworkDigest {
  return async (network, window) => {
    const digest = await keyedDigest(secret, 'quota of a network', toBytes(window), toBytes(network));
    return toHex(digest.subarray(0, DIGEST_BYTES));
  };
}
