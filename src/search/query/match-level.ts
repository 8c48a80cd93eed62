import { integerWeight, inverseDocumentFrequency, quantizeImpact } from '../bm25.ts';
import type { TextRange } from '../search-document.ts';
import { type QueryText, rangeKey } from './analyse-query.ts';
import { askedDegrees, type QueryPlan, type QueryTerm } from './plan-query.ts';

/** How well a document fits a query: below `partial` it is probably about something else. */
export type FitLevel = 'strong' | 'partial' | 'weak';

const LEVELS: readonly FitLevel[] = ['weak', 'partial', 'strong'];

export interface QueryFit {
  /**
   * Share of the information of the query that the document has, 0 to 1; comparable between queries of one corpus and of several.
   *
   * It is the geometric mean of two: the share of the words that it has, where a word weighs its inverse document frequency, and one that the
   * corpus lacks as much as the rarest; and its score as a share of that of a document with every word once, and one and a half of the
   * rarest words besides, because short queries match by chance.
   */
  readonly share: number;
  readonly level: FitLevel;
  /** Words of the query that the document has, as the query writes them; without stop words. */
  readonly covered: readonly string[];
  readonly missing: readonly string[];
}

/** Least share of each level. By measurement (`npm run eval:fit`), one in twenty answerable questions is weak, and nine in ten of another field. */
const STRONG_MIN_SHARE = 0.7;
const PARTIAL_MIN_SHARE = 0.43;

/** Weight of a number relative to a word: in a question it is often an example. */
const NUMBER_WEIGHT = 0.5;

/** Words of doubt: so many of the rarest words count as missing from the score. */
const DOUBT = 1.5;

/** Impact of one occurrence in a text of average length. */
const AVERAGE_IMPACT = quantizeImpact(1, 0);

/** Share of the parts of a name from which the name counts as covered. */
const COVERED_MIN_SHARE = 0.5;

interface QueryWord {
  readonly text: string;
  readonly weight: number;
  count: number;
  /** Terms of the whole word, each with a bit in the mask of a document; one of them suffices. */
  readonly wholes: readonly TermPart[];
  readonly parts: readonly TermPart[];
}

interface TermPart {
  readonly bit: number;
  readonly weight: number;
}

export class FitMeasure {
  readonly #words: readonly QueryWord[];
  readonly #weight: number;
  /** Bits of names that are all that the query asks for: a document that has one covers the query. */
  #wholeNames = 0;
  /** Score of a document with every word once, and what is doubted. */
  readonly #wholeScore: number;

  /** @param marked Terms of the plan by their bit in a mask. */
  constructor(plan: QueryPlan, marked: readonly number[], documentCount: number) {
    for (const [number, { isWhole }] of plan.names.entries()) if (isWhole) this.#wholeNames |= bitOf(marked.length + number);
    this.#words = wordsOf(plan, marked, documentCount);
    this.#weight = this.#words.reduce((sum, { weight }) => sum + weight, 0);
    const occurrences = this.#words.reduce((sum, { weight, count }) => sum + weight * count, 0);
    this.#wholeScore = integerWeight(occurrences + DOUBT * inverseDocumentFrequency(documentCount, 0)) * AVERAGE_IMPACT;
  }

