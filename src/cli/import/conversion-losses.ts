import type { Element, Root as HtmlRoot } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import type { Root as MarkdownRoot } from 'mdast';
import { elementsOf, textOf } from '../../text/html-tree.ts';
import { plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';

const COUNTED = { images: /^img$/, tables: /^table$/, headings: /^h[1-6]$/, links: /^a$/ } as const;
const NAMES = ['images', 'tables', 'headings', 'links'] as const;

type Counts = Record<(typeof NAMES)[number], number>;

export interface TextFacts extends Readonly<Counts> {
  readonly words: ReadonlyMap<string, number>;
  /** Code blocks, in order, without line breaks at their ends. */
  readonly code: readonly string[];
}

function countsOf(count: (name: keyof Counts) => number): Counts {
  return { images: count('images'), tables: count('tables'), headings: count('headings'), links: count('links') };
}

/** How bad a difference is: `lost` words or code, `changed` numbers of images or tables, or something to `look` at. */
export type Grade = 'lost' | 'changed' | 'look';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Words of a text that may be missing before it counts as lost: labels of parts that have a form of their own here. */
const WORDS_LOST_MAX = 2;
const SHOWN_WORDS_MAX = 12;

/** What a reader of a page sees: the page without frame, as `htmlToMarkdown` normalised it. */
export function factsOfHtml(root: HtmlRoot): TextFacts {
  const elements = elementsOf(root);
  const seen = ({ children }: HtmlRoot | Element): string =>
    textOf({ type: 'root', children: [...children] }, (inner) => {
      const { alt, title } = inner.properties;
      const own = inner.tagName === 'img' ? [alt, title] : [];
      const words = [...own.filter((value) => typeof value === 'string'), seen(inner)].join(' ');
      if (inner.tagName === 'code') return CODE_EDGE + words + CODE_EDGE;
      return INLINE.test(inner.tagName) ? words : ` ${words} `;
    });
  return {
    // Markdown parts two pieces of code that stand side by side.
    words: wordCounts(
      seen(root)
        .replaceAll(CODE_EDGE + CODE_EDGE, ' ')
        .replaceAll(CODE_EDGE, ''),
    ),
    code: codeOf(elements),
    ...countsOf((name) => elements.filter((one) => COUNTED[name].test(one.tagName) && (name !== 'links' || isLink(one))).length),
  };
}

function codeOf(elements: readonly Element[]): string[] {
  return elements.filter(({ tagName }) => tagName === 'pre').map((pre) => textOf(pre).replace(/\n+$/, ''));
}

export function isImage({ tagName }: Element): boolean {
  return tagName === 'img';
}

export function isLink({ tagName, properties }: Element): boolean {
  return tagName === 'a' && typeof properties['href'] === 'string';
}

const CODE_EDGE = '\uE000';

const INLINE =
  /^(?:a|abbr|acronym|akg-anchor|akg-reference|b|bd[io]|big|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|q|r[pt]|ruby|s|samp|small|span|strike|strong|su[bp]|time|tt|u|var|wbr)$/;

export function factsOfMarkdown(text: string): TextFacts {
  return factsOfTree(parseText(text));
}

export function factsOfTree(root: MarkdownRoot): TextFacts {
  const words = [plainText(root)];
  const code: string[] = [];
  const counts = countsOf(() => 0);
  walk(root, (node) => {
    // Side by side, they would be one word.
    const children = 'children' in node ? node.children : [];
    const images = children.filter(
      ({ type }, at) => type === 'image' && [children[at - 1], children[at + 1]].some((other) => other?.type === 'image'),
    );
    words.push(images.map((image) => plainText(image)).join(' '));
    if (node.type === 'code') code.push(node.value.replace(/\n+$/, ''));
    else if (node.type === 'image' || node.type === 'imageReference') counts.images += 1;
    else if (node.type === 'link' || node.type === 'linkReference') counts.links += 1;
    else if (node.type === 'table') counts.tables += 1;
    else if (node.type === 'heading') counts.headings += 1;
    else if (node.type === 'footnoteDefinition') words.push(...node.children.map((child) => plainText(child)));
    else if (node.type === 'html') {
      words.push(...[...node.value.matchAll(/\s(?:alt|title)="([^"]*)"/g)].map(([, value = '']) => value));
      if (!/<(?:table|pre|img|a|h[1-6])\b/i.test(node.value)) return;
      const inner = elementsOf(fromHtml(node.value, { fragment: true }));
      code.push(...codeOf(inner));
      for (const name of NAMES) counts[name] += inner.filter(({ tagName }) => COUNTED[name].test(tagName)).length;
    }
  });
  return { words: wordCounts(words.join('\n')), code, ...counts };
}

function wordCounts(text: string): ReadonlyMap<string, number> {
  const shown = text.replace(/\u00ad|\u200b/g, '').normalize('NFKC');
  return joinedCounts((shown.toLowerCase().match(WORD) ?? []).map((word) => [word, 1]));
}

function joinedCounts(entries: Iterable<readonly [string, number]>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word, count] of entries) counts.set(word, (counts.get(word) ?? 0) + count);
  return counts;
}

