import * as z from 'zod';

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

/** A block of a generation. */
export interface NeededBlock {
  readonly sha256: string;
  readonly kind: BlockKind;
  /** Length in bytes. */
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

/** A block to write. */
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
  /** Writes blocks in order. */
  readonly write: (blocks: readonly WrittenBlock[]) => Promise<void>;
  readonly remove: (digests: readonly string[]) => Promise<void>;
}

/** The note beside a key, if publishing wrote it. */
export function readNote(metadata: unknown): BlockNote | undefined {
  return BlockNote.safeParse(metadata).data;
}
