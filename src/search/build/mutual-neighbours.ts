import { SMOOTHING_TRUST_TERMS } from '../constants.ts';
import { encodeNeighbours, type Neighbour } from '../format/neighbours.ts';
import type { CollectedCorpus } from './corpus-collector.ts';
import type { FoundDocuments, SimilarDocuments } from './similar-documents.ts';

/**
 * The neighbours of every document as bytes: near duplicates, and of the similar documents those that find each other similar,
 * which are the ones that ranking looks at.
 */
export function encodeMutualNeighbours(corpus: CollectedCorpus, { similar, duplicates }: FoundDocuments): Uint8Array {
  const trust = new Uint8Array(corpus.documentCount);
  const lists = Array.from({ length: corpus.documentCount }, (_, document) => {
    const mutual = listOf(similar, document, false).filter((neighbour) => hasNeighbour(similar, neighbour.document, document));
    const terms = corpus.documentStarts[document + 1] - corpus.documentStarts[document];
    if (mutual.length > 0) trust[document] = Math.round((255 * terms) / (terms + SMOOTHING_TRUST_TERMS));
    return [...listOf(duplicates, document, true), ...mutual];
  });
  return encodeNeighbours(lists, trust);
}

function listOf({ perDocument, documents, similarities }: SimilarDocuments, document: number, isDuplicate: boolean): Neighbour[] {
  const list: Neighbour[] = [];
  for (let place = document * perDocument; place < (document + 1) * perDocument; place++) {
    const neighbour = documents[place];
    if (neighbour >= 0) list.push({ document: neighbour, similarity: similarities[place], isDuplicate });
  }
  return list;
}

function hasNeighbour({ perDocument, documents }: SimilarDocuments, document: number, neighbour: number): boolean {
  return documents.subarray(document * perDocument, (document + 1) * perDocument).includes(neighbour);
}
