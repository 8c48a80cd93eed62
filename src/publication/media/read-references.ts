import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Nodes, Root } from 'mdast';
import type { ContentLevel, ContentProblem } from '../content-problem.ts';
import { resolveLink, type TextAddresses, type TextReference, type TextReferences } from '../links/text-references.ts';
import { walk } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';
import { isMediaFile, type MediaFile, readMediaFile } from './media-file.ts';

/** A text that links to others, and shows images. */
export interface ReferringText {
  /** Path from the publication's root. */
  readonly path: string;
  /** What it may refer to; `undefined` if that is nothing. */
  readonly parts: ReferringParts | undefined;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
}

/** Where the texts of a publication lead within it. */
interface References {
  /** By the file of the text; only texts that have any. */
  readonly byFile: ReadonlyMap<string, TextReferences>;
  /** Every file that they show or link to, by ascending path. */
  readonly media: readonly MediaFile[];
  readonly problems: readonly ContentProblem[];
}

/**
 * Resolves the links and images of texts that lead to other files of the publication, and reads the files that are no texts.
 *
 * @param root Folder of the publication.
 * @param brokenLevel How serious a file is that cannot be published; `undefined` if it does not matter.
 */
export async function readReferences(
  root: string,
  texts: readonly ReferringText[],
  addresses: TextAddresses,
  brokenLevel: ContentLevel | undefined,
): Promise<References> {
  const byFile = new Map<string, TextReferences>();
  const media = new Map<string, MediaFile>();
  const problems: ContentProblem[] = [];
  for (const { path, parts, bodyLine } of texts) {
    if (parts === undefined) continue;
    const found: Record<string, TextReference> = {};
    for (const { url, line, isImage, alt } of parts.links) {
      const report = (message: string, level: ContentLevel): void =>
        void problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message, level });
      if (isImage && alt?.trim() === '')
        report(`shows ${url} without alternative text; describe it in the brackets: ![…](${url})`, 'warning');
      const target = resolveLink(url, path, addresses);
      if (target.kind === 'external' && isImage)
        report(
          `shows ${url} from another site, which becomes a link: pages load nothing from elsewhere; save the image beside the text`,
          'warning',
        );
      if (target.kind === 'text') found[url] = { href: target.href };
      const inPublic = target.kind === 'address' && isMediaFile(target.path) ? `public${decoded(target.path)}` : undefined;
      const file = target.kind === 'file' ? target.file : inPublic;
      // Links to nothing, to drafts and to other types are mistakes of links, which checkTexts() reports.
      if (file === undefined || (!isImage && !(isMediaFile(file) && existsSync(join(root, file))))) continue;
      const read = media.get(file) ?? (await readMediaFile(root, file));
      if ('problem' in read) {
        if (brokenLevel !== undefined) report(`${isImage ? 'shows' : 'links to'} ${url}, ${read.problem}`, brokenLevel);
        continue;
      }
      media.set(file, read);
      found[url] = { href: read.path, ...(read.image ? { image: read.image } : {}) };
    }
    if (Object.keys(found).length > 0) byFile.set(path, found);
  }
  return { byFile, media: [...media.values()].sort((a, b) => (a.file < b.file ? -1 : 1)), problems };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

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
