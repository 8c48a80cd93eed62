import type { Nodes, Root } from 'mdast';
import { walk } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';

/** The parts of a text that may lead to other files of the publication. */
export interface ReferringParts {
  /** Links and images, those of its raw HTML included. */
  readonly links: readonly ReferringLink[];
}

/** A link or an image; lines are those of the text, from 1. */
interface ReferringLink {
  readonly url: string;
  readonly line: number;
  readonly isImage: boolean;
  readonly alt?: string;
}

/** A text without any of these has no relative link and no image; most texts are not parsed for it. */
const MAY_REFER = /!\[|\]\(\s*<?(?!https?:|#|mailto:)|^ {0,3}\[[^\]]+\]:|<[a-z]/im;

/** What a text may refer to; `undefined` if that is nothing. */
export function findReferences(body: string): ReferringParts | undefined {
  if (!MAY_REFER.test(body)) return undefined;
  const links = linksOf(parseText(body));
  return links.length === 0 ? undefined : { links };
}

/** Links and images of a text, those of its raw HTML included. */
function linksOf(root: Root): ReferringLink[] {
  const links: ReferringLink[] = [];
  const imageKeys = new Set<string>();
  walk(root, (node) => {
    if (node.type === 'imageReference') imageKeys.add(node.identifier);
  });
  walk(root, (node: Nodes) => {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'image') links.push({ url: node.url, line, isImage: true, alt: node.alt ?? '' });
    else if (node.type === 'link') links.push({ url: node.url, line, isImage: false });
    else if (node.type === 'definition') links.push({ url: node.url, line, isImage: imageKeys.has(node.identifier) });
    else if (node.type === 'html') {
      for (const { 0: tag, 1: name } of node.value.matchAll(/<(img|a)\b[^<>]*>/gi)) {
        const url = /\s(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
        if (url !== null) links.push({ url: url[1] ?? url[2] ?? '', line, isImage: name?.toLowerCase() === 'img' });
      }
    }
  });
  return links;
}
