import type { TextRange } from '../search-document.ts';
import { visibleRanges } from './markdown-blocks.ts';

/** A part of a passage without markup. */
export interface PassagePart {
  readonly text: string;
  /** Whether it is one of the words that were searched for. */
  readonly isHighlighted: boolean;
}

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
const HIDDEN = 0;
const VISIBLE = 1;
const HIGHLIGHTED = 2;
const PART_END = 3;
const ROW_END = 4;
const SEPARATORS: Readonly<Record<number, string>> = { [PART_END]: '·', [ROW_END]: '/' };

/**
 * A passage of markdown as plain text on one line, in parts. Headings are left out, unless there is nothing else.
 *
 * @param highlights Ranges of the passage, ascending.
 */
export function plainPassage(markdown: string, highlights: readonly TextRange[]): PassagePart[] {
  const states = new Uint8Array(markdown.length);
  const ranges = visibleRanges(markdown);
  const shown = ranges.filter(({ kind }) => kind !== 'heading');
  for (const { start, end, kind } of shown.length === 0 ? ranges : shown) {
    states.fill(VISIBLE, start, end);
    if (kind !== 'code') hideMarks(markdown, states, { start, end });
  }
  for (const { start, end } of highlights) for (let at = start; at < end; at++) if (states[at] === VISIBLE) states[at] = HIGHLIGHTED;
  return joinParts(markdown, states);
}

function hideMarks(markdown: string, states: Uint8Array, { start, end }: TextRange): void {
  const text = markdown.slice(start, end);
  for (const { 0: row, index } of text.matchAll(TABLE_ROW))
    for (const { 1: isLast, index: at } of row.matchAll(CELL_EDGE)) states[start + index + at] = isLast === undefined ? PART_END : ROW_END;
  for (const { 0: mark, index } of text.matchAll(MARKS)) states.fill(HIDDEN, start + index, start + index + mark.length);
  for (const { 0: item, index } of text.matchAll(ITEM)) states[start + index + item.length - 1] = PART_END;
}

/** The visible characters, with one blank for white space and between lines. */
function joinParts(markdown: string, states: Uint8Array): PassagePart[] {
  const parts: { text: string; isHighlighted: boolean }[] = [];
  const append = (text: string, isHighlighted: boolean): void => {
    const last = parts.at(-1);
    if (last?.isHighlighted === isHighlighted) last.text += text;
    else parts.push({ text, isHighlighted });
  };
  let isBlankDue = false;
  let separator: string | undefined;
  for (let at = 0; at < markdown.length; at++) {
    const state = states[at];
    separator = SEPARATORS[state] ?? separator;
    const isBlank = /\s/.test(markdown[at]);
    isBlankDue ||= isBlank && (state !== HIDDEN || markdown[at] === '\n');
    if (isBlank || (state !== VISIBLE && state !== HIGHLIGHTED)) continue;
    const isHighlighted = state === HIGHLIGHTED;
    if (parts.length > 0 && separator !== undefined) append(` ${separator} `, false);
    else if (parts.length > 0 && isBlankDue) append(' ', isHighlighted && parts.at(-1)?.isHighlighted === true);
    isBlankDue = false;
    separator = undefined;
    append(markdown[at], isHighlighted);
  }
  return parts;
}
