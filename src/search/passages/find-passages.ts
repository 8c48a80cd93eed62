import type { TextRange } from '../search-document.ts';
import type { AnalysedText } from './analysed-text.ts';
import { headingAt } from './markdown-blocks.ts';
import { defines, type PassageQuery } from './passage-query.ts';
import type { PassageUnit } from './passage-units.ts';

export interface Passage extends TextRange {
  /** How much of the query it has: the sum of the weights of its distinct terms. Comparable between the texts of a search. */
  readonly score: number;
  /** Titles of the section that it is in, outermost first. */
  readonly headings: readonly string[];
  /** Position of the innermost of these among all headings of the text; -1 before the first. */
  readonly section: number;
  /** Where it begins or ends within a sentence, row or line that is too long for one passage; absent if it does neither. */
  readonly cut?: { readonly start?: true; readonly end?: true };
  /** The first row of the table that it begins in, if it begins with another. */
  readonly tableHeader?: string;
}

export interface PassageOptions {
  /** Of each passage, in UTF-16 code units. */
  readonly maxLength: number;
  readonly count: number;
}

// Weights of a passage relative to the terms that it has, or to the whole query; measured with those of units.

/** The unit that says most about the query, which has the answer or stands beside it. */
const BEST_UNIT_WEIGHT = 1.3;
/** All units together. */
const UNIT_SUM_WEIGHT = 0.05;
/** Room after the best unit: what follows explains it. Times the share of the length. */
const FOLLOWING_WEIGHT = 0.05;
/** A passage that begins a paragraph, item, table or block of code. */
const OPENING_WEIGHT = 0.06;
/** A term that only the headings above have. */
const HEADING_WEIGHT = 0.6;

/** With less of the words by which readers ask for a text as a whole, a passage is not about them. */
const ASKED_MIN_SHARE = 0.5;

/** From this share of the length that a passage leaves, it has the clauses of the next sentence that fit. */
const CONTINUED_MIN_SHARE = 0.15;

/** Fewer clauses are left out. In UTF-16 code units. */
const CLAUSES_MIN_LENGTH = 20;

/** White space after a clause. */
const CLAUSE_GAP = /(?<=[,;:)—–])\s+/g;

/** Consecutive units of a region. */
interface Window {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
  readonly score: number;
}

/**
 * The passages of a markdown text that answer a query best, best first and without overlap. Without a match it is one, the first paragraph, or as much
 * of it as fits; where the query asks for the text as a whole, it is the first passage.
 *
 * A passage consists of whole sentences, list items, table rows, and lines or blocks of code, within one section; only of one that is
 * longer than a passage it has a part, and says so. It has no blank edges and starts and ends between graphemes. The first is empty only if
 * the text is blank or no grapheme fits.
 *
 * @throws {RangeError} If `maxLength` or `count` is not a positive integer.
 */
export function findPassages(analysed: AnalysedText, query: PassageQuery, { maxLength, count }: PassageOptions): Passage[] {
  for (const [name, value] of Object.entries({ maxLength, count })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`Cannot find passages: ${name} is ${value}, not a positive integer`);
  }
  const scored = scoreUnits(analysed, query, maxLength);
  const chosen = chooseWindows(scored, maxLength, count);
  const isAboutWhole = chosen.length === 0 || asksForWhole(analysed, query, scored, chosen[0]);
  const windows = isAboutWhole ? withOpening(firstParagraph(scored, maxLength), chosen, count) : chosen;
  return windows.map((window) => {
    const isTaken = windows.some(({ first, last }) => first <= window.last && window.last < last);
    return passageOf(analysed, query, scored, window, maxLength, !isTaken);
  });
}

/**
 * The words in a part of a text that match a query, ascending and without overlap, as offsets from `within.start`.
 *
 * @param terms Terms of the query in the form of the index.
 * @throws {RangeError} If `within` is not a range of the text.
 */
export function findHighlights(analysed: AnalysedText, terms: readonly string[], within: TextRange): TextRange[] {
  const { start: from, end: to } = within;
  if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= analysed.text.length)) {
    throw new RangeError(`Cannot highlight: ${from} to ${to} is not a range of the text`);
  }
  const highlights: TextRange[] = [];
  let last = from;
  for (const { start, end } of analysed.findHitsWithin(terms, within)) {
    if (start < last) continue;
    highlights.push({ start: start - from, end: end - from });
    last = end;
  }
  return highlights;
}

