import { randomBytes } from 'node:crypto';
import { access, appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getPlatformProxy } from 'wrangler';
import { blockKey } from '../platform/kv/keys.ts';
import type { GenerationStore } from './generation-store.ts';
import { QUIET_ENVIRONMENT, runNode } from './run-process.ts';

/** Folder in which wrangler keeps the local KV and D1. */
export const LOCAL_STATE = '.wrangler/state';

/** How many blocks a publish wrote, and how many the corpus has. */
export interface SeedReport {
  readonly written: number;
  readonly total: number;
}

/** The part of a KV namespace that seeding uses. */
interface SeededNamespace {
  readonly list: (options: {
    prefix: string;
    cursor?: string;
  }) => Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
  readonly put: (key: string, value: ArrayBuffer) => Promise<void>;
}

/** Writes the blocks that the local KV does not hold yet. */
export async function seedLocalKv(root: string, store: GenerationStore): Promise<SeedReport> {
  Object.assign(process.env, QUIET_ENVIRONMENT);
  const proxy = await getPlatformProxy<{ CAPSULES: SeededNamespace }>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(root, LOCAL_STATE, 'v3') },
  });
  try {
    const namespace = proxy.env.CAPSULES;
    const present = await listKeys(namespace);
    const needed = await store.neededBlocks();
    let written = 0;
    for (const sha256 of needed) {
      if (present.has(blockKey(sha256))) continue;
      const bytes = await store.block(sha256);
      if (bytes === undefined) continue;
      await namespace.put(blockKey(sha256), bytes.buffer as ArrayBuffer);
      written += 1;
    }
    return { written, total: needed.length };
  } finally {
    await proxy.dispose();
  }
}

async function listKeys(namespace: SeededNamespace): Promise<Set<string>> {
  const keys = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await namespace.list({ prefix: blockKey(''), ...(cursor === undefined ? {} : { cursor }) });
    for (const { name } of page.keys) keys.add(name);
    if (page.list_complete || page.cursor === undefined) return keys;
    cursor = page.cursor;
  }
}

/** Brings the local D1 up to the newest migration; what it holds is kept. */
export async function migrateLocalD1(root: string): Promise<void> {
  const outcome = await runNode([wranglerProgram(root), 'd1', 'migrations', 'apply', 'STATE', '--local', '--persist-to', LOCAL_STATE], {
    cwd: root,
    env: { CI: '1' },
  });
  if (outcome.exitCode !== 0) throw new Error(`the local database could not be migrated:\n${outcome.output}`);
}

/** Makes sure that `.dev.vars` holds a signing secret of this machine's own. */
export async function ensureLocalSecret(root: string): Promise<void> {
  const path = join(root, '.dev.vars');
  const present = await readFile(path, 'utf8').catch(() => '');
  if (/^SIGNING_SECRETS=/m.test(present)) return;
  const line = `SIGNING_SECRETS=1:${randomBytes(32).toString('base64url')}\n`;
  if (present === '') await writeFile(path, `# Secrets of this machine, made by npm start. Not committed.\n${line}`, { mode: 0o600 });
  else await appendFile(path, `${present.endsWith('\n') ? '' : '\n'}${line}`);
}

/** Path of wrangler's program, to be run with this Node. */
export function wranglerProgram(root: string): string {
  return join(root, 'node_modules/wrangler/bin/wrangler.js');
}

/** Whether a file or folder is there. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
