import { tokenise } from '../analysis/tokenise.ts';
import { inverseDocumentFrequency } from '../bm25.ts';
import type { TextRange } from '../search-document.ts';
import type { QueryPlan } from './plan-query.ts';

/** How well a document fits a query: below `partial` it is probably about something else. */
export type FitLevel = 'strong' | 'partial' | 'weak';

const LEVELS: readonly FitLevel[] = ['weak', 'partial', 'strong'];

/** Whether a level is another or better. */
export function isAtLeast(level: FitLevel, least: FitLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** How much of a query a document covers. */
export interface QueryFit {
  /**
   * Share of the information of the query in the words that the document has, 0 to 1: a word weighs its inverse document frequency, and one
   * that the corpus lacks as much as the rarest.
   */
  readonly share: number;
  readonly level: FitLevel;
  /** Words of the query that the document has, as the query writes them; without stop words. */
  readonly covered: readonly string[];
  /** The other words. */
  readonly missing: readonly string[];
}

/** Least share of each level. */
const STRONG_MIN_SHARE = 0.75;
const PARTIAL_MIN_SHARE = 0.45;

/** Share of the parts of a name from which the name counts as covered. */
const COVERED_MIN_SHARE = 0.5;

/** A word of a query, and the terms that stand for it. */
interface QueryWord {
  readonly text: string;
  /** Its information. */
  readonly weight: number;
  /** Terms of the whole word, each with a bit in the mask of a document; one of them suffices. */
  readonly wholes: readonly TermPart[];
  /** Terms of parts of a name. */
  readonly parts: readonly TermPart[];
}

interface TermPart {
  readonly bit: number;
  /** The information that it covers. */
  readonly weight: number;
}

/** Measures how much of one query documents cover. */
export class FitMeasure {
  readonly #words: readonly QueryWord[];
  readonly #weight: number;
  readonly #known = new Map<number, QueryFit>();

  /** @param marked Terms of the plan by their bit in a mask. */
  constructor(query: string, plan: QueryPlan, marked: readonly number[], documentCount: number) {
    this.#words = wordsOf(query, plan, marked, documentCount);
    this.#weight = this.#words.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** The fit of a document. @param mask Bits of the marked terms that its text has. */
  of(mask: number): QueryFit {
    let fit = this.#known.get(mask);
    if (fit === undefined) {
      fit = this.#measure(mask);
      this.#known.set(mask, fit);
    }
    return fit;
  }

  #measure(mask: number): QueryFit {
    const covered: string[] = [];
    const missing: string[] = [];
    let sum = 0;
    for (const word of this.#words) {
      const found = coveredWeight(word, mask);
      sum += found;
      (found >= word.weight * COVERED_MIN_SHARE ? covered : missing).push(word.text);
    }
    const share = this.#weight === 0 ? 0 : Math.min(1, sum / this.#weight);
    return { share, level: levelOf(share), covered, missing };
  }
}

function levelOf(share: number): FitLevel {
  return share >= STRONG_MIN_SHARE ? 'strong' : share >= PARTIAL_MIN_SHARE ? 'partial' : 'weak';
}

function coveredWeight({ weight, wholes, parts }: QueryWord, mask: number): number {
  const weightIn = (terms: readonly TermPart[]): number[] => terms.flatMap((term) => ((mask & term.bit) === 0 ? [] : [term.weight]));
  const whole = Math.max(0, ...weightIn(wholes));
  const ofParts = weightIn(parts).reduce((sum, part) => sum + part, 0);
  return Math.min(weight, Math.max(whole, ofParts));
}

/** The words of a query without stop words, each once. */
function wordsOf(query: string, { terms, ignored }: QueryPlan, marked: readonly number[], documentCount: number): QueryWord[] {
  const rarest = inverseDocumentFrequency(documentCount, 0);
  const ignoredWords = new Set(ignored);
  const words = new Map<string, QueryWord>();
  for (const { start, end } of joinOverlapping(tokenise(query))) {
    const text = query.slice(start, end);
    if (ignoredWords.has(text) || words.has(text.toLowerCase())) continue;
    const wholes: TermPart[] = [];
    const parts = new Map<string, TermPart>();
    let least = rarest;
    for (const [number, { indexed, places, weight }] of terms.entries()) {
      const place = places.find((range) => range.start >= start && range.end <= end);
      if (place === undefined) continue;
      const information = inverseDocumentFrequency(documentCount, indexed.documentFrequency);
      const rank = marked.indexOf(number);
      // A word that was corrected has a lower weight, and covers less.
      const part = { bit: rank < 0 ? 0 : 1 << rank, weight: information * Math.min(1, weight) };
      if (place.start !== start || place.end !== end) parts.set(`${place.start} ${place.end}`, part);
      else {
        wholes.push(part);
        least = Math.min(least, information);
      }
    }
    const ofParts = [...parts.values()].reduce((sum, part) => sum + part.weight, 0);
    const weight = wholes.length > 0 || parts.size === 0 ? least : Math.max(ofParts, rarest);
    words.set(text.toLowerCase(), { text, weight, wholes, parts: [...parts.values()] });
  }
  return [...words.values()];
}

/** Ranges that overlap, as one: the character pairs of a run without spaces. */
function joinOverlapping(ranges: readonly TextRange[]): TextRange[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) joined.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return joined;
}
