import type { Root } from 'mdast';
import * as z from 'zod';
import { SizedImage } from '../../schemas/primitives.ts';
import { nodesOf, walk } from './markdown-tree.ts';
import { parseText } from './parse-text.ts';

export const TextReference = z.object({
  /** Root-relative address, with query and fragment. */
  href: z.string(),
  image: SizedImage.optional(),
});
export type TextReference = z.infer<typeof TextReference>;

export const TextReferences = z.record(z.string(), TextReference);
export type TextReferences = Readonly<Record<string, TextReference>>;

export function referenceAddresses(references: TextReferences | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(references ?? {}).map(([link, { href }]) => [link, href]));
}

/** Root-relative addresses of the published texts, by file: `content/capsules/guide/setup.md` is at `/capsules/setup`. */
export type TextAddresses = ReadonlyMap<string, string>;

export type LinkTarget =
  /** Another site, a mailbox, or whatever the scheme says. */
  | { readonly kind: 'external'; readonly url: string }
  /** A heading of the same text; `anchor` is decoded and has no `#`. */
  | { readonly kind: 'anchor'; readonly anchor: string }
  /** An address of this site, as written in the text. */
  | { readonly kind: 'address'; readonly path: string; readonly anchor: string; readonly href: string }
  /** Another text of the publication: its file and address. */
  | { readonly kind: 'text'; readonly file: string; readonly path: string; readonly anchor: string; readonly href: string }
  /** Any other file, which may be missing: an image, or a text that is not published. `file` is relative to the publication's root. */
  | { readonly kind: 'file'; readonly file: string }
  /** A path that leaves the folder of the publication. */
  | { readonly kind: 'outside' };

/** Endings under which a link may name a text: as a file, without an ending, or as a folder. */
const TEXT_FORMS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}.md`,
  (path) => `${path}/index.md`,
  (path) => `${path}/README.md`,
];

/**
 * Resolves a link or an image of a text. Paths are relative to the file, as on GitHub and in editors: `../guide/setup.md#linux`, `setup`.
 *
 * @param from File with the link, from the publication's root; for a frozen version that of the current one, for whose place it was written.
 */
export function resolveLink(url: string, from: string, addresses: TextAddresses): LinkTarget {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url) || url.startsWith('//') || url.startsWith('\\')) return { kind: 'external', url };
  const [, written = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const anchor = decoded(fragment.slice(1));
  if (written === '') return { kind: 'anchor', anchor };
  if (written.startsWith('/')) return { kind: 'address', path: written, anchor, href: url };
  const path = joined(from, decoded(written));
  if (path === undefined) return { kind: 'outside' };
  for (const form of TEXT_FORMS) {
    const text = form(path);
    const address = addresses.get(text);
    if (address !== undefined) return { kind: 'text', file: text, path: address, anchor, href: address + query + fragment };
  }
  return { kind: 'file', file: path };
}

function joined(from: string, relative: string): string | undefined {
  const parts = from.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A text with its escapes (RFC 3986, section 2.1) decoded; as it is if they are no UTF-8, such as `%ff`. */
export function decoded(text: string, decode: (text: string) => string = decodeURIComponent): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

/** Destination of a link or image at the end of its markdown; parentheses in it are balanced. */
const RESOURCE =
  /\]\([ \t\n]*(<[^<>\n]*>|(?:[^\s()]|\((?:[^\s()]|\([^\s()]*\))*\))+)(?:[ \t\n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t\n]*\)$/;
const DEFINITION = /^\[[^\]]+\]:[ \t\n]*(<[^<>\n]*>|\S+)/;
const ADDRESS = /(\s(?:href|src)\s*=\s*)("[^"]*"|'[^']*')/gi;

/** Everything but the addresses of its relative links and images stays, byte for byte. */
export function rewriteLinks(markdown: string, references: TextReferences | undefined): string {
  if (references === undefined || Object.keys(references).length === 0) return markdown;
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  walk(parseText(markdown), (node) => {
    const [from, to] = [node.position?.start.offset, node.position?.end.offset];
    if (from === undefined || to === undefined) return;
    const source = markdown.slice(from, to);
    const hrefOf = (url: string): string | undefined => (Object.hasOwn(references, url) ? references[url]?.href : undefined);
    if (node.type === 'html') {
      const text = source.replace(/<(?:img|a)\b[^<>]*>/gi, (tag) =>
        tag.replace(ADDRESS, (whole, name: string, quoted: string) => {
          const href = hrefOf(quoted.slice(1, -1));
          return href === undefined ? whole : `${name}"${href}"`;
        }),
      );
      if (text !== source) changes.push({ start: from, end: to, text });
      return;
    }
    const href = node.type === 'link' || node.type === 'image' || node.type === 'definition' ? hrefOf(node.url) : undefined;
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

export interface ReferringLink {
  readonly url: string;
  readonly line: number;
  readonly isImage: boolean;
  readonly alt?: string;
}

/** A text without any of these has no relative link and no image; most texts are not parsed for it. */
const MAY_REFER = /!\[|\]\(\s*<?(?!https?:|#|mailto:)|^ {0,3}\[[^\]]+\]:|<[a-z]/im;

export function findReferences(body: string): readonly ReferringLink[] {
  return MAY_REFER.test(body) ? linksOf(parseText(body)) : [];
}

function linksOf(root: Root): ReferringLink[] {
  const links: ReferringLink[] = [];
  const nodes = nodesOf(root);
  const imageKeys = new Set(nodes.flatMap((node) => (node.type === 'imageReference' ? [node.identifier] : [])));
  for (const node of nodes) {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'image') links.push({ url: node.url, line, isImage: true, alt: node.alt || (node.title ?? '') });
    else if (node.type === 'link') links.push({ url: node.url, line, isImage: false });
    else if (node.type === 'definition') links.push({ url: node.url, line, isImage: imageKeys.has(node.identifier) });
    else if (node.type === 'html') {
      for (const { 0: tag, 1: name } of node.value.matchAll(/<(img|a)\b[^<>]*>/gi)) {
        const url = /\s(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag);
        if (url !== null) links.push({ url: url[1] ?? url[2] ?? '', line, isImage: name?.toLowerCase() === 'img' });
      }
    }
  }
  return links;
}
