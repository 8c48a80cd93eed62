import * as z from 'zod';
import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { UserError } from '../../publication/content-problem.ts';
import { cloudflareApi } from '../cloudflare-api.ts';
import { readWranglerSettings } from '../wrangler-settings.ts';

/** What a block holds, and how people call it: a kind of content of a generation, a list of pages, or the manifest. */
export const BLOCK_KINDS = {
  index: 'index',
  documents: 'documents',
  history: 'history',
  lineages: 'lineages',
  relatives: 'relatives',
  changes: 'changes',
  texts: 'paid texts',
  articles: 'articles',
  facets: 'facets of capsules',
  entries: 'lists of capsules',
  site_index: 'index of guides, offers and errors',
  site_texts: 'guides, offers and errors',
  files: 'delivered files',
  lists: 'lists of pages',
  manifest: 'manifests',
} as const;
export type BlockKind = keyof typeof BLOCK_KINDS;
export const BlockKind = z.enum(Object.keys(BLOCK_KINDS) as BlockKind[]);

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

/** Most keys of one bulk read, bulk write and bulk delete (developers.cloudflare.com/api, "Get multiple key-value pairs"; /kv/platform/limits). */
const BULK_READ_KEYS = 100;
const BULK_WRITE_KEYS = 10_000;

export type RemoteNamespace = ReturnType<typeof remoteNamespace>;

const KeyList = z.array(z.object({ name: z.string(), metadata: z.unknown().optional() }));
const Values = z.object({ values: z.record(z.string(), z.union([z.string(), z.null()])) });
const BulkResult = z.object({ unsuccessful_keys: z.array(z.string()).default([]) }).nullish();

/** The KV namespace CAPSULES at Cloudflare, whose id wrangler.toml has. It gives blocks that are no text one by one. */
export function remoteNamespace(root: string) {
  const api = cloudflareApi(root);
  const at = async (path: string): Promise<string> => `/storage/kv/namespaces/${(await readWranglerSettings(root)).namespaceId}${path}`;
  const change = async (method: 'POST' | 'PUT', path: string, entries: readonly unknown[]): Promise<void> => {
    for (let from = 0; from < entries.length; from += BULK_WRITE_KEYS) {
      const body = entries.slice(from, from + BULK_WRITE_KEYS);
      const failed = BulkResult.parse(await api.request(await at(path), { method, body }))?.unsuccessful_keys ?? [];
      if (failed.length > 0)
        throw new UserError(`Cloudflare did not change ${failed.length} of ${body.length} keys: run the command again`);
    }
  };
  return {
    list: async () => {
      const keys = KeyList.parse(await api.list(await at(`/keys?prefix=${encodeURIComponent(blockKey(''))}`)));
      return keys.map(({ name, metadata }) => ({ sha256: blockDigest(name), note: readNote(metadata) }));
    },
    read: async (digests) => {
      const blocks = new Map<string, Uint8Array>();
      for (let from = 0; from < digests.length; from += BULK_READ_KEYS) {
        const batch = digests.slice(from, from + BULK_READ_KEYS);
        const body = { keys: batch.map(blockKey), type: 'text' };
        const { values } = Values.parse(await api.request(await at('/bulk/get'), { method: 'POST', body }));
        for (const sha256 of batch) {
          const value = values[blockKey(sha256)];
          if (typeof value === 'string') blocks.set(sha256, new TextEncoder().encode(value));
        }
      }
      return blocks;
    },
    readBytes: async (sha256: string): Promise<Uint8Array> => api.readBytes(await at(`/values/${encodeURIComponent(blockKey(sha256))}`)),
    write: async (blocks) => {
      const pairs = blocks.map(({ sha256, value, note }) => ({
        key: blockKey(sha256),
        value: Buffer.from(value).toString('base64'),
        base64: true,
        metadata: note,
      }));
      await change('PUT', '/bulk', pairs);
    },
    remove: async (digests) => change('POST', '/bulk/delete', digests.map(blockKey)),
  } satisfies BlockNamespace & Readonly<Record<'readBytes', unknown>>;
}
