import { cutPassage } from './cut-passage.ts';
import { compareWindows, densestWindow, type PassageWindow } from './densest-window.ts';
import { findHits, type Hit } from './find-hits.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { type PassageRegion, passageRegions } from './passage-stops.ts';
import type { TextRange } from './types.ts';

/**
 * The part of a markdown text that answers a query best: the one with most of its different terms, from the beginning of
 * a paragraph or sentence where it can. Without a match it is the first paragraph, or what of it fits.
 *
 * It has no blank edges, crosses no fence line of a code block, begins and ends between graphemes, and ends with a
 * sentence or word where one ends. It is empty only if the text is blank or nothing of it fits.
 *
 * @param maxLength The most it may be, in UTF-16 code units.
 * @throws {RangeError} If `maxLength` is not a positive integer.
 */
export function findBestPassage(text: string, query: string, language: string, maxLength: number): TextRange {
  if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
    throw new RangeError(`Cannot find a passage: maximum length is ${maxLength}, not a positive integer`);
  }
  const hits = findHits(text, query, language)
    .map((hit) => fitWord(hit, maxLength))
    .filter(({ wordStart, wordEnd }) => wordEnd - wordStart <= maxLength);
  let best: PassageWindow | undefined;
  let from = 0;
  for (const region of hits.length > 0 ? passageRegions(text) : []) {
    let to = from;
    while (to < hits.length && (hits[to] as Hit).start < region.end) to++;
    const inside = hits.slice(from, to).filter(({ start }) => start >= region.start);
    from = to;
    const window = densestWindow(region, inside, maxLength);
    if (window !== undefined && (best === undefined || compareWindows(window, best) < 0)) best = window;
  }
  if (best === undefined) return firstParagraph(text, maxLength);
  return cutPassage(text, best.region, best.start, best.keepEnd, maxLength);
}

/**
 * The words in a part of a text that a query asks for, ascending and without overlap.
 *
 * @returns Ranges that count from `within.start`, so that they apply to the part itself.
 * @throws {RangeError} If `within` is not a range of `text`.
 */
export function findHighlights(text: string, query: string, language: string, within: TextRange): TextRange[] {
  const { start: from, end: to } = within;
  if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= text.length)) {
    throw new RangeError(`Cannot highlight: ${from} to ${to} is not a range of the text`);
  }
  const highlights: TextRange[] = [];
  let last = 0;
  for (const { start, end } of findHits(text.slice(from, to), query, language)) {
    if (start < last) continue;
    highlights.push({ start, end });
    last = end;
  }
  return highlights;
}

// Of a word that is longer than the passage may be, a part that matches is better than nothing.
function fitWord(hit: Hit, maxLength: number): Hit {
  if (hit.wordEnd - hit.wordStart <= maxLength) return hit;
  return { ...hit, wordStart: hit.start, wordEnd: hit.end };
}

function firstParagraph(text: string, maxLength: number): TextRange {
  const blocks = markdownBlocks(text);
  const block = blocks.find(({ kind }) => kind === 'prose') ?? blocks[0];
  if (block === undefined) return { start: 0, end: 0 };
  const region = passageRegions(text).find(({ end }) => end >= block.end) as PassageRegion;
  return cutPassage(text, { end: block.end, ends: region.ends }, block.start, block.start, maxLength);
}
