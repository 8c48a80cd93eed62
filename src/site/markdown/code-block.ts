import type { Element, ElementContent } from 'hast';
import type { Code } from 'mdast';

/** What the line that opens a block of code says: ```` ```js title="app.js" {2,4-6} ````. */
export interface CodeInfo {
  /** The language in lower case; empty without one. */
  readonly language: string;
  /** The word after the fence as the author wrote it. */
  readonly word: string;
  readonly title: string | undefined;
  /** From 1. */
  readonly markedLines: ReadonlySet<number>;
}

/** Reads the line that opens a block of code, in the forms of Starlight, Docusaurus and VitePress. */
export function codeInfo({ lang, meta }: Pick<Code, 'lang' | 'meta'>): CodeInfo {
  const [, word = '', attached = ''] = /^([^\s{[]*)(.*)$/.exec(lang ?? '') ?? [];
  const text = `${attached} ${meta ?? ''}`;
  const title = /\btitle=(?:"([^"]*)"|'([^']*)')/.exec(text) ?? /(?:^|\s)\[([^[\]]+)\]/.exec(text);
  const ranges = /\{([\d,\s-]+)\}/.exec(text)?.[1] ?? '';
  return { language: word.toLowerCase(), word, title: title?.[1] ?? title?.[2], markedLines: new Set(lineNumbers(ranges)) };
}

/** Most lines of one range: "1-1000000" is a mistake. */
const RANGE_MAX = 10_000;

function lineNumbers(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Number.isInteger(from) && Number.isInteger(to) && from > 0 && to - from < RANGE_MAX
      ? Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
      : [];
  });
}

/** A block of code that scrolls by keyboard, with its title above it. */
export function codeBlock(block: Element, { word, title }: CodeInfo, highlighted: ElementContent[] | undefined): Element {
  const language = word === '' ? {} : { className: [`language-${word}`] };
  const children =
    highlighted === undefined
      ? block.children
      : block.children.map((child) =>
          child.type === 'element' ? { ...child, children: [...highlighted, { type: 'text', value: '\n' } as const] } : child,
        );
  const pre: Element = { ...block, properties: { ...block.properties, tabIndex: 0, ...language }, children };
  if (title === undefined) return pre;
  const caption: Element = { type: 'element', tagName: 'figcaption', properties: {}, children: [{ type: 'text', value: title }] };
  return { type: 'element', tagName: 'figure', properties: { className: ['code'] }, children: [caption, pre] };
}
