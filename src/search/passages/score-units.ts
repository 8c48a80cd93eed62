import type { AnalysedText } from './analysed-text.ts';
import { defines, type PassageQuery } from './passage-query.ts';
import { isNaming, type PassageUnit } from './passage-units.ts';

/** Most terms of one query that count, the weightiest: the bits of a mask. */
const MASK_BITS = 31;

// The weights below are relative to a term that a unit has. By measurement on questions with answers (`npm run eval:answers`) about
// encyclopedia articles, also joined to long ones, about technical documentation, and about the sample.

/** A term of the document's title is in most of what the document says. */
const TITLE_TERM_WEIGHT = 0.5;
/** Two terms that stand together in every unit, as those of a name do, say little more than one: the share of the lighter one that is lost. */
const TOGETHER_LOSS = 0.6;
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
const ANSWER_TYPE_WEIGHT = 0.3;
/** A definition of what the question asks the meaning of. */
const DEFINITION_WEIGHT = 0.4;
/** A sentence that leads to code, for a question for instructions. */
const LEAD_TO_CODE_WEIGHT = 0.2;

/** Most characters between two terms that follow each other. */
const PAIR_MAX_GAP = 8;

/** What the units of a text have of a query. Arrays may be longer than there are units; what follows is undefined. */
export interface UnitScores {
  readonly units: readonly PassageUnit[];
  /** Of a unit, in UTF-16 code units. */
  readonly maxLength: number;
  /** For each unit: the terms that it has, a bit each. */
  readonly masks: Int32Array;
  /** For each unit: the terms that it has in a related form only, a bit each. */
  readonly relatedMasks: Int32Array;
  /** For each unit: how much it says about the query. */
  readonly scores: Float64Array;
  /** The weight in this text of each term with a bit, in an array that may be longer. */
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
    pairs: new Int32Array(count),
    headingMasks: new Int32Array(count),
    scores: new Float64Array(count),
    ofHeadings: new Int32Array(count),
  };
}

let scratch = unitArrays(512);

function scratchFor(count: number): ReturnType<typeof unitArrays> {
  if (scratch.masks.length < count) scratch = unitArrays(count * 2);
  return scratch;
}

/** The same for the terms: units that have each, those that have the one before it too, those that have only a related one, and weights. */
const termArrays = {
  counts: new Int32Array(MASK_BITS),
  togetherCounts: new Int32Array(MASK_BITS),
  relatedCounts: new Int32Array(MASK_BITS),
  weights: new Float64Array(MASK_BITS),
  relatedWeights: new Float64Array(MASK_BITS),
};

/** Scores the units of a text for a query. The arrays are valid until the next call, which overwrites them. @param maxLength Of a unit. */
export function scoreUnits(text: AnalysedText, query: PassageQuery, maxLength: number): UnitScores {
  const units = text.units(maxLength);
  const count = units.length;
  const { masks, relatedMasks, pairs, headingMasks, scores } = scratchFor(Math.max(count, text.headings.length));
  for (const array of [masks, relatedMasks, pairs, scores]) array.fill(0, 0, count);
  const terms = weightiest(query.weights);
  findTerms(text, units, query, terms, maxLength, { masks, relatedMasks, pairs });
  const { weights, relatedWeights } = termArrays;
  weighTerms(text, query, terms, count);
  let total = 0;
  for (let bit = 0; bit < terms.length; bit++) total += weights[bit];
  findHeadingTerms(text, units, query, terms, { masks, headingMasks });
  for (let number = 0; number < count; number++) {
    const unit = units[number];
    const mask = masks[number];
    const context = unit.context < 0 ? 0 : masks[unit.context] & ~mask;
    const next = units[number + 1]?.region === unit.region ? masks[number + 1] & ~mask : 0;
    const heading = headingMasks[number] & ~mask & ~context;
    if ((mask | relatedMasks[number] | context | next | heading) === 0) continue;
    const score =
      (sumOf(mask, weights) + RELATED_WEIGHT * sumOf(relatedMasks[number], relatedWeights)) * (unit.kind === 'code' ? CODE_WEIGHT : 1) +
      PAIR_WEIGHT * sumOf(pairs[number], weights) +
      CONTEXT_WEIGHT * sumOf(context, weights) +
      NEXT_WEIGHT * sumOf(next, weights) +
      sumOf(heading, weights);
    scores[number] = score > 0 ? score + total * answerWeight(text, query, units, number, maxLength) : 0;
  }
  return { units, maxLength, masks, relatedMasks, scores, weights, terms, total };
}

/**
 * The largest share of a query, by the weights of its terms, that one unit of a text has, or its title, or the words by which readers ask for
 * it: 0 to 1. @param maxLength Of a unit.
 */
export function largestShare(text: AnalysedText, { terms, weights }: PassageQuery, maxLength: number): number {
  const { units: unitOf, tokens, hits } = text.occurrencesInUnits(terms, maxLength);
  const { titleTerms, askedTerms } = text;
  const count = text.units(maxLength).length;
  const { scores: shares, ofHeadings: lastTerms } = scratchFor(count);
  shares.fill(0, 0, count);
  lastTerms.fill(-1, 0, count);
  let [total, ofTitle, ofAsked, largest] = [0, 0, 0, 0];
  for (let term = 0; term < terms.length; term++) {
    const weight = weights[term];
    total += weight;
    if (titleTerms.has(terms[term])) ofTitle += weight;
    if (askedTerms.has(terms[term])) ofAsked += weight;
    for (let at = hits[2 * term]; at < hits[2 * term + 1]; at++) {
      const unit = unitOf[tokens[at]];
      if (unit < 0 || lastTerms[unit] === term) continue;
      lastTerms[unit] = term;
      shares[unit] += weight;
      largest = Math.max(largest, shares[unit]);
    }
  }
  return total === 0 ? 0 : Math.max(largest, ofTitle, ofAsked) / total;
}

