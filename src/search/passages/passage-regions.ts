import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts';
import type { TextRange } from '../search-document.ts';

/** A place at which a passage may begin. */
export interface PassageStart {
  readonly offset: number;
  /** Beginning of a paragraph, heading or code block, rather than of a sentence, list item or line within it. */
  readonly opensBlock: boolean;
}

/**
 * A part of one section of markdown without fence lines, with the places at which a passage may begin or end. Both ascend.
 */
export interface PassageRegion extends TextRange {
  readonly starts: readonly PassageStart[];
  readonly ends: readonly number[];
}

/**
 * White space after a sentence. A full stop counts if no lower-case letter follows ("e.g. this") and it does not number a
 * list item; the full stops of Chinese and Japanese need no space.
 */
const SENTENCE_GAP =
  /(?<=[.!?…][)\]"'”’»*_`]{0,4})(?<!^[ \t]{0,8}\d{1,3}\.)\s+(?=[^\p{Ll}\s])|(?<=[。！？｡][」』）”]{0,2})(?![。！？｡」』）”])\s*/gmu;

/** The end of a line after which a list item, quotation or table row begins. */
const ITEM_GAP = /\n[ \t]*(?=[-*+>|]|\d{1,9}[.)][ \t])/g;

const LINE_GAP = /\n\s*/g;

/**
 * The regions of a markdown text, ascending. Every character that is not white space or a fence line is in one. Headings begin
 * one, those that follow each other without text between them the same one.
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
    // A passage that ended with a heading would lack the text that the heading announces.
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
