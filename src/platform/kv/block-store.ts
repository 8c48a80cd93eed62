import type { BlockStore } from '../../gateway/ports.ts';
import type { BlockReference } from '../../schemas/knowledge/generation.ts';
import { blockKey } from './keys.ts';

/** How long a location may keep a block: blocks never change, so a day; the least that KV allows is 30 seconds. */
const CACHE_TTL_SECONDS = 86_400;

/**
 * How long a location may go on saying that there is no block: the least that KV allows. A read with {@link CACHE_TTL_SECONDS} also
 * keeps a "no" for a day, so whatever is not there is asked for again with this, which looks behind an older one
 * (developers.cloudflare.com/kv/api/read-key-value-pairs, cacheTtl).
 */
const MISSING_TTL_SECONDS = 30;

/** Keys that one bulk read takes (developers.cloudflare.com/kv/api/read-key-value-pairs). */
const BULK_MAX_KEYS = 100;

/** Bytes that one bulk read gives back: KV stops at 25 MiB with the names of the keys, so a little is left for those. */
const BULK_MAX_BYTES = 24 * 1024 * 1024;

/** The part of a KV namespace that blocks are read through. */
export interface BlockReads {
  get(key: string, options: { type: 'arrayBuffer'; cacheTtl: number }): Promise<ArrayBuffer | null>;
  get(keys: string[], options: { type: 'text'; cacheTtl: number }): Promise<Map<string, string | null>>;
}

/** Blocks in Workers KV. */
export function kvBlockStore(namespace: BlockReads): BlockStore {
  const read: BlockStore['read'] = async (sha256) => {
    const get = (cacheTtl: number) => namespace.get(blockKey(sha256), { type: 'arrayBuffer', cacheTtl });
    const value = (await get(CACHE_TTL_SECONDS)) ?? (await get(MISSING_TTL_SECONDS));
    return value === null ? undefined : new Uint8Array(value);
  };
  const readTexts = async (names: readonly string[], cacheTtl: number): Promise<(readonly [string, Uint8Array])[]> => {
    if (names.length === 0) return [];
    // A bulk read gives text only: bytes that are no UTF-8 come back changed, and their digest tells.
    const found = await namespace.get(names.map(blockKey), { type: 'text', cacheTtl });
    return names.flatMap((sha256) => {
      const text = found.get(blockKey(sha256));
      return typeof text === 'string' ? [[sha256, new TextEncoder().encode(text)] as const] : [];
    });
  };
  const readBatch = async (batch: readonly BlockReference[]): Promise<(readonly [string, Uint8Array])[]> => {
    const [first] = batch;
    if (first !== undefined && batch.length === 1) {
      const bytes = await read(first.sha256);
      return bytes === undefined ? [] : [[first.sha256, bytes]];
    }
    const names = batch.map(({ sha256 }) => sha256);
    const found = await readTexts(names, CACHE_TTL_SECONDS);
    const missing = names.filter((name) => found.every(([sha256]) => sha256 !== name));
    return [...found, ...(await readTexts(missing, MISSING_TTL_SECONDS))];
  };
  return {
    read,
    readMany: async (references) => new Map((await Promise.all(inBatches(references).map(readBatch))).flat()),
  };
}

/** Divides what is wanted into as few bulk reads as KV allows. */
function inBatches(references: readonly BlockReference[]): BlockReference[][] {
  const batches: BlockReference[][] = [];
  let batch: BlockReference[] = [];
  let bytes = 0;
  for (const reference of references) {
    if (batch.length === BULK_MAX_KEYS || (batch.length > 0 && bytes + reference.bytes > BULK_MAX_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(reference);
    bytes += reference.bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
