import type { TextRange } from '../search-document.ts';
import { type VisibleRange, visibleRanges } from './markdown-blocks.ts';

/** What readers see of a character: nothing, the character, or what stands before items, before cells and after rows. */
const HIDDEN = 0;
const VISIBLE = 1;
const ITEM_START = 2;
const CELL_START = 3;
const ROW_END = 4;
/** A visible character that was searched for. */
const HIGHLIGHTED = 5;

/** What has no blank before it. */
const CLOSING = /^[.,;:!?)\]]/;

/** A text without markup, and where each of its code units stands in the text with markup. */
export interface PlainText {
  readonly text: string;
  readonly places: readonly number[];
}

/** What readers see of a markdown text on one line, without source references. @param insertions What stands where markup is hidden, by offset. */
export function plainText(markdown: string, insertions: ReadonlyMap<number, string> = new Map()): PlainText {
  const states = visibleStates(markdown, visibleRanges(markdown));
  const places: number[] = [];
  let text = '';
  let isBlankDue = false;
  const append = (words: string, at: number): void => {
    // A reference before a full stop may have had a blank before it.
    const appended = isBlankDue && text !== '' && !CLOSING.test(words) ? ` ${words}` : words;
    text += appended;
    for (let unit = 0; unit < appended.length; unit++) places.push(at);
    isBlankDue = false;
  };
  for (let at = 0; at < markdown.length; at++) {
    const inserted = states[at] === HIDDEN ? insertions.get(at) : undefined;
    if (inserted !== undefined) append(inserted, at);
    const isBlank = /\s/.test(markdown[at]);
    isBlankDue ||= isBlank || states[at] > VISIBLE;
    if (!isBlank && states[at] === VISIBLE) append(markdown[at], at);
  }
  return { text, places };
}

