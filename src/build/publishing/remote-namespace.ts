import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { parseWranglerOutput, runWrangler } from '../run-process.ts';
import { type BlockNamespace, readNote } from './block-namespace.ts';

/** Most keys of one bulk read (developers.cloudflare.com/api, "Get multiple key-value pairs"). */
const BULK_READ_KEYS = 100;

/**
 * The KV namespace CAPSULES at Cloudflare, through the commands of wrangler.
 *
 * @param place Options that tell wrangler which namespace of that name to use.
 */
export function remoteNamespace(root: string, place: readonly string[] = ['--remote']): BlockNamespace {
  const kv = (args: readonly string[]): Promise<string> => runWrangler(root, ['kv', ...args, '--binding', 'CAPSULES', ...place]);
  return {
    list: async () => {
      const output = await kv(['key', 'list', '--prefix', blockKey('')]);
      const keys = parseWranglerOutput(output, '[', ']') as { name: string; metadata?: unknown }[];
      return keys.map(({ name, metadata }) => ({ sha256: blockDigest(name), note: readNote(metadata) }));
    },
    read: async (digests) => {
      const blocks = new Map<string, Uint8Array>();
      for (let from = 0; from < digests.length; from += BULK_READ_KEYS) {
        const batch = digests.slice(from, from + BULK_READ_KEYS);
        const output = await withFile(batch.map(blockKey), (file) => kv(['bulk', 'get', file]));
        const values = parseWranglerOutput(output, '{', '}') as Record<string, string | null | { value: string | null }>;
        for (const sha256 of batch) {
          const entry = values[blockKey(sha256)];
          const value = typeof entry === 'object' ? entry?.value : entry;
          if (typeof value === 'string') blocks.set(sha256, new TextEncoder().encode(value));
        }
      }
      return blocks;
    },
    write: async (blocks) => {
      const pairs = blocks.map(({ sha256, value, note }) => ({
        key: blockKey(sha256),
        value: Buffer.from(value).toString('base64'),
        base64: true,
        metadata: note,
      }));
      await withFile(pairs, (file) => kv(['bulk', 'put', file]));
    },
    remove: async (digests) => {
      await withFile(digests.map(blockKey), (file) => kv(['bulk', 'delete', file, '--force']));
    },
  };
}

/** Passes a value to a command as a temporary JSON file. */
async function withFile(value: unknown, use: (file: string) => Promise<string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-blocks-'));
  try {
    const file = join(folder, 'blocks.json');
    await writeFile(file, JSON.stringify(value));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
