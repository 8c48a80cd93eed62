import * as z from 'zod';

/** What a block holds: one of the kinds of content of a generation, or its manifest. */
export const BlockKind = z.enum(['index', 'documents', 'history', 'lineages', 'relatives', 'changes', 'texts', 'files', 'manifest']);
export type BlockKind = z.infer<typeof BlockKind>;

/** A block that a generation consists of. */
export interface NeededBlock {
  readonly sha256: string;
  readonly kind: BlockKind;
  /** Length in bytes. */
  readonly bytes: number;
}

/**
 * What publishing notes beside each key (KV metadata, at most 1,024 bytes of JSON): a list of keys then says without reading a
 * value which of them are manifests, and how old each is.
 */
export const BlockNote = z.object({ kind: BlockKind, bytes: z.int().min(0), written: z.iso.datetime() });
export type BlockNote = z.infer<typeof BlockNote>;

/** A block that a namespace holds; without a note if something else than publishing wrote it. */
export interface HeldBlock {
  readonly sha256: string;
  readonly note: BlockNote | undefined;
}

/** A block to be written. */
export interface WrittenBlock {
  readonly sha256: string;
  readonly value: Uint8Array;
  readonly note: BlockNote;
}

/** The KV namespace of blocks, as publishing sees it: at Cloudflare, or simulated on this machine. */
export interface BlockNamespace {
  /** Every block that it holds. */
  readonly list: () => Promise<HeldBlock[]>;
  /** Bytes of those blocks of UTF-8 text that it holds, by their digests. */
  readonly read: (digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Writes blocks in the order given. */
  readonly write: (blocks: readonly WrittenBlock[]) => Promise<void>;
  readonly remove: (digests: readonly string[]) => Promise<void>;
}

/** The note beside a key, if publishing wrote it. */
export function readNote(metadata: unknown): BlockNote | undefined {
  const parsed = BlockNote.safeParse(metadata);
  return parsed.success ? parsed.data : undefined;
}