/**
 * Whether a query asks for a text as a whole, which its opening answers better than the passage with most of its words: by a bare name in the
 * title, or by words that readers have for the text where the passage has no other than those of the title, or less than half of them. A row of
 * a table that alone has one of those words has it by chance.
 */
function asksForWhole({ titleTerms, askedTerms }: AnalysedText, query: PassageQuery, { masks, terms }: UnitScores, best: Window): boolean {
  if (query.isBareName === true && query.terms.some((term) => titleTerms.has(term))) return true;
  if (askedTerms.size === 0) return false;
  let mask = 0;
  for (let unit = best.first; unit < best.last; unit++) mask |= masks[unit];
  const found = terms.filter((_, bit) => (mask & (1 << bit)) !== 0);
  const weigh = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + query.weights[number], 0);
  const asked = terms.filter((number) => askedTerms.has(query.terms[number]));
  return found.every((number) => titleTerms.has(query.terms[number])) || weigh(found) < ASKED_MIN_SHARE * weigh(asked);
}

/** The best windows with a term of the query, best first, without overlap. */
function chooseWindows(scored: UnitScores, maxLength: number, count: number): Window[] {
  const { units, masks, relatedMasks } = scored;
  // Related words count alone only where there is nothing else.
  const lastExact = lastMatch(masks, units.length);
  const matches = lastExact < 0 ? relatedMasks : masks;
  const lastFirst = lastExact < 0 ? lastMatch(relatedMasks, units.length) : lastExact;
  let best: Window | undefined;
  const all: Window[] = [];
  let nextMatch = 0;
  for (let first = 0; first <= lastFirst; first++) {
    if (nextMatch < first) nextMatch = first;
    while (matches[nextMatch] === 0) nextMatch++;
    const { start, region } = units[first];
    if (nextMatch > first && (units[nextMatch].region !== region || units[nextMatch].end - start > maxLength)) continue;
    const window = windowFrom(scored, first, maxLength, matches);
    if (window === undefined) continue;
    if (best === undefined || window.score > best.score) best = window;
    if (count > 1) all.push(window);
  }
  if (best === undefined) return [];
  const chosen = [best];
  all.sort((a, b) => b.score - a.score || a.first - b.first);
  for (const window of all) {
    if (chosen.length === count) break;
    if (chosen.every(({ first, last }) => window.last <= first || window.first >= last)) chosen.push(window);
  }
  return chosen.filter(({ first, last }) => units[last - 1].end > units[first].start);
}

/** The last unit with a term; -1 without. */
function lastMatch(masks: Int32Array, unitCount: number): number {
  let last = unitCount - 1;
  while (last >= 0 && masks[last] === 0) last--;
  return last;
}

/** The longest window from a unit on; `undefined` if it has no term of the query. */
function windowFrom(
  { units, masks, headingMasks, scores, weights, total }: UnitScores,
  first: number,
  maxLength: number,
  matches: Int32Array,
): Window | undefined {
  const { start, region } = units[first];
  let mask = 0;
  let hasMatch = false;
  let sum = 0;
  let bestScore = 0;
  let bestEnd = units[first].end;
  let last = first;
  while (last < units.length && units[last].region === region && units[last].end - start <= maxLength) {
    mask |= masks[last];
    hasMatch ||= matches[last] !== 0;
    sum += scores[last];
    if (units[last].kind !== 'heading' && scores[last] > bestScore) {
      bestScore = scores[last];
      bestEnd = units[last].end;
    }
    last++;
  }
  // A passage must not end with the heading of what does not fit.
  while (last - 1 > first && units[last - 1].kind === 'heading' && units[last]?.region === region) last--;
  if (!hasMatch) return undefined;
  const followed = (units[last - 1].end - bestEnd) / maxLength;
  const score =
    sumOf(mask, weights) +
    HEADING_WEIGHT * sumOf(headingMasks[last - 1] & ~mask, weights) +
    BEST_UNIT_WEIGHT * bestScore +
    UNIT_SUM_WEIGHT * sum +
    total * (FOLLOWING_WEIGHT * followed + (units[first].opensBlock ? OPENING_WEIGHT : 0));
  return { first, last, score };
}

/** The opening of a text, then other windows that do not overlap with it. */
function withOpening(opening: Window, windows: readonly Window[], count: number): Window[] {
  return [opening, ...windows.filter(({ first, last }) => last <= opening.first || first >= opening.last)].slice(0, count);
}

