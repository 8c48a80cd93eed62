import type { Hit } from './analysed-text.ts';
import type { PassageRegion, PassageStart } from './passage-regions.ts';

/** A place to begin a passage and what a passage from there holds. */
export interface PassageWindow {
  readonly region: PassageRegion;
  readonly start: number;
  /** The end of the word by which it holds each of its different terms. */
  readonly keepEnd: number;
  /** Different terms of the query, then all occurrences of them. */
  readonly distinct: number;
  readonly occurrences: number;
  /** The position among the hits of the region of the first that it holds. */
  readonly firstHit: number;
  /** 2 for the beginning of a block, 1 of a sentence or line, 0 of a word. */
  readonly startRank: number;
}

/**
 * The window of at most `maxLength` that says most about a query: most different terms; of those with as many, one that
 * begins a sentence or block; then most occurrences; then one that begins a block; then the first, begun as late as it can
 * without losing its first hit.
 *
 * @param regionHits Those in the region, ascending by the words that they are in.
 * @param leastDistinct A region with fewer different terms is not searched.
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
    const startHere = starts[atStart];
    let start: number;
    let startRank = 0;
    if (startHere !== undefined && startHere.offset <= hitAt) {
      start = startHere.offset;
      startRank = rankOf(startHere);
      atStart += 1;
    } else {
      start = hitAt;
      atHit += 1;
    }
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

function rankOf({ opensBlock }: PassageStart): number {
  return opensBlock ? 2 : 1;
}

/** How often each term stands in a window that moves over some hits. */
class TermCounts {
  /** Different terms of all the hits. */
  readonly terms: number;
  /** Different terms of the window. */
  distinct = 0;
  /** By term. */
  readonly #counts: (number | undefined)[] = [];

  constructor(hits: readonly Hit[]) {
    let terms = 0;
    for (const { term } of hits) {
      if (this.#counts[term] === undefined) terms += 1;
      this.#counts[term] = 0;
    }
    this.terms = terms;
  }

  add({ term }: Hit): void {
    const count = this.#counts[term] ?? 0;
    if (count === 0) this.distinct += 1;
    this.#counts[term] = count + 1;
  }

  remove({ term }: Hit): void {
    const count = this.#counts[term] ?? 0;
    if (count === 1) this.distinct -= 1;
    this.#counts[term] = count - 1;
  }
}

// What comes after it says nothing new, so that a passage may end with the sentence instead.
function endOfDistinct(regionHits: readonly Hit[], { firstHit, distinct }: Pick<PassageWindow, 'firstHit' | 'distinct'>): number {
  const seen = new Set<number>();
  for (let at = firstHit; ; at++) {
    const { term, wordEnd } = regionHits[at];
    seen.add(term);
    if (seen.size === distinct) return wordEnd;
  }
}

/** Negative if `a` is better, zero if they are equally good. */
export function compareWindows(
  a: Pick<PassageWindow, 'distinct' | 'startRank' | 'occurrences'>,
  b: Pick<PassageWindow, 'distinct' | 'startRank' | 'occurrences'>,
): number {
  return (
    b.distinct - a.distinct ||
    Math.min(b.startRank, 1) - Math.min(a.startRank, 1) ||
    b.occurrences - a.occurrences ||
    b.startRank - a.startRank
  );
}
