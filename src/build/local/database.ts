import type { Database, SqlValue, Statement, StatementResult } from '../../platform/d1/database.ts';
import { parseWranglerOutput, runWrangler } from '../run-process.ts';
import { migrateLocally, withLocalBindings } from './local-bindings.ts';

/** Where the database is: wrangler's simulator on this machine, or Cloudflare's, as wrangler.toml binds it. */
export type DatabasePlace = 'local' | 'remote';

/**
 * Opens the database STATE for a command of the publisher, and closes it when `use` has ended. Adapters of src/platform/d1 that take a
 * `Database` work on it. Locally it is the one that `npm start` serves, brought up to the newest migration first; at Cloudflare the
 * migrations must have been applied (`npx wrangler d1 migrations apply STATE --remote`).
 *
 * @throws {UserError} If wrangler refuses, for instance because nobody is logged in or a table is missing.
 */
export async function withDatabase<T>(root: string, place: DatabasePlace, use: (database: Database) => Promise<T>): Promise<T> {
  if (place === 'remote') return use(wranglerDatabase(root));
  return withLocalBindings(root, async ({ STATE }) => {
    await migrateLocally(root, STATE);
    return use(STATE);
  });
}

/**
 * The database STATE through `wrangler d1 execute`. Statements of a batch are sent as one command, joined by semicolons, which D1 runs
 * as one batch and so as one transaction (developers.cloudflare.com/d1/worker-api/d1-database/#batch).
 *
 * @param where Tells wrangler which database of that name is meant.
 */
export function wranglerDatabase(root: string, where: readonly string[] = ['--remote']): Database {
  return inlineSqlDatabase(async (statements) => {
    const args = ['d1', 'execute', 'STATE', ...where, '--json', '--yes', `--command=${statements.join(';\n')}`];
    const output = await againWhileLocked(() => runWrangler(root, args));
    return parseWranglerOutput(output, '[', ']') as StatementResult<unknown>[];
  });
}

/** Runs statements without parameters in one transaction, and gives the result of each. */
export type RunStatements = (statements: readonly string[]) => Promise<StatementResult<unknown>[]>;

/**
 * A database behind something that takes no parameters: values are written into the statements as literals that hold no character
 * with a meaning in SQL.
 */
export function inlineSqlDatabase(run: RunStatements): Database {
  const execute = (statements: readonly WrittenStatement[]): Promise<StatementResult<unknown>[]> => run(statements.map(({ text }) => text));
  return {
    prepare: (sql) => new WrittenStatement(sql, [], execute),
    batch: async <Row>(statements: Statement[]) => {
      const written = statements.filter((statement) => statement instanceof WrittenStatement);
      if (written.length !== statements.length) throw new TypeError('a statement of another database cannot be run here');
      return (await execute(written)) as StatementResult<Row>[];
    },
  };
}

/** How often a command is tried that finds the local database locked, for instance by a server that is just ending. */
const LOCKED_ATTEMPTS = 4;

/** What a command gives. One that finds the database locked has changed nothing, and is tried again. */
async function againWhileLocked(command: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await command();
    } catch (error) {
      if (attempt === LOCKED_ATTEMPTS || !String(error).includes('SQLITE_BUSY')) throw error;
    }
  }
}

/** A statement that becomes a text with its values in it. */
class WrittenStatement implements Statement {
  readonly #sql: string;
  readonly #values: readonly SqlValue[];
  readonly #execute: (statements: readonly WrittenStatement[]) => Promise<StatementResult<unknown>[]>;

  constructor(
    sql: string,
    values: readonly SqlValue[],
    execute: (statements: readonly WrittenStatement[]) => Promise<StatementResult<unknown>[]>,
  ) {
    this.#sql = sql;
    this.#values = values;
    this.#execute = execute;
  }

  get text(): string {
    return this.#sql.replace(/\?(\d*)/g, (_parameter, position: string) => {
      const value = this.#values[Number(position) - 1];
      if (value === undefined) throw new TypeError(`the statement has no value for ?${position}`);
      return sqlLiteral(value);
    });
  }

  bind(...values: SqlValue[]): Statement {
    return new WrittenStatement(this.#sql, values, this.#execute);
  }

  async all<Row>(): Promise<StatementResult<Row>> {
    const [result] = await this.#execute([this]);
    if (result === undefined) throw new TypeError('wrangler gave no result of a statement');
    return result as StatementResult<Row>;
  }

  async first<Row>(): Promise<Row | null> {
    return (await this.all<Row>()).results[0] ?? null;
  }
}

/** A value as a literal of SQLite: any text that is not plain words is written as its bytes. */
export function sqlLiteral(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError('a statement takes whole numbers only');
    return String(value);
  }
  return /^[A-Za-z0-9 _.,:-]*$/.test(value) ? `'${value}'` : `CAST(X'${Buffer.from(value, 'utf8').toString('hex')}' AS TEXT)`;
}
