import type { HeldBlock, NeededBlock } from './block-namespace.ts';

/** Which blocks a namespace lacks. */
export interface WritePlan {
  /** Blocks of the newest generation and of those it lists. */
  readonly needed: readonly NeededBlock[];
  /** The blocks to write, in order: manifests last, the newest manifest last of all. */
  readonly missing: readonly NeededBlock[];
  /** Number of {@link missing} that only earlier generations need, which were built here and never published. */
  readonly unpublished: number;
}

/**
 * Finds the blocks of generations that a namespace lacks. The newest manifest is written again if another one was published after it,
 * because its note says since when it is the newest.
 *
 * @param listed The blocks of each generation, its manifest last: the newest generation first, then those that it lists.
 */
export function planWrites(listed: readonly (readonly NeededBlock[])[], held: readonly HeldBlock[]): WritePlan {
  const needed = new Map<string, NeededBlock>();
  const manifests: NeededBlock[] = [];
  for (const block of listed.flat()) {
    if (block.kind === 'manifest') manifests.unshift(block);
    else needed.set(block.sha256, block);
  }
  for (const manifest of manifests) needed.set(manifest.sha256, manifest);
  const present = new Set(held.map(({ sha256 }) => sha256));
  const [newest = []] = listed;
  const version = newest.at(-1)?.sha256;
  if (version !== undefined && heldManifests(held)[0]?.sha256 !== version) present.delete(version);
  const missing = [...needed.values()].filter(({ sha256 }) => !present.has(sha256));
  const ofNewest = new Set(newest.map(({ sha256 }) => sha256));
  return { needed: [...needed.values()], missing, unpublished: missing.filter(({ sha256 }) => !ofNewest.has(sha256)).length };
}

/** Manifests in a namespace, the last published first. */
export function heldManifests(held: readonly HeldBlock[]): { readonly sha256: string; readonly written: string }[] {
  return held
    .flatMap(({ sha256, note }) => (note?.kind === 'manifest' ? [{ sha256, written: note.written }] : []))
    .sort((a, b) => (a.written === b.written ? (a.sha256 < b.sha256 ? -1 : 1) : a.written < b.written ? 1 : -1));
}
