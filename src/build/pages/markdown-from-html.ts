import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import type { PhrasingContent } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { remembered } from '../../gateway/memory-caches.ts';
import { type CachedResults, digestOf } from '../../publication/build-cache.ts';
import { PATHS, pageMarkdownPath } from '../../schemas/paths.ts';
import { element, elementsOf, hasClass, isElement, stringOf, text, textOf } from '../../text/html-tree.ts';
import type { InlineMath } from '../../text/markdown/math-syntax.ts';
import { markdownPage } from '../../text/markdown/write-markup.ts';
import { pathOfPage, type SitePlace } from './rewrite-addresses.ts';

export interface DescribedPage {
  readonly title: string;
  readonly description: string;
  /** Root-relative address that search engines prefer; absent if they do not list the page. */
  readonly path?: string;
  /** Content of scripts and styles within the page, which a policy must allow. */
  readonly inline: { readonly scripts: readonly string[]; readonly styles: readonly string[] };
}

/** What a page of the publication's own says of itself, and the code within it. */
export function describePage(html: string, place: SitePlace): DescribedPage {
  const root = fromHtml(html);
  const canonical = hrefOf(root, 'canonical');
  const isListed = canonical !== undefined && metaOf(root, 'robots')?.includes('noindex') !== true;
  const path = isListed ? pathOfPage(canonical, place) : undefined;
  const codeOf = (name: string): string[] =>
    elementsOf(root)
      .filter(({ tagName, properties }) => tagName === name && (name === 'style' || runsHere(properties)))
      .map((element) => textOf(element));
  return {
    title: lineOf(root, 'h1') ?? lineOf(root, 'title') ?? '',
    description: metaOf(root, 'description') ?? '',
    ...(path === undefined ? {} : { path }),
    inline: { scripts: codeOf('script'), styles: codeOf('style') },
  };
}

function runsHere({ src, type }: Element['properties']): boolean {
  return (
    src === undefined && [undefined, '', 'module', 'text/javascript', 'importmap', 'speculationrules'].includes(type as string | undefined)
  );
}

function lineOf(root: Root, name: 'h1' | 'title'): string | undefined {
  const element = elementsOf(root).find(({ tagName }) => tagName === name);
  return element && textOf(element).replace(/\s+/g, ' ').trim();
}

/** Markup within a line, written as it is. The library takes `html` for a block, and formulas for words. */
export function raw(value: string): PhrasingContent {
  return { type: 'inlineMath', value, isDisplay: false };
}

export const WRITING: Options = {
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
  handlers: { inlineMath: ({ value }: InlineMath) => value },
};

/** The main content of a page, with its heading and the newest day that it names as the one of a change, `YYYY-MM-DD`. */
export type MainText = ReturnType<typeof mainText>;

/**
 * The main content of a page of `BaseLayout.astro` as markdown; `undefined` for a page that names no markdown page, or one at another address.
 * `changes` are days, `YYYY-MM-DD`, by address.
 */
export function pageMarkdown(
  html: string,
  changes: ReadonlyMap<string, string>,
  place: SitePlace,
  cache: Pick<CachedResults<MainText>, 'get' | 'set'>,
) {
  const head = fromHtml(html.slice(0, html.indexOf('</head>')));
  const canonical = hrefOf(head, 'canonical');
  const alternate = hrefOf(head, 'alternate', 'text/markdown');
  const main = html.slice(html.indexOf('<main'), html.lastIndexOf('</main>'));
  if (canonical === undefined || alternate === undefined || main === '') return undefined;
  const page = pathOfPage(canonical, place);
  const path = pathOfPage(alternate, place);
  if (page === undefined || path !== pageMarkdownPath(page)) return undefined;
  const read = remembered(cache, digestOf(canonical, main), () => mainText(main, canonical));
  const title = read.title ?? lineOf(head, 'title') ?? '';
  const updated = changes.get(page) ?? read.changed ?? changes.get(PATHS.home);
  const description = metaOf(head, 'description') ?? '';
  return { path, body: markdownPage({ title, description, updated, url: canonical, baseUrl: place.base_url }, read.markdown) };
}

function mainText(html: string, base: string) {
  const root = fromHtml(html, { fragment: true });
  const [main = element('main', [])] = elementsOf(root);
  const tree = toMdast(markdownContent(main, base) as Nodes, { document: true, handlers: { 'akg-break': () => raw('<br>') } });
  return { title: lineOf(root, 'h1'), changed: lastChange(main), markdown: tree.type === 'root' ? toMarkdown(tree, WRITING) : '' };
}

function lastChange(main: Element): string | undefined {
  const head = elementsOf(main).find((element) => hasClass(element, /^page-head$/));
  return stringOf(head && elementsOf(head).find(({ tagName }) => tagName === 'time'), 'dateTime');
}

function hrefOf(root: Root, rel: string, type?: string): string | undefined {
  const links = elementsOf(root).filter(({ tagName, properties }) => tagName === 'link' && [properties['rel']].flat().includes(rel));
  const link = links.find(({ properties }) => type === undefined || properties['type'] === type);
  return stringOf(link, 'href');
}

