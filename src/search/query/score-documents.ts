import { integerWeight, inverseDocumentFrequency, quantizeImpact } from '../bm25.ts';
import { fingerprint } from '../format/postings.ts';
import { PAIR_SCORE_WEIGHT } from '../ranking-parameters.ts';
import { type Kernel, unreadableRecord } from '../scoring-wasm/kernel.ts';
import type { QueryPair, QueryPlan, QueryTerm } from './plan-query.ts';

/** Most terms of one query that can be marked, rarest first: the bits of a mask. */
const MASK_BITS = 32;

/** A pair counts like one occurrence in a document of average length. */
const PAIR_IMPACT = quantizeImpact(1, 0);

/** Most candidates for the pairs of one query, four bytes each: many pairs of frequent words would exceed the memory of an isolate. */
const PAIR_CANDIDATES_MAX = 1_000_000;

/** The scored terms of a query, as positions in its terms, rarest first. */
export interface ScoringOrder {
  readonly scored: readonly number[];
  /** Terms that can be marked in a document, by bit; the next bits are those of the plan's names. */
  readonly marked: readonly number[];
  readonly pairs: readonly QueryPair[];
}

/** Chooses the terms and pairs that are scored, of those that were read. Beyond `postingsMax` the most frequent terms are left out, never the rarest. */
export function scoringOrder({ terms, pairs }: Pick<QueryPlan, 'terms' | 'pairs'>, postingsMax: number): ScoringOrder {
  const frequencyOf = (number: number): number => terms[number].indexed.documentFrequency;
  const read = [...terms.keys()].filter((number) => terms[number].indexed.parts.length > 0);
  const order = read.sort((a, b) => frequencyOf(a) - frequencyOf(b) || a - b);
  let postings = 0;
  const end = order.findIndex((number, rank) => {
    postings += frequencyOf(number);
    return postings > postingsMax && rank > 0;
  });
  const scored = end < 0 ? order : order.slice(0, end);
  const marked = scored.slice(0, MASK_BITS);
  let candidates = 0;
  const scoredPairs = pairs.filter(({ first, second }) => {
    if (!marked.includes(first) || !marked.includes(second)) return false;
    candidates += frequencyOf(first);
    return candidates <= PAIR_CANDIDATES_MAX;
  });
  return { scored, marked, pairs: scoredPairs };
}

/** Sizes of an index, and of all indexes that are searched with it. */
export interface CollectionSize {
  readonly documents: number;
  /** Documents over which frequencies are counted; at least `documents`. */
  readonly documentCount: number;
}

export function termWeight({ indexed, weight }: QueryTerm, documentCount: number): number {
  return integerWeight(weight * inverseDocumentFrequency(documentCount, indexed.documentFrequency));
}

/** A pair whose candidates are found while the list of its first term is scored. */
interface PendingPair {
  readonly first: number;
  readonly second: number;
  readonly fingerprint: number;
  readonly bit: number;
  readonly weight: number;
  /** Ranges of the candidates in which a term with the fingerprint follows the first term. */
  readonly found: { readonly start: number; readonly count: number }[];
}

/** Scores every document by integers, exact on every machine. Its mask has a bit for each of the marked terms in its text. */
export function scoreDocuments(kernel: Kernel, plan: QueryPlan, order: ScoringOrder, { documents, documentCount }: CollectionSize): void {
  const { terms } = plan;
  const pairs = order.pairs.map((pair) => pendingPair(pair, terms, 1 << order.marked.indexOf(pair.second)));
  const candidates = pairs.reduce((sum, { first }) => sum + terms[first].indexed.documentFrequency, 0);
  const scored = order.scored.map((number) => terms[number]);
  reserve(kernel, scored, candidates, documents);
  for (const [rank, number] of order.scored.entries()) {
    const bit = rank < order.marked.length ? 1 << rank : 0;
    const leading = pairs.filter(({ first }) => first === number);
    addTerm(kernel, terms[number], termWeight(terms[number], documentCount), bit, leading);
  }
  for (const pair of pairs) addPair(kernel, pair, documentCount);
}

/** Scores documents by the quantized impact of one term. `masks` are 1 for documents with the term, 0 for expanded ones. */
export function scoreTerm(kernel: Kernel, term: QueryTerm, documents: number): void {
  reserve(kernel, [term], 1, documents);
  addTerm(kernel, term, 1, 1, []);
}

export function scorePair(kernel: Kernel, { terms }: QueryPlan, pair: QueryPair, { documents, documentCount }: CollectionSize): void {
  const pending = pendingPair(pair, terms, 1);
  const [first, second] = [terms[pair.first], terms[pair.second]];
  reserve(kernel, [first, second], first.indexed.documentFrequency, documents);
  addTerm(kernel, first, 0, 0, [pending]);
  addTerm(kernel, second, 0, pending.bit, []);
  addPair(kernel, pending, documentCount);
}

function pendingPair({ first, second, weight }: QueryPair, terms: readonly QueryTerm[], bit: number): PendingPair {
  return { first, second, fingerprint: fingerprint(terms[second].indexed.hash), bit, weight, found: [] };
}

function reserve(kernel: Kernel, terms: readonly QueryTerm[], candidates: number, documents: number): void {
  let recordBytes = 0;
  for (const { indexed } of terms) {
    for (const part of indexed.parts) if ('records' in part) recordBytes = Math.max(recordBytes, part.end - part.at);
  }
  kernel.begin({ documents, recordBytes, candidates });
}

/** @param bit Marks the documents with the term, if above 0. @param leading Pairs whose first term it is. */
function addTerm(kernel: Kernel, { indexed }: QueryTerm, weight: number, bit: number, leading: readonly PendingPair[]): void {
  for (const part of indexed.parts) {
    if ('records' in part) {
      kernel.addRecord(part.records, part.at, part.end, weight, bit, bit !== 0 || leading.length > 0);
      for (const pair of leading) pair.found.push(kernel.findFollowers(pair.fingerprint));
      continue;
    }
    const { scores, masks } = kernel;
    const { document, impact } = part;
    if (document >= scores.length) throw unreadableRecord();
    scores[document] += weight * impact;
    if (bit !== 0) masks[document] |= bit;
  }
}

// A fingerprint has only seven bits, so the document must have the second term as well.
function addPair(kernel: Kernel, { found, bit, weight }: PendingPair, documentCount: number): void {
  const marked = found.map(({ start, count }) => ({ start, count: kernel.keepMarked(start, count, bit) }));
  const matching = marked.reduce((sum, { count }) => sum + count, 0);
  if (matching === 0) return;
  const points = integerWeight(PAIR_SCORE_WEIGHT * weight * inverseDocumentFrequency(documentCount, matching)) * PAIR_IMPACT;
  for (const { start, count } of marked) kernel.addPoints(start, count, points);
}
