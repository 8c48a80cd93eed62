import type { Database, Row, Statement } from './database.ts';

export interface TableRows {
  readonly table: string;
  readonly rows: readonly Row[];
}

/** Tables that fill themselves: the migrations of a database, and counts that triggers keep. */
const DERIVED: readonly string[] = ['d1_migrations', 'row_counts'];

/** Longest text of the statements of one batch, in characters: a command line of Linux takes 128 KiB for each argument. */
const BATCH_CHARACTERS = 60_000;

async function tablesOf(database: Database): Promise<string[]> {
  const { results } = await database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
    )
    .all<{ name: string }>();
  return results.map(({ name }) => name).filter((name) => !DERIVED.includes(name));
}

export async function readAllTables(database: Database): Promise<TableRows[]> {
  const tables = await tablesOf(database);
  const results = await database.batch<Row>(tables.map((table) => database.prepare(`SELECT * FROM "${table}"`)));
  return tables.map((table, index) => ({ table, rows: results[index]?.results ?? [] }));
}

export async function countAllRows(database: Database): Promise<number> {
  const tables = await tablesOf(database);
  const results = await database.batch<{ rows: number }>(
    tables.map((table) => database.prepare(`SELECT COUNT(*) AS rows FROM "${table}"`)),
  );
  return results.reduce((sum, { results: [row] }) => sum + (row?.rows ?? 0), 0);
}

/** Writes rows that are not there yet, in transactions that fit into a command. @throws {RangeError} If the database lacks a table. */
export async function writeTables(database: Database, tables: readonly TableRows[]): Promise<void> {
  const present = await tablesOf(database);
  for (const { table, rows } of tables) {
    if (rows.length > 0 && !present.includes(table)) throw new RangeError(`the database has no table ${table}`);
    const batches: Statement[][] = [];
    let characters = 0;
    for (const row of rows) {
      const columns = Object.keys(row);
      // Texts are written as hexadecimal digits.
      const length = 2 * JSON.stringify(row).length;
      characters += length;
      if (batches.length === 0 || characters > BATCH_CHARACTERS) {
        batches.push([]);
        characters = length;
      }
      const names = columns.map((name) => `"${name}"`).join(', ');
      const values = columns.map((_, index) => `?${index + 1}`).join(', ');
      const statement = database.prepare(`INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${values})`);
      batches.at(-1)?.push(statement.bind(...Object.values(row)));
    }
    for (const batch of batches) await database.batch(batch);
  }
}
