import * as z from 'zod';
import { Capsule, CapsuleMetadata, CapsuleSummary } from './capsule.ts';
import { Sha256Hex } from './primitives.ts';

/** Version of the layout of a generation's blocks; raised when an older reader could not read them. */
export const GENERATION_FORMAT = 1;

/** A block in KV: its digest is its name. */
export const BlockReference = z.object({ sha256: Sha256Hex, bytes: z.int().min(0) });
export type BlockReference = z.infer<typeof BlockReference>;

/**
 * A generation of the corpus: names every block that belongs to it, and the generations before it that still answer.
 * Its own digest is the corpus version.
 */
export const GenerationManifest = z.object({
  format: z.literal(GENERATION_FORMAT),
  analyser: z.string(),
  index_format: z.int(),
  ranking_version: z.int(),
  corpus_digest: Sha256Hex,
  updated: z.string(),
  counts: z.object({ capsules: z.int(), current: z.int(), superseded: z.int(), retracted: z.int(), versions: z.int() }),
  blocks: z.object({
    /** Encoded search index. */
    index: BlockReference,
    /** {@link SummaryTable}. */
    summaries: BlockReference,
    /** {@link CapsulePage}s; a capsule is on the page that {@link pageOf} gives. */
    pages: z.array(BlockReference).min(1),
    /** {@link LineagePage}s, by the same rule. Apart, because a query needs texts and no lineage. */
    lineages: z.array(BlockReference).min(1),
  }),
  /** Digests of earlier manifests, newest first. */
  previous: z.array(Sha256Hex),
});
export type GenerationManifest = z.infer<typeof GenerationManifest>;

/** Short descriptions of all capsules, by ascending id, which is the order of document numbers in the index. */
export const SummaryTable = z.array(CapsuleSummary);
export type SummaryTable = z.infer<typeof SummaryTable>;

/** One version with its text. */
export const StoredVersion = z.object({ metadata: CapsuleMetadata, markdown: Capsule.shape.markdown });
export type StoredVersion = z.infer<typeof StoredVersion>;

/** Versions of the capsules of one page, by id, oldest first. */
export const CapsulePage = z.record(z.string(), z.array(StoredVersion).min(1));
export type CapsulePage = z.infer<typeof CapsulePage>;

/** Exact texts of the lineage documents of one page, by capsule id. */
export const LineagePage = z.record(z.string(), z.string());
export type LineagePage = z.infer<typeof LineagePage>;

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
