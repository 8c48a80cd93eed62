import type { TextRange } from '../search-document.ts';

/** A heading, paragraph or fenced code of markdown, without blank edges, fence lines and lines that only open or close a block. */
export interface MarkdownBlock extends TextRange {
  readonly kind: 'heading' | 'prose' | 'code';
  /** Number of fence lines and other {@link MARKER_LINE}s before the block. */
  readonly region: number;
}

/** A heading of a text. */
export interface TextHeading extends TextRange {
  /** 1 to 6. */
  readonly depth: number;
  /** Without markup. */
  readonly title: string;
}

/** A part of a markdown text that readers see. */
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

/** Destination and title of a link or image, key of a footnote, tag or comment of HTML. */
const INVISIBLE = /(?<=\])\([^()\s]*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[\^[^[\]\s]+\]|<!--(?:(?!<!--)[\s\S])*?-->|<\/?[a-zA-Z][^<>:@]*>/g;

/**
 * The headings, paragraphs and fenced code of a markdown text, ascending. A line scanner, not a parser: lists, quotations and tables are
 * prose.
 *
 * @see {@link https://spec.commonmark.org/0.31.2/#fenced-code-blocks CommonMark 0.31.2, section 4.5}
 */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let region = 0;
  let fence: string | undefined;
  let open: { start: number; end: number } | undefined;
  const close = (): void => {
    if (open !== undefined) blocks.push({ ...open, kind: fence === undefined ? 'prose' : 'code', region });
    open = undefined;
  };
  for (const { 0: source, index } of text.matchAll(LINE)) {
    const line = source.trimEnd();
    const marker = fenceMarker(line);
    if (marker !== undefined && (fence === undefined || closes(line, marker, fence))) {
      close();
      fence = fence === undefined ? marker : undefined;
      region++;
    } else if (line === '') {
      close();
    } else if (fence === undefined && MARKER_LINE.test(line) && !isAutolink(line)) {
      close();
      region++;
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

function fenceMarker(line: string): string | undefined {
  const match = FENCE.exec(line);
  return match?.[1] ?? match?.[2];
}

function closes(line: string, marker: string, fence: string): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && line.endsWith(marker);
}

/** The headings of a markdown text, ascending. */
export function textHeadings(text: string): TextHeading[] {
  return markdownBlocks(text).flatMap(({ kind, start, end }) => {
    if (kind !== 'heading') return [];
    const [source = '', marks = '', title = ''] = /^(#{1,6})(.*?)(?:\s+#+)?$/.exec(text.slice(start, end)) ?? [];
    return source === '' ? [] : [{ start, end, depth: marks.length, title: visibleText(title) }];
  });
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
  const path: TextHeading[] = [];
  for (let at = section; at >= 0; at--) if (path.length === 0 || headings[at].depth < path[0].depth) path.unshift(headings[at]);
  return { headings: path.map(({ title }) => title), section };
}

/** An offset at which a passage may start. */
export interface PassageStart {
  readonly offset: number;
  /** Whether it starts a block, rather than a sentence, list item or line within it. */
  readonly opensBlock: boolean;
}

/** A part of a section without the lines that open or close blocks, and the offsets at which a passage may start or end, ascending. */
export interface PassageRegion extends TextRange {
  readonly starts: readonly PassageStart[];
  readonly ends: readonly number[];
}

/**
 * White space after a sentence. A full stop ends one if no lower-case letter follows ("e.g. this") and it does not number a list item; those
 * of Chinese and Japanese need no space.
 */
const SENTENCE_GAP =
  /(?<=[.!?…][)\]"'”’»*_`]{0,4})(?<!^[ \t]{0,8}\d{1,3}\.)\s+(?=[^\p{Ll}\s])|(?<=[。！？｡][」』）”]{0,2})(?![。！？｡」』）”])\s*/gmu;

/** The end of a line before a list item, quotation or table row. */
const ITEM_GAP = /\n[ \t]*(?=[-*+>|]|\d{1,9}[.)][ \t])/g;

const LINE_GAP = /\n\s*/g;

/**
 * The regions of a markdown text, ascending. Every character except white space, fence lines and lines that only open or close a block is in one. A heading, or several without
 * text between them, starts a region.
 */
export function passageRegions(text: string): PassageRegion[] {
  const regions: { start: number; end: number; starts: PassageStart[]; ends: number[] }[] = [];
  let region: (typeof regions)[number] | undefined;
  let before: MarkdownBlock | undefined;
  for (const block of markdownBlocks(text)) {
    const opensSection = block.kind === 'heading' && before?.kind !== 'heading';
    if (region === undefined || opensSection || block.region !== before?.region) {
      region = { start: block.start, end: block.end, starts: [], ends: [] };
      regions.push(region);
    }
    before = block;
    region.end = block.end;
    region.starts.push({ offset: block.start, opensBlock: true });
    for (const gap of gapsOf(block, text)) {
      region.ends.push(gap.start);
      region.starts.push({ offset: gap.end, opensBlock: false });
    }
    // A passage must not end with a heading.
    if (block.kind !== 'heading') region.ends.push(block.end);
  }
  return regions;
}

function gapsOf(block: MarkdownBlock, text: string): TextRange[] {
  if (block.kind === 'heading') return [];
  const source = text.slice(block.start, block.end);
  const gaps: TextRange[] = [];
  for (const pattern of block.kind === 'code' ? [LINE_GAP] : [SENTENCE_GAP, ITEM_GAP]) {
    for (const { 0: space, index } of source.matchAll(pattern)) {
      const start = block.start + index;
      gaps.push({ start, end: start + space.length });
    }
  }
  gaps.sort((a, b) => a.start - b.start || b.end - a.end);
  return gaps.filter(({ end }, at) => end > (gaps[at - 1]?.end ?? block.start) && end < block.end);
}
