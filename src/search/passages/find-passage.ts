import type { AnalysedText } from './analysed-text.ts';
import { cutPassage } from './cut-passage.ts';
import { compareWindows, densestWindow, type PassageWindow } from './densest-window.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import type { Hit } from './text-occurrences.ts';
import type { TextRange } from '../search-document.ts';

/**
 * The part of a markdown text that answers a query best: with the most distinct terms, from the beginning of a paragraph or sentence where
 * possible. Without a match it is the first paragraph, or as much of it as fits.
 *
 * It has no blank edges, crosses no fence line of a code block and no heading into another section, begins and ends between
 * graphemes, and ends with a sentence or word where one ends. It is empty only if the text is blank or nothing of it fits.
 *
 * @param terms Terms of the query, as the index has them.
 * @param maxLength The most it may be, in UTF-16 code units.
 * @throws {RangeError} If `maxLength` is not a positive integer.
 */
export function findBestPassage(analysed: AnalysedText, terms: readonly string[], maxLength: number): TextRange {
  if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
    throw new RangeError(`Cannot find a passage: maximum length is ${maxLength}, not a positive integer`);
  }
  const { text } = analysed;
  const hits = fittingHits(analysed.findHits(terms), maxLength);
  let best: PassageWindow | undefined;
  let from = 0;
  for (const region of hits.length > 0 ? analysed.regions : []) {
    while (from < hits.length && hits[from].start < region.start) from++;
    let to = from;
    while (to < hits.length && hits[to].start < region.end) to++;
    if (from === to) continue;
    const inside = hits.slice(from, to);
    from = to;
    const window = densestWindow(region, inside, maxLength, best?.distinct);
    if (window !== undefined && (best === undefined || compareWindows(window, best) < 0)) best = window;
  }
  if (best === undefined) return firstParagraph(analysed, maxLength);
  return cutPassage(text, best.region, best.start, best.keepEnd, maxLength);
}

/**
 * The words in a part of a text that match a query, ascending and without overlap.
 *
 * @param terms Terms of the query, as the index has them.
 * @returns Ranges that count from `within.start`, so that they apply to the part itself.
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

// In most texts all words are shorter than a passage.
function fittingHits(hits: readonly Hit[], maxLength: number): readonly Hit[] {
  const fits = ({ wordStart, wordEnd }: Hit): boolean => wordEnd - wordStart <= maxLength;
  if (hits.every(fits)) return hits;
  // Of a word that is longer than the passage may be, a part that matches is better than nothing.
  return hits.map((hit) => (fits(hit) ? hit : { ...hit, wordStart: hit.start, wordEnd: hit.end })).filter(fits);
}

function firstParagraph({ text, regions }: AnalysedText, maxLength: number): TextRange {
  const blocks = markdownBlocks(text);
  const block = blocks.find(({ kind }) => kind === 'prose') ?? blocks[0];
  if (block === undefined) return { start: 0, end: 0 };
  const ends = regions.find(({ end }) => end >= block.end)?.ends ?? [];
  return cutPassage(text, { end: block.end, ends }, block.start, block.start, maxLength);
}
