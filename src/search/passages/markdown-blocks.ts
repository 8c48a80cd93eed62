import type { TextRange } from '../search-document.ts';

/** Consecutive lines of markdown that belong together, without blank edges and without fence lines. */
export interface MarkdownBlock extends TextRange {
  readonly kind: 'heading' | 'prose' | 'code';
  /** Counts the fence lines before the block: blocks with one number have no fence line between them. */
  readonly region: number;
}

/** A part of a markdown text that readers see. */
export interface VisibleRange extends TextRange {
  readonly kind: MarkdownBlock['kind'];
}

const LINE = /[^\n]*(?:\n|$)/g;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;

/** Opening or closing line of a fenced code block, also inside lists and quotations; never inline code. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$/;

/** Destination and title of a link or image, the key of a footnote, a tag or comment of HTML. */
const INVISIBLE = /(?<=\])\([^()\s]*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[\^[^[\]\s]+\]|<!--(?:(?!<!--)[\s\S])*?-->|<\/?[a-zA-Z][^<>:@]*>/g;

/**
 * The headings, paragraphs and fenced code of a markdown text, ascending.
 *
 * A scan of lines, not a parser: it finds places where a passage may begin and end, and takes lists, quotations and tables for prose.
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

/** The parts of a markdown text that readers see, ascending. Like {@link markdownBlocks} a scan, not a parser. */
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

function fenceMarker(line: string): string | undefined {
  const match = FENCE.exec(line);
  return match?.[1] ?? match?.[2];
}

function closes(line: string, marker: string, fence: string): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && line.endsWith(marker);
}
