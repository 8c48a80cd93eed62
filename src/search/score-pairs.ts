import { inverseDocumentFrequency, saturate } from './bm25.ts';
import type { CollectionStatistics } from './collection-statistics.ts';
import { PAIR_SCORE_WEIGHT } from './constants.ts';
import type { PostingList } from './postings.ts';

/**
 * Adds to `scores`, one a document, what it is worth that two terms stand next to each other in this order. The pair is
 * treated as a term of its own, in whichever field it is.
 */
export function scorePair(
  first: PostingList,
  second: PostingList,
  weight: number,
  { pairScales }: CollectionStatistics,
  scores: Float64Array,
): void {
  const frequencies = pairFrequencies(first, second);
  const worth = PAIR_SCORE_WEIGHT * weight * inverseDocumentFrequency(scores.length, frequencies.length);
  for (const [documentNumber, frequency] of frequencies) {
    const value = saturate(frequency * (pairScales[documentNumber] as number));
    scores[documentNumber] = (scores[documentNumber] as number) + worth * value;
  }
}

/** Document number and frequency of each document that has the pair. */
function pairFrequencies(first: PostingList, second: PostingList): [number, number][] {
  const found: [number, number][] = [];
  let a = 0;
  let b = 0;
  while (a < first.documentNumbers.length && b < second.documentNumbers.length) {
    const documentNumber = first.documentNumbers[a] as number;
    const other = second.documentNumbers[b] as number;
    if (documentNumber < other) a++;
    else if (documentNumber > other) b++;
    else {
      const frequency = countNeighbours(first, a++, second, b++);
      if (frequency > 0) found.push([documentNumber, frequency]);
    }
  }
  return found;
}

function countNeighbours(first: PostingList, a: number, second: PostingList, b: number): number {
  let count = 0;
  let at = second.positionStarts[b] as number;
  const end = second.positionStarts[b + 1] as number;
  for (let from = first.positionStarts[a] as number; from < (first.positionStarts[a + 1] as number); from++) {
    const wanted = (first.positions[from] as number) + 1;
    while (at < end && (second.positions[at] as number) < wanted) at++;
    if (at < end && second.positions[at] === wanted) count++;
  }
  return count;
}
