import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { applyMigrations, type Database } from '../../platform/d1/database.ts';
import { type BlockNamespace, type HeldBlock, readNote } from '../publishing/block-namespace.ts';
import { QUIET_ENVIRONMENT } from '../run-process.ts';
import { LOCAL_STATE } from './local-stores.ts';

/** Folder of the migrations, which the publication's wrangler.toml names as well. */
const MIGRATIONS = join(import.meta.dirname, '../../platform/d1/migrations');

/** The bindings of wrangler.toml in the simulator on this machine. */
export interface LocalBindings {
  readonly CAPSULES: KvBinding;
  readonly STATE: Database;
}

/** Opens the stores of `npm start`, and closes them after `use`. */
export async function withLocalBindings<T>(root: string, use: (bindings: LocalBindings) => Promise<T>): Promise<T> {
  Object.assign(process.env, QUIET_ENVIRONMENT);
  // Loaded late: wrangler is large, and most mistakes are found before.
  const { getPlatformProxy } = await import('wrangler');
  const proxy = await getPlatformProxy<Record<keyof LocalBindings, unknown>>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(root, LOCAL_STATE, 'v3') },
    // Needs no secrets: without this option, wrangler reads .dev.vars and logs it.
    envFiles: [join(root, LOCAL_STATE, 'no-secrets')],
  });
  try {
    return await use(proxy.env as LocalBindings);
  } finally {
    await proxy.dispose();
  }
}

/** Applies the migrations that the local database lacks. */
export async function migrateLocally(database: Database): Promise<void> {
  const { unstable_splitSqlQuery: splitSql } = await import('wrangler');
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = names.map(async (name) => ({ name, statements: splitSql(await readFile(join(MIGRATIONS, name), 'utf8')) }));
  await applyMigrations(database, await Promise.all(migrations));
}

/** The part of a KV binding that publishing uses. */
export interface KvBinding {
  readonly list: (options: { prefix: string; cursor?: string }) => Promise<{
    keys: { name: string; metadata?: unknown }[];
    list_complete: boolean;
    cursor?: string;
  }>;
  readonly get: (key: string, type: 'arrayBuffer') => Promise<ArrayBuffer | null>;
  readonly put: (key: string, value: Uint8Array, options: { metadata: unknown }) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
}

/** Opens the local KV namespace, and closes it after `use`. */
export function withLocalNamespace<T>(root: string, use: (namespace: BlockNamespace) => Promise<T>): Promise<T> {
  return withLocalBindings(root, ({ CAPSULES }) => use(bindingNamespace(CAPSULES)));
}

/** A namespace through a KV binding. */
export function bindingNamespace(binding: KvBinding): BlockNamespace {
  return {
    list: () => listAll(binding),
    read: async (digests) => {
      const blocks = new Map<string, Uint8Array>();
      for (const sha256 of digests) {
        const value = await binding.get(blockKey(sha256), 'arrayBuffer');
        if (value !== null) blocks.set(sha256, new Uint8Array(value));
      }
      return blocks;
    },
    write: async (blocks) => {
      for (const { sha256, value, note } of blocks) await binding.put(blockKey(sha256), value, { metadata: note });
    },
    remove: async (digests) => {
      for (const sha256 of digests) await binding.delete(blockKey(sha256));
    },
  };
}

async function listAll(binding: KvBinding): Promise<HeldBlock[]> {
  const held: HeldBlock[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await binding.list({ prefix: blockKey(''), ...(cursor === undefined ? {} : { cursor }) });
    for (const { name, metadata } of page.keys) held.push({ sha256: blockDigest(name), note: readNote(metadata) });
    if (page.list_complete || page.cursor === undefined) return held;
    cursor = page.cursor;
  }
}