/** The first paragraph, or the first heading of a text without any. */
function firstParagraph({ units }: UnitScores, maxLength: number): Window {
  const first = Math.max(
    0,
    units.findIndex(({ kind }) => kind !== 'heading' && kind !== 'code'),
  );
  let last = first + 1;
  while (
    last < units.length &&
    !units[last].opensBlock &&
    units[last].region === units[first].region &&
    units[last].end - units[first].start <= maxLength
  )
    last++;
  return { first, last: Math.min(last, units.length), score: 0 };
}

function passageOf(
  analysed: AnalysedText,
  query: PassageQuery,
  scored: UnitScores,
  { first, last }: Window,
  maxLength: number,
  mayContinue: boolean,
): Passage {
  const { units, masks, terms } = scored;
  if (units.length === 0) return { start: 0, end: 0, score: 0, headings: [], section: -1 };
  let mask = 0;
  for (let unit = first; unit < last; unit++) mask |= masks[unit];
  const score = terms.reduce((sum, term, bit) => sum + ((mask >>> bit) & 1) * query.weights[term], 0);
  const whole = { start: units[first].start, end: units[last - 1].end };
  const clauses = mayContinue ? endOfClauses(analysed.text, units, last, whole.start, maxLength) : undefined;
  const range = betweenGraphemes(analysed.text, { start: whole.start, end: clauses ?? whole.end }, maxLength);
  const cutStart = units[first].isCutAtStart;
  const cutEnd = units[last - 1].isCutAtEnd || clauses !== undefined || range.end < whole.end;
  const header = units[first].kind === 'row' ? units[units[first].context] : undefined;
  return {
    ...range,
    score,
    ...(header?.kind === 'row' ? { tableHeader: analysed.text.slice(header.start, header.end).replace(/\n[\s\S]*$/, '') } : {}),
    ...headingAt(analysed.headings, range),
    ...(cutStart || cutEnd ? { cut: { ...(cutStart ? { start: true } : {}), ...(cutEnd ? { end: true } : {}) } } : {}),
  };
}

/** The end of the last clause of the next sentence that fits, where much of the length is left; `undefined` otherwise. */
function endOfClauses(text: string, units: readonly PassageUnit[], next: number, start: number, maxLength: number): number | undefined {
  const limit = start + maxLength;
  const [before, sentence] = [units[next - 1], units[next]];
  if (sentence?.kind !== 'sentence' || sentence.region !== before.region || sentence.isCutAtStart || sentence.opensBlock) return undefined;
  if (limit - before.end < CONTINUED_MIN_SHARE * maxLength) return undefined;
  const clauses = [...text.slice(sentence.start, Math.min(limit, sentence.end)).matchAll(CLAUSE_GAP)];
  const end = clauses.at(-1)?.index ?? 0;
  return end < CLAUSES_MIN_LENGTH ? undefined : sentence.start + end;
}

/** A range with the whole first grapheme, and as many more as fit. */
function betweenGraphemes(text: string, range: TextRange, maxLength: number): TextRange {
  const start = graphemeStart(text, range.start);
  return { start, end: Math.max(start, wholeGraphemes(text, start, Math.min(range.end, start + maxLength))) };
}

let graphemes: Intl.Segmenter | undefined;

// Trimming may end at a character that clusters with the next one, so both steps are repeated.
function wholeGraphemes(text: string, start: number, end: number): number {
  const whole = graphemeStart(text, end);
  const trimmed = start + text.slice(start, whole).trimEnd().length;
  return trimmed === end || trimmed <= start ? trimmed : wholeGraphemes(text, start, trimmed);
}

/** Whether a character makes no cluster with its neighbours unless one of them joins: Latin letters, dashes and quotation marks. */
function isLone(code: number): boolean {
  return code < 0x300 || (code >= 0x2010 && code <= 0x2027);
}

// The start of the grapheme cluster at `offset`. Of the commonest characters only CR and LF make a cluster (UAX #29, rules GB3 to GB5), and a
// segmenter would double the time.
function graphemeStart(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  if (isLone(text.charCodeAt(offset - 1)) && isLone(text.charCodeAt(offset))) {
    return text.startsWith('\r\n', offset - 1) ? offset - 1 : offset;
  }
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return graphemes.segment(text).containing(offset)?.index ?? offset;
}

/** Most terms of one query that count, the weightiest: the bits of a mask. */
const MASK_BITS = 31;

// The weights below are relative to a term that a unit has. By measurement on questions with answers (`npm run eval:answers`) about
// encyclopedia articles, also joined to long ones, about technical documentation, and about the sample.

