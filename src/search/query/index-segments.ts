import type { SearchBudget } from '../format/index-head.ts';
import type { IndexedTerm, IndexReader } from './index-reader.ts';

/** Documents of all segments: indexes that are searched together, as Lucene searches the segments of one index. */
export function countDocuments(segments: readonly IndexReader[]): number {
  return segments.reduce((sum, { head }) => sum + head.documents, 0);
}

/**
 * Looks terms up in one of several segments, with document frequencies over all of them. A term that only other segments have has no
 * postings here, and is known nevertheless: see {@link isElsewhere}.
 */
export async function lookUpAcross(
  reader: IndexReader,
  segments: readonly IndexReader[],
  terms: Iterable<string>,
  budget: SearchBudget,
): Promise<Map<string, IndexedTerm>> {
  const all = [...terms];
  const others = segments.filter((segment) => segment !== reader);
  const [here, ...elsewhere] = await Promise.all([
    reader.lookUp(all, budget),
    ...others.map((segment) => segment.lookUp(all, segment.head.budget)),
  ]);
  for (const found of elsewhere) {
    for (const [term, { hash, documentFrequency }] of found) {
      const { parts = [], isWhole = true, documentFrequency: counted = 0 } = here.get(term) ?? {};
      here.set(term, { hash, documentFrequency: counted + documentFrequency, parts, isWhole });
    }
  }
  return here;
}

/** Whether a known term has no postings in the index itself, but in another segment. */
export function isElsewhere({ parts, isWhole }: IndexedTerm): boolean {
  return parts.length === 0 && isWhole;
}
