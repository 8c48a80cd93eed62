import { isEnglish } from './analyse.ts';
import { lengthScale } from './bm25.ts';
import { FIELD_WEIGHTS } from './constants.ts';
import { SEARCH_FIELDS, type SearchField, type SearchIndex } from './types.ts';

const FIELD_COUNT = SEARCH_FIELDS.length;

/** What ranking needs to know of a whole corpus, whatever the query. */
export interface CollectionStatistics {
  /** What one occurrence counts, weight included: at `documentNumber * SEARCH_FIELDS.length + field`. */
  readonly fieldScales: Float64Array;
  /** What one pair of neighbours counts in each document. */
  readonly pairScales: Float64Array;
  /** The languages in which a query is read: `en` if a document is English, `und` if one is not. */
  readonly queryLanguages: readonly string[];
}

const statisticsOfIndex = new WeakMap<SearchIndex, CollectionStatistics>();

/** The statistics of an index, computed once for each. */
export function collectionStatistics(index: SearchIndex): CollectionStatistics {
  let statistics = statisticsOfIndex.get(index);
  if (statistics === undefined) {
    statistics = computeStatistics(index);
    statisticsOfIndex.set(index, statistics);
  }
  return statistics;
}

function computeStatistics({ documentIds, fieldLengths, languages }: SearchIndex): CollectionStatistics {
  const documentCount = documentIds.length;
  const fieldScales = new Float64Array(fieldLengths.length);
  const totals = new Float64Array(documentCount);
  const lengths = new Float64Array(documentCount);
  for (let field = 0; field < FIELD_COUNT; field++) {
    const weight = FIELD_WEIGHTS[SEARCH_FIELDS[field] as SearchField];
    for (let number = 0; number < documentCount; number++) {
      lengths[number] = fieldLengths[number * FIELD_COUNT + field] as number;
      totals[number] = (totals[number] as number) + weight * (lengths[number] as number);
    }
    const average = averageOfPresent(lengths);
    for (let number = 0; number < documentCount; number++) {
      fieldScales[number * FIELD_COUNT + field] = weight * lengthScale(lengths[number] as number, average);
    }
  }
  const averageTotal = averageOfPresent(totals);
  const pairScales = totals.map((total) => lengthScale(total, averageTotal));
  return { fieldScales, pairScales, queryLanguages: queryLanguagesOf(languages) };
}

function queryLanguagesOf(languages: readonly string[]): string[] {
  const distinct = [...new Set(languages)];
  const queryLanguages: string[] = [];
  if (distinct.some((language) => isEnglish(language))) queryLanguages.push('en');
  if (distinct.some((language) => !isEnglish(language))) queryLanguages.push('und');
  return queryLanguages;
}

// Over the documents that have the field, so that a field that few of them fill does not seem long wherever it is.
function averageOfPresent(lengths: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (let number = 0; number < lengths.length; number++) {
    const length = lengths[number] as number;
    sum += length;
    if (length > 0) count++;
  }
  return count === 0 ? 1 : sum / count;
}
