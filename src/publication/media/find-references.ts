import type { Nodes, Root } from 'mdast';
import { walk, withoutComments } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';

/** The parts of a text that may lead to other files of the publication. */
export interface ReferringParts {
  /** Links and images, those of its raw HTML included. */
  readonly links: readonly ReferringLink[];
  /** What pages leave out of its raw HTML. */
  readonly omittedHtml: readonly { readonly line: number; readonly what: string }[];
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
  const root = parseText(body);
  const [links, omitted] = [linksOf(root), omittedHtml(root)];
  return links.length + omitted.length === 0 ? undefined : { links, omittedHtml: omitted };
}

/** What pages leave out of raw HTML, by its tag or attribute. */
const OMITTED =
  /<(script|style|iframe|object|embed|form|video|audio|svg|math|link|meta|base|template)\b|<[a-z][^<>]*\s(on[a-z]+|style)\s*=/gi;

/** The parts of a text's raw HTML that pages leave out. */
function omittedHtml(root: Root): { readonly line: number; readonly what: string }[] {
  const found: { line: number; what: string }[] = [];
  walk(root, (node) => {
    if (node.type !== 'html') return;
    const names = [...withoutComments(node.value).matchAll(OMITTED)].map(([, tag, attribute]) =>
      tag ? `<${tag.toLowerCase()}>` : `the attribute ${attribute}`,
    );
    for (const what of new Set(names)) found.push({ line: node.position?.start.line ?? 1, what });
  });
  return found;
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
