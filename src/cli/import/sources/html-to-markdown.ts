import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { anchorMark } from '../markdown/prose-syntax.ts';

/** The main content of an HTML page. */
export interface HtmlPage {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly language: string | undefined;
  /** `YYYY-MM-DD…` as the page states it. */
  readonly updated: string | undefined;
  /** Address that the page states as its own. */
  readonly canonical: string | undefined;
  readonly markdown: string;
}

/** Elements that are no content wherever they are. */
const DROPPED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'nav',
  'aside',
  'footer',
  'form',
  'button',
  'dialog',
  'svg',
  'iframe',
  'input',
  'select',
  'textarea',
  'object',
  'embed',
  'link',
  'meta',
]);
const DROPPED_ROLES: ReadonlySet<string> = new Set([
  'navigation',
  'banner',
  'complementary',
  'contentinfo',
  'search',
  'menu',
  'toolbar',
  'dialog',
]);
/** Classes of parts that documentation sites show beside their texts. */
const DROPPED_CLASS =
  /^(?:sr-only|visually-hidden|screen-reader-text|hash-link|header-?anchor|heading-?anchor|anchor-?link|headerlink|breadcrumbs?|pagination.*|toc|table-of-contents|sidebar|edit-page.*|theme-doc-(?:footer|toc|breadcrumbs).*|copy.*button|cookie.*|skip-link|sl-anchor-link|page-metadata|feedback.*)$/i;

/** Whether an element is the main content of a page, the surest mark first. */
const MAIN: readonly ((element: Element) => boolean)[] = [
  ({ properties }) =>
    hasClass(
      properties,
      /^(?:sl-markdown-content|theme-doc-markdown|vp-doc|markdown-body|mdx-content|md-content__inner|prose|post-content|entry-content|article-content)$/,
    ),
  ({ tagName }) => tagName === 'article',
  ({ tagName }) => tagName === 'main',
  ({ properties }) => properties['role'] === 'main' || properties['id'] === 'content' || properties['id'] === 'main-content',
  ({ tagName }) => tagName === 'body',
];

/** Reads an HTML page: what its head says, and its main content as markdown, without navigation, forms and scripts. */
export function htmlToMarkdown(html: string): HtmlPage {
  const root = fromHtml(html);
  const meta = (...names: readonly string[]): string | undefined =>
    names
      .map(
        (name) =>
          find(
            root,
            ({ tagName, properties }) =>
              tagName === 'meta' && [properties['name'], properties['property'], properties['itemProp']].includes(name),
          )?.properties['content'],
      )
      .find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const main = mainOf(root);
  const heading = find(main, ({ tagName }) => tagName === 'h1') ?? find(root, ({ tagName }) => tagName === 'h1');
  const canonical = find(root, ({ tagName, properties }) => tagName === 'link' && rel(properties['rel']) === 'canonical')?.properties[
    'href'
  ];
  const language = find(root, ({ tagName }) => tagName === 'html')?.properties['lang'];
  const time = find(main, ({ tagName, properties }) => tagName === 'time' && typeof properties['dateTime'] === 'string')?.properties[
    'dateTime'
  ];
  const title = heading === undefined ? undefined : textOf(withoutChrome(heading)).replace(/\s+/g, ' ').trim();
  const clean = withoutChrome(main);
  const tree = toMdast(clean as Nodes, { document: true });
  return {
    title: title || meta('og:title') || textOf(find(root, ({ tagName }) => tagName === 'title') ?? root).trim() || undefined,
    description: meta('description', 'og:description'),
    language: typeof language === 'string' ? language : undefined,
    updated: meta('article:modified_time', 'last-modified', 'dateModified') ?? (typeof time === 'string' ? time : undefined),
    canonical: typeof canonical === 'string' ? canonical : undefined,
    markdown:
      tree.type === 'root'
        ? toMarkdown(tree, {
            extensions: [gfmToMarkdown({ tablePipeAlign: false })],
            bullet: '-',
            rule: '-',
            fences: true,
            listItemIndent: 'one',
          })
        : '',
  };
}