const CODE_SPAN = /`[^`\n]+`/g;

export interface PassagePart {
  readonly text: string;
  readonly isHighlighted: boolean;
  readonly isAnswer?: true;
}

/**
 * A passage of markdown as plain text on one line, but for rows of tables, which have the name of its column before each cell. Headings are
 * left out, unless there is nothing else. Parts of the passage in `highlights`, ascending, and in `answer` are marked.
 */
export function plainPassage(
  markdown: string,
  highlights: readonly TextRange[],
  tableHeader = '',
  answer: TextRange = { start: 0, end: 0 },
): PassagePart[] {
  // In code, `<id>` is no tag.
  const ranges = visibleRanges(markdown.replace(CODE_SPAN, (code) => code.replaceAll('<', '.')));
  const shown = ranges.filter(({ kind }) => kind !== 'heading');
  const states = visibleStates(markdown, shown.length === 0 ? ranges : shown);
  for (const { start, end } of highlights) for (let at = start; at < end; at++) if (states[at] === VISIBLE) states[at] = HIGHLIGHTED;
  const headers = [{ end: 0, names: columnNames(tableHeader) }];
  for (const { 0: head, 1: row, index } of markdown.matchAll(TABLE_HEAD)) {
    const end = index + head.length;
    // Its names stand in each row; a header without rows is shown as one.
    if (!/^\n[ \t]*\|/.test(markdown.slice(end))) continue;
    headers.push({ end, names: columnNames(row) });
    states.fill(HIDDEN, index, end);
  }
  return joinParts(markdown, states, headers, answer);
}

/** The header of a table, with the row of dashes below it, where rows have their outer edges. */
const TABLE_HEAD = /^[ \t]*(\|.*\|)[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/gm;

function columnNames(row: string): string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  return cells.slice(1, -1).map((cell) => plainText(cell.trim()).text);
}

/** The visible characters, with one blank for white space and between lines. @param headers Names of columns, by where each header ends. */
function joinParts(
  markdown: string,
  states: Uint8Array,
  headers: readonly { readonly end: number; readonly names: readonly string[] }[],
  answer: TextRange,
): PassagePart[] {
  const parts: (PassagePart & { text: string })[] = [];
  let isAnswer = false;
  const append = (text: string, isHighlighted: boolean): void => {
    const last = parts.at(-1);
    if (last?.isHighlighted === isHighlighted && (last.isAnswer ?? false) === isAnswer) last.text += text;
    else if (text !== '') parts.push({ text, isHighlighted, ...(isAnswer ? { isAnswer } : {}) });
  };
  let isBlankDue = false;
  let separator = '';
  let name = '';
  let column = -1;
  for (let at = 0; at < markdown.length; at++) {
    const state = states[at];
    if (state === ITEM_START) separator = ' · ';
    if (state === CELL_START) {
      column++;
      name = headers.findLast(({ end }) => end <= at)?.names[column] ?? '';
      if (separator !== '\n') separator = column === 0 ? '\n' : '; ';
    }
    if (state === ROW_END) [separator, name, column] = ['\n', '', -1];
    const isBlank = /\s/.test(markdown[at]);
    isBlankDue ||= isBlank && (state !== HIDDEN || markdown[at] === '\n');
    if (isBlank || (state !== VISIBLE && state !== HIGHLIGHTED)) continue;
    const isHighlighted = state === HIGHLIGHTED;
    // A blank or separator before the answer, or after it, does not belong to it.
    isAnswer &&= at < answer.end;
    if (parts.length > 0 && separator !== '') append(separator, false);
    else if (parts.length > 0 && isBlankDue) append(' ', isHighlighted && parts.at(-1)?.isHighlighted === true);
    isAnswer = at >= answer.start && at < answer.end;
    if (name !== '') append(`${name}: `, false);
    [isBlankDue, separator, name] = [false, '', ''];
    append(markdown[at], isHighlighted);
  }
  return parts;
}

/** What readers do not see: rows of dashes, marks at the beginning of a line, brackets of links, backquotes, emphasis, backslashes of escapes. */
const MARKS =
  /^[ \t]*(?:\|[ \t]*)?:?-{3,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$|^[ \t]*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\|)[ \t]*)+|!?\[(?=[^\][]*\])|(?<=\[[^\][]*)\]|(?<!\\)(?:`+|\*+)|(?<![\p{L}\p{N}\\])_+|_+(?![\p{L}\p{N}])|\\(?=[!-/:-@[-`{-~])/gmu;

/** A row of a table, in which edges of cells are characters of their own. */
const TABLE_ROW = /^[ \t]*\|.*\|[ \t]*$/gm;
const CELL_EDGE = /(?<!\\)\|(?=([ \t]*$)|)/g;

/** The beginning of an item of a list, up to its mark. */
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=\s)/gm;

/** What readers see of each character of a markdown text. @param ranges The ranges that are shown, ascending. */
function visibleStates(markdown: string, ranges: readonly VisibleRange[]): Uint8Array {
  const states = new Uint8Array(markdown.length);
  for (const { start, end } of ranges) states.fill(VISIBLE, start, end);
  for (let first = 0, last = 0; first < ranges.length; first = last + 1) {
    last = first;
    if (ranges[first].kind === 'code') continue;
    // Marks belong to lines, which references and addresses of links divide.
    while (last + 1 < ranges.length && isSameLine(markdown, ranges[last], ranges[last + 1])) last++;
    hideMarks(markdown, states, { start: ranges[first].start, end: ranges[last].end });
    if (ranges[first].kind === 'label') states[ranges[first].start] = ITEM_START;
  }
  return states;
}

function isSameLine(markdown: string, before: VisibleRange, after: VisibleRange): boolean {
  return after.kind !== 'code' && !markdown.slice(before.end, after.start).includes('\n');
}

function hideMarks(markdown: string, states: Uint8Array, { start, end }: TextRange): void {
  const text = markdown.slice(start, end);
  const edges: [at: number, state: number][] = [];
  for (const { 0: row, index } of text.matchAll(TABLE_ROW))
    for (const { 1: isLast, index: at } of row.matchAll(CELL_EDGE))
      if (states[start + index + at] === VISIBLE) edges.push([start + index + at, isLast === undefined ? CELL_START : ROW_END]);
  for (const { 0: marks, index } of text.matchAll(MARKS)) states.fill(HIDDEN, start + index, start + index + marks.length);
  for (const { 0: item, index } of text.matchAll(ITEM)) states[start + index + item.length - 1] = ITEM_START;
  for (const [at, state] of edges) states[at] = state;
}