export function sumOf(mask: number, weights: Float64Array): number {
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

/** Marks and counts the visible terms of each unit, those that it has in a related form only, and those that follow the query's previous term. */
function findTerms(
  text: AnalysedText,
  units: readonly PassageUnit[],
  query: PassageQuery,
  terms: readonly number[],
  maxLength: number,
  { masks, relatedMasks, pairs }: Record<'masks' | 'relatedMasks' | 'pairs', Int32Array>,
): void {
  const { counts, togetherCounts, relatedCounts } = termArrays;
  for (const array of [counts, togetherCounts, relatedCounts]) array.fill(0);
  const { units: unitOf, starts, ends, tokens, hits, related } = text.occurrencesInUnits(query.terms, maxLength);
  for (let bit = 0; bit < terms.length; bit++) {
    const end = hits[2 * terms[bit] + 1];
    const lighter = bit > 0 && query.weights[terms[bit - 1]] < query.weights[terms[bit]] ? bit - 1 : bit;
    let before = bit === 0 ? 0 : hits[2 * terms[bit - 1]];
    const beforeEnd = bit === 0 ? 0 : hits[2 * terms[bit - 1] + 1];
    let lastEnd = -PAIR_MAX_GAP - 1;
    for (let at = hits[2 * terms[bit]]; at < end; at++) {
      const unit = unitOf[tokens[at]];
      if (unit < 0) continue;
      if ((masks[unit] & (1 << bit)) === 0) {
        counts[bit] += 1;
        if (bit > 0) togetherCounts[bit] += (masks[unit] >>> (bit - 1)) & 1;
      }
      masks[unit] |= 1 << bit;
      for (; before < beforeEnd && tokens[before] < tokens[at]; before++) if (unitOf[tokens[before]] >= 0) lastEnd = ends[tokens[before]];
      const gap = starts[tokens[at]] - lastEnd;
      if (gap >= 0 && gap <= PAIR_MAX_GAP && lastEnd >= units[unit].start) pairs[unit] |= 1 << lighter;
    }
  }
  for (let list = 0; list < related.length; list += 3) {
    const bit = terms.indexOf(related[list]);
    if (bit < 0) continue;
    for (let at = related[list + 1]; at < related[list + 2]; at++) {
      const unit = unitOf[tokens[at]];
      if (unit < 0 || ((masks[unit] | relatedMasks[unit]) & (1 << bit)) !== 0) continue;
      relatedMasks[unit] |= 1 << bit;
      relatedCounts[bit] += 1;
    }
  }
}

/** Terms that many units have say less about one of them, and so do those that stand with the query's previous term. */
function weighTerms({ titleTerms }: AnalysedText, query: PassageQuery, terms: readonly number[], unitCount: number): void {
  const { counts, togetherCounts, relatedCounts, weights, relatedWeights } = termArrays;
  const rarity = (count: number): number => Math.sqrt(Math.log(1 + (unitCount + 0.5) / (count + 0.5)));
  let before = 0;
  for (let bit = 0; bit < terms.length; bit++) {
    const weight = query.weights[terms[bit]] * (titleTerms.has(query.terms[terms[bit]]) ? TITLE_TERM_WEIGHT : 1);
    const alone = weight * rarity(counts[bit]);
    const repeated = togetherCounts[bit] > 1 ? (togetherCounts[bit] - 1) / Math.min(counts[bit], counts[bit - 1]) : 0;
    weights[bit] = alone - TOGETHER_LOSS * repeated * Math.min(alone, before);
    before = alone;
    if (relatedCounts[bit] > 0) relatedWeights[bit] = weight * rarity(counts[bit] + relatedCounts[bit]);
  }
}

/** Marks the terms of the headings above each unit, and above a row of a table those of the title: rows seldom name the subject of a text. */
function findHeadingTerms(
  { headings, titleTerms }: AnalysedText,
  units: readonly PassageUnit[],
  query: PassageQuery,
  terms: readonly number[],
  { masks, headingMasks }: Record<'masks' | 'headingMasks', Int32Array>,
): void {
  const { ofHeadings } = scratch;
  ofHeadings.fill(0, 0, headings.length);
  const ofTitle = terms.reduce((mask, term, bit) => (titleTerms.has(query.terms[term]) ? mask | (1 << bit) : mask), 0);
  for (let number = 0; number < units.length; number++) {
    const unit = units[number];
    const heading = unit.headings - 1;
    if (unit.kind === 'heading' && heading < headings.length) {
      const { parent } = headings[heading];
      ofHeadings[heading] |= masks[number] | (parent < 0 ? 0 : ofHeadings[parent]);
    }
    headingMasks[number] = (ofHeadings[heading] ?? 0) | (unit.kind === 'row' ? ofTitle : 0);
  }
}

function answerWeight(
  text: AnalysedText,
  { answerType, details = [], definedName, asksForSteps }: PassageQuery,
  units: readonly PassageUnit[],
  number: number,
  maxLength: number,
): number {
  const unit = units[number];
  let weight = definedName !== undefined && defines(definedName, text.text.slice(unit.start, unit.end)) ? DEFINITION_WEIGHT : 0;
  if (isNaming(unit)) return weight;
  if (asksForSteps === true && units[number + 1]?.kind === 'code' && text.text[unit.end - 1] === ':') weight += LEAD_TO_CODE_WEIGHT;
  if (answerType !== undefined && text.hasAnswer(answerType, maxLength, number)) weight += ANSWER_TYPE_WEIGHT;
  for (const detail of details) if (text.hasAnswer(detail.type, maxLength, number)) weight += detail.weight;
  return weight;
}
