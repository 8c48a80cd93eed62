import type { SearchIndex } from './types.ts';

/** The number of a term of the index, or -1. */
export function findTerm({ terms }: SearchIndex, term: string): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = terms[middle] as string;
    if (candidate === term) return middle;
    if (candidate < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
