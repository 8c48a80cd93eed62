import type { BlockStore, Timers } from '../gateway/platform-ports.ts';
import type { BlockReference } from '../schemas/knowledge/generation-manifest.ts';
import { blockPath } from '../schemas/paths.ts';
import { withinDeadline } from './clock-and-deadlines.ts';
import { FILES_DEADLINE_MS } from './environment.ts';

/** With parsed records (some 14 MB), code, scores and one response in progress an isolate takes less than 80 of its 128 MB. */
export const BLOCK_CACHE_BYTES = 52 * 1024 * 1024;

const KEY_PREFIX = 'b/';

/** Key of a block in KV. Publishing lists and deletes only keys with this prefix. */
export function blockKey(sha256: string): string {
  return `${KEY_PREFIX}${sha256}`;
}

export function signatureDirectoryKey(address: string): string {
  return `signature-directory/${address}`;
}

export function blockDigest(key: string): string {
  return key.slice(KEY_PREFIX.length);
}

/** How long a location may cache a block. Blocks never change. */
const CACHE_TTL_SECONDS = 86_400;

/** The minimum of KV. A miss is cached for a day as well, so a missing block is read again with this TTL, which bypasses the cached miss. */
const MISSING_TTL_SECONDS = 30;

/** Keys of one bulk read (developers.cloudflare.com/kv/api/read-key-value-pairs). */
const BULK_MAX_KEYS = 100;

/** Bytes of one bulk read: the limit of KV is 25 MiB, keys included. */
const BULK_MAX_BYTES = 24 * 1024 * 1024;

export interface BlockReads {
  get(key: string, options: { type: 'arrayBuffer'; cacheTtl: number }): Promise<ArrayBuffer | null>;
  get(keys: string[], options: { type: 'text'; cacheTtl: number }): Promise<Map<string, string | null>>;
}

export function kvBlockStore(namespace: BlockReads): BlockStore {
  const read: BlockStore['read'] = async (sha256) => {
    const get = (cacheTtl: number) => namespace.get(blockKey(sha256), { type: 'arrayBuffer', cacheTtl });
    const value = (await get(CACHE_TTL_SECONDS)) ?? (await get(MISSING_TTL_SECONDS));
    return value === null ? undefined : new Uint8Array(value);
  };
  const readTexts = async (digests: readonly string[], cacheTtl: number): Promise<(readonly [string, Uint8Array])[]> => {
    if (digests.length === 0) return [];
    // A bulk read returns text: bytes that are not UTF-8 are changed, which their digest reveals.
    const found = await namespace.get(digests.map(blockKey), { type: 'text', cacheTtl });
    return digests.flatMap((sha256) => {
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
    const digests = batch.map(({ sha256 }) => sha256);
    const found = await readTexts(digests, CACHE_TTL_SECONDS);
    const known = new Map(found);
    const missing = digests.filter((sha256) => !known.has(sha256));
    return [...found, ...(await readTexts(missing, MISSING_TTL_SECONDS))];
  };
  return {
    read,
    readMany: async (references) => new Map((await Promise.all(inBatches(references).map(readBatch))).flat()),
  };
}

function inBatches(references: readonly BlockReference[]): BlockReference[][] {
  const batches: BlockReference[][] = [];
  let bytes = 0;
  for (const reference of references) {
    const last = batches.at(-1);
    bytes += reference.bytes;
    if (last !== undefined && last.length < BULK_MAX_KEYS && bytes <= BULK_MAX_BYTES) last.push(reference);
    else {
      batches.push([reference]);
      bytes = reference.bytes;
    }
  }
  return batches;
}

/** Host of requests to the binding, which reads only the path. */
const ANY_HOST = 'https://assets.local';

export function assetBlockStore(assets: Fetcher, timers: Timers): BlockStore {
  return {
    read: async (sha256) => {
      const response = await assets.fetch(`${ANY_HOST}${blockPath(sha256)}`);
      if (response.status === 200)
        return new Uint8Array(await withinDeadline(() => response.arrayBuffer(), FILES_DEADLINE_MS, 'the bytes of a block', timers));
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw new Error(`the file of a block returned ${response.status}`);
    },
  };
}
