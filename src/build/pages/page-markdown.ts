import type { Element, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { PATHS, pageMarkdownPath } from '../../schemas/paths.ts';
import { pageTwin } from '../../site/page-twin.ts';
import { find, hasClass, textOf } from './html-tree.ts';
import { MARKDOWN_HANDLERS, markdownContent } from './markdown-content.ts';

/** The markdown twin of a page, for a file. */
export interface PageMarkdown {
  /** Root-relative address. */
  readonly path: string;
  readonly body: string;
}

/** How markdown is written. */
const WRITING: Options = {
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
};

/**
 * The twin of a page, with the main content of its HTML as markdown; `undefined` for a page that names no such twin, because it has another
 * one or none.
 *
 * @param html A page of `BaseLayout.astro`.
 * @param changes Days of the last changes, `YYYY-MM-DD`, by address.
 */
export function pageMarkdown(html: string, changes: ReadonlyMap<string, string>): PageMarkdown | undefined {
  const root = fromHtml(html);
  const canonical = hrefOf(root, 'canonical');
  const twin = hrefOf(root, 'alternate', 'text/markdown');
  const main = find(root, ({ tagName }) => tagName === 'main');
  if (canonical === undefined || twin === undefined || main === undefined) return undefined;
  const { pathname } = new URL(canonical);
  const path = new URL(twin).pathname;
  if (path !== pageMarkdownPath(pathname)) return undefined;
  const updated = changes.get(pathname) ?? lastChange(main) ?? changes.get(PATHS.home);
  const title = textOf(find(main, ({ tagName }) => tagName === 'h1') ?? main)
    .replace(/\s+/g, ' ')
    .trim();
  const tree = toMdast(markdownContent(main, canonical) as Nodes, { document: true, handlers: MARKDOWN_HANDLERS });
  const text = tree.type === 'root' ? toMarkdown(tree, WRITING) : '';
  const description = metaOf(root, 'description') ?? '';
  return { path, body: pageTwin({ title, description, updated, url: canonical }, text) };
}

/** The newest day that the page names as the one of a change, `YYYY-MM-DD`. */
function lastChange(main: Element): string | undefined {
  const head = find(main, (element) => hasClass(element, 'page-head'));
  const time = head && find(head, ({ tagName }) => tagName === 'time');
  const value = time?.properties['dateTime'];
  return typeof value === 'string' ? value : undefined;
}

function hrefOf(root: Root, rel: string, type?: string): string | undefined {
  const link = find(
    root,
    ({ tagName, properties }) =>
      tagName === 'link' && [properties['rel']].flat().includes(rel) && (type === undefined || properties['type'] === type),
  );
  const href = link?.properties['href'];
  return typeof href === 'string' ? href : undefined;
}

function metaOf(root: Root, name: string): string | undefined {
  const value = find(root, ({ tagName, properties }) => tagName === 'meta' && properties['name'] === name)?.properties['content'];
  return typeof value === 'string' ? value : undefined;
}
