import type { TextRange } from '../search-document.ts';

/** A run of lines of markdown that belong together, without blank edges and without fence lines. */
export interface MarkdownBlock extends TextRange {
  readonly kind: 'heading' | 'prose' | 'code';
  /** Counts the fence lines before the block: blocks with one number have no fence line between them. */
  readonly region: number;
}

const LINE = /[^\n]*(?:\n|$)/g;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;

/** Opening or closing line of a fenced code block, also inside lists and quotations; inline code is none. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$/;

/**
 * The headings, paragraphs and fenced code of a markdown text, ascending.
 *
 * A scan of lines, not a parser: it looks for places where a quotation may begin and end, and lists, quotations and
 * tables are prose to it.
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

function fenceMarker(line: string): string | undefined {
  const match = FENCE.exec(line);
  return match?.[1] ?? match?.[2];
}

function closes(line: string, marker: string, fence: string): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && line.endsWith(marker);
}
