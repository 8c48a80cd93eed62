import * as z from 'zod';
import { Id, Sha256Hex, Version } from '../primitives.ts';
import { Capsule, CapsuleMetadata } from './capsule.ts';
import { LogPosition } from './changes.ts';

/** Version of the layout of a generation's blocks; raised when an older reader could not read them. */
export const GENERATION_FORMAT = 3;

/** A block in KV: its digest is its name. */
export const BlockReference = z.object({ sha256: Sha256Hex, bytes: z.int().min(0) });
export type BlockReference = z.infer<typeof BlockReference>;

/** A page of documents: consecutive ids from `first` on. */
export const DocumentPageReference = BlockReference.extend({ first: Id, documents: z.int().min(1) });
export type DocumentPageReference = z.infer<typeof DocumentPageReference>;

/** A page of the log of changes: `events` of them after the first `start`. */
export const ChangePageReference = BlockReference.extend({ start: z.int().min(0), events: z.int().min(1) });
export type ChangePageReference = z.infer<typeof ChangePageReference>;

/** Block of the index, number of the section in it, number of blocks. */
const SectionReference = z.tuple([z.int().min(0), z.int().min(0), z.int().min(0)]);

/** Where the parts of the search index are in `blocks.index`; `IndexHead` of the search index says what each is. */
const SearchIndexHead = z.object({
  format: z.int(),
  analyser: z.string(),
  documents: z.int().min(0),
  budget: z.object({ blocksMax: z.int().min(1).nullable(), partsMax: z.int().min(1).nullable(), postingsMax: z.int().min(1) }),
  readings: z.array(z.string()),
  blocks: z.int().min(1),
  /** Of each block; indexes before format 3 have none. */
  tables: z.array(Sha256Hex).optional(),
  shardBits: z.int().min(0).max(16),
  shards: z.array(SectionReference).min(1),
  heavy: z.array(z.int().min(0)),
  tiers: SectionReference.nullable(),
  neighbours: SectionReference.nullable(),
  columns: SectionReference.nullable(),
  spelling: SectionReference.nullable(),
});

/**
 * A generation of the corpus: names every block that belongs to it, and the generations before it that still answer.
 * Its own digest is the corpus version.
 */
export const GenerationManifest = z.object({
  format: z.literal(GENERATION_FORMAT),
  ranking_version: z.int(),
  corpus_digest: Sha256Hex,
  updated: z.string(),
  counts: z.object({ capsules: z.int(), current: z.int(), superseded: z.int(), retracted: z.int(), versions: z.int() }),
  index: SearchIndexHead,
  blocks: z.object({
    /** Blocks of the search index, in the order in which its head counts them. */
    index: z.array(BlockReference).min(1),
    /** Pages of {@link StoredVersion}s, the newest of each capsule, ascending by id: the order of document numbers in the index. */
    documents: z.array(DocumentPageReference),
    /** Pages of earlier {@link StoredVersion}s, an array for each capsule that has any, on the page that {@link pageOf} gives. */
    history: z.array(BlockReference),
    /** Pages of lineage documents without what the documents of other capsules say, by the same rule. A query needs none. */
    lineages: z.array(BlockReference),
    /** Pages of what a lineage shows of a graph beyond its first page, each under its name, by the same rule. */
    relatives: z.array(BlockReference),
    /** Pages of the log of changes, oldest first. */
    changes: z.array(ChangePageReference),
    /** Pages of the texts of paid capsules, {@link PaidText}s of all versions of each, by the same rule. Absent if there are none. */
    texts: z.array(BlockReference).optional(),
    /** Files that orders are given, each by itself. Absent if there are none. */
    files: z.array(BlockReference).optional(),
  }),
  /** End of the log of changes. */
  changes: LogPosition,
  /** Digests of earlier manifests, newest first. */
  previous: z.array(Sha256Hex),
});
export type GenerationManifest = z.infer<typeof GenerationManifest>;

/** One version with its text, which is not there if it is sold: it is on a page of its own then. */
export const StoredVersion = z.object({ metadata: CapsuleMetadata, markdown: Capsule.shape.markdown.optional() });
export type StoredVersion = z.infer<typeof StoredVersion>;

/** The text of one version of a paid capsule. */
export const PaidText = z.object({ version: Version, markdown: z.string() });
export type PaidText = z.infer<typeof PaidText>;

/**
 * Page on which a capsule is kept. It depends on the id and the number of pages alone, so that a change of one capsule
 * changes one page.
 *
 * @see FNV-1a, 32 bit (draft-eastlake-fnv).
 */
export function pageOf(capsuleId: string, pages: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < capsuleId.length; index += 1) {
    hash = Math.imul(hash ^ capsuleId.charCodeAt(index), 0x01000193);
  }
  return ((hash ^ (hash >>> 16)) >>> 0) % pages;
}
