import { splitWords } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts';

/** A part of a markdown text that a passage has as a whole or not at all: a sentence, list item, table row, line or block of code, heading. */
export interface PassageUnit extends TextRange {
  readonly kind: 'heading' | 'label' | 'sentence' | 'item' | 'row' | 'code';
  /** A passage is within one region: it crosses no heading, and no line that opens or closes a block unless it has the block whole. */
  readonly region: number;
  /** Number of headings before it, or with it if it is one. */
  readonly headings: number;
  /** Whether it begins a paragraph, list item, table or block of code. */
  readonly opensBlock: boolean;
  /** Position of the unit that it continues: the sentence before it, the one before its list, the first row of its table; -1 without. */
  readonly context: number;
  /** Whether it begins, or ends, within a sentence, row or line that is too long for one passage. */
  readonly isCutAtStart: boolean;
  readonly isCutAtEnd: boolean;
}

/**
 * White space after a sentence and the marks of its footnotes. A full stop ends one if no lower-case letter follows, unless it ends an
 * initial or abbreviation, or numbers a list item, a day or a century; those of Chinese and Japanese need no space. Arabic, Urdu, Hindi, Burmese and Khmer have
 * marks of their own.
 */
const SENTENCE_GAP =
  /(?<=[.!?…؟۔।॥။។][)\]"'”’»*_`]{0,4}(?:\[\^[^[\]\s]{1,64}\]){0,4})(?<!(?:^|[\s("“])(?:\p{Lu}|\p{Lu}\.\p{Lu}|St|Dr|Mr|Mrs|Ms|Prof|Sr|Jr|Gen|Col|Lt|Capt|Rev|Nos?|Figs?|Vol|Sec|Ch|pp?|vs|cf|ca|approx|Inc|Ltd|Corp|etc|al|e\.g|i\.e|z\.B|bzw|usw|Nr|Abs)\.)(?<!^[ \t]{0,8}\d{1,3}\.)(?<!(?:^|[^\p{L}\d.,])\d{1,2}\.(?= (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert)))\s+(?=[^\p{Ll}\s])|(?<=[。！？｡][」』）”]{0,2}(?:\[\^[^[\]\s]{1,64}\]){0,4})(?![。！？｡」』）”]|\[\^)\s*/gmu;

/** The mark of a list item, with the blanks around it. */
export const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;

/** Whether a unit says what others are about: a heading, or the label of a tab. */
export function isNaming({ kind }: Pick<PassageUnit, 'kind'>): boolean {
  return kind === 'heading' || kind === 'label';
}

const ROW = /^[ \t>]*\|/;

/** Pictures without a description, which say nothing: passages neither begin nor end with them. */
const SILENT_PICTURES = /^\s*(?:!\[\]\([^()\s]*\)\s*)+$/;

function isDelimiterRow(line: string): boolean {
  return line.includes('|') && line.includes('-') && /^[ \t>|:-]+$/.test(line);
}

/** The end of a clause, for a sentence that has to be cut. */
const CLAUSE_GAP = /(?<=[,;:)\]|—–])\s+|\n\s*/g;

/** A sentence that is too long for one passage is cut into parts of about this length, in UTF-16 code units. */
const CUT_LENGTH = 160;

/** The units of a markdown text, ascending; only white space, lines that open or close blocks, and pictures without a description are between them. @param maxLength Of a unit, in UTF-16 code units. */
export function passageUnits(text: string, maxLength: number): PassageUnit[] {
  return new UnitScanner(text, maxLength).scan();
}

type LineKind = 'sentence' | 'item' | 'row';

/** Consecutive lines of a block: a paragraph, an item or a row. */
interface Piece extends TextRange {
  readonly kind: LineKind;
  readonly opensBlock: boolean;
}

class UnitScanner {
  readonly #text: string;
  readonly #maxLength: number;
  readonly #units: PassageUnit[] = [];
  #region = 0;
  #headings = 0;
  /** Position of the last sentence of the last paragraph of the region, or -1. */
  #leadIn = -1;

  constructor(text: string, maxLength: number) {
    this.#text = text;
    this.#maxLength = maxLength;
  }

  scan(): PassageUnit[] {
    let before: MarkdownBlock | undefined;
    // Fence lines within passages, which divide blocks but not units.
    let crossed = 0;
    let key = -1;
    for (const block of markdownBlocks(this.#text)) {
      const isWhole = block.fence !== undefined && block.fence.end - block.fence.start <= this.#maxLength;
      const isContinued = isWhole && block.fence === before?.fence;
      if (isWhole && !isContinued) crossed += 1;
      const opensSection = block.kind === 'heading' && before?.kind !== 'heading';
      if (opensSection || block.region - crossed !== key) {
        this.#region += 1;
        this.#leadIn = -1;
        key = block.region - crossed;
      }
      before = block;
      if (isContinued) continue;
      if (isWhole) crossed += 1;
      if (isWhole) key = block.region + 1 - crossed;
      if (block.kind === 'heading') this.#headings += 1;
      this.#addBlock(isWhole ? { ...block, ...block.fence } : block, isWhole);
    }
    return this.#units;
  }

  #addBlock(block: MarkdownBlock, isWhole: boolean): void {
    if (block.kind === 'heading' || block.kind === 'label') this.#add(block, block.kind, true, -1);
    else if (isWhole) this.#add(block, 'code', true, this.#leadIn);
    else if (block.kind === 'code') this.#addLines(block);
    else this.#addProse(block);
  }

