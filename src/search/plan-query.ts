import type { Token } from './analyse.ts';
import { collectionStatistics } from './collection-statistics.ts';
import { CORRECTED_TERM_WEIGHT } from './constants.ts';
import { correctWords } from './correct-words.ts';
import { findTerm } from './find-term.ts';
import { rangeKey, readQuery } from './read-query.ts';
import type { SearchIndex } from './types.ts';

/** A term of the index that a query asks for. */
export interface QueryTerm {
  readonly termNumber: number;
  /** Times the query has it; corrected words count less. */
  weight: number;
}

/** Two terms that are neighbours in a query, in this order. */
export interface QueryPair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** A query as an index understands it. */
export interface QueryPlan {
  /** Distinct, in the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** Distinct, in the order of the query. */
  readonly pairs: readonly QueryPair[];
}

/**
 * What a query asks of an index: its words as each language of the index reads them, unknown words corrected.
 *
 * In an index of English and other documents a word is read twice, stemmed and not; a term that both readings give at
 * one place counts once.
 */
export function planQuery(index: SearchIndex, query: string): QueryPlan {
  const readings = readQuery(query, collectionStatistics(index).queryLanguages);
  const corrections = correctWords(index, readings);
  const terms = new Map<number, QueryTerm>();
  const pairs = new Map<string, QueryPair>();
  const counted = new Set<string>();
  for (const reading of readings) {
    let before: QueryTerm[] = [];
    let here: QueryTerm[] = [];
    let start = -1;
    for (const token of reading) {
      if (token.start !== start) [before, here, start] = [here, [], token.start];
      const resolved = resolve(index, token, corrections);
      if (resolved === undefined) continue;
      here.push(resolved);
      if (!counted.has(occurrenceKey(resolved, token))) {
        counted.add(occurrenceKey(resolved, token));
        addTerm(terms, resolved);
      }
      for (const first of before) addPair(pairs, first, resolved);
    }
  }
  return { terms: [...terms.values()], pairs: [...pairs.values()] };
}

function resolve(index: SearchIndex, token: Token, corrections: ReadonlyMap<string, number>): QueryTerm | undefined {
  const exact = findTerm(index, token.term);
  if (exact >= 0) return { termNumber: exact, weight: 1 };
  const corrected = corrections.get(rangeKey(token));
  if (corrected === undefined) return undefined;
  return { termNumber: corrected, weight: CORRECTED_TERM_WEIGHT };
}

function addTerm(terms: Map<number, QueryTerm>, { termNumber, weight }: QueryTerm): void {
  const term = terms.get(termNumber);
  if (term === undefined) terms.set(termNumber, { termNumber, weight });
  else term.weight += weight;
}

function addPair(pairs: Map<string, QueryPair>, first: QueryTerm, second: QueryTerm): void {
  const key = `${first.termNumber} ${second.termNumber}`;
  if (pairs.has(key)) return;
  pairs.set(key, { first: first.termNumber, second: second.termNumber, weight: first.weight * second.weight });
}

function occurrenceKey({ termNumber }: QueryTerm, token: Token): string {
  return `${termNumber} ${rangeKey(token)}`;
}
