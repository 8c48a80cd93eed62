import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts';
import type { TextRange } from '../search-document.ts';

/** A stretch of markdown that readers see, without the markup that says nothing to them. */
export interface ShownRange extends TextRange {
  readonly kind: MarkdownBlock['kind'];
}

/** Destination and title of a link or image, the key of a footnote, a tag or comment of HTML. */
const UNSEEN = /(?<=\])\([^()\s]*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[\^[^[\]\s]+\]|<!--(?:(?!<!--)[\s\S])*?-->|<\/?[a-zA-Z][^<>:@]*>/g;

/** What readers see of a markdown text, ascending. A scan, not a parser, as `markdownBlocks` is. */
export function shownRanges(text: string): ShownRange[] {
  const ranges: ShownRange[] = [];
  for (const { start, end, kind } of markdownBlocks(text)) {
    let from = start;
    if (kind !== 'code') {
      for (const { 0: unseen, index } of text.slice(start, end).matchAll(UNSEEN)) {
        if (start + index > from) ranges.push({ start: from, end: start + index, kind });
        from = start + index + unseen.length;
      }
    }
    if (end > from) ranges.push({ start: from, end, kind });
  }
  return ranges;
}