export function wordTotal({ words }: TextFacts): number {
  return [...words.values()].reduce((sum, count) => sum + count, 0);
}

export function joinFacts(parts: readonly TextFacts[]): TextFacts {
  return {
    words: joinedCounts(parts.flatMap(({ words }) => [...words])),
    code: parts.flatMap(({ code }) => code),
    ...countsOf((name) => parts.reduce((total, part) => total + part[name], 0)),
  };
}

/** Words of one text that the other does not have, as often as they are missing. */
export function missingWords(original: TextFacts, result: TextFacts): string[] {
  return [...original.words].flatMap(([word, count]) => new Array<string>(Math.max(0, count - (result.words.get(word) ?? 0))).fill(word));
}

/** Code blocks of one text that the other does not have byte for byte. */
export function changedCode(original: TextFacts, result: TextFacts): string[] {
  const rest = new Map(joinedCounts(result.code.map((code) => [code, 1])));
  return original.code.filter((code) => {
    const count = rest.get(code) ?? 0;
    rest.set(code, count - 1);
    return count <= 0 && code.trim() !== '';
  });
}

/** What a result and its title lack of the original, the worst first. @param reported Links and images that are reported one by one already. */
export function compareTexts(original: TextFacts, result: TextFacts, reported: number) {
  const differences: { readonly grade: Grade; readonly needle: string; readonly message: string }[] = [];
  for (const code of changedCode(original, result)) {
    const line = /\S.*/.exec(code)?.[0].trimEnd() ?? '';
    const shown = line.length > 60 ? `${line.slice(0, 60)}…` : line;
    differences.push({ grade: 'lost', needle: line, message: `has a code block that is not the same afterwards: ${shown}` });
  }
  const missing = missingWords(original, result);
  const [needle = ''] = missing;
  const shown = missing.slice(0, SHOWN_WORDS_MAX).join(' ') + (missing.length > SHOWN_WORDS_MAX ? ' …' : '');
  if (missing.length > WORDS_LOST_MAX)
    differences.push({ grade: 'lost', needle, message: `loses ${missing.length} of ${wordTotal(original)} words: ${shown}` });
  // A heading may have become the title.
  const known: Counts = { headings: 1, tables: 0, images: reported, links: reported };
  for (const name of NAMES) {
    const before = original[name] - known[name];
    const after = result[name];
    const message = `keeps ${after} of ${before} ${before === 1 ? name.slice(0, -1) : name}`;
    if (after < before) differences.push({ grade: 'changed', needle: '', message });
  }
  return differences;
}

/** Letters and digits alone, to compare names that differ in case and punctuation. */
export function loose(text: string): string {
  const lower = text.normalize('NFKD').toLowerCase();
  return lower.replace(/[^\p{L}\p{N}]/gu, '');
}
