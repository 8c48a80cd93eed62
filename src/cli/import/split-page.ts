import type { Nodes } from 'mdast';
import { countWords, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import type { ConvertedPage } from './convert-page.ts';
import { scanLines, tidyBlankLines } from './markdown/text-edits.ts';

/** A capsule's worth of a page. */
export interface PagePart {
  /** Heading that begins it; `undefined` for the page itself, or its beginning. */
  readonly heading: string | undefined;
  readonly text: string;
  /** Numbers of the page's headings that are in the text, in order. */
  readonly headings: readonly number[];
  /** Number of the heading that begins it. */
  readonly headingNumber: number | undefined;
}

/** When pages are split. */
export interface SplitOptions {
  /** Depth of the headings that begin parts; `undefined` keeps pages whole. */
  readonly depth: 2 | undefined;
  /** Pages of at most so many words stay whole. */
  readonly overWords: number;
}

/** The parts of a page: itself alone, or its beginning and a part for each second-level heading. */
export function splitPage(page: ConvertedPage, { depth, overWords }: SplitOptions): PagePart[] {
  const whole: PagePart = {
    heading: undefined,
    text: page.text,
    headings: page.headings.map((_, index) => index),
    headingNumber: undefined,
  };
  if (depth === undefined) return [whole];
  const root = parseText(page.text);
  if (countWords(root) <= overWords) return [whole];
  const cuts: { readonly offset: number; readonly end: number; readonly number: number }[] = [];
  const enclosed = linesWithinBlocks(page.text);
  let number = -1;
  walk(root, (node) => {
    if (node.type !== 'heading') return;
    number += 1;
    if (node.depth === depth && root.children.includes(node) && !enclosed.has(node.position?.start.line ?? 0))
      cuts.push({ offset: offsetOf(node), end: node.position?.end.offset ?? 0, number });
  });
  if (cuts.length < 2) return [whole];
  const definitions = root.children.filter((node) => node.type === 'definition' || node.type === 'footnoteDefinition');
  const withDefinitions = (text: string): string => {
    const missing = definitions.filter((node) => {
      const source = page.text.slice(offsetOf(node), node.position?.end.offset);
      return !text.includes(source) && text.includes(node.type === 'footnoteDefinition' ? `[^${node.label}]` : `[${node.label}]`);
    });
    return tidyBlankLines([text, ...missing.map((node) => page.text.slice(offsetOf(node), node.position?.end.offset))].join('\n\n'));
  };
  const parts = cuts.map(({ end, number: at }, index): PagePart => {
    const next = cuts[index + 1];
    const headings = page.headings.flatMap((_, heading) =>
      heading > at && (next === undefined || heading < next.number) ? [heading] : [],
    );
    return {
      heading: page.headings[at]?.text ?? '',
      text: withDefinitions(promoted(page.text.slice(end, next?.offset))),
      headings,
      headingNumber: at,
    };
  });
  const beginning = page.text.slice(0, cuts[0]?.offset);
  const firstNumber = cuts[0]?.number ?? 0;
  return [
    {
      heading: undefined,
      text: withDefinitions(beginning),
      headings: page.headings.flatMap((_, index) => (index < firstNumber ? [index] : [])),
      headingNumber: undefined,
    },
    ...parts.filter(({ text }) => text !== ''),
  ];
}

const OPENING = /^[ \t>]*(?:(:{3,})[ \t]*[A-Za-z]|<details\b)/;
const CLOSING = /^[ \t>]*(?:(:{3,})[ \t]*$|<\/details>)/;

/** Numbers of the lines, from 1, within admonitions and `<details>`, which a cut would leave without their end. */
function linesWithinBlocks(text: string): ReadonlySet<number> {
  const lines = new Set<number>();
  /** The marks that end the open blocks. */
  const open: string[] = [];
  for (const [index, { text: line, isCode }] of scanLines(text).entries()) {
    if (open.length > 0) lines.add(index + 1);
    if (isCode) continue;
    const opening = OPENING.exec(line);
    const closing = CLOSING.exec(line);
    if (opening) open.push(opening[1] ?? '<');
    else if (closing && open.at(-1) === (closing[1] ?? '<')) open.pop();
  }
  return lines;
}

/** Headings of a part, one level up: its own heading has become its title. */
function promoted(text: string): string {
  return scanLines(text)
    .map(({ text: line, isCode }) => (isCode ? line : line.replace(/^(#{3,6})(?=\s)/, (marks) => marks.slice(1))))
    .join('\n');
}

function offsetOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}
