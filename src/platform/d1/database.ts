import type { DatabaseCheck, StatusHistory } from '../../gateway/knowledge/report-status.ts';
import type { Clock } from '../../gateway/platform-ports.ts';
import { STATUS_DAYS } from '../../schemas/limits.ts';
import { DAY_MS, dayOf } from '../../schemas/time.ts';

export type SqlValue = string | number | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** Result of a statement: rows only. Changes are counted with `RETURNING`, because not every way to D1 reports them. */
export interface StatementResult<R> {
  readonly results: R[];
}

export interface Statement {
  bind(...values: SqlValue[]): Statement;
  all<R>(): Promise<StatementResult<R>>;
  first<R>(): Promise<R | null>;
}

/** The part of a D1 binding that all SQL here needs; in Node `withDatabase` of src/build/local/d1-connections.ts provides it. */
export interface Database {
  prepare(sql: string): Statement;
  /** Runs statements one after another in one transaction: all are applied, or none. */
  batch<R>(statements: Statement[]): Promise<StatementResult<R>[]>;
}

export async function readFirst<T>(statement: Statement, read: (row: Row) => T): Promise<T | undefined> {
  const row = await statement.first<Row>();
  return row === null ? undefined : read(row);
}

export async function readAll<T>(statement: Statement, read: (row: Row) => T): Promise<T[]> {
  return (await statement.all<Row>()).results.map(read);
}

export interface TruncatedList<Item> {
  readonly shown: readonly Item[];
  readonly left: number;
}

export function selectTruncated(columns: string, from: string, order: string): string {
  return `SELECT ${columns}, (SELECT COUNT(*) FROM ${from}) AS total FROM ${from} ORDER BY ${order} LIMIT ?1`;
}

export function truncatedListOf<Item>(rows: readonly Row[], read: (row: Row) => Item): TruncatedList<Item> {
  return { shown: rows.map(read), left: Number(rows[0]?.['total'] ?? 0) - rows.length };
}

export async function readTruncated<Item>(statement: Statement, read: (row: Row) => Item): Promise<TruncatedList<Item>> {
  return truncatedListOf((await statement.all<Row>()).results, read);
}

interface Columns<Stored> {
  readonly names: string;
  readonly parameters: string;
  readonly values: (record: Stored) => SqlValue[];
  readonly read: (row: Row) => Stored;
}

/** Maps members to columns: `keyId` to `key_id`, `undefined` to NULL, and a boolean, whose name begins with `is`, to 0 or 1. */
export function columnsOf<Stored extends object>(
  members: readonly (keyof Stored & string)[],
  renamed: { readonly [member in keyof Stored]?: string } = {},
): Columns<Stored> {
  const columns = members.map((member) => ({
    member,
    column: renamed[member] ?? member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    isBoolean: /^is[A-Z]/.test(member),
  }));
  return {
    names: columns.map(({ column }) => column).join(', '),
    parameters: columns.map((_, index) => `?${index + 1}`).join(', '),
    values: (record) =>
      columns.map(({ member, isBoolean }) => (isBoolean ? Number(record[member]) : ((record[member] ?? null) as SqlValue))),
    read: (row) =>
      Object.fromEntries(
        columns.map(({ member, column, isBoolean }) => [member, isBoolean ? row[column] === 1 : (row[column] ?? undefined)]),
      ) as Stored,
  };
}

export function databaseCheck(database: Pick<Database, 'prepare'> | undefined): DatabaseCheck {
  return async () => {
    if (database === undefined) return 'not_bound';
    try {
      await database.prepare('SELECT 1 FROM registrations LIMIT 1').all();
      return 'ok';
    } catch {
      return 'unreachable';
    }
  };
}

/** Reads at most one row a day. Without a database or its table there is no history. */
export function statusHistory(database: Pick<Database, 'prepare'> | undefined, clock: Clock): StatusHistory {
  return async () => {
    if (database === undefined) return undefined;
    const statement = database.prepare('SELECT day_ms, checks, failures FROM status_days WHERE day_ms > ?1 ORDER BY day_ms');
    const read = statement.bind(clock.nowMs() - STATUS_DAYS * DAY_MS).all<{ day_ms: number; checks: number; failures: number }>();
    const rows = await read.then(({ results }) => results).catch(() => undefined);
    return rows?.map(({ day_ms, ...counts }) => ({ date: dayOf(day_ms), ...counts }));
  };
}

export async function countStatusCheck(database: Pick<Database, 'prepare'>, nowMs: number, hasFailed: boolean): Promise<void> {
  const sql =
    'INSERT INTO status_days (day_ms, checks, failures) VALUES (?1, 1, ?2) ON CONFLICT (day_ms) DO UPDATE SET checks = checks + 1, failures = failures + ?2';
  const statement = database.prepare(sql).bind(nowMs - (nowMs % DAY_MS), Number(hasFailed));
  await statement.all();
}

export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export async function appliedMigrations(database: Database): Promise<string[]> {
  const { results } = await database
    .prepare('SELECT name FROM d1_migrations')
    .all<{ name: string }>()
    .catch((error: unknown) => {
      // A new database.
      if (String(error).includes('no such table')) return { results: [] };
      throw error;
    });
  return results.map(({ name }) => name);
}

/** Applies the migrations that a database has not seen, each in one transaction, in the table of `wrangler d1 migrations apply`. */
export async function applyMigrations(database: Database, migrations: readonly Migration[]): Promise<void> {
  const sql =
    'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';
  await database.prepare(sql).all();
  const applied = new Set(await appliedMigrations(database));
  for (const { name, statements } of migrations)
    if (!applied.has(name))
      await database.batch([
        ...statements.map((statement) => database.prepare(statement)),
        database.prepare('INSERT INTO d1_migrations (name) VALUES (?1)').bind(name),
      ]);
}
