import { hashOfId } from '../../schemas/knowledge/generation.ts';
import { type AnalysedBatch, analyseBatch } from '../../search/build/analyse-batch.ts';
import type { SearchDocument } from '../../search/search-document.ts';

/** Consecutive documents with their analysis. */
interface AnalysedGroup {
  readonly documents: readonly SearchDocument[];
  readonly analysed: AnalysedBatch;
}

/** Average documents of a group: a change analyses as many, and each group costs the index a little. */
const GROUP_DOCUMENTS = 32;

/**
 * Analyses of documents in groups, kept for the next index of nearly the same documents. Where a group ends depends on an id alone, so an
 * added or removed document changes one group. The index has the same bytes as without it.
 */
export class AnalysisMemo {
  #groups = new Map<string, AnalysedGroup>();

  /** All documents in their order, analysed. Documents that are the same objects as in the call before are not analysed again. */
  analyse(documents: readonly SearchDocument[]): readonly AnalysedGroup[] {
    const groups = new Map<string, AnalysedGroup>();
    for (const group of inGroups(documents)) {
      const key = group[0]?.id ?? '';
      const known = this.#groups.get(key);
      groups.set(key, known && isSame(known.documents, group) ? known : { documents: group, analysed: analyseBatch(group) });
    }
    this.#groups = groups;
    return [...groups.values()];
  }
}

function inGroups(documents: readonly SearchDocument[]): SearchDocument[][] {
  const groups: SearchDocument[][] = [];
  let group: SearchDocument[] = [];
  for (const document of documents) {
    group.push(document);
    if (hashOfId(document.id) % GROUP_DOCUMENTS !== 0) continue;
    groups.push(group);
    group = [];
  }
  return group.length > 0 ? [...groups, group] : groups;
}

function isSame(one: readonly SearchDocument[], other: readonly SearchDocument[]): boolean {
  return one.length === other.length && one.every((document, index) => document === other[index]);
}