/** The best main content: of several articles, as in a list of posts, what holds them all. */
function mainOf(root: Root): Element | Root {
  for (const isMain of MAIN) {
    const found = findAll(root, isMain).filter((element) => textOf(element).trim().length > 0);
    const [first] = found;
    if (first !== undefined && (found.length === 1 || first.tagName === 'main' || first.tagName === 'body')) return first;
  }
  return root;
}

/** A copy without parts that are no content, and with code blocks as fences want them. */
function withoutChrome(node: Element | Root): Element | Root {
  const children = (node.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type === 'comment') return [];
    if (child.type !== 'element') return [child];
    if (isChrome(child)) return [];
    if (child.tagName === 'pre') return [codeOf(child)];
    const copy = withoutChrome(child) as Element;
    const id = child.properties['id'];
    // Links lead to the ids of headings.
    return typeof id === 'string' && /^h[2-6]$/.test(child.tagName)
      ? [{ ...copy, children: [...copy.children, { type: 'text', value: anchorMark(id) }] }]
      : [copy];
  });
  return { ...node, children } as Element | Root;
}

function isChrome({ tagName, properties }: Element): boolean {
  return (
    DROPPED.has(tagName) ||
    properties['hidden'] === true ||
    properties['ariaHidden'] === 'true' ||
    (typeof properties['role'] === 'string' && DROPPED_ROLES.has(properties['role'])) ||
    hasClass(properties, DROPPED_CLASS)
  );
}

/** A code block whose highlighter put lines or words into elements. */
function codeOf(pre: Element): Element {
  const inner = find(pre, ({ tagName }) => tagName === 'code') ?? pre;
  const language = [pre, inner].map(({ properties }) => languageOf(properties)).find((name) => name !== undefined);
  const value = lines(inner).replace(/\n+$/, '');
  return {
    type: 'element',
    tagName: 'pre',
    properties: {},
    children: [
      {
        type: 'element',
        tagName: 'code',
        properties: language === undefined ? {} : { className: [`language-${language}`] },
        children: [{ type: 'text', value: `${value}\n` }],
      },
    ],
  };
}

/** The text of a code block: elements for whole lines end with a line break. */
function lines(node: Element): string {
  return node.children
    .map((child) => {
      if (child.type === 'text') return child.value;
      if (child.type !== 'element') return '';
      if (child.tagName === 'br') return '\n';
      const text = lines(child);
      return (child.tagName === 'div' || hasClass(child.properties, /^(?:ec-line|token-line)$/)) && !text.endsWith('\n')
        ? `${text}\n`
        : text;
    })
    .join('');
}

function languageOf(properties: Element['properties']): string | undefined {
  const data = properties['dataLanguage'] ?? properties['dataLang'];
  if (typeof data === 'string' && /^[\w+#-]{1,30}$/.test(data)) return data;
  const names = Array.isArray(properties['className']) ? properties['className'].map(String) : [];
  return names.map((name) => /^lang(?:uage)?-([\w+#-]{1,30})$/.exec(name)?.[1]).find((name) => name !== undefined);
}

function hasClass(properties: Element['properties'], pattern: RegExp): boolean {
  return Array.isArray(properties['className']) && properties['className'].some((name) => pattern.test(String(name)));
}

function rel(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : String(value ?? '');
}

function find(node: Element | Root, test: (element: Element) => boolean): Element | undefined {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    const found = test(child) ? child : find(child, test);
    if (found) return found;
  }
  return undefined;
}

function findAll(node: Element | Root, test: (element: Element) => boolean): Element[] {
  return (node.children as ElementContent[]).flatMap((child) =>
    child.type !== 'element' ? [] : test(child) ? [child] : findAll(child, test),
  );
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map((child) => textOf(child as Nodes)).join('') : '';
}
