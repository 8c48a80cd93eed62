import type { PassageRegion } from './markdown-blocks.ts';
import type { Hit } from './text-occurrences.ts';

/** A place to begin a passage and what a passage from there holds. */
export interface PassageWindow {
  readonly region: PassageRegion;
  readonly start: number;
  /** The end of the first word at which it holds all of its distinct terms. */
  readonly keepEnd: number;
  /** Distinct terms of the query, then all occurrences of them. */
  readonly distinct: number;
  readonly occurrences: number;
  /** The position among the hits of the region of the first that it holds. */
  readonly firstHit: number;
  /** 2 for the beginning of a block, 1 of a sentence or line, 0 of a word. */
  readonly startRank: number;
}

/**
 * The best window of at most `maxLength`: with the most distinct terms; among equals one that begins a sentence or block; then with the
 * most occurrences; then one that begins a block; then the first, begun as late as possible without losing its first hit.
 *
 * @param regionHits Those in the region, ascending by the words that they are in.
 * @param leastDistinct A region with fewer distinct terms is not searched.
 * @returns Nothing if no hit is in the region or fits into the length, or the region has too few.
 */
export function densestWindow(
  region: PassageRegion,
  regionHits: readonly Hit[],
  maxLength: number,
  leastDistinct = 0,
): PassageWindow | undefined {
  const { starts } = region;
  const counts = new TermCounts(regionHits);
  if (counts.terms < leastDistinct) return undefined;
  let best: Omit<PassageWindow, 'region' | 'keepEnd'> | undefined;
  let first = 0;
  let next = 0;
  // Starts and hits both ascend; where both are, the start is the better one of two equal windows.
  for (let atStart = 0, atHit = 0; atStart < starts.length || atHit < regionHits.length; ) {
    const hitAt = regionHits[atHit]?.wordStart ?? Number.POSITIVE_INFINITY;
    const startAt = starts[atStart]?.offset ?? Number.POSITIVE_INFINITY;
    const start = Math.min(startAt, hitAt);
    const startRank = startAt > hitAt ? 0 : starts[atStart].opensBlock ? 2 : 1;
    if (startAt > hitAt) atHit += 1;
    else atStart += 1;
    for (; next < regionHits.length && regionHits[next].wordEnd <= start + maxLength; next++) counts.add(regionHits[next]);
    for (; first < next && regionHits[first].wordStart < start; first++) counts.remove(regionHits[first]);
    if (first === next) continue;
    const { distinct } = counts;
    if (best !== undefined && distinct < best.distinct) continue;
    const window = { start, distinct, occurrences: next - first, firstHit: first, startRank };
    const order = best === undefined ? -1 : compareWindows(window, best);
    if (order < 0 || (order === 0 && best?.firstHit === first)) best = window;
  }
  return best && { region, ...best, keepEnd: endOfDistinct(regionHits, best) };
}

/** How often each term occurs in a window that moves over some hits. */
class TermCounts {
  /** Distinct terms of all the hits. */
  readonly terms: number;
  /** Distinct terms of the window. */
  distinct = 0;
  /** By term; empty where a term has no hit. */
  readonly #counts: number[] = [];

  constructor(hits: readonly Hit[]) {
    for (const { term } of hits) this.#counts[term] = 0;
    this.terms = this.#counts.filter((count) => count === 0).length;
  }

  add({ term }: Hit): void {
    if (this.#counts[term] === 0) this.distinct += 1;
    this.#counts[term] += 1;
  }

  remove({ term }: Hit): void {
    this.#counts[term] -= 1;
    if (this.#counts[term] === 0) this.distinct -= 1;
  }
}

// What comes after it adds no term, so that a passage may end with the sentence instead.
function endOfDistinct(regionHits: readonly Hit[], { firstHit, distinct }: Pick<PassageWindow, 'firstHit' | 'distinct'>): number {
  const seen = new Set<number>();
  for (let at = firstHit; ; at++) {
    const { term, wordEnd } = regionHits[at];
    seen.add(term);
    if (seen.size === distinct) return wordEnd;
  }
}

type WindowRank = Pick<PassageWindow, 'distinct' | 'startRank' | 'occurrences'>;

/** Negative if `a` is better, zero if they are equally good. */
export function compareWindows(a: WindowRank, b: WindowRank): number {
  return (
    b.distinct - a.distinct ||
    Math.min(b.startRank, 1) - Math.min(a.startRank, 1) ||
    b.occurrences - a.occurrences ||
    b.startRank - a.startRank
  );
}
