import type { Kernel } from '../kernel/kernel.ts';

/** One document of a ranking. */
export interface RankedDocument {
  readonly number: number;
  readonly score: number;
  readonly tier: number;
}

/** Keeps of some documents those that are accepted, in their order and place. @returns How many they are. */
export function keepAccepted(documents: Uint32Array, accepts: (document: number) => boolean): number {
  let kept = 0;
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at];
    if (accepts(document)) documents[kept++] = document;
  }
  return kept;
}

/**
 * The first `wanted` of the first `count` documents that a kernel has found, by ascending tier, then descending score, then
 * ascending number.
 *
 * The cost grows with the number of documents, and little with how deep the page is.
 */
export function selectTop(kernel: Kernel, count: number, wanted: number, tiers: Uint8Array | undefined): RankedDocument[] {
  const { scores } = kernel;
  return Array.from(kernel.findStrongest(count, wanted, tiers), (number) => ({
    number,
    score: scores[number],
    tier: tiers?.[number] ?? 0,
  }));
}
