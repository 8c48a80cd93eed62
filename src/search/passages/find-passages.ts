import type { TextRange } from '../search-document.ts';
import type { AnalysedText } from './analysed-text.ts';
import { headingAt } from './markdown-blocks.ts';
import { defines, isSubject, type PassageQuery } from './passage-query.ts';
import { ITEM, isNaming, type PassageUnit } from './passage-units.ts';
import { scoreUnits, sumOf, type UnitScores } from './score-units.ts';

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
  /** Of the first passage: the sentence, item or row that answers the query, without the mark of an item and of footnotes; absent if none clearly does. */
  readonly answer?: TextRange & Pick<Passage, 'tableHeader'>;
}

export interface PassageOptions {
  /** Of each passage, in UTF-16 code units. */
  readonly maxLength: number;
  /** Of a single passage where the rest of the text says nearly as much about the query; as `maxLength` if it is less or absent. */
  readonly unsureMaxLength?: number | undefined;
  readonly count: number;
  /** Whether the first passage says what answers the query; by default it does. */
  readonly answers?: boolean;
}

// Weights of a passage relative to the terms that it has, or to the whole query; measured with those of units.

/** The unit that says most about the query, which has the answer or stands beside it. */
const BEST_UNIT_WEIGHT = 1.3;
const UNIT_SUM_WEIGHT = 0.05;
/** Room after the best unit: what follows explains it. Times the share of the length. */
const FOLLOWING_WEIGHT = 0.05;
/** A passage that begins a paragraph, item, table or block of code. */
const OPENING_WEIGHT = 0.06;

/** With less of the words by which readers ask for a text as a whole, a passage is not about them. */
const ASKED_MIN_SHARE = 0.5;

/** Clauses of the next sentence that are shorter together are left out. In UTF-16 code units. */
const CLAUSES_MIN_LENGTH = 10;

const CLAUSE_GAP = /(?<=[,;:)—–،؛])\s+|(?<=[，；：])\s*/g;

// A unit answers the query if it leads all others of its text by a share of the whole query, and has a share of its words. With 0.25 and 0.2,
// an answer is stated for about half of the questions about encyclopedia articles, and right for 9 in 10 of these (`npm run eval:answers`).
const ANSWER_MIN_LEAD = 0.25;
const ANSWER_MIN_SHARE = 0.2;

// A passage is unsure if its best unit is ahead of all outside of it by less than this share of the whole query, as for 1 in 6 questions about
// encyclopedia articles. 720 in place of 480 code units for these bring as many answers as 600 for all (`npm run eval:answers`).
const UNSURE_MAX_LEAD = 0.1;

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
export function findPassages(analysed: AnalysedText, query: PassageQuery, options: PassageOptions): Passage[] {
  const { maxLength, unsureMaxLength = maxLength, count, answers = true } = options;
  for (const [name, value] of Object.entries({ maxLength, count })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`Cannot find passages: ${name} is ${value}, not a positive integer`);
  }
  const scored = scoreUnits(analysed, query, maxLength);
  const chosen = chooseWindows(scored, maxLength, count);
  const isAboutWhole = chosen.length === 0 || asksForWhole(analysed, query, scored, chosen[0]);
  const windows = isAboutWhole ? withOpening(firstParagraph(scored, maxLength), chosen, count) : chosen;
  const isUnsure =
    !isAboutWhole && count === 1 && unsureMaxLength > maxLength && leadOf(scored, chosen[0]) < UNSURE_MAX_LEAD * scored.total;
  const length = isUnsure ? unsureMaxLength : maxLength;
  if (isUnsure) windows[0] = extended(scored, windows[0], length);
  return windows.map((window, at) => {
    const isTaken = windows.some(({ first, last }) => first <= window.last && window.last < last);
    const passage = passageOf(analysed, query, scored, window, length, !isTaken);
    return at === 0 && answers ? { ...passage, ...answerIn(analysed, query, scored, window, isAboutWhole) } : passage;
  });
}

/**
 * The words in a part of a text that match a query, ascending and without overlap, as offsets from `within.start`.
 *
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
 * title; by the subject of the title, or for its meaning, which that passage does not define; or by words that readers have for the text where
 * the passage has no other than those of the title, or less than half of them. A row of a table that alone has one of those words has it by
 * chance.
 */
