import { inverseDocumentFrequency, saturate } from './bm25.ts';
import type { CollectionStatistics } from './collection-statistics.ts';
import { FIELD_WEIGHTS, TITLE_SCORE_WEIGHT } from './constants.ts';
import type { PostingList } from './postings.ts';
import { SEARCH_FIELDS } from './types.ts';

const FIELD_COUNT = SEARCH_FIELDS.length;
const TITLE = SEARCH_FIELDS.indexOf('title');

/** Adds to `scores`, one a document, what one term of a query is worth in the documents that have it (BM25F). */
export function scoreTerm(
  { documentNumbers, frequencies }: PostingList,
  weight: number,
  { fieldScales }: CollectionStatistics,
  scores: Float64Array,
): void {
  const worth = weight * inverseDocumentFrequency(scores.length, documentNumbers.length);
  for (let posting = 0; posting < documentNumbers.length; posting++) {
    const documentNumber = documentNumbers[posting] as number;
    let frequency = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      frequency += (frequencies[posting * FIELD_COUNT + field] as number) * (fieldScales[documentNumber * FIELD_COUNT + field] as number);
    }
    let value = saturate(frequency);
    const inTitle = frequencies[posting * FIELD_COUNT + TITLE] as number;
    if (inTitle > 0) {
      const scale = (fieldScales[documentNumber * FIELD_COUNT + TITLE] as number) / FIELD_WEIGHTS.title;
      value += TITLE_SCORE_WEIGHT * saturate(inTitle * scale);
    }
    scores[documentNumber] = (scores[documentNumber] as number) + worth * value;
  }
}
