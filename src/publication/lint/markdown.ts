import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Parses GitHub-flavoured markdown: what strangers may submit. The publisher's texts have more, see `parseText`. */
export function parseMarkdownOnce(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The text followed by a definition for every footnote key, so that `[^key]` parses as a reference and offsets stay the same. */
export function withFootnotes(text: string, footnotes: readonly { key: string; markdown: string }[]): string {
  if (footnotes.length === 0) return text;
  return `${text}\n${footnotes.map(({ key, markdown }) => `[^${key}]: ${markdown}\n`).join('\n')}`;
}

/** Calls `visit` for every node, parents first. */
export function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node);
  if ('children' in node) for (const child of node.children) walk(child, visit);
}

/** The text of a node without markup, footnote references and raw HTML, but with code. */
export function plainText(node: Nodes): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value;
  if (node.type === 'break') return '\n';
  if (node.type === 'footnoteDefinition' || !('children' in node)) return '';
  const between =
    node.type === 'root' || node.type === 'list' || node.type === 'listItem' || node.type === 'table' || node.type === 'blockquote'
      ? '\n'
      : node.type === 'tableRow'
        ? ' '
        : '';
  return node.children.map((child) => plainText(child)).join(between);
}

/** Headings of a text in order, with their depth. */
export function headingsOf(root: Root): { depth: number; text: string }[] {
  const headings: { depth: number; text: string }[] = [];
  walk(root, (node) => {
    if (node.type === 'heading') headings.push({ depth: node.depth, text: plainText(node) });
  });
  return headings;
}

/** Number of words of a text: runs between white space with a letter or digit. */
export function countWords(root: Root): number {
  return plainText(root)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** A text as published and hashed: LF, no blank lines at both ends, one final newline; empty if it is only white space. */
export function bodyText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const leadingBlank = lines.findIndex((line) => line.trim() !== '');
  return leadingBlank === -1 ? '' : `${lines.slice(leadingBlank).join('\n').trimEnd()}\n`;
}

/**
 * A markdown text with code and raw HTML masked; line numbers stay the same.
 *
 * @param root Tree of the text, or of a text that begins with it.
 */
export function maskCode(text: string, root: Root): string {
  const ranges: { start: number; end: number }[] = [];
  walk(root, (node) => {
    const [start, end] = [node.position?.start.offset, node.position?.end.offset];
    if (
      (node.type === 'code' || node.type === 'inlineCode' || node.type === 'html') &&
      start !== undefined &&
      end !== undefined &&
      end <= text.length
    )
      ranges.push({ start, end });
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
