import { splitWords } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';
import type { AnalysedText } from './analysed-text.ts';
import { compareWindows, densestWindow, type PassageWindow } from './densest-window.ts';
import { headingAt, markdownBlocks, type PassageRegion } from './markdown-blocks.ts';
import type { PassageQuery } from './passage-query.ts';
import type { Hit } from './text-occurrences.ts';

/** A passage of a markdown text. */
export interface Passage extends TextRange {
  /** How well it fits the query, comparable within a search: the sum of the weights of its distinct terms. */
  readonly score: number;
  /** Titles of the section that it is in, outermost first. */
  readonly headings: readonly string[];
  /** Position of the innermost of these among all headings of the text; -1 before the first. */
  readonly section: number;
}

/** Bounds of a search for passages. */
export interface PassageOptions {
  /** Of each passage, in UTF-16 code units. */
  readonly maxLength: number;
  /** Most passages. */
  readonly count: number;
}

/**
 * The passages of a markdown text that match a query best, best first and without overlap: with the most distinct terms, from the start of a
 * paragraph or sentence where possible. Without a match it is one, the first paragraph, or as much of it as fits.
 *
 * A passage has no blank edges, stays within one section and on one side of a line that opens or closes a block, starts and ends between
 * graphemes, and ends with a sentence or word where possible. The first is empty only if the text is blank or no grapheme fits.
 *
 * @throws {RangeError} If `maxLength` or `count` is not a positive integer.
 */
export function findPassages(analysed: AnalysedText, { terms, weights }: PassageQuery, { maxLength, count }: PassageOptions): Passage[] {
  for (const [name, value] of Object.entries({ maxLength, count })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`Cannot find passages: ${name} is ${value}, not a positive integer`);
  }
  const { text } = analysed;
  const hits = fittingHits(analysed.findHits(terms), maxLength);
  const windows: PassageWindow[] = [];
  let from = 0;
  for (const region of hits.length > 0 ? analysed.regions : []) {
    while (from < hits.length && hits[from].start < region.start) from++;
    let to = from;
    while (to < hits.length && hits[to].start < region.end) to++;
    if (from === to) continue;
    const inside = hits.slice(from, to);
    from = to;
    const window = densestWindow(region, inside, maxLength);
    if (window !== undefined) windows.push(window);
  }
  windows.sort(compareWindows);
  const found = windows.slice(0, count).map((window) => cutPassage(text, window.region, window.start, window.keepEnd, maxLength));
  const ranges = found.length > 0 ? found : [firstParagraph(analysed, maxLength)];
  return ranges.map((range) => {
    const inside = new Set(hits.filter(({ start, end }) => start >= range.start && end <= range.end).map(({ term }) => term));
    const score = [...inside].reduce((sum, term) => sum + weights[term], 0);
    return { ...range, score, ...headingAt(analysed.headings, range) };
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
  for (const { start, end } of analysed.findHits(terms)) {
    if (start < last || end > to) continue;
    highlights.push({ start: start - from, end: end - from });
    last = end;
  }
  return highlights;
}

function fittingHits(hits: readonly Hit[], maxLength: number): readonly Hit[] {
  const fits = ({ wordStart, wordEnd }: Hit): boolean => wordEnd - wordStart <= maxLength;
  if (hits.every(fits)) return hits;
  // Of a word that does not fit, a matching part may.
  return hits.map((hit) => (fits(hit) ? hit : { ...hit, wordStart: hit.start, wordEnd: hit.end })).filter(fits);
}

function firstParagraph({ text, regions }: AnalysedText, maxLength: number): TextRange {
  const blocks = markdownBlocks(text);
  const block = blocks.find(({ kind }) => kind === 'prose') ?? blocks[0];
  if (block === undefined) return { start: 0, end: 0 };
  const ends = regions.find(({ end }) => end >= block.end)?.ends ?? [];
  return cutPassage(text, { end: block.end, ends }, block.start, block.start, maxLength);
}

/** A passage may end with a sentence if that leaves this share of the length. */
const SENTENCE_CUT_MIN_SHARE = 0.4;

/** A passage may end at white space if that leaves this share of the length; otherwise at any end of a word. */
const SPACE_CUT_MIN_SHARE = 0.6;

/** Longer words may be cut. In UTF-16 code units. */
const WORD_LOOK_AHEAD = 64;

let graphemes: Intl.Segmenter | undefined;

/**
 * The passage from `from` to the end of its region if it fits, else of a paragraph or sentence, a word, or a grapheme; empty if no grapheme
 * fits. It starts earlier if `from` is inside a grapheme.
 *
 * @param keepEnd End of the text that the passage should include.
 */
function cutPassage(
  text: string,
  region: Pick<PassageRegion, 'end' | 'ends'>,
  from: number,
  keepEnd: number,
  maxLength: number,
): TextRange {
  const start = graphemeStart(text, from);
  const limit = start + maxLength;
  const keep = Math.min(keepEnd, limit);
  let end: number | undefined;
  if (region.end <= limit) end = region.end;
  end ??= lastSentenceEnd(region.ends, Math.max(keep, start + maxLength * SENTENCE_CUT_MIN_SHARE), limit);
  end ??= lastSpace(text, Math.max(keep, start + maxLength * SPACE_CUT_MIN_SHARE), limit);
  end ??= lastWordEnd(text, start, keep, limit);
  return { start, end: wholeGraphemes(text, start, end) };
}

// Trimming may end at a character that clusters with the next one, so both steps are repeated.
function wholeGraphemes(text: string, start: number, end: number): number {
  const whole = graphemeStart(text, end);
  const trimmed = start + text.slice(start, whole).trimEnd().length;
  return trimmed === end || trimmed <= start ? trimmed : wholeGraphemes(text, start, trimmed);
}

// The start of the grapheme cluster at `offset`. Of ASCII characters only CR and LF make a cluster (UAX #29, rules GB3 to GB5), and a
// segmenter would double the time.
function graphemeStart(text: string, offset: number): number {
  if (offset > 0 && text.charCodeAt(offset - 1) < 0x80 && text.charCodeAt(offset) < 0x80) {
    return text.startsWith('\r\n', offset - 1) ? offset - 1 : offset;
  }
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return graphemes.segment(text).containing(offset)?.index ?? offset;
}

function lastSentenceEnd(ends: readonly number[], least: number, limit: number): number | undefined {
  return ends.findLast((end) => end >= least && end <= limit);
}

function lastSpace(text: string, least: number, limit: number): number | undefined {
  for (let at = limit; at >= least; at--) if (/\s/.test(text.charAt(at))) return at;
  return undefined;
}

function lastWordEnd(text: string, start: number, least: number, limit: number): number {
  const words = splitWords(text.slice(start, limit + WORD_LOOK_AHEAD));
  const end = words.findLast((word) => start + word.end <= limit)?.end ?? 0;
  if (start + end >= least && end > 0) return start + end;
  return least > start ? least : limit;
}
