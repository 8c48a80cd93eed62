import {
  EXPANSION_COMPARED_TERMS,
  EXPANSION_NEIGHBOURS,
  NEIGHBOUR_COMPARED_TERMS,
  NEIGHBOUR_SIMILARITY_MAX,
  NEIGHBOURS_MAX,
} from '../constants.ts';
import { concatenated } from './corpus-collector.ts';
import { type ExpandedDocuments, expandDocuments } from './expand-documents.ts';
import {
  type ComparedCorpus,
  type DocumentRange,
  type FoundDocuments,
  findSimilarDocuments,
  type SimilarDocuments,
} from './similar-documents.ts';

/** A corpus to refine: what takes most of the time of an index, and can be done for several ranges of documents at once. */
export interface RefinementTask extends ComparedCorpus {
  /** Whether documents are expanded with terms of similar ones. */
  readonly expansion: boolean;
  /** Whether neighbours are found that scores are rescored with. */
  readonly neighbours: boolean;
}

/** Consecutive documents with what was asked for. */
export interface RefinedDocuments {
  readonly expanded: ExpandedDocuments | undefined;
  readonly neighbours: FoundDocuments | undefined;
}

/** Expands the documents of a range and finds their neighbours. */
export function refineDocuments(task: RefinementTask, range: DocumentRange): RefinedDocuments {
  const ofExpansion = { terms: EXPANSION_COMPARED_TERMS, perDocument: EXPANSION_NEIGHBOURS, similarityMax: 1 };
  const ofNeighbours = { terms: NEIGHBOUR_COMPARED_TERMS, perDocument: NEIGHBOURS_MAX, similarityMax: NEIGHBOUR_SIMILARITY_MAX };
  const searches = [...(task.expansion ? [ofExpansion] : []), ...(task.neighbours ? [ofNeighbours] : [])];
  const found = findSimilarDocuments(task, searches, range);
  const [toExpand] = task.expansion ? found : [];
  return {
    expanded: toExpand && expandDocuments(task, toExpand.similar, range),
    neighbours: task.neighbours ? found.at(-1) : undefined,
  };
}

/** The neighbours of all documents from those of consecutive ranges. */
export function joinFound(parts: readonly FoundDocuments[]): FoundDocuments {
  return { similar: joined(parts.map(({ similar }) => similar)), duplicates: joined(parts.map(({ duplicates }) => duplicates)) };
}

function joined(parts: readonly SimilarDocuments[]): SimilarDocuments {
  return {
    perDocument: parts[0]?.perDocument ?? 0,
    documents: concatenated(
      Int32Array,
      parts.map(({ documents }) => documents),
    ),
    similarities: concatenated(
      Float32Array,
      parts.map(({ similarities }) => similarities),
    ),
  };
}
