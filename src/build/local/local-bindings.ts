import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/d1/database.ts';
import { applyMigrations } from '../../platform/d1/database.ts';
import { QUIET_ENVIRONMENT } from '../run-process.ts';
import type { KvBinding } from './local-namespace.ts';
import { LOCAL_STATE } from './local-stores.ts';

/** Folder of the migrations, as wrangler.toml names it. */
const MIGRATIONS = 'src/platform/d1/migrations';

/** What wrangler.toml binds, in wrangler's simulator on this machine. */
export interface LocalBindings {
  readonly CAPSULES: KvBinding;
  readonly STATE: Database;
}

/** Opens the stores that `npm start` serves, and closes them when `use` has ended. */
export async function withLocalBindings<T>(root: string, use: (bindings: LocalBindings) => Promise<T>): Promise<T> {
  Object.assign(process.env, QUIET_ENVIRONMENT);
  // Loaded where it is needed: it is large, and most mistakes in a command are found without it.
  const { getPlatformProxy } = await import('wrangler');
  const proxy = await getPlatformProxy<Record<keyof LocalBindings, unknown>>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(root, LOCAL_STATE, 'v3') },
    // No secret is needed here: without a file of its own wrangler reads those of .dev.vars, and says so.
    envFiles: [join(root, LOCAL_STATE, 'no-secrets')],
  });
  try {
    return await use(proxy.env as LocalBindings);
  } finally {
    await proxy.dispose();
  }
}

/** Brings the local database up to the newest migration; what it holds is kept. */
export async function migrateLocally(root: string, database: Database): Promise<void> {
  const { unstable_splitSqlQuery: splitSql } = await import('wrangler');
  const names = (await readdir(join(root, MIGRATIONS))).filter((name) => name.endsWith('.sql')).sort();
  const migrations = names.map(async (name) => ({ name, statements: splitSql(await readFile(join(root, MIGRATIONS, name), 'utf8')) }));
  await applyMigrations(database, await Promise.all(migrations));
}
