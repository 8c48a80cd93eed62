import type { Nodes, Root } from 'mdast';
import type { Code, Construct, Effects, Event, Extension, State, TokenizeContext } from 'micromark-util-types';
import { TEXT_BOUNDS } from '../../schemas/limits.ts';
import { COMMONMARK } from './markdown-tree.ts';

export class ComplexMarkup extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'ComplexMarkup';
    this.line = line;
  }
}

interface Counted {
  marks: number;
  /** Brackets that are open, and the place of the last one in the events. */
  open: number;
  at: number;
}

const counted = new WeakMap<TokenizeContext, Counted>();

/** Lazy lines of a document: those that go on with a paragraph of a quote or a list without the marker or the indentation. */
const lazyLines = new WeakMap<TokenizeContext, { line: number; count: number }>();

/** Characters of syntax. The parser compares each with all others of its paragraph, so their number is bounded. */
const MARKS = '[]!*_~<';

const BACKTICK = 96;

const [EXCLAMATION, OPENING, CLOSING] = ['!', '[', ']'].map((character) => character.charCodeAt(0));

const mark: Construct = {
  name: 'boundedMark',
  tokenize(this: TokenizeContext, effects: Effects, _ok: State, nok: State): State {
    const known = counted.get(this) ?? { marks: 0, open: 0, at: -1 };
    counted.set(this, known);
    const place = this.events.length;
    const count = (code: Code): void => {
      known.marks += 1;
      const isFootnote = String(this.events[known.at]?.[1].type) === 'gfmFootnoteCall';
      known.open = Math.max(0, known.open - (isFootnote ? 1 : 0) + (code === OPENING ? 1 : code === CLOSING ? -1 : 0));
      known.at = code === OPENING ? place : -1;
      const { paragraphMarks, openBrackets } = TEXT_BOUNDS;
      if (known.marks > paragraphMarks)
        throw new ComplexMarkup(
          this.now().line,
          `is in a paragraph with more than ${paragraphMarks} characters of markdown syntax such as [ and *; divide it with blank lines, or write it as code`,
        );
      if (known.open > openBrackets)
        throw new ComplexMarkup(
          this.now().line,
          `opens more than ${openBrackets} brackets that are not closed; close them, or write \\[ for a bracket that begins no link`,
        );
    };
    let first: Code = null;
    const next = (code: Code): State | undefined => {
      const begins = first === null || (first === BACKTICK && code === BACKTICK) || (first === EXCLAMATION && code === OPENING);
      if (!begins) return nok(code);
      count(code);
      // A row of backticks begins code, and an image begins with two characters.
      if (code !== BACKTICK && code !== EXCLAMATION) return nok(code);
      if (first === null) effects.enter('data');
      first = code;
      effects.consume(code);
      return next;
    };
    return next;
  },
};

const lazyLine: Construct = {
  name: 'boundedLazyLine',
  tokenize(this: TokenizeContext, _effects: Effects, _ok: State, nok: State): State {
    return (code) => {
      const { line } = this.now();
      const before = lazyLines.get(this) ?? { line: 0, count: 0 };
      if (before.line === line) return nok(code);
      const isBlank = code === null || code < -2;
      const count = isBlank || isBelowItem(this.events) ? 0 : before.count + (this.parser.lazy[line - 1] === true ? 1 : 0);
      lazyLines.set(this, { line, count });
      if (count > TEXT_BOUNDS.lazyLines)
        throw new ComplexMarkup(
          line,
          `goes on with a quote or a list for more than ${TEXT_BOUNDS.lazyLines} lines without its marker; put a blank line between them`,
        );
      return nok(code);
    };
  },
};

function isBelowItem(events: readonly Event[]): boolean {
  const line = events.findLastIndex(([phase, { type }]) => phase === 'enter' && type === 'chunkFlow');
  return /^(?:listItem|defListDescription)Prefix$/.test(events[line - 1]?.[1].type ?? '');
}

/** Syntax that takes nothing, and throws {@link ComplexMarkup} where a text goes beyond the bounds of the parser. */
export const boundedMarkup: Extension = {
  document: { null: lazyLine },
  text: {
    ...Object.fromEntries(Array.from(MARKS, (character) => [character.charCodeAt(0), mark])),
    // Only where code may begin: elsewhere, the parser would try to begin it within a row of backticks.
    [BACKTICK]: { ...mark, previous: COMMONMARK.codeText.previous },
  },
};

export function requireFlatTree(root: Root): void {
  let level: Nodes[] = root.children;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > TEXT_BOUNDS.depth)
      throw new ComplexMarkup(
        level[0]?.position?.start.line ?? 1,
        `nests quotes, lists or emphasis more than ${TEXT_BOUNDS.depth} levels deep; flatten them`,
      );
    level = level.flatMap((node): Nodes[] => ('children' in node ? node.children : []));
  }
}

type LineBounds = Readonly<Record<'marks' | 'lines' | 'markers' | 'indent' | 'openBlocks', number>>;

const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+:]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]+\]:))+/;
const MARKER = /[>*+:-]|\d[.)]/g;

/** A line that begins or ends a block of `:::`, with its colons and its name. */
const BLOCK = /^[ \t>]*(:{3,})[ \t]*([a-zA-Z]?)/;

/** Why a text is too complex: a parser's time grows with the square of some characters, its stack with their nesting. Reads the text once. */
export function refuseMarkup(text: string, max: LineBounds): { readonly line: number; readonly message: string } | undefined {
  const marks = countMarks(text);
  if (marks > max.marks)
    return { line: 1, message: `has ${marks} characters of markdown syntax such as [ and *; at most ${max.marks} are allowed` };
  const lines = text.split('\n');
  if (lines.length > max.lines) return { line: 1, message: `has ${lines.length} lines; at most ${max.lines} are allowed` };
  const blocks: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (isDeep(line, max)) return { line: index + 1, message: 'nests quotes or lists too deeply; flatten them' };
    const [, { length } = '', name] = BLOCK.exec(line) ?? [];
    if (length === 0) continue;
    if (name !== '') blocks.push(length);
    else if (blocks.some((size) => size <= length)) blocks.length = blocks.findIndex((size) => size <= length);
    if (blocks.length > max.openBlocks)
      return { line: index + 1, message: `is in ${blocks.length} blocks of ::: that are not closed; close them with a line of :::` };
  }
  return undefined;
}

function countMarks(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if ('[]!*_~`<&'.includes(text.charAt(index))) count += 1;
  return count;
}

function isDeep(line: string, { markers, indent }: LineBounds): boolean {
  const containers = CONTAINERS.exec(line)?.[0];
  if (containers === undefined) return false;
  return (containers.match(MARKER)?.length ?? 0) > markers || line.search(/\S/) > indent;
}
