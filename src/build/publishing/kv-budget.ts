import type { BlockKind, NeededBlock } from './block-namespace.ts';

/** What the free plan gives in Workers KV (developers.cloudflare.com/kv/platform/limits and /pricing). */
export const FREE_PLAN = {
  /** Keys that may be written in a day; days begin at 00:00 UTC. */
  writesADay: 1_000,
  /** Keys that may be deleted in a day. */
  deletesADay: 1_000,
  /** Bytes of an account's namespaces together. */
  storageBytes: 1_000_000_000,
} as const;

/** Longest value of a key in bytes, on every plan. */
export const MAX_VALUE_BYTES = 25 * 1024 * 1024;

const KIND_NAMES: Readonly<Record<BlockKind, string>> = {
  index: 'index',
  documents: 'documents',
  history: 'history',
  lineages: 'lineages',
  relatives: 'relatives',
  changes: 'changes',
  texts: 'paid texts',
  files: 'delivered files',
  manifest: 'manifests',
};

/** A number of bytes in words, such as `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}

/** How many blocks of which kind, such as `7 keys (index 1, documents 2, …), 1.2 MB`. */
export function describeBlocks(blocks: readonly Pick<NeededBlock, 'kind' | 'bytes'>[]): string {
  const kinds = Object.entries(KIND_NAMES).flatMap(([kind, name]) => {
    const count = blocks.filter((block) => block.kind === kind).length;
    return count === 0 ? [] : [`${name} ${count}`];
  });
  const bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
  return `${blocks.length} keys${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}, ${formatBytes(bytes)}`;
}

/** A share of a limit, such as `12 of 1,000 (1 %)`. */
export function describeShare(
  used: number,
  limit: number,
  format: (value: number) => string = (value) => value.toLocaleString('en'),
): string {
  return `${format(used)} of ${format(limit)} (${Math.ceil((used / limit) * 100)} %)`;
}
