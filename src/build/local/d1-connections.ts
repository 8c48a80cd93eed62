import type { Database, SqlValue, Statement, StatementResult } from '../../platform/d1/database.ts';
import { UserError } from '../../publication/content-problem.ts';
import { cloudflareApi } from '../cloudflare-api.ts';
import { expectFunctions, readWranglerSettings } from '../wrangler-settings.ts';
import { migrateLocally, withLocalBindings } from './local-stores.ts';

/** Where the database is: in wrangler's simulator on this machine, or at Cloudflare, as wrangler.toml binds it. */
export type DatabasePlace = 'local' | 'remote';

/**
 * Opens the database STATE for `use`. The one of this machine, which `npm start` uses, is migrated first; that at Cloudflare must be.
 *
 * @throws {UserError} If the folder has no database, or Cloudflare refuses, for instance because wrangler is not signed in or a table is missing.
 */
export async function withDatabase<T>(root: string, place: DatabasePlace, use: (database: Database) => Promise<T>): Promise<T> {
  expectFunctions(root);
  if (place === 'remote') return use(remoteDatabase(root));
  return withLocalBindings(root, async ({ STATE }) => {
    await migrateLocally(STATE);
    return use(STATE);
  });
}

/**
 * The database STATE at Cloudflare. D1 runs the statements of one request as a batch, and so as one transaction
 * (developers.cloudflare.com/d1/worker-api/d1-database/#batch).
 */
export function remoteDatabase(root: string): Database {
  const api = cloudflareApi(root);
  return inlineSqlDatabase(async (statements) => {
    const { databaseId } = await readWranglerSettings(root);
    if (databaseId === undefined) throw new UserError('wrangler.toml has no id of the database STATE: run "npm run setup"');
    const body = { sql: statements.join(';\n') };
    return (await api.request(`/d1/database/${databaseId}/query`, { method: 'POST', body })) as StatementResult<unknown>[];
  });
}

/** A database over what runs statements without parameters in one transaction: values become literals without any character that has a meaning in SQL. */
export function inlineSqlDatabase(run: (statements: readonly string[]) => Promise<StatementResult<unknown>[]>): Database {
  return databaseOver((statements) => run(statements.map(({ text }) => text)));
}

/** A database that is opened when its first statement runs. */
export function deferredDatabase(open: () => Promise<Database>): Database {
  return databaseOver(async (statements) => {
    const database = await open();
    return database.batch(statements.map(({ sql, values }) => database.prepare(sql).bind(...values)));
  });
}

function databaseOver(execute: Execute): Database {
  return {
    prepare: (sql) => new PreparedStatement(sql, [], execute),
    batch: async <Row>(statements: Statement[]) => {
      const own = statements.filter((statement) => statement instanceof PreparedStatement);
      if (own.length !== statements.length) throw new TypeError('statements of another database cannot be mixed in');
      return (await execute(own)) as StatementResult<Row>[];
    },
  };
}

type Execute = (statements: readonly PreparedStatement[]) => Promise<StatementResult<unknown>[]>;

class PreparedStatement implements Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly #execute: Execute;

  constructor(sql: string, values: readonly SqlValue[], execute: Execute) {
    this.sql = sql;
    this.values = values;
    this.#execute = execute;
  }

  get text(): string {
    return this.sql.replace(/\?(\d*)/g, (_parameter, position: string) => {
      const value = this.values[Number(position) - 1];
      if (value === undefined) throw new TypeError(`the statement has no value for ?${position}`);
      return sqlLiteral(value);
    });
  }

  bind(...values: SqlValue[]): Statement {
    return new PreparedStatement(this.sql, values, this.#execute);
  }

  async all<Row>(): Promise<StatementResult<Row>> {
    const [result] = await this.#execute([this]);
    if (result === undefined) throw new TypeError('the database returned no result for a statement');
    return result as StatementResult<Row>;
  }

  async first<Row>(): Promise<Row | null> {
    return (await this.all<Row>()).results[0] ?? null;
  }
}

/** A value as a literal of SQLite. A text with other characters than letters, digits and harmless marks is written in hexadecimal. */
export function sqlLiteral(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError('a statement accepts only whole numbers');
    return String(value);
  }
  return /^[A-Za-z0-9 _.,:-]*$/.test(value) ? `'${value}'` : `CAST(X'${Buffer.from(value, 'utf8').toString('hex')}' AS TEXT)`;
}