/** A term of the document's title is in most of what the document says. */
const TITLE_TERM_WEIGHT = 0.5;
/** A term that a unit has in a related form only. */
const RELATED_WEIGHT = 0.8;
/** A term that only the unit before has, which a unit continues. */
const CONTEXT_WEIGHT = 0.3;
/** A term that only the next unit has. */
const NEXT_WEIGHT = 0.1;
/** Two terms that follow each other in query and unit, times the lighter one. */
const PAIR_WEIGHT = 0.4;
/** Code repeats names more than it explains them. */
const CODE_WEIGHT = 0.6;

// Relative to the weight of the whole query.

/** A value of the type that the question asks for. */
const ANSWER_TYPE_WEIGHT = 0.2;
/** A definition of what the question asks the meaning of. */
const DEFINITION_WEIGHT = 0.2;

/** Most characters between two terms that follow each other. */
const PAIR_MAX_GAP = 8;

/** What the units of a text have of a query. Arrays may be longer than there are units; what follows is undefined. */
interface UnitScores {
  readonly units: readonly PassageUnit[];
  /** For each unit: the terms that it has, a bit each. */
  readonly masks: Int32Array;
  /** For each unit: the terms that it has in a related form, a bit each. */
  readonly relatedMasks: Int32Array;
  /** For each unit: the terms of the headings above it, or of the heading that it is. */
  readonly headingMasks: Int32Array;
  /** For each unit: how much it says about the query. */
  readonly scores: Float64Array;
  /** The weight in this text of each term with a bit. */
  readonly weights: Float64Array;
  /** Position in the query's terms of each term with a bit. */
  readonly terms: readonly number[];
  /** Sum of the weights. */
  readonly total: number;
}

/** Arrays for the units of one text. Allocating some for each text of each answer takes longer than filling them. */
function unitArrays(count: number) {
  return {
    masks: new Int32Array(count),
    relatedMasks: new Int32Array(count),
    allMasks: new Int32Array(count),
    pairs: new Int32Array(count),
    headingMasks: new Int32Array(count),
    scores: new Float64Array(count),
  };
}

let scratch = unitArrays(512);

/**
 * Scores the units of a text for a query. The arrays are valid until the next call, which overwrites them.
 *
 * @param maxLength Of a unit, in UTF-16 code units.
 */
function scoreUnits(text: AnalysedText, query: PassageQuery, maxLength: number): UnitScores {
  const units = text.units(maxLength);
  const count = units.length;
  if (scratch.masks.length < count) scratch = unitArrays(count * 2);
  const { masks, relatedMasks, allMasks, pairs, headingMasks, scores } = scratch;
  for (const array of [masks, relatedMasks, pairs, scores]) array.fill(0, 0, count);
  const terms = weightiest(query.weights);
  const hasRelated = findTerms(text, units, query, terms, maxLength, { masks, relatedMasks, pairs });
  const weights = textWeights(text, query, terms, masks, count);
  let relatedWeights = weights;
  if (hasRelated) {
    for (let number = 0; number < count; number++) allMasks[number] = masks[number] | relatedMasks[number];
    relatedWeights = textWeights(text, query, terms, allMasks, count);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  findHeadingTerms(text, units, masks, headingMasks);
  for (let number = 0; number < count; number++) {
    const unit = units[number];
    const mask = masks[number];
    const context = unit.context < 0 ? 0 : masks[unit.context] & ~mask;
    const next = units[number + 1]?.region === unit.region ? masks[number + 1] & ~mask : 0;
    const heading = headingMasks[number] & ~mask & ~context;
    if ((mask | relatedMasks[number] | context | next | heading) === 0) continue;
    const score =
      (sumOf(mask, weights) + RELATED_WEIGHT * sumOf(relatedMasks[number] & ~mask, relatedWeights)) *
        (unit.kind === 'code' ? CODE_WEIGHT : 1) +
      PAIR_WEIGHT * sumOf(pairs[number], weights) +
      CONTEXT_WEIGHT * sumOf(context, weights) +
      NEXT_WEIGHT * sumOf(next, weights) +
      HEADING_WEIGHT * sumOf(heading, weights);
    scores[number] = score > 0 ? score + total * answerWeight(text, query, unit, number) : 0;
  }
  return { units, masks, relatedMasks, headingMasks, scores, weights, terms, total };
}

function sumOf(mask: number, weights: Float64Array): number {
  let sum = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) sum += weights[31 - Math.clz32(rest & -rest)];
  return sum;
}

