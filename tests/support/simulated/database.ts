import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { ROOT } from '../paths.ts';
import { type StoreWeather, throughWeather } from './faults.ts';
import type { SimulatedTime } from './time.ts';

/** Most parameters of one statement (developers.cloudflare.com/d1/platform/limits). */
const PARAMETERS_MAX = 100;

const LOST = 'D1_ERROR: Network connection lost.';

/** One database, and the bindings through which locations reach it. */
export interface SimulatedDatabase {
  readonly binding: (weather?: StoreWeather) => D1Database;
  readonly look: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown>[];
  readonly close: () => void;
}

/**
 * A D1 database over SQLite in memory. It answers as D1 does: shapes and meta of results, one transaction a batch that is rolled back
 * whole, no transactions of one's own, at most {@link PARAMETERS_MAX} parameters, the wording of errors.
 *
 * @param migrations Whether the tables of `src/platform/d1/migrations` are there.
 */
export function simulatedDatabase(time: SimulatedTime, { migrations = true } = {}): SimulatedDatabase {
  const { database, prepared } = openDatabase();
  if (migrations) database.exec(migratedSchema().join(';\n'));
  const binding = (weather: StoreWeather = {}): D1Database => {
    const call = <T>(operation: string, statements: readonly Statement[], apply: () => T): Promise<T> =>
      throughWeather({ store: 'database', operation, what: statements.map(({ sql }) => sql) }, weather, time, LOST, () => {
        // An answer comes from another machine: nothing of it is shared.
        return structuredClone(apply());
      });
    return {
      prepare: (sql) => new Statement(sql, [], prepared, call),
      batch: <T>(given: D1PreparedStatement[]) => {
        const statements = given.map((statement) => {
          if (statement instanceof Statement) return statement;
          throw new TypeError('a batch takes statements that this database prepared');
        });
        return call('batch', statements, () => inTransaction(database, statements) as D1Result<T>[]);
      },
    };
  };
  return { binding, look: (sql, ...values) => prepared(sql).all(...values), close: () => database.close() };
}

type Prepare = (sql: string) => StatementSync;
type Call = <T>(operation: string, statements: readonly Statement[], apply: () => T) => Promise<T>;

class Statement implements D1PreparedStatement {
  readonly sql: string;
  readonly #values: readonly unknown[];
  readonly #prepare: Prepare;
  readonly #call: Call;

  constructor(sql: string, values: readonly unknown[], prepare: Prepare, call: Call) {
    this.sql = sql;
    this.#values = values;
    this.#prepare = prepare;
    this.#call = call;
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return new Statement(this.sql, values.map(toSql), this.#prepare, this.#call);
  }

  async first<T>(column?: string): Promise<T | null> {
    const { results } = await this.#call('first', [this], () => this.execute());
    const row = results[0];
    if (row === undefined) return null;
    if (column === undefined) return row as T;
    if (!Object.hasOwn(row, column)) throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`);
    return row[column] as T;
  }

  async run<T>(): Promise<D1Result<T>> {
    return (await this.#call('run', [this], () => this.execute())) as D1Result<T>;
  }

  async all<T>(): Promise<D1Result<T>> {
    return (await this.#call('all', [this], () => this.execute())) as D1Result<T>;
  }

  async raw<T>({ columnNames = false } = {}): Promise<T[]> {
    const { results } = await this.#call('raw', [this], () => this.execute());
    const rows = results.map((row) => Object.values(row));
    return (columnNames ? [Object.keys(results[0] ?? {}), ...rows] : rows) as T[];
  }

  execute(): D1Result<Record<string, unknown>> {
    if (/^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i.test(this.sql))
      throw new Error('D1_ERROR: To execute a transaction, please use the state.storage.transaction() APIs instead of SQL.');
    try {
      const wanted = parametersOf(this.sql);
      if (wanted > PARAMETERS_MAX) throw new Error(`too many SQL variables: SQLITE_ERROR`);
      if (wanted !== this.#values.length) throw new Error('Wrong number of parameter bindings for SQL query.');
      const before = totals(this.#prepare);
      const rows = this.#prepare(this.sql).all(...(this.#values as SQLInputValue[]));
      const after = totals(this.#prepare);
      const changes = after.changes - before.changes;
      return {
        success: true,
        results: rows.map(fromSql),
        meta: {
          changes,
          last_row_id: after.id,
          changed_db: changes > 0,
          duration: 0,
          size_after: 0,
          rows_read: rows.length,
          rows_written: changes,
        },
      };
    } catch (error) {
      throw new Error(`D1_ERROR: ${messageOf(error)}`);
    }
  }
}

function inTransaction(database: DatabaseSync, statements: readonly Statement[]): D1Result<Record<string, unknown>>[] {
  if (statements.length === 0) throw new Error('D1_ERROR: No SQL statements detected.');
  database.exec('BEGIN');
  try {
    const results = statements.map((statement) => statement.execute());
    database.exec('COMMIT');
    return results;
  } catch (error) {
    // SQLite may have rolled back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function totals(prepare: Prepare): { changes: number; id: number } {
  return prepare('SELECT total_changes() AS changes, last_insert_rowid() AS id').get() as { changes: number; id: number };
}

function parametersOf(sql: string): number {
  const marks = sql.replace(/'(?:[^']|'')*'|--[^\n]*/g, '').match(/\?\d*/g) ?? [];
  const numbers = marks.map((mark) => Number(mark.slice(1)));
  return numbers.every((number) => number > 0) ? Math.max(0, ...numbers) : marks.length;
}

function toSql(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return value;
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`);
}

function fromSql(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value]));
}

/** Names of result codes of SQLite (sqlite.org/rescode.html), as D1 writes them. */
const RESULT_NAMES: Readonly<Record<number, string>> = {
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  275: 'SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)',
  787: 'SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)',
  1299: 'SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)',
  1555: 'SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
  2067: 'SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)',
};

function messageOf(error: unknown): string {
  const { message, errcode } = error as Error & { errcode?: number };
  if (errcode === undefined) return message;
  return `${message}: ${RESULT_NAMES[errcode] ?? RESULT_NAMES[errcode & 0xff] ?? 'SQLITE_ERROR'}`;
}

let migrated: readonly string[] | undefined;

/** What all migrations together have made: tables with their rows, indexes and triggers. Making these is quicker than every step on the way. */
export function migratedSchema(): readonly string[] {
  migrated ??= readSchema();
  return migrated;
}

function readSchema(): string[] {
  const { database } = openDatabase();
  const folder = join(ROOT, 'src/platform/d1/migrations');
  for (const name of readdirSync(folder).sort()) database.exec(readFileSync(join(folder, name), 'utf8'));
  const made = database.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").all();
  const tables = made.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM "${String(name)}"`)
      .all()
      .map((row) => `INSERT INTO "${String(name)}" VALUES (${Object.values(row).map(literal).join(', ')})`),
  );
  database.close();
  return [...tables.map(({ sql }) => String(sql)), ...rows, ...made.flatMap(({ type, sql }) => (type === 'table' ? [] : [String(sql)]))];
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** SQLite of Node. It comes from the process, because bundlers take its name, which only exists with `node:`, for a package. */
function openDatabase(): { database: DatabaseSync; prepared: Prepare } {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return { database, prepared };
}