function metaOf(root: Root, name: string): string | undefined {
  const meta = elementsOf(root).find(({ tagName, properties }) => tagName === 'meta' && properties['name'] === name);
  return stringOf(meta, 'content');
}

/** Elements that markdown leaves out: scripts, controls and navigation. It ends with links of its own. */
const DROPPED: ReadonlySet<string> = new Set('script style template svg form button input select dialog iframe nav'.split(' '));

/** Elements whose content begins and ends lines. */
const BLOCKS: ReadonlySet<string> = new Set('p div ul ol li dl dt dd section figure figcaption article address pre'.split(' '));

/**
 * The content of an element in forms that markdown has: links are absolute, code has one element and a language, a caption is a paragraph
 * before its table, cells hold no blocks, and a fact of a list is one line. `data-markdown-ignore` marks what only readers of the page need
 * (agent-ecosystem/agent-docs-spec).
 */
function markdownContent(node: Element, base: string): Element {
  const properties = { ...node.properties };
  for (const name of ['href', 'src'])
    if (typeof properties[name] === 'string' && URL.canParse(properties[name], base))
      properties[name] = new URL(properties[name], base).href;
  return { ...node, properties, children: node.children.flatMap((child) => contentOf(child, base)) };
}

function contentOf(node: ElementContent, base: string): ElementContent[] {
  if (node.type !== 'element') return node.type === 'text' ? [node] : [];
  if (DROPPED.has(node.tagName) || node.properties['ariaHidden'] === 'true' || node.properties['dataMarkdownIgnore'] !== undefined)
    return [];
  if (node.tagName === 'pre') return [code(node)];
  const content = markdownContent(node, base);
  if (node.tagName === 'table') return table(content);
  if (node.tagName === 'dl') return [element('ul', facts(content))];
  return node.tagName === 'td' || node.tagName === 'th' ? [{ ...content, children: inOneLine(content.children) }] : [content];
}

function table(content: Element): Element[] {
  const captions = content.children.filter((child): child is Element => isElement(child) && child.tagName === 'caption');
  const rest = content.children.filter((child) => !captions.some((caption) => caption === child));
  return [...captions.map(({ children }) => element('p', children)), { ...content, children: rest }];
}

/** What a cell holds as one line of markdown, with an element for each new line. */
export function inOneLine(children: readonly ElementContent[]): ElementContent[] {
  const lines: ElementContent[][] = [[]];
  for (const child of children) {
    if (isElement(child) && child.tagName === 'pre') lines.push([element('code', [text(textOf(child).trim())])], []);
    else if (isElement(child) && child.tagName === 'br') lines.push([]);
    else if (isElement(child) && BLOCKS.has(child.tagName)) lines.push(inOneLine(child.children), []);
    else lines.at(-1)?.push(child);
  }
  const shown = lines.filter((line) => {
    const whole = element('p', line);
    return textOf(whole).trim() !== '' || elementsOf(whole).some(({ tagName }) => /^(?:img|input)$/.test(tagName));
  });
  return shown.flatMap((line, at) => (at === 0 ? line : [element('akg-break', []), ...line]));
}

function facts(list: Element): Element[] {
  const groups: { readonly name: ElementContent[]; readonly values: ElementContent[][] }[] = [];
  const read = (children: readonly ElementContent[]): void => {
    for (const child of children) {
      if (child.type !== 'element') continue;
      const last = groups.at(-1);
      if (child.tagName === 'dt') {
        if (last !== undefined && last.values.length === 0) last.name.push(text(', '), ...child.children);
        else groups.push({ name: [...child.children], values: [] });
      } else if (child.tagName === 'dd') last?.values.push(child.children);
      else read(child.children);
    }
  };
  read(list.children);
  return groups.map(({ name, values }) => {
    const hasBlocks = values.some((value) => value.some((part) => part.type === 'element' && BLOCKS.has(part.tagName)));
    if (hasBlocks) return element('li', [element('p', name), ...values.map((value) => element('div', value))]);
    const value = values.flatMap((parts, at): ElementContent[] => (at === 0 ? parts : [text(', '), ...parts]));
    return element('li', value.length === 0 ? name : [...name, text(': '), ...value]);
  });
}

function code(pre: Element): Element {
  const inner = elementsOf(pre).find(({ tagName }) => tagName === 'code') ?? pre;
  const language = [pre, inner].map(languageOf).find((name) => name !== undefined) ?? 'text';
  const value = textOf(inner).replace(/\n+$/, '');
  return element('pre', [element('code', [text(`${value}\n`)], { className: [`language-${language}`] })]);
}

function languageOf({ properties }: Element): string | undefined {
  const named = properties['dataLanguage'];
  if (typeof named === 'string') return named;
  const names = Array.isArray(properties['className']) ? properties['className'].map(String) : [];
  return names.map((name) => /^language-([\w+#-]{1,30})$/.exec(name)?.[1]).find((name) => name !== undefined);
}
