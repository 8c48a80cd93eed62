import type { TextRange } from '../search-document.ts';
import type { VisibleRange } from './markdown-blocks.ts';

/**
 * Marks of markdown that readers do not see: rows of dashes below the head of a table, marks at the beginning of a line, brackets of links,
 * backquotes, marks of emphasis, backslashes of escapes.
 */
const MARKS =
  /^[ \t]*(?:\|[ \t]*)?:?-{3,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$|^[ \t]*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\|)[ \t]*)+|!?\[(?=[^\][]*\])|(?<=\[[^\][]*)\]|(?<!\\)(?:`+|\*+)|(?<![\p{L}\p{N}\\])_+|_+(?![\p{L}\p{N}])|\\(?=[!-/:-@[-`{-~])/gmu;

/** A row of a table, in which edges of cells are characters of their own. */
const TABLE_ROW = /^[ \t]*\|.*\|[ \t]*$/gm;
const CELL_EDGE = /(?<!\\)\|(?=([ \t]*$)|)/g;

/** The beginning of an item of a list, up to its mark. */
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=\s)/gm;

/** What readers see of a character: nothing, the character, or what stands between cells, items and rows. */
export const HIDDEN = 0;
export const VISIBLE = 1;
export const PART_END = 2;
export const ROW_END = 3;

/** What readers see of each character of a markdown text. @param ranges The ranges that are shown, ascending. */
export function visibleStates(markdown: string, ranges: readonly VisibleRange[]): Uint8Array {
  const states = new Uint8Array(markdown.length);
  for (const { start, end } of ranges) states.fill(VISIBLE, start, end);
  for (let first = 0, last = 0; first < ranges.length; first = last + 1) {
    last = first;
    if (ranges[first].kind === 'code') continue;
    // Marks belong to lines, which references and addresses of links divide.
    while (last + 1 < ranges.length && isSameLine(markdown, ranges[last], ranges[last + 1])) last++;
    hideMarks(markdown, states, { start: ranges[first].start, end: ranges[last].end });
  }
  return states;
}

function isSameLine(markdown: string, before: VisibleRange, after: VisibleRange): boolean {
  return after.kind !== 'code' && !markdown.slice(before.end, after.start).includes('\n');
}

function hideMarks(markdown: string, states: Uint8Array, { start, end }: TextRange): void {
  const text = markdown.slice(start, end);
  const mark = (at: number, state: number): void => {
    if (states[at] === VISIBLE) states[at] = state;
  };
  for (const { 0: row, index } of text.matchAll(TABLE_ROW))
    for (const { 1: isLast, index: at } of row.matchAll(CELL_EDGE)) mark(start + index + at, isLast === undefined ? PART_END : ROW_END);
  for (const { 0: marks, index } of text.matchAll(MARKS)) states.fill(HIDDEN, start + index, start + index + marks.length);
  for (const { 0: item, index } of text.matchAll(ITEM)) states[start + index + item.length - 1] = PART_END;
}
