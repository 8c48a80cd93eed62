import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { parseWranglerOutput, readFromWrangler, runWrangler } from '../run-process.ts';

/** What a block holds: a kind of content of a generation, a list of pages, or the manifest. */
export const BlockKind = z.enum([
  'index',
  'documents',
  'history',
  'lineages',
  'relatives',
  'changes',
  'texts',
  'articles',
  'facets',
  'entries',
  'site_index',
  'site_texts',
  'files',
  'lists',
  'manifest',
]);
export type BlockKind = z.infer<typeof BlockKind>;

export interface NeededBlock {
  readonly sha256: string;
  readonly kind: BlockKind;
  readonly bytes: number;
}

/** KV metadata of a key, at most 1,024 bytes of JSON: it tells which keys are manifests, and their age, without reading a value. */
export const BlockNote = z.object({ kind: BlockKind, bytes: z.int().min(0), written: z.iso.datetime() });
export type BlockNote = z.infer<typeof BlockNote>;

/** A block that a namespace holds; without a note if something other than publishing wrote it. */
export interface HeldBlock {
  readonly sha256: string;
  readonly note: BlockNote | undefined;
}

export interface WrittenBlock {
  readonly sha256: string;
  readonly value: Uint8Array;
  readonly note: BlockNote;
}

/** The KV namespace of blocks, at Cloudflare or simulated on this machine. */
export interface BlockNamespace {
  readonly list: () => Promise<HeldBlock[]>;
  /** The blocks of UTF-8 text among `digests` that it holds. */
  readonly read: (digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  readonly write: (blocks: readonly WrittenBlock[]) => Promise<void>;
  readonly remove: (digests: readonly string[]) => Promise<void>;
}

export function readNote(metadata: unknown): BlockNote | undefined {
  return BlockNote.safeParse(metadata).data;
}

/** Manifests in a namespace, the last published first. */
export function heldManifests(held: readonly HeldBlock[]): { readonly sha256: string; readonly written: string }[] {
  return held
    .flatMap(({ sha256, note }) => (note?.kind === 'manifest' ? [{ sha256, written: note.written }] : []))
    .sort((a, b) => (a.written === b.written ? (a.sha256 < b.sha256 ? -1 : 1) : a.written < b.written ? 1 : -1));
}

/** Most keys of one bulk read (developers.cloudflare.com/api, "Get multiple key-value pairs"). */
const BULK_READ_KEYS = 100;

/** A namespace at Cloudflare, which gives blocks that are no text one by one. */
export interface RemoteNamespace extends BlockNamespace {
  readonly readBytes: (sha256: string) => Promise<Uint8Array>;
}

/**
 * The KV namespace CAPSULES at Cloudflare, through the commands of wrangler.
 *
 * @param place Options that tell wrangler which namespace of that name to use.
 */
export function remoteNamespace(root: string, place: readonly string[] = ['--remote']): RemoteNamespace {
  const binding = ['--binding', 'CAPSULES', ...place];
  const kv = (args: readonly string[]): Promise<string> => runWrangler(root, ['kv', ...args, ...binding]);
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
    readBytes: (sha256) => readFromWrangler(root, ['kv', 'key', 'get', blockKey(sha256), ...binding]),
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
