import type { Definition, Image, Link, Nodes } from 'mdast';
import { headingIds, isPageId } from '../../text/markdown/anchors.ts';
import { walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { loose } from './compare-texts.ts';
import { type ConvertedPage, lineOf } from './convert-page.ts';
import type { ConvertedHeading } from './html/html-to-markdown.ts';
import type { LinkIndex } from './link-index.ts';
import { destination, escapeText } from './markdown/markdown-forms.ts';
import { applyEdits, type TextEdit } from './markdown/text-edits.ts';
import type { ImportNote, SourceFile } from './source-page.ts';

/** Where texts and images of an import are written. */
export interface Placement {
  /** The file of a page, or of its part with a heading, relative to the folder of the texts; the id of the heading there. */
  readonly fileOf: (page: ConvertedPage, heading: number | undefined) => { readonly file: string; readonly anchor: string | undefined };
  /** The path of an image, relative to the folder of the texts; `undefined` if it is of no kind that a text may show. */
  readonly imageOf: (file: SourceFile) => string | undefined;
}

/** Rewrites every link, image and anchor of a page, for a file of the import with the given name. */
export function rewriteLinks(page: ConvertedPage, text: string, ownFile: string, index: LinkIndex, placement: Placement) {
  const root = parseText(text);
  const notes: ImportNote[] = [];
  /** Links of the page to itself, which become their texts. */
  let toItself = 0;
  const note = (needle: string, message: string): void =>
    void notes.push({ path: page.page.path, line: lineOf(page.page, needle), message });
  const slice = (node: Nodes): string => text.slice(node.position?.start.offset, node.position?.end.offset);
  const addressOf = (url: string, label: string): string | undefined => {
    const target = index.resolve(page, url);
    const shown = url.replace(/^wiki:/, '');
    switch (target.kind) {
      case 'external':
        if (/^(?:https?|mailto):/i.test(target.url)) return target.url;
        note(shown, `has a link for an application, ${shown}, which is left out; its text stays`);
        return undefined;
      case 'page': {
        const heading = target.anchor === '' ? undefined : findHeading(target.page, target.anchor);
        const { file, anchor } = placement.fileOf(target.page, heading);
        const known = [...target.page.ids, ...target.page.topAnchors];
        if (target.anchor !== '' && heading === undefined && !isTopAnchor(target.anchor) && !known.includes(target.anchor))
          note(shown, `links to #${target.anchor}, which no heading of ${target.page.page.path} has; the link leads to the page`);
        const name = anchor ?? (target.page.ids.includes(target.anchor) ? target.anchor : undefined);
        const fragment = name === undefined ? '' : `#${name}`;
        if (file === ownFile && fragment === '') toItself += 1;
        if (file === ownFile) return fragment;
        return file + fragment;
      }
      default: {
        const address = (target.kind === 'file' ? placement.imageOf(target.file) : undefined) ?? target.url;
        const named =
          target.kind === 'file' ? `the file ${target.file.path}, which is not imported` : `${shown}, which is not in the source`;
        if (address === undefined) note(shown, `links to ${named}; "${label}" stays as text`);
        return address;
      }
    }
  };
  const removed = new Set<string>();
  const edits: TextEdit[] = [];
  const replace = ({ position }: Nodes, replacement: string, to = edits): void =>
    void to.push({ start: position?.start.offset ?? 0, end: position?.end.offset ?? 0, text: replacement });
  walk(root, (node) => {
    if (node.type !== 'definition') return;
    const label = node.label ?? node.identifier;
    const address = addressOf(node.url, label) || undefined;
    if (address === undefined) removed.add(node.identifier);
    replace(node, address === undefined ? '' : `[${label}]: ${destination(address)}${titleOf(node)}`);
  });
  /** The new source of a node; `undefined` if only its children may change. */
  const rewritten = (node: Nodes, within: () => string): string | undefined => {
    const source = slice(node);
    switch (node.type) {
      case 'link': {
        // Autolinks are absolute already.
        if (!source.startsWith('[')) return source.startsWith('<') && !/^<(?:https?:|mailto:|\S+@)/i.test(source) ? within() : source;
        const label = within();
        const address = addressOf(node.url, label);
        return !address ? label : `[${label}](${destination(address)}${titleOf(node)})`;
      }
      case 'image': {
        const alt = node.alt ?? '';
        const address = addressOf(node.url, alt);
        return address === undefined ? alt : `![${escapeText(alt)}](${destination(address)}${titleOf(node)})`;
      }
      case 'html':
        return source.replace(
          /(<(?:a|img)\s[^<>]*?(?:href|src)=["'])([^"'<>]*)(["'])/gi,
          (_, before: string, url: string, after: string) => {
            const address = addressOf(url.replaceAll('&amp;', '&'), url);
            return before + (address ?? '').replaceAll('&', '&amp;').replaceAll('"', '%22') + after;
          },
        );
      case 'linkReference':
        return removed.has(node.identifier) ? within() : undefined;
      case 'imageReference':
        return removed.has(node.identifier) ? (node.alt ?? '') : undefined;
      default:
        return undefined;
    }
  };
  const visit = (node: Nodes, out: TextEdit[]): void => {
    // Bare addresses that GFM makes links of have no place in the source, and need no change.
    if (node.position === undefined) return;
    const within = (): string => {
      if (!('children' in node) || node.children.length === 0) return '';
      const inner: TextEdit[] = [];
      for (const child of node.children) visit(child, inner);
      return applyEdits(text, inner, node.children[0]?.position?.start.offset, node.children.at(-1)?.position?.end.offset);
    };
    const replacement = rewritten(node, within);
    if (replacement !== undefined) replace(node, replacement, out);
    else if ('children' in node) for (const child of node.children) visit(child, out);
  };
  visit(root, edits);
  return { text: applyEdits(text, edits), notes, toItself };
}

function findHeading({ headings }: ConvertedPage, anchor: string): number | undefined {
  const wanted = anchor.replace(/^user-content-/, '');
  const exact = headings.findIndex(({ anchors }) => anchors.includes(wanted));
  if (exact !== -1) return exact;
  // Badges and signatures after a name, which some generators leave out of anchors: `useData (function)`, `dispatch(action)`.
  const similar = headings.findIndex(({ text, anchors }) =>
    [text, text.replace(/\([\s\S]*$/, ''), ...anchors].some((name) => loose(name) === loose(wanted) && loose(wanted) !== ''),
  );
  return similar === -1 ? undefined : similar;
}

/** Ids that the headings of a text get on its page, by their number in the text. */
export function headingAnchors(headings: readonly Omit<ConvertedHeading, 'anchors'>[]): string[] {
  const next = headingIds();
  return headings.map(({ text, id }) => (id !== undefined && !isPageId(id) ? id : next(text)));
}

/** Anchors of the page as a whole, and of lines of code and blocks of notes, which have no heading. */
function isTopAnchor(anchor: string): boolean {
  return /^(?:top|_top|\^.*|L\d+.*|:~:.*|\/.*)$/.test(anchor);
}

function titleOf({ title }: Link | Image | Definition): string {
  return title === null || title === undefined || title === '' ? '' : ` "${title.replace(/(["\\])/g, '\\$1')}"`;
}
