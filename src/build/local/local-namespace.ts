import { blockDigest, blockKey } from '../../platform/block-stores.ts';
import { type BlockNamespace, type HeldBlock, readNote } from '../publishing/block-namespace.ts';
import { withLocalBindings } from './local-bindings.ts';

/** The part of a KV binding that is used here. */
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

/** Opens the namespace that wrangler simulates on this machine, and closes it when `use` has ended. */
export function withLocalNamespace<T>(root: string, use: (namespace: BlockNamespace) => Promise<T>): Promise<T> {
  return withLocalBindings(root, ({ CAPSULES }) => use(bindingNamespace(CAPSULES)));
}

/** A namespace through a KV binding. */
export function bindingNamespace(binding: KvBinding): BlockNamespace {
  return {
    list: () => listAll(binding),
    read: async (digests) => {
      const found = new Map<string, Uint8Array>();
      for (const sha256 of digests) {
        const value = await binding.get(blockKey(sha256), 'arrayBuffer');
        if (value !== null) found.set(sha256, new Uint8Array(value));
      }
      return found;
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
