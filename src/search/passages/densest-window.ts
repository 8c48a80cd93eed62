import type { PassageRegion } from './markdown-blocks.ts';
import type { Hit } from './text-occurrences.ts';

/** A start of a passage, and the contents of the passage from there. */
export interface PassageWindow {
  readonly region: PassageRegion;
  readonly start: number;
  /** End of the word that completes its distinct terms. */
  readonly keepEnd: number;
  /** Number of distinct terms of the query, and of all occurrences. */
  readonly distinct: number;
  readonly occurrences: number;
  /** Position of its first hit among those of the region. */
  readonly firstHit: number;
  /** 2 for the start of a block, 1 of a sentence or line, 0 of a word. */
  readonly startRank: number;
}

/**
 * The best window of at most `maxLength`: most distinct terms; then the start of a sentence or block; then most occurrences; then the start
 * of a block; then the first, which starts as late as possible without losing its first hit. `undefined` if no hit fits.
 *
 * @param regionHits Those in the region, ascending by their words.
 * @param leastDistinct A region with fewer distinct terms is skipped.
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
  // Starts and hits both ascend; of a start and a hit at one offset the start is better.
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

/** Frequencies of terms in a window that moves over some hits. */
class TermCounts {
  /** Distinct terms of all the hits. */
  readonly terms: number;
  /** Distinct terms of the window. */
  distinct = 0;
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

function endOfDistinct(regionHits: readonly Hit[], { firstHit, distinct }: Pick<PassageWindow, 'firstHit' | 'distinct'>): number {
  const seen = new Set<number>();
  for (let at = firstHit; ; at++) {
    const { term, wordEnd } = regionHits[at];
    seen.add(term);
    if (seen.size === distinct) return wordEnd;
  }
}

type WindowRank = Pick<PassageWindow, 'distinct' | 'startRank' | 'occurrences'>;

/** Negative if `a` is better, zero if both are equal. */
export function compareWindows(a: WindowRank, b: WindowRank): number {
  return (
    b.distinct - a.distinct ||
    Math.min(b.startRank, 1) - Math.min(a.startRank, 1) ||
    b.occurrences - a.occurrences ||
    b.startRank - a.startRank
  );
}