function asksForWhole(
  { title, text, titleTerms, askedTerms }: AnalysedText,
  query: PassageQuery,
  { units, masks, terms }: UnitScores,
  best: Window,
): boolean {
  if (query.isBareName === true && query.terms.some((term) => titleTerms.has(term))) return true;
  const name = query.definedName ?? query.question.trim().toLowerCase();
  if (name !== '' && isSubject(name, title)) return !defines(name, text.slice(units[best.first].start, units[best.last - 1].end));
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
  return chosen;
}

/** The last unit with a term; -1 without. */
function lastMatch(masks: Int32Array, unitCount: number): number {
  let last = unitCount - 1;
  while (last >= 0 && masks[last] === 0) last--;
  return last;
}

/** The longest window from a unit on; `undefined` if it has no term of the query. */
function windowFrom(
  { units, masks, scores, weights, total }: UnitScores,
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
    if (!isNaming(units[last]) && scores[last] > bestScore) {
      bestScore = scores[last];
      bestEnd = units[last].end;
    }
    last++;
  }
  last = withoutLead(units, first, last, bestEnd);
  if (!hasMatch) return undefined;
  const followed = (units[last - 1].end - bestEnd) / maxLength;
  const score =
    sumOf(mask, weights) +
    BEST_UNIT_WEIGHT * bestScore +
    UNIT_SUM_WEIGHT * sum +
    total * (FOLLOWING_WEIGHT * followed + (units[first].opensBlock ? OPENING_WEIGHT : 0));
  return { first, last, score };
}

/** The end of a window that does not end with the heading, or the header of a table, of what does not fit. @param bestEnd End of its best unit. */
function withoutLead(units: readonly PassageUnit[], first: number, last: number, bestEnd?: number): number {
  const leads = (number: number): boolean =>
    isNaming(units[number]) ||
    (units[number].kind === 'row' &&
      units[number + 1].kind === 'row' &&
      units[number + 1].context === number &&
      units[number].end !== bestEnd);
  let end = last;
  while (end - 1 > first && units[end]?.region === units[first].region && leads(end - 1)) end--;
  return end;
}

/** By how much the best unit of a window is ahead of all units outside of it. */
function leadOf({ units, scores }: UnitScores, { first, last }: Window): number {
  let [inside, outside] = [0, 0];
  for (let unit = 0; unit < units.length; unit++) {
    if (isNaming(units[unit])) continue;
    if (first <= unit && unit < last) inside = Math.max(inside, scores[unit]);
    else outside = Math.max(outside, scores[unit]);
  }
  return inside - outside;
}

/** A window with what follows it in its region, and then what is before it, as far as both fit. */
function extended({ units }: UnitScores, window: Window, maxLength: number): Window {
  let { first, last } = window;
  const fits = (from: number, to: number): boolean =>
    units[from]?.region === units[to]?.region && units[to].end - units[from].start <= maxLength;
  while (last < units.length && fits(first, last)) last++;
  while (first > 0 && fits(first - 1, last - 1)) first--;
  return { ...window, first, last: Math.max(window.last, withoutLead(units, first, last)) };
}

/** The opening of a text, then other windows that do not overlap with it. */
function withOpening(opening: Window, windows: readonly Window[], count: number): Window[] {
  return [opening, ...windows.filter(({ first, last }) => last <= opening.first || first >= opening.last)].slice(0, count);
}

