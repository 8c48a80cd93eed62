import type { Hit } from './analysed-text.ts';
import type { PassageRegion } from './passage-stops.ts';

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
 * @returns Nothing if no hit is in the region or fits into the length.
 */
export function densestWindow(region: PassageRegion, regionHits: readonly Hit[], maxLength: number): PassageWindow | undefined {
  let best: PassageWindow | undefined;
  const counts = new Map<number, number>();
  let first = 0;
  let next = 0;
  for (const { offset: start, startRank } of candidates(region, regionHits)) {
    while (next < regionHits.length && (regionHits[next] as Hit).wordEnd <= start + maxLength) {
      const { term } = regionHits[next++] as Hit;
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    while (first < next && (regionHits[first] as Hit).wordStart < start) {
      const { term } = regionHits[first++] as Hit;
      const left = (counts.get(term) ?? 0) - 1;
      if (left > 0) counts.set(term, left);
      else counts.delete(term);
    }
    if (first === next) continue;
    const size = { distinct: counts.size, occurrences: next - first };
    const window = { region, start, keepEnd: 0, ...size, firstHit: first, startRank };
    const order = best === undefined ? -1 : compareWindows(window, best);
    if (order < 0 || (order === 0 && best?.firstHit === first)) best = window;
  }
  return best && { ...best, keepEnd: endOfDistinct(regionHits, best) };
}

// What comes after it says nothing new, so that a passage may end with the sentence instead.
function endOfDistinct(regionHits: readonly Hit[], { firstHit, distinct }: PassageWindow): number {
  const seen = new Set<number>();
  for (let at = firstHit; ; at++) {
    const { term, wordEnd } = regionHits[at] as Hit;
    seen.add(term);
    if (seen.size === distinct) return wordEnd;
  }
}

/** Negative if `a` is better, zero if they are equally good. */
export function compareWindows(a: PassageWindow, b: PassageWindow): number {
  return (
    b.distinct - a.distinct ||
    Math.min(b.startRank, 1) - Math.min(a.startRank, 1) ||
    b.occurrences - a.occurrences ||
    b.startRank - a.startRank
  );
}

function candidates(region: PassageRegion, hits: readonly Hit[]): { offset: number; startRank: number }[] {
  const places = region.starts.map(({ offset, opensBlock }) => ({ offset, startRank: opensBlock ? 2 : 1 }));
  for (const { wordStart } of hits) places.push({ offset: wordStart, startRank: 0 });
  return places.sort((a, b) => a.offset - b.offset || b.startRank - a.startRank);
}
