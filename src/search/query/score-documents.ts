import { fingerprint } from '../format/term-hash.ts';
import { type Kernel, unreadableRecord } from '../kernel/kernel.ts';
import type { QueryPair, QueryPlan, QueryTerm } from './plan-query.ts';
import { pairPoints, type ScoringOrder, termWeight } from './scoring-order.ts';

/** A pair whose candidates are found while the list of its first term is read. */
interface PendingPair {
  readonly first: number;
  readonly second: number;
  readonly fingerprint: number;
  /** The bit of its second term. */
  readonly bit: number;
  readonly weight: number;
  /** The candidates in which a term with the fingerprint follows the first term: where they begin, and how many they are. */
  readonly found: { readonly start: number; readonly count: number }[];
}

/**
 * Scores every document: the sum over the terms of an integer weight times an integer impact, so that the result is exact and the same on
 * every machine; and the same for pairs.
 */
export function scoreDocuments(kernel: Kernel, { terms }: QueryPlan, order: ScoringOrder, documentCount: number): void {
  const pairs = order.pairs.map((pair) => pendingPair(pair, terms, 1 << order.marked.indexOf(pair.second)));
  const candidates = pairs.reduce((sum, { first }) => sum + terms[first].indexed.documentFrequency, 0);
  reserve(
    kernel,
    order.scored.map((number) => terms[number]),
    candidates,
    documentCount,
  );
  for (const number of order.scored) {
    const bit = pairs.find(({ second }) => second === number)?.bit ?? 0;
    const leading = pairs.filter(({ first }) => first === number);
    addTerm(kernel, terms[number], termWeight(terms[number], documentCount), bit, leading);
  }
  for (const pair of pairs) addPair(kernel, pair);
}

/** Scores documents by one term alone: its quantized impact. `masks` are 1 for those that have it, 0 for expanded ones. */
export function scoreTerm(kernel: Kernel, term: QueryTerm, documentCount: number): void {
  reserve(kernel, [term], 1, documentCount);
  addTerm(kernel, term, 1, 1, []);
}

/** Scores documents by one pair alone. */
export function scorePair(kernel: Kernel, { terms }: QueryPlan, pair: QueryPair, documentCount: number): void {
  const pending = pendingPair(pair, terms, 1);
  const [first, second] = [terms[pair.first], terms[pair.second]];
  reserve(kernel, [first, second], first.indexed.documentFrequency, documentCount);
  addTerm(kernel, first, 0, 0, [pending]);
  addTerm(kernel, second, 0, pending.bit, []);
  addPair(kernel, pending);
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

/** @param bit Marks the documents that have the term, if above 0. @param leading Pairs whose first term it is. */
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

// A fingerprint has seven bits, so the second term must be in the document as well.
function addPair(kernel: Kernel, { found, bit, weight }: PendingPair): void {
  const marked = found.map(({ start, count }) => ({ start, count: kernel.keepMarked(start, count, bit) }));
  const matching = marked.reduce((sum, { count }) => sum + count, 0);
  if (matching === 0) return;
  const points = pairPoints(weight, kernel.scores.length, matching);
  for (const { start, count } of marked) kernel.addPoints(start, count, points);
}