/** The first paragraph, or the first heading of a text without any. */
function firstParagraph({ units }: UnitScores, maxLength: number): Window {
  const first = Math.max(
    0,
    units.findIndex((unit) => !isNaming(unit) && unit.kind !== 'code'),
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
  return {
    ...range,
    score,
    ...tableHeader(analysed.text, units, units[first]),
    ...headingAt(analysed.headings, range),
    ...(cutStart || cutEnd ? { cut: { ...(cutStart ? { start: true } : {}), ...(cutEnd ? { end: true } : {}) } } : {}),
  };
}

/** The unit of a window that answers the query, or that defines the name of the text: no code, head of a table, or part of a sentence. */
function answerIn(
  analysed: AnalysedText,
  query: PassageQuery,
  scored: UnitScores,
  { first, last }: Window,
  isAboutWhole: boolean,
): Pick<Passage, 'answer'> {
  const { text } = analysed;
  const { units } = scored;
  const { definedName, asksForDefinition, asksForSteps } = query;
  const isStatement = (unit: number): boolean => {
    const { kind, isCutAtStart, isCutAtEnd, context } = units[unit];
    const isHead = kind === 'row' && units[context]?.kind !== 'row';
    return !isNaming(units[unit]) && kind !== 'code' && !isHead && !isCutAtStart && !isCutAtEnd;
  };
  const defining = (unit: number): boolean =>
    definedName !== undefined && isStatement(unit) && defines(definedName, text.slice(units[unit].start, units[unit].end));
  const numbers = Array.from({ length: last - first }, (_, at) => first + at);
  const found = isAboutWhole || asksForDefinition === true ? numbers.find(defining) : leadingUnit(analysed, query, scored, numbers);
  if (found === undefined || asksForSteps === true || !isStatement(found)) return {};
  const { kind, opensBlock, start, end } = units[found];
  const source = text.slice(start, end);
  const mark = ITEM.exec(source)?.[0].length ?? 0;
  const before = kind === 'sentence' && !opensBlock && found > first && analysed.refersBack(source) ? units[found - 1] : undefined;
  const from = before?.kind === 'sentence' && !before.isCutAtStart ? before.start : start + mark;
  return { answer: { start: from, end: start + source.replace(NOTES, '').length, ...tableHeader(text, units, units[found]) } };
}

/** The unit that is far ahead of all others of the text, and has what the query asks for; `undefined` if none is. */
function leadingUnit(
  analysed: AnalysedText,
  { answerType, counted, details = [], known }: PassageQuery,
  { units, maxLength, masks, relatedMasks, scores, weights, terms }: UnitScores,
  numbers: readonly number[],
): number | undefined {
  const said = numbers.filter((unit) => !isNaming(units[unit]));
  const best = said.reduce((first, unit) => (first === undefined || scores[unit] > scores[first] ? unit : first), said.at(0));
  if (best === undefined) return undefined;
  let next = 0;
  for (let unit = 0; unit < units.length; unit++) if (unit !== best && !isNaming(units[unit])) next = Math.max(next, scores[unit]);
  const asked = terms.reduce((sum, term, bit) => sum + (term < known ? weights[bit] : 0), 0);
  const found = masks[best] | relatedMasks[best];
  if (scores[best] - next < ANSWER_MIN_LEAD * asked || sumOf(found, weights) < ANSWER_MIN_SHARE * asked) return undefined;
  const isCounted = counted === undefined || (found & (1 << terms.indexOf(counted))) !== 0;
  const types = [...(answerType === undefined ? [] : [answerType]), ...details.filter(({ isNeeded }) => isNeeded).map(({ type }) => type)];
  return isCounted && types.every((type) => analysed.hasAnswer(type, maxLength, best)) ? best : undefined;
}

/** The first row of the table that a row is in, unless it is that row. */
function tableHeader(text: string, units: readonly PassageUnit[], { kind, context }: PassageUnit): Pick<Passage, 'tableHeader'> {
  const header = kind === 'row' ? units[context] : undefined;
  return header?.kind === 'row' ? { tableHeader: text.slice(header.start, header.end).replace(/\n[\s\S]*$/, '') } : {};
}

/** The marks of footnotes at the end of a sentence. */
const NOTES = /(?<!\])(?:\[\^[^[\]\s]+\])+$/;

/** The end of the last clause of the next sentence that fits; `undefined` if none does. */
function endOfClauses(text: string, units: readonly PassageUnit[], next: number, start: number, maxLength: number): number | undefined {
  const [before, sentence] = [units[next - 1], units[next]];
  if (sentence?.kind !== 'sentence' || sentence.region !== before.region || sentence.opensBlock) return undefined;
  const clauses = [...text.slice(sentence.start, Math.min(start + maxLength, sentence.end)).matchAll(CLAUSE_GAP)];
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
