import { collectionStatistics } from './collection-statistics.ts';
import { planQuery } from './plan-query.ts';
import { type PostingList, readPostings } from './postings.ts';
import { scorePair } from './score-pairs.ts';
import { scoreTerm } from './score-terms.ts';
import type { RankedDocument, SearchIndex } from './types.ts';

/** Raised whenever the same index and query may give another answer. */
export const RANKING_VERSION = 1;

/** Narrows a ranking. */
export interface RankingOptions {
  /**
   * Whether a document may be in the answer; asked once for each that matches, ascending by number. It takes documents
   * out and changes no score: those are of the whole index.
   */
  readonly accepts?: (documentNumber: number) => boolean;
}

/**
 * All documents that have a term of the query, best first, ties by ascending id.
 *
 * Scores and order depend on the index and the query alone, and are the same on every machine. A query without terms,
 * as one of stop words only, matches nothing.
 */
export function rankDocuments(index: SearchIndex, query: string, options: RankingOptions = {}): RankedDocument[] {
  const statistics = collectionStatistics(index);
  const { terms, pairs } = planQuery(index, query);
  const scores = new Float64Array(index.documentIds.length);
  const matchedTerms: (string[] | undefined)[] = new Array(index.documentIds.length);
  const lists = new Map<number, PostingList>();
  for (const { termNumber, weight } of terms) {
    const list = readPostings(index, termNumber);
    lists.set(termNumber, list);
    scoreTerm(list, weight, statistics, scores);
    const term = index.terms[termNumber] as string;
    for (const documentNumber of list.documentNumbers) {
      const matched = matchedTerms[documentNumber];
      if (matched === undefined) matchedTerms[documentNumber] = [term];
      else matched.push(term);
    }
  }
  for (const { first, second, weight } of pairs) {
    scorePair(lists.get(first) as PostingList, lists.get(second) as PostingList, weight, statistics, scores);
  }
  return collectMatches(index, scores, matchedTerms, options).sort(compareRanked);
}

function collectMatches(
  { documentIds }: SearchIndex,
  scores: Float64Array,
  matchedTerms: readonly (string[] | undefined)[],
  { accepts }: RankingOptions,
): RankedDocument[] {
  const ranked: RankedDocument[] = [];
  documentIds.forEach((id, documentNumber) => {
    const matched = matchedTerms[documentNumber];
    if (matched === undefined || accepts?.(documentNumber) === false) return;
    ranked.push({ id, documentNumber, score: roundScore(scores[documentNumber] as number), matchedTerms: matched });
  });
  return ranked;
}

// Rounded before sorting: what differs only in the last bits of a machine's logarithm is a tie everywhere.
function roundScore(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function compareRanked(a: RankedDocument, b: RankedDocument): number {
  return b.score - a.score || a.documentNumber - b.documentNumber;
}
