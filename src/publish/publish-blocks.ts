import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockKey } from '../platform/kv/keys.ts';
import type { GenerationStore } from './generation-store.ts';
import { LOCAL_STATE, type SeedReport, wranglerProgram } from './local-stores.ts';
import { runNode } from './run-process.ts';

/** Keys that the free plan lets a namespace write in a day (Cloudflare's published limits for Workers KV). */
const FREE_PLAN_WRITES_A_DAY = 1_000;

/** Where blocks are written: the namespace of wrangler.toml at Cloudflare, or its local simulator. */
export type PublishTarget = 'remote' | 'local';

/**
 * Writes the blocks that the namespace does not hold yet, with wrangler's own commands. Nothing is deployed by this, so that
 * readers see the new generation only when the functions that carry its manifest are deployed afterwards.
 */
export async function publishBlocks(
  root: string,
  store: GenerationStore,
  target: PublishTarget,
  report: (line: string) => void,
): Promise<SeedReport> {
  const place = target === 'remote' ? ['--remote'] : ['--local', '--persist-to', LOCAL_STATE];
  const listed = await wrangler(root, ['kv', 'key', 'list', '--binding', 'CAPSULES', '--prefix', blockKey(''), ...place]);
  const present = new Set((JSON.parse(listed) as { name: string }[]).map(({ name }) => name));
  const needed = await store.neededBlocks();
  const missing = needed.filter((sha256) => !present.has(blockKey(sha256)));
  report(`KV: ${missing.length} of ${needed.length} keys to write; the free plan writes ${FREE_PLAN_WRITES_A_DAY} a day`);
  if (missing.length > 0) {
    const pairs = await Promise.all(
      missing.map(async (sha256) => ({
        key: blockKey(sha256),
        value: Buffer.from((await store.block(sha256)) ?? []).toString('base64'),
        base64: true,
      })),
    );
    const folder = await mkdtemp(join(tmpdir(), 'akg-blocks-'));
    try {
      const file = join(folder, 'blocks.json');
      await writeFile(file, JSON.stringify(pairs));
      await wrangler(root, ['kv', 'bulk', 'put', file, '--binding', 'CAPSULES', ...place]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  return { written: missing.length, total: needed.length };
}

async function wrangler(root: string, args: readonly string[]): Promise<string> {
  const outcome = await runNode([wranglerProgram(root), ...args], { cwd: root, env: { CI: '1' } });
  if (outcome.exitCode !== 0) throw new Error(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${outcome.output}`);
  return outcome.output.slice(Math.max(0, outcome.output.indexOf('[')));
}
