import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { blocksOf } from '../generation/generation-store.ts';
import type { HeldBlock, NeededBlock } from './block-namespace.ts';

/** Which blocks a namespace lacks. */
export interface WritePlan {
  /** Blocks of the newest generation and of those it lists. */
  readonly needed: readonly NeededBlock[];
  /** Those to write, in the order in which they are to be written: manifests last, and the newest last of them. */
  readonly missing: readonly NeededBlock[];
  /** How many of {@link missing} only earlier generations consist of: they were built here and never published. */
  readonly unpublished: number;
}

/**
 * Says which blocks of some generations a namespace lacks. The newest manifest is written again if another one was published after
 * it, because its note says since when it has been the newest.
 *
 * @param listed The newest generation first, with those that it lists.
 */
export function planWrites(listed: readonly DeployedGeneration[], held: readonly HeldBlock[]): WritePlan {
  const needed = new Map<string, NeededBlock>();
  const manifests: NeededBlock[] = [];
  for (const block of listed.flatMap(blocksOf)) {
    if (block.kind === 'manifest') manifests.unshift(block);
    else needed.set(block.sha256, block);
  }
  for (const manifest of manifests) needed.set(manifest.sha256, manifest);
  const present = new Set(held.map(({ sha256 }) => sha256));
  const [newest] = listed;
  if (newest !== undefined && newestManifest(held) !== newest.version) present.delete(newest.version);
  const missing = [...needed.values()].filter(({ sha256 }) => !present.has(sha256));
  const ofNewest = new Set(newest === undefined ? [] : blocksOf(newest).map(({ sha256 }) => sha256));
  return { needed: [...needed.values()], missing, unpublished: missing.filter(({ sha256 }) => !ofNewest.has(sha256)).length };
}

/** Manifests that a namespace holds, the one published last first. */
export function heldManifests(held: readonly HeldBlock[]): { readonly sha256: string; readonly written: string }[] {
  return held
    .flatMap(({ sha256, note }) => (note?.kind === 'manifest' ? [{ sha256, written: note.written }] : []))
    .sort((a, b) => (a.written === b.written ? (a.sha256 < b.sha256 ? -1 : 1) : a.written < b.written ? 1 : -1));
}

function newestManifest(held: readonly HeldBlock[]): string | undefined {
  return heldManifests(held)[0]?.sha256;
}