  /** The fit of a document. @param mask Bits of the marked terms that its text has. */
  of(mask: number, score: number): QueryFit {
    const covered: string[] = [];
    const missing: string[] = [];
    const isNamed = (mask & this.#wholeNames) !== 0;
    for (const word of this.#words)
      (isNamed || coveredWeight(word, mask) >= word.weight * COVERED_MIN_SHARE ? covered : missing).push(word.text);
    const share = this.#share(mask, score);
    return { share, level: levelOf(share), covered, missing };
  }

  isAtLeast(level: FitLevel, mask: number, score: number): boolean {
    return LEVELS.indexOf(levelOf(this.#share(mask, score))) >= LEVELS.indexOf(level);
  }

  #share(mask: number, score: number): number {
    if ((mask & this.#wholeNames) !== 0) return 1;
    if (this.#weight === 0) return 0;
    const covered = this.#words.reduce((sum, word) => sum + coveredWeight(word, mask), 0);
    return Math.sqrt(Math.min(1, covered / this.#weight) * Math.min(1, score / this.#wholeScore));
  }
}

function levelOf(share: number): FitLevel {
  return share >= STRONG_MIN_SHARE ? 'strong' : share >= PARTIAL_MIN_SHARE ? 'partial' : 'weak';
}

function coveredWeight({ weight, wholes, parts }: QueryWord, mask: number): number {
  let whole = 0;
  for (const term of wholes) if ((mask & term.bit) !== 0 && term.weight > whole) whole = term.weight;
  let ofParts = 0;
  for (const term of parts) if ((mask & term.bit) !== 0) ofParts += term.weight;
  return Math.min(weight, Math.max(whole, ofParts));
}

function wordsOf({ query, terms, names, ignored }: QueryPlan, marked: readonly number[], documentCount: number): QueryWord[] {
  const rarest = inverseDocumentFrequency(documentCount, 0);
  const words = new Map<string, QueryWord>();
  const ranges = [...query.words, ...query.operators];
  const known: (Pick<QueryTerm, 'places'> & { readonly information: number; readonly part: TermPart })[] = [];
  const add = ({ places, indexed }: QueryTerm, coverage: number, bit: number): void => {
    const information = inverseDocumentFrequency(documentCount, indexed.documentFrequency);
    known.push({ places, information, part: { bit, weight: information * coverage } });
    for (const place of places) ranges.push(place);
  };
  // A word that was corrected covers less.
  for (const [number, term] of terms.entries()) add(term, term.isCorrected ? Math.min(1, term.weight) : 1, bitOf(marked.indexOf(number)));
  // Whole names are told apart by their bits. One that is written without white space is one word.
  for (const [number, name] of names.entries()) {
    if (name.isWhole)
      ranges.push(
        ...name.places.map((place) => wordsIn(query, place)).filter(({ start, end }) => !/\s/.test(query.text.slice(start, end))),
      );
    else add(name, 1, bitOf(marked.length + number));
  }
  const degrees = askedDegrees(query.text);
  for (const { start, end } of joinOverlapping(ranges)) {
    const text = query.text.slice(start, end);
    // Answers to "how long" seldom have the adverb.
    if (ignored.includes(text) || (degrees.includes(end) && ranges.length > 1)) continue;
    const before = words.get(text.toLowerCase());
    if (before !== undefined) {
      before.count += 1;
      continue;
    }
    const wholes: TermPart[] = [];
    // By their places.
    let partsByPlace: Map<number, TermPart> | undefined;
    let least = rarest;
    for (let at = 0; at < known.length; at++) {
      const { places, information, part } = known[at];
      const place = firstWithin(places, start, end);
      if (place === undefined) continue;
      if (place.start !== start || place.end !== end) {
        partsByPlace ??= new Map();
        partsByPlace.set(rangeKey(place), part);
      } else {
        wholes.push(part);
        least = Math.min(least, information);
      }
    }
    const parts = partsByPlace === undefined ? NO_PARTS : [...partsByPlace.values()];
    const ofParts = parts.reduce((sum, part) => sum + part.weight, 0);
    const information = wholes.length > 0 || parts.length === 0 ? least : Math.max(ofParts, rarest);
    const weight = LETTER.test(text) ? information : information * NUMBER_WEIGHT;
    words.set(text.toLowerCase(), { text, weight, count: 1, wholes, parts });
  }
  return [...words.values()];
}

const NO_PARTS: readonly TermPart[] = [];
const LETTER = /\p{L}/u;

/** From the first to the last word in a place, without the punctuation around them. */
function wordsIn({ words }: Pick<QueryText, 'words'>, place: TextRange): TextRange {
  const within = words.filter(({ start, end }) => start >= place.start && end <= place.end);
  return { start: within[0]?.start ?? place.start, end: within.at(-1)?.end ?? place.start };
}

function firstWithin(places: readonly TextRange[], start: number, end: number): TextRange | undefined {
  for (let at = 0; at < places.length; at++) if (places[at].start >= start && places[at].end <= end) return places[at];
  return undefined;
}

function bitOf(number: number): number {
  return number < 0 || number >= 32 ? 0 : 1 << number;
}

/** Ranges that overlap, as one: the character pairs of a run without spaces, and the words of a name. */
function joinOverlapping(ranges: TextRange[]): TextRange[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) joined.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return joined;
}