  #addLines({ start, end }: TextRange): void {
    let at = start;
    for (const line of this.#text.slice(start, end).split('\n')) {
      this.#add({ start: at, end: at + line.length }, 'code', at === start, this.#leadIn);
      at += line.length + 1;
    }
  }

  #addProse(block: TextRange): void {
    let firstRow = -1;
    for (const piece of piecesOf(this.#text, block)) {
      if (SILENT_PICTURES.test(this.#text.slice(piece.start, piece.end))) continue;
      if (piece.kind === 'row') {
        const position = this.#units.length;
        this.#add(piece, 'row', piece.opensBlock, firstRow < 0 ? this.#leadIn : firstRow);
        if (firstRow < 0) firstRow = position;
      } else if (piece.kind === 'item' && piece.end - piece.start <= this.#maxLength) {
        this.#add(piece, 'item', true, this.#leadIn);
      } else {
        this.#addSentences(piece, piece.kind);
      }
    }
  }

  #addSentences({ start, end }: TextRange, kind: LineKind): void {
    let from = start;
    let context = kind === 'item' ? this.#leadIn : this.#continued();
    for (const { 0: gap, index } of this.#text.slice(start, end).matchAll(SENTENCE_GAP)) {
      if (start + index <= from) continue;
      this.#add({ start: from, end: start + index }, kind, from === start, context);
      context = this.#units.length - 1;
      from = start + index + gap.length;
    }
    this.#add({ start: from, end }, kind, from === start, context);
    if (kind === 'sentence') this.#leadIn = this.#units.length - 1;
  }

  /** The last unit, if it is of this region. */
  #continued(): number {
    return this.#units.at(-1)?.region === this.#region ? this.#units.length - 1 : -1;
  }

  /** Adds a unit without blank edges, in parts if it is too long. */
  #add({ start, end }: TextRange, kind: PassageUnit['kind'], opensBlock: boolean, context: number): void {
    const source = this.#text.slice(start, end);
    const last = start + source.trimEnd().length;
    let from = last - source.trim().length;
    const whole = { kind, region: this.#region, headings: this.#headings, context };
    let isCutAtStart = false;
    while (last - from > this.#maxLength) {
      const cut = cutOf(this.#text.slice(from, from + this.#maxLength + 1), Math.min(CUT_LENGTH, this.#maxLength));
      this.#units.push({
        ...whole,
        start: from,
        end: from + cut.end,
        opensBlock: opensBlock && !isCutAtStart,
        isCutAtStart,
        isCutAtEnd: true,
      });
      from += cut.next;
      isCutAtStart = true;
    }
    if (last > from)
      this.#units.push({ ...whole, start: from, end: last, opensBlock: opensBlock && !isCutAtStart, isCutAtStart, isCutAtEnd: false });
  }
}

/** The paragraphs, list items and table rows of a block of prose; the row of dashes belongs to the row above it. */
function piecesOf(text: string, { start, end }: TextRange): Piece[] {
  const lines = text.slice(start, end).split('\n');
  const isTable = lines.length > 1 && lines[0].includes('|') && isDelimiterRow(lines[1]);
  const pieces: { start: number; end: number; kind: LineKind; opensBlock: boolean }[] = [];
  let at = start;
  for (const line of lines) {
    const kind = isTable || ROW.test(line) ? 'row' : ITEM.test(line) ? 'item' : 'sentence';
    const last = pieces.at(-1);
    const continues = kind === 'sentence' || (kind === 'row' && pieces.length === 1 && isDelimiterRow(line));
    if (last !== undefined && continues) last.end = at + line.length;
    else pieces.push({ start: at, end: at + line.length, kind, opensBlock: last === undefined || kind !== 'row' });
    at += line.length + 1;
  }
  return pieces;
}

/** Where a text that is too long is cut: after a clause or word, else where a word begins or ends. @param wanted Length of the part. */
function cutOf(source: string, wanted: number): { end: number; next: number } {
  const gaps = [...source.matchAll(CLAUSE_GAP), ...source.matchAll(/\s+/g)].filter(({ index }) => index > 0);
  const fitting = (least: number, most: number): { end: number; next: number } | undefined => {
    const found = gaps.find(({ index }) => index >= least && index <= most);
    return found && { end: found.index, next: found.index + found[0].length };
  };
  const cut = fitting(wanted / 2, wanted) ?? fitting(1, source.length - 1);
  if (cut !== undefined) return cut;
  const words = splitWords(source);
  const end = words.findLast((word) => word.end < source.length)?.end ?? 0;
  return end > 0 ? { end, next: end } : { end: source.length - 1, next: source.length - 1 };
}
