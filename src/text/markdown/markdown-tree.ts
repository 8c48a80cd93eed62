import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { blankLine, codeText, htmlFlow, htmlText } from 'micromark-core-commonmark';
import { gfm } from 'micromark-extension-gfm';
import { EditMap } from 'micromark-util-edit-map';
import type { Construct } from 'micromark-util-types';

/** Constructs of CommonMark. Their package has its types from another copy of micromark-util-types. */
export const COMMONMARK = { blankLine, codeText, htmlFlow, htmlText } as unknown as Readonly<
  Record<'blankLine' | 'codeText' | 'htmlFlow' | 'htmlText', Construct>
>;

/**
 * Applies the edits of the parser without copying the events before the first one. The package copies all events for every underlined heading and
 * for every quote and list that ends, which takes the square of the length of a text: 16 s for 8,000 headings.
 */
EditMap.prototype.consume = function (this: EditMap, events) {
  this.map.sort(([a], [b]) => a - b);
  const from = this.map[0]?.[0] ?? events.length;
  const rest = events.splice(from);
  let at = from;
  for (const [index, removed, added] of this.map) {
    for (const event of rest.slice(at - from, Math.max(at, index) - from)) events.push(event);
    for (const event of added) events.push(event);
    at = index + removed;
  }
  for (const event of rest.slice(at - from)) events.push(event);
  this.map.length = 0;
  this.index.clear();
};

/** Parses GitHub-flavoured markdown: what strangers may submit. The publisher's texts have more, see `parseText`. */
export function parseMarkdownOnce(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The text followed by a definition for every footnote key, so that `[^key]` parses as a reference and offsets stay the same. */
export function withFootnotes(text: string, footnotes: readonly { key: string; markdown: string }[]): string {
  if (footnotes.length === 0) return text;
  return `${text}\n${openFence(text)}${footnotes.map(({ key, markdown }) => `[^${key}]: ${markdown}\n`).join('\n')}`;
}

function openFence(text: string): string {
  let open = '';
  if (!text.includes('```') && !text.includes('~~~')) return open;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    if (open === '') open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = '';
  }
  return open === '' ? '' : `${open}\n\n`;
}

export function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node);
  if ('children' in node) for (const child of node.children) walk(child, visit);
}

export function nodesOf(root: Nodes): Nodes[] {
  const nodes: Nodes[] = [];
  walk(root, (node) => nodes.push(node));
  return nodes;
}

const SEPARATED: ReadonlySet<string> = new Set([
  ...['root', 'list', 'listItem', 'table', 'blockquote', 'containerDirective'],
  ...['defList', 'defListDescription'],
]);

/** The text of a node without markup, footnote references and HTML tags, but with code, formulas in LaTeX and the words about images. */
export function plainText(node: Nodes): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value;
  if (node.type === 'math' || node.type === 'inlineMath') return node.value;
  if (node.type === 'image') return [node.alt, node.title].filter(Boolean).join('\n');
  if (node.type === 'imageReference') return node.alt ?? '';
  if (node.type === 'html') return textOfHtml(node.value);
  if (node.type === 'break') return '\n';
  if (node.type === 'footnoteDefinition' || !('children' in node)) return '';
  const between = SEPARATED.has(node.type) ? '\n' : node.type === 'tableRow' ? ' ' : '';
  return node.children.map((child) => plainText(child)).join(between);
}

/** Whether a block is the line that ends the preview of a text that is sold: `<!-- paid -->`. */
export function isPreviewEnd(node: Nodes): boolean {
  return node.type === 'html' && /^<!-- ?paid ?-->$/.test(node.value.trim());
}

/** HTML without its comments; one that is not closed ends with the text. */
export function withoutComments(html: string): string {
  let kept = '';
  let from = 0;
  for (let start = html.indexOf('<!--'); start !== -1; start = html.indexOf('<!--', from)) {
    kept += html.slice(from, start);
    const end = html.indexOf('-->', start + 4);
    if (end === -1) return kept;
    from = end + 3;
  }
  return kept + html.slice(from);
}

function textOfHtml(html: string): string {
  const text = withoutComments(html)
    .replace(/<(?:script|style)\b(?:(?!<\/?(?:script|style)\b)[\s\S])*/gi, '')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim();
  // A tag alone that ends a line or a cell keeps words apart.
  return text === '' && /<\/?(?:br|p|div|li|t[dhr]|d[dt]|h[1-6])\b/i.test(html) ? ' ' : text;
}

export function headingsOf(root: Root): { depth: number; text: string }[] {
  return nodesOf(root).flatMap((node) => (node.type === 'heading' ? [{ depth: node.depth, text: plainText(node) }] : []));
}

/** Scripts whose words have no space between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function countWords(root: Root): number {
  const runs = plainText(root).split(/\s+/);
  const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
  const wordsIn = (run: string): number => {
    if (UNSPACED.test(run)) return Array.from(segmenter.segment(run)).filter(({ isWordLike }) => isWordLike).length;
    return /[\p{L}\p{N}]/u.test(run) ? 1 : 0;
  };
  return runs.reduce((count, run) => count + wordsIn(run), 0);
}

/** A text as published and hashed: LF, no blank lines at both ends, one final newline; empty if it is only white space. */
export function bodyText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const leadingBlank = lines.findIndex((line) => line.trim() !== '');
  return leadingBlank === -1 ? '' : `${lines.slice(leadingBlank).join('\n').trimEnd()}\n`;
}

/** Masks code and raw HTML; line numbers stay. @param root Tree of the text, or of a text that begins with it. */
export function maskCode(text: string, root: Root): string {
  const ranges = nodesOf(root).flatMap(({ type, position }) => {
    const { start, end } = position ?? {};
    const isCode = type === 'code' || type === 'inlineCode' || type === 'html';
    return isCode && (end?.offset ?? Infinity) <= text.length ? [{ start: start?.offset ?? 0, end: end?.offset ?? 0 }] : [];
  });
  let masked = '';
  let from = 0;
  for (const { start, end } of ranges) {
    // A letter replaces code, so that the text before and after does not join into one clause.
    masked += `${text.slice(from, start)}${text.slice(start, end).replace(/[^\n]/g, '_')}`;
    from = end;
  }
  return masked + text.slice(from);
}
