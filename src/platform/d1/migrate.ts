import type { Database } from './database.ts';

/** A step of the tables' history. */
export interface Migration {
  /** Name of its file, by which a database knows that it has been applied. */
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * Applies the migrations that a database has not seen, in the given order. It keeps the same table as `wrangler d1 migrations apply`
 * (developers.cloudflare.com/d1/reference/migrations/), so either goes on where the other ended. Each migration counts whole or not at all.
 */
export async function applyMigrations(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
      )`,
    )
    .all();
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const { name, statements } of migrations)
    if (!applied.has(name))
      await database.batch([
        ...statements.map((statement) => database.prepare(statement)),
        database.prepare('INSERT INTO d1_migrations (name) VALUES (?1)').bind(name),
      ]);
}
