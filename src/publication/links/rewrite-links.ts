import type { Nodes } from 'mdast';
import { walk } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';
import type { TextReferences } from './text-references.ts';

/** Destination of a link or image at the end of its markdown; parentheses in it are balanced. */
const RESOURCE =
  /\]\([ \t\n]*(<[^<>\n]*>|(?:[^\s()]|\((?:[^\s()]|\([^\s()]*\))*\))+)(?:[ \t\n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t\n]*\)$/;
/** Destination of a definition. */
const DEFINITION = /^\[[^\]]+\]:[ \t\n]*(<[^<>\n]*>|\S+)/;
/** Addresses in a tag of HTML. */
const ADDRESS = /(\s(?:href|src)\s*=\s*)("[^"]*"|'[^']*')/gi;

/**
 * The text with the addresses of its references in place of its relative links and images; everything else stays, byte for byte.
 *
 * @param references As the text is published; none leaves it as it is.
 */
export function rewriteLinks(markdown: string, references: TextReferences | undefined): string {
  if (references === undefined || Object.keys(references).length === 0) return markdown;
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  walk(parseText(markdown), (node) => {
    const [from, to] = [node.position?.start.offset, node.position?.end.offset];
    if (from === undefined || to === undefined) return;
    const source = markdown.slice(from, to);
    if (node.type === 'html') {
      const text = source.replace(/<(?:img|a)\b[^<>]*>/gi, (tag) =>
        tag.replace(ADDRESS, (whole, name: string, quoted: string) => rewriteAttribute(whole, name, quoted, references)),
      );
      if (text !== source) changes.push({ start: from, end: to, text });
      return;
    }
    const href = hrefOf(node, references);
    const match = href === undefined ? null : (node.type === 'definition' ? DEFINITION : RESOURCE).exec(source);
    const written = match?.[1];
    if (href === undefined || match === null || written === undefined) return;
    const start = from + match.index + match[0].indexOf(written, node.type === 'definition' ? match[0].indexOf(']:') : 2);
    changes.push({ start, end: start + written.length, text: /[\s()<>]/.test(href) ? `<${href}>` : href });
  });
  let rewritten = '';
  let position = 0;
  for (const { start, end, text } of changes.sort((a, b) => a.start - b.start)) {
    if (start < position) continue;
    rewritten += markdown.slice(position, start) + text;
    position = end;
  }
  return rewritten + markdown.slice(position);
}

function hrefOf(node: Nodes, references: TextReferences): string | undefined {
  if (node.type !== 'link' && node.type !== 'image' && node.type !== 'definition') return undefined;
  return Object.hasOwn(references, node.url) ? references[node.url]?.href : undefined;
}

function rewriteAttribute(whole: string, name: string, quoted: string, references: TextReferences): string {
  const url = quoted.slice(1, -1);
  const href = Object.hasOwn(references, url) ? references[url]?.href : undefined;
  return href === undefined ? whole : `${name}"${href}"`;
}
