import type { TextRange } from '../search-document.ts';

/** A heading, label of a tab, paragraph or fenced code of markdown, without blank edges, fence lines and lines that only open or close a block. */
export interface MarkdownBlock extends TextRange {
  readonly kind: 'heading' | 'label' | 'prose' | 'code';
  /** Number of fence lines and other {@link MARKER_LINE}s before the block, except those of tabs, which belong to what stands around them. */
  readonly region: number;
  /** Of code in a closed fence: the range of the fence with its lines, the same object for all blocks between them. */
  readonly fence?: TextRange;
}

export interface TextHeading extends TextRange {
  /** 1 to 6. */
  readonly depth: number;
  readonly title: string;
  /** Position of the heading above it, or -1. */
  readonly parent: number;
}

export interface VisibleRange extends TextRange {
  readonly kind: MarkdownBlock['kind'];
}

const LINE = /[^\n]*(?:\n|$)/g;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;

/** Opening or closing line of a fenced code block, also in lists and quotations. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$/;

/** A line that only opens or closes a block: `:::tip[Title]`, or tags and comments of HTML without text. */
const MARKER_LINE =
  /^[ \t>]*(?::{3,}[ \t]*(?:[a-zA-Z][^\n]*)?|(?:<\/?[a-zA-Z][^<>]*>|<!--(?:(?!-->).)*-->)(?:[ \t]*(?:<\/?[a-zA-Z][^<>]*>|<!--(?:(?!-->).)*-->))*)$/;

/** A line of colons that opens a block, with its name, or closes one. */
const CONTAINER = /^[ \t>]*:{3,}[ \t]*([a-zA-Z][\w-]*)?/;

/** What begins the label of a tab; destination and title of a link or image, key of a footnote, tag or comment of HTML. */
const INVISIBLE =
  /^[ \t>]*:{3,}[ \t]*tab(?=\[)|(?<=\])\([^()\s]*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[\^[^[\]\s]+\]|<!--(?:(?!<!--)[\s\S])*?-->|<\/?[a-zA-Z][^<>:@]*>/g;

/** The headings, paragraphs and fenced code (CommonMark 0.31.2, 4.5) of a text. A line scanner: lists, quotations and tables are prose. */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let region = 0;
  let fence: string | undefined;
  let open: { start: number; end: number } | undefined;
  let fenceStart = 0;
  let blocksBeforeFence = 0;
  /** Of each container that is open, the innermost last, whether it is a tab. */
  const containers: boolean[] = [];
  const isOfTab = (line: string): boolean => {
    const [isContainer, name] = CONTAINER.exec(line) ?? [];
    if (name !== undefined) containers.push(name === 'tab');
    return isContainer !== undefined && (name === undefined ? containers.pop() : containers.at(-1)) === true;
  };
  const close = (): void => {
    if (open !== undefined) blocks.push({ ...open, kind: fence === undefined ? 'prose' : 'code', region });
    open = undefined;
  };
  for (const { 0: source, index } of text.matchAll(LINE)) {
    const line = source.trimEnd();
    const match = FENCE.exec(line);
    const marker = match?.[1] ?? match?.[2];
    if (marker !== undefined && (fence === undefined || closes(line, marker, fence))) {
      close();
      if (fence === undefined) {
        fenceStart = index + line.length - line.trimStart().length;
        blocksBeforeFence = blocks.length;
      } else {
        const range = { start: fenceStart, end: index + line.length };
        for (let at = blocksBeforeFence; at < blocks.length; at++) blocks[at] = { ...blocks[at], fence: range };
      }
      fence = fence === undefined ? marker : undefined;
      region++;
    } else if (line === '') {
      close();
    } else if (fence === undefined && MARKER_LINE.test(line) && !isAutolink(line)) {
      close();
      const start = index + line.length - line.trimStart().length;
      if (!isOfTab(line)) region++;
      else if (line.includes('[')) blocks.push({ start, end: index + line.length, kind: 'label', region });
    } else {
      const start = index + line.length - line.trimStart().length;
      const end = index + line.length;
      if (fence === undefined && HEADING.test(line)) {
        close();
        blocks.push({ start, end, kind: 'heading', region });
      } else {
        open = { start: open?.start ?? start, end };
      }
    }
  }
  close();
  return blocks;
}

/** The parts of a markdown text that readers see, ascending. Like {@link markdownBlocks}, not a parser. */
export function visibleRanges(text: string): VisibleRange[] {
  const ranges: VisibleRange[] = [];
  for (const { start, end, kind } of markdownBlocks(text)) {
    let from = start;
    if (kind !== 'code') {
      for (const { 0: hidden, index } of text.slice(start, end).matchAll(INVISIBLE)) {
        if (start + index > from) ranges.push({ start: from, end: start + index, kind });
        from = start + index + hidden.length;
      }
    }
    if (end > from) ranges.push({ start: from, end, kind });
  }
  return ranges;
}

/** `<https://example.org>` alone on a line is text. */
function isAutolink(line: string): boolean {
  return /^[ \t>]*<[a-zA-Z][a-zA-Z0-9+.-]*:[^\s<>]*>$/.test(line);
}

function closes(line: string, marker: string, fence: string): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && line.endsWith(marker);
}

export function textHeadings(text: string): TextHeading[] {
  const headings: TextHeading[] = [];
  for (const { kind, start, end } of markdownBlocks(text)) {
    if (kind !== 'heading') continue;
    const source = text.slice(start, end);
    const depth = source.search(/[^#]|$/);
    const title = source
      .slice(depth)
      .trim()
      .replace(/(?<!#)#+$/, '');
    headings.push({ start, end, depth, title: visibleText(title), parent: headings.findLastIndex((heading) => heading.depth < depth) });
  }
  return headings;
}

/** A line of markdown without link addresses, HTML tags and marks of emphasis, code and links. */
function visibleText(line: string): string {
  return line
    .replace(INVISIBLE, '')
    .replace(/!?\[([^\][]*)\]/g, '$1')
    .replace(/`+|\*+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .trim();
}

/** The titles of the section that a range ends in, outermost first, and the position of the innermost heading, or -1. */
export function headingAt(headings: readonly TextHeading[], { end }: TextRange): { headings: string[]; section: number } {
  const section = headings.findLastIndex((heading) => heading.start < end);
  const titles: string[] = [];
  for (let at = section; at >= 0; at = headings[at].parent) titles.unshift(headings[at].title);
  return { headings: titles, section };
}
