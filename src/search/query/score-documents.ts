import type { FoundTerm } from '../format/term-shard.ts';
import { fingerprint } from '../format/term-hash.ts';
import { type Kernel, type KernelNeeds, unreadableRecord } from '../kernel/kernel.ts';
import type { QueryPlan, QueryTerm } from './plan-query.ts';
import { pairWorth, type ScoringOrder, termWorth } from './scoring-order.ts';

/** A pair that waits for the lists of both its terms. */
interface LedPair {
  readonly first: number;
  readonly fingerprint: number;
  /** The bit of its second term. */
  readonly bit: number;
  readonly weight: number;
  /** Where the candidates begin in which something with the fingerprint follows the first term, and how many they are. */
  readonly found: { readonly start: number; readonly count: number }[];
}

/** The work of one query, before any list is read. */
export class Accumulation {
  readonly #plan: QueryPlan;
  readonly #order: ScoringOrder;
  readonly #pairs: LedPair[] = [];
  /** The bit of each term that is told apart, 0 of the others. */
  readonly #bits: number[];

  constructor(plan: QueryPlan, order: ScoringOrder) {
    this.#plan = plan;
    this.#order = order;
    this.#bits = plan.terms.map(() => 0);
    for (const { first, second, weight } of order.pairs) {
      const bit = 1 << order.tracked.indexOf(second);
      this.#bits[second] = bit;
      this.#pairs.push({ first, fingerprint: fingerprint(plan.terms[second].indexed.hash), bit, weight, found: [] });
    }
  }

  /** What a kernel needs for it over an index of some documents. */
  needs(documents: number): KernelNeeds {
    let recordBytes = 0;
    for (const number of this.#order.scored) {
      for (const part of this.#term(number).indexed.parts) {
        if ('records' in part) recordBytes = Math.max(recordBytes, part.end - part.at);
      }
    }
    let candidates = 0;
    for (const { first } of this.#pairs) candidates += this.#term(first).indexed.documentFrequency;
    return { documents, recordBytes, candidates };
  }

  /**
   * Scores every document: the sum over the terms of an integer weight times an integer level, so that the result is exact and
   * the same on every machine; and the same for pairs.
   *
   * @param kernel Has made room for what this needs.
   */
  run(kernel: Kernel): void {
    const documents = kernel.scores.length;
    for (const number of this.#order.scored) {
      const term = this.#term(number);
      const worth = termWorth(term, documents);
      const led = this.#pairs.filter(({ first }) => first === number);
      for (const part of term.indexed.parts) addPart(kernel, part, worth, this.#bits[number], led);
    }
    for (const pair of this.#pairs) addPair(kernel, pair);
  }

  #term(number: number): QueryTerm {
    return this.#plan.terms[number];
  }
}

function addPart(kernel: Kernel, part: FoundTerm, worth: number, bit: number, led: readonly LedPair[]): void {
  if ('records' in part) {
    kernel.addRecord(part.records, part.at, part.end, worth, bit, bit !== 0 || led.length > 0);
    for (const pair of led) pair.found.push(kernel.findFollowers(pair.fingerprint));
    return;
  }
  const { scores, masks } = kernel;
  const { document, level } = part;
  if (document >= scores.length) throw unreadableRecord();
  scores[document] += worth * level;
  if (bit !== 0) masks[document] |= bit;
}

// A fingerprint has seven bits, so that the second term must be in the document as well.
function addPair(kernel: Kernel, { found, bit, weight }: LedPair): void {
  const marked = found.map(({ start, count }) => ({ start, count: kernel.keepMarked(start, count, bit) }));
  const matching = marked.reduce((sum, { count }) => sum + count, 0);
  if (matching === 0) return;
  const points = pairWorth(weight, kernel.scores.length, matching);
  for (const { start, count } of marked) kernel.addPoints(start, count, points);
}
