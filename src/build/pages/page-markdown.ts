import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { PATHS, pageMarkdownPath } from '../../schemas/paths.ts';
import { pageTwin } from '../../site/page-twin.ts';

/** The markdown twin of a page, for a file. */
export interface PageMarkdown {
  /** Root-relative address. */
  readonly path: string;
  readonly body: string;
}

/** Elements that are no text of the page. */
const DROPPED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'svg',
  'form',
  'button',
  'input',
  'select',
  'dialog',
  'iframe',
  'nav',
]);

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
  const tree = toMdast(content(main, canonical) as Nodes, { document: true });
  const text = tree.type === 'root' ? toMarkdown(tree, WRITING) : '';
  const description = metaOf(root, 'description') ?? '';
  return { path, body: pageTwin({ title, description, updated, url: canonical }, text) };
}

/** A copy without what is no text, whose links are absolute and whose code has one element and a language. */
function content(node: Element, base: string): Element {
  const children = node.children.flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return child.type === 'text' ? [child] : [];
    if (DROPPED.has(child.tagName) || isForPeople(child)) return [];
    const copy = child.tagName === 'pre' ? code(child) : content(child, base);
    return child.tagName === 'table' ? [...captionOf(copy), copy] : [copy];
  });
  const properties = { ...node.properties };
  for (const name of ['href', 'src'])
    if (typeof properties[name] === 'string' && URL.canParse(properties[name], base))
      properties[name] = new URL(properties[name], base).href;
  return { ...node, properties, children };
}

/** Whether an element is beside the text, for people alone. */
function isForPeople({ properties }: Element): boolean {
  return properties['ariaHidden'] === 'true' || 'dataMarkdownIgnore' in properties;
}

/** The caption of a table as the paragraph before it: tables in markdown have none. */
function captionOf(table: Element): Element[] {
  const caption = find(table, ({ tagName }) => tagName === 'caption');
  return caption === undefined ? [] : [{ ...caption, tagName: 'p', properties: {} }];
}

function code(pre: Element): Element {
  const inner = find(pre, ({ tagName }) => tagName === 'code') ?? pre;
  const language = [pre, inner].map(languageOf).find((name) => name !== undefined) ?? 'text';
  const value = textOf(inner).replace(/\n+$/, '');
  const text: Element = {
    type: 'element',
    tagName: 'code',
    properties: { className: [`language-${language}`] },
    children: [{ type: 'text', value: `${value}\n` }],
  };
  return { type: 'element', tagName: 'pre', properties: {}, children: [text] };
}

function languageOf({ properties }: Element): string | undefined {
  const named = properties['dataLanguage'];
  if (typeof named === 'string') return named;
  const names = Array.isArray(properties['className']) ? properties['className'].map(String) : [];
  return names.map((name) => /^language-([\w+#-]{1,30})$/.exec(name)?.[1]).find((name) => name !== undefined);
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

function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties['className']) && properties['className'].includes(name);
}

function find(node: Element | Root, test: (element: Element) => boolean): Element | undefined {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    const found = test(child) ? child : find(child, test);
    if (found) return found;
  }
  return undefined;
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map((child) => textOf(child as Nodes)).join('') : '';
}