function weightiest(weights: readonly number[]): number[] {
  const positions = [...weights.keys()];
  if (positions.length <= MASK_BITS) return positions;
  const chosen = positions.sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MASK_BITS);
  return chosen.sort((a, b) => a - b);
}

/**
 * Marks the visible terms of each unit, and those that directly follow the query's previous term.
 *
 * @returns Whether a unit has a related term.
 */
function findTerms(
  text: AnalysedText,
  units: readonly PassageUnit[],
  query: PassageQuery,
  terms: readonly number[],
  maxLength: number,
  { masks, relatedMasks, pairs }: Record<'masks' | 'relatedMasks' | 'pairs', Int32Array>,
): boolean {
  const { units: unitOf, starts, ends, tokens, hits, related } = text.occurrencesInUnits(query.terms, maxLength);
  for (let bit = 0; bit < terms.length; bit++) {
    const end = hits[2 * terms[bit] + 1];
    const lighter = bit > 0 && weightOf(query, terms, bit - 1) < weightOf(query, terms, bit) ? bit - 1 : bit;
    let before = bit === 0 ? 0 : hits[2 * terms[bit - 1]];
    const beforeEnd = bit === 0 ? 0 : hits[2 * terms[bit - 1] + 1];
    let lastEnd = -PAIR_MAX_GAP - 1;
    for (let at = hits[2 * terms[bit]]; at < end; at++) {
      const unit = unitOf[tokens[at]];
      if (unit < 0) continue;
      masks[unit] |= 1 << bit;
      for (; before < beforeEnd && tokens[before] < tokens[at]; before++) if (unitOf[tokens[before]] >= 0) lastEnd = ends[tokens[before]];
      const gap = starts[tokens[at]] - lastEnd;
      if (gap >= 0 && gap <= PAIR_MAX_GAP && lastEnd >= units[unit].start) pairs[unit] |= 1 << lighter;
    }
  }
  let hasRelated = false;
  for (let list = 0; list < related.length; list += 3) {
    const bit = terms.indexOf(related[list]);
    if (bit < 0) continue;
    for (let at = related[list + 1]; at < related[list + 2]; at++) {
      const unit = unitOf[tokens[at]];
      if (unit < 0) continue;
      relatedMasks[unit] |= 1 << bit;
      hasRelated = true;
    }
  }
  return hasRelated;
}

function weightOf({ weights }: PassageQuery, terms: readonly number[], bit: number): number {
  return weights[terms[bit]];
}

/** Terms that many units have say less about one of them. */
function textWeights(
  text: AnalysedText,
  { terms: names, weights }: PassageQuery,
  terms: readonly number[],
  masks: Int32Array,
  unitCount: number,
): Float64Array {
  const counts = new Uint32Array(terms.length);
  for (let unit = 0; unit < unitCount; unit++)
    for (let rest = masks[unit]; rest !== 0; rest &= rest - 1) counts[31 - Math.clz32(rest & -rest)] += 1;
  const inText = new Float64Array(terms.length);
  for (let bit = 0; bit < terms.length; bit++) {
    const rarity = Math.sqrt(Math.log(1 + (unitCount + 0.5) / (counts[bit] + 0.5)));
    inText[bit] = weights[terms[bit]] * rarity * (text.titleTerms.has(names[terms[bit]]) ? TITLE_TERM_WEIGHT : 1);
  }
  return inText;
}

function findHeadingTerms({ headings }: AnalysedText, units: readonly PassageUnit[], masks: Int32Array, headingMasks: Int32Array): void {
  const ofHeadings: number[] = new Array(headings.length).fill(0);
  for (let number = 0; number < units.length; number++) {
    const unit = units[number];
    const heading = unit.headings - 1;
    if (unit.kind === 'heading' && heading < headings.length) {
      const { parent } = headings[heading];
      ofHeadings[heading] |= masks[number] | (parent < 0 ? 0 : ofHeadings[parent]);
    }
    headingMasks[number] = ofHeadings[heading] ?? 0;
  }
}

function answerWeight(text: AnalysedText, { answerType, definedName }: PassageQuery, unit: PassageUnit, number: number): number {
  let weight = 0;
  if (answerType !== undefined && unit.kind !== 'heading' && text.hasAnswer(answerType, unit, number)) weight += ANSWER_TYPE_WEIGHT;
  if (definedName !== undefined && defines(definedName, text.text.slice(unit.start, unit.end))) weight += DEFINITION_WEIGHT;
  return weight;
}
