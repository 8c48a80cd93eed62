import type { Element, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { PATHS, pageMarkdownPath } from '../../schemas/paths.ts';
import { pageTwin } from '../../site/page-twin.ts';
import { find, findAll, hasClass, textOf } from './html-tree.ts';
import { MARKDOWN_HANDLERS, markdownContent } from './markdown-content.ts';

/** The markdown twin of a page, for a file. */
export interface PageMarkdown {
  /** Root-relative address. */
  readonly path: string;
  readonly body: string;
}

/** What a page says of itself in its head. */
export interface DescribedPage {
  readonly title: string;
  readonly description: string;
  /** Root-relative address that search engines prefer; absent if they do not list the page. */
  readonly path?: string;
  /** Content of scripts and styles within the page, which a policy must allow. */
  readonly inline: { readonly scripts: readonly string[]; readonly styles: readonly string[] };
}

/** What a page of the publication's own says of itself, and the code within it. */
export function describePage(html: string): DescribedPage {
  const root = fromHtml(html);
  const canonical = hrefOf(root, 'canonical');
  const isListed = canonical !== undefined && metaOf(root, 'robots')?.includes('noindex') !== true;
  const codeOf = (name: string): string[] =>
    findAll(root, ({ tagName, properties }) => tagName === name && (name === 'style' || runsHere(properties))).map(textOf);
  return {
    title: titleOf(root) ?? '',
    description: metaOf(root, 'description') ?? '',
    ...(isListed ? { path: new URL(canonical).pathname } : {}),
    inline: { scripts: codeOf('script'), styles: codeOf('style') },
  };
}

/** Whether a script element holds code that a browser runs (HTML, "The script element"). */
function runsHere({ src, type }: Element['properties']): boolean {
  return (
    src === undefined && [undefined, '', 'module', 'text/javascript', 'importmap', 'speculationrules'].includes(type as string | undefined)
  );
}

/** The heading of a page, or else the title of its window. */
function titleOf(root: Root): string | undefined {
  const element = find(root, ({ tagName }) => tagName === 'h1') ?? find(root, ({ tagName }) => tagName === 'title');
  return element && textOf(element).replace(/\s+/g, ' ').trim();
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
  const title = titleOf(root) ?? '';
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
