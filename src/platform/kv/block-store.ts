import type { BlockStore } from '../../gateway/ports.ts';
import { blockKey } from './keys.ts';

/** How long a location may keep a block: blocks never change, so a day; the least that KV allows is 30 seconds. */
const CACHE_TTL_SECONDS = 86_400;

/** Blocks in Workers KV. */
export function kvBlockStore(namespace: KVNamespace): BlockStore {
  return {
    read: async (sha256) => {
      const value = await namespace.get(blockKey(sha256), { type: 'arrayBuffer', cacheTtl: CACHE_TTL_SECONDS });
      return value === null ? undefined : new Uint8Array(value);
    },
  };
}
