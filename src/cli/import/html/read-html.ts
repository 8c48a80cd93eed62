import type { Element, ElementContent, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { parseJson } from '../../../publication/read/front-matter.ts';
import { elementsOf, hasClass, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';
import { type Loose, looseObject } from '../../verify/site-reader.ts';
import { isLink, loose } from '../conversion-losses.ts';
import { dayOf } from '../front-matter.ts';
import type { NavigationEntry, PageNavigation } from '../import-source.ts';
import { LEFT_OUT_WORDS_MIN } from './convert-elements.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { restoreElements } from './restore-elements.ts';
import { absolute, isDropped, isSelfLink, lineOf, wordCount } from './theme-markup.ts';

export type HtmlPage = ReturnType<typeof readHtml>;

const CONTENT =
  /^(?:sl-markdown-content|theme-doc-markdown|vp-doc|markdown-body|mdx-content|md-content__inner|td-content|gh-content|post-content|entry-content|post__content|article-content|page-body|wiki-content|e-content|prose)$/;

/** Elements that are the main content of a page, by class, role or id, the surest mark first. */
const MAIN: readonly ((element: Element) => boolean)[] = [
  // Holds the text of a home page and what stands above it.
  (element) => hasClass(element, /^VPHome$/),
  (element) => hasClass(element, CONTENT),
  // Of posts of Docusaurus, the text without what stands above it.
  (element) => isItem(element, 'articleBody') || element.properties['id'] === '__blog-post-container',
  // What Pagefind searches (Nextra); around others of these, it may be the whole page.
  (element) =>
    element.properties['dataPagefindBody'] !== undefined && !elementsOf(element).some(({ tagName }) => /^(?:article|main)$/.test(tagName)),
  (element) => element.tagName === 'div' && hasClass(element, /^(?:body|rst-content|document)$/) && element.properties['role'] === 'main',
  ({ tagName }) => tagName === 'article',
  ({ tagName, properties }) => tagName === 'main' || properties['role'] === 'main',
  ({ properties }) => /^(?:content|main-content|main|mw-content-text|readme)$/.test(String(properties['id'] ?? '')),
];

const MAIN_SHARE_MIN = 0.15;

/** Share of the words of a page beside its main content from which on they may be a part of the text. */
const BESIDE_SHARE_MAX = 0.25;

/** Elements at the beginning of the main content among which themes show the day of a post. */
const HEAD_ELEMENTS_MAX = 20;

const FRAME = /^(?:nav|header|footer|aside|script|style|template|noscript|svg|form|select|button|dialog)$/;
const FRAME_ROLE = /^(?:banner|contentinfo|navigation|search)$/;

const HEADLINE = /^(?:entry-title|post-title|article-title|page-title|p-name)$/;

/** Classes and ids of navigation in sites that do not use `<nav>`. */
const NAVIGATION =
  /^(?:navbar(?:-nav)?|sphinxsidebar(?:wrapper)?|sidebar|side-?nav|menu|wy-menu|bd-sidebar.*|book-menu|td-sidebar.*|VPSidebar|nav-list|site-nav)$/;

/** Decodes a page by its header, byte order mark or `<meta>` (HTML, "Determining the character encoding"); `undefined` if it cannot. */
export function decodeHtml(bytes: Uint8Array, header: string | undefined): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
  const isMarked = (mark: string): boolean => head.startsWith(mark);
  const mark = isMarked('\xef\xbb\xbf') ? 'utf-8' : isMarked('\xff\xfe') ? 'utf-16le' : isMarked('\xfe\xff') ? 'utf-16be' : undefined;
  const stated =
    /<meta\s[^<>]{0,300}charset\s?=\s?["']?([\w:.-]+)/i.exec(head)?.[1] ?? /^<\?xml[^>]*?encoding=["']([\w.-]+)/.exec(head)?.[1];
  const label = mark ?? /charset\s*=\s*["']?([\w:.-]+)/i.exec(header ?? '')?.[1] ?? stated ?? 'utf-8';
  try {
    // A `<meta>` that was found as bytes of Latin script cannot be UTF-16 (HTML, "prescan a byte stream", step 14).
    return new TextDecoder(mark === undefined && /^utf-16/i.test(label) ? 'utf-8' : label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What the head of a page says, its navigation, and its main content as markdown, with paths from the root for links within the origin. */
export function readHtml(html: string, { url, origin }: { readonly url: string; readonly origin: string }) {
  const root = fromHtml(html);
  restoreElements(elementsOf(root));
  const all = elementsOf(root);
  const described = all.filter(({ tagName }) => tagName === 'meta');
  const metas = (name: string): string[] =>
    described
      .filter(({ properties }) => [properties['name'], properties['property']].includes(name))
      .flatMap((element) => stringOf(element, 'content')?.trim() || []);
  const meta = (...names: readonly string[]): string | undefined => names.flatMap(metas)[0];
  const isCanonical = ({ tagName, properties }: Element): boolean => tagName === 'link' && [properties['rel']].flat().includes('canonical');
  const unscripted = new Set(all.filter(({ tagName }) => tagName === 'noscript').flatMap(elementsOf));
  const isRefresh = (element: Element): boolean =>
    element.tagName === 'meta' && !unscripted.has(element) && /^refresh$/i.test(String(element.properties['httpEquiv'] ?? ''));
  const baseElement = all.find(({ tagName, properties }) => tagName === 'base' && properties['href']);
  const base = absolute(stringOf(baseElement, 'href'), url) ?? url;
  const main = mainOf(root, all);
  const navigations = new Set(all.filter(({ tagName }) => tagName === 'nav').flatMap(elementsOf));
  const isNavigationFrame = (element: Element): boolean =>
    element.tagName === 'iframe' && navigations.has(element) && /(?:^|\/)toc(?:\.html)?$/.test(String(element.properties['src']));
  const documentTitle = all.filter(({ tagName }) => tagName === 'title').map((element) => lineOf(element))[0] ?? '';
  const leadsElsewhere = (link: Element): boolean => absolute(stringOf(link, 'href'), base)?.replace(/#.*$/s, '') !== url;
  const heading = headingOf(all, main, leadsElsewhere, documentTitle);
  // VitePress shows the name of a product and what it is on two lines.
  for (const part of heading === undefined ? [] : elementsOf(heading)) if (hasClass(part, /^name$/)) part.children.push(text(' '));
  const canonical = absolute(stringOf(all.find(isCanonical), 'href'), base);
  // In a list, links have the days of other pages. The day of one page may be a link to that page, or to all texts of the day.
  const times = all.filter(({ tagName }) => tagName === 'time');
  const isOfOther = (link: Element): boolean =>
    leadsElsewhere(link) &&
    absolute(stringOf(link, 'href'), base) !== canonical &&
    !(times.length === 1 && times.every((time) => lineOf(time) === lineOf(link)));
  const ofOthers = new Set(all.filter((link) => link.tagName === 'a' && isOfOther(link)).flatMap(elementsOf));
  const own = all.filter((element) => !ofOthers.has(element));
  const isTime = ({ tagName, properties }: Element): boolean => tagName === 'time' && typeof properties['dateTime'] === 'string';
  const time = elementsOf(main).find((element) => isTime(element) && !ofOthers.has(element));
  const structured = structuredItems(all);
  const article = structuredArticle(structured);
  const refresh = /^0*\s?;\s?(?:url\s?=\s?)?["']?([^"']+)/i.exec(stringOf(all.find(isRefresh), 'content')?.trim() ?? '')?.[1];
  const { title, headTitle } = titlesOf(heading, documentTitle, meta);
  const created =
    meta('article:published_time', 'dcterms.created', 'DC.date') ?? article['datePublished'] ?? itemValue(own, 'datePublished');
  // The day and the author that a theme shows above the text say what the front matter says.
  const day = dayOf(created);
  for (const shown of elementsOf(main).slice(0, HEAD_ELEMENTS_MAX)) {
    const isDay = day !== undefined && shown.children.every(({ type }) => type === 'text') && dayOf(lineOf(shown)) === day;
    if (isDay || (shown.tagName === 'img' && hasClass(shown, /^(?:avatar|.+[-_]avatar)$/))) shown.properties['hidden'] = true;
  }
  const authors = ['author', 'article:author', 'dcterms.creator'].flatMap(metas);
  const tags = tagsOf(main, day, metas);
  const byOthers = new Set(all.filter(isByOthers).flatMap(elementsOf));
  const bylines = all.filter((element) => hasClass(element, BYLINE) && !byOthers.has(element));
  // A list of texts has the authors of all, and one text may have several.
  const isOfAll = created === undefined && new Set(bylines.map((element) => lineOf(element))).size > 1;
  const byline = isOfAll ? undefined : bylines[0];
  const content = htmlToMarkdown(main, title, { base, origin, hasFormulas: all.some(drawsFormulas) });
  const links = all.filter(({ tagName, properties }) => tagName === 'a' && ![properties['rel']].flat().includes('nofollow'));
  const total = wordsOutsideFrame(all.find(({ tagName }) => tagName === 'body') ?? root);
  const beside = Math.round(total - wordsOutsideFrame(main));
  if (beside >= LEFT_OUT_WORDS_MIN && beside > total * BESIDE_SHARE_MAX)
    content.leftOut.push({ line: 1, message: `has ${beside} words beside its main content, which are left out` });
  const reason = /^ *```$/m.test(content.markdown) && !/^ *```[a-z]/m.test(content.markdown) && missingLanguages(all, meta('generator'));
  if (reason) content.leftOut.push({ line: 1, message: `names no language of its code${reason}` });
  return {
    ...content,
    title,
    headTitle,
    description: meta('description', 'og:description', 'twitter:description'),
    // The innermost: a page that is not translated has another language than its frame.
    language: stringOf(
      all.filter((element) => stringOf(element, 'lang') && (element === main || elementsOf(element).includes(main as Element))).at(-1),
      'lang',
    ),
    created,
    updated:
      meta('article:modified_time', 'last-modified', 'dcterms.modified', 'docusaurus:updated') ??
      article['dateModified'] ??
      itemValue(own, 'dateModified') ??
      lastEdited(all) ??
      (time && stringOf(time, 'dateTime')),
    author: authors.find((name) => !/^https?:/.test(name)) ?? article['author'] ?? (byline && lineOf(byline)),
    tags,
    isTagList: meta('article:published_time') === undefined && isTagList(all, url, base),
    questions: structuredQuestions(structured),
    canonical,
    /** Where the page sends its readers on to at once. */
    refresh: absolute(refresh, base),
    draftReason: /\b(?:noindex|none)\b/i.test(meta('robots') ?? '') ? 'is hidden in its source (robots: noindex)' : undefined,
    navigation: navigationOf(all, main, { base, language: languageOf(all) }),
    /** Where the navigation is: in a frame of each page (mdBook), loaded by a script (DocFX), or the overview of a space (Confluence). */
    frame: absolute(stringOf(all.find(isNavigationFrame), 'src') ?? meta('docfx:tocrel') ?? overviewOf(all), base),
    links: () => [...new Set(links.flatMap((link) => absolute(stringOf(link, 'href'), base)?.replace(/#.*$/s, '') ?? []))],
  };
}

type Metas = (name: string) => readonly string[];

/** The title of a page, and that of its head. */
function titlesOf(heading: Element | undefined, documentTitle: string, meta: (name: string) => string | undefined) {
  const shared = meta('og:title') ?? '';
  // Some sites name each page in its title alone, and themselves in what they share of it.
  const stated = shared !== '' && (documentTitle === '' || documentTitle.startsWith(shared)) ? shared : documentTitle;
  const headTitle = withoutSiteName(stated, meta('og:site_name')) || undefined;
  // Confluence writes the name of the space before the title.
  const space = heading?.properties['id'] === 'title-heading' ? /^.*? : (?=.)/s : '';
  return { title: (heading && titleText(heading).replace(space, '')) || headTitle, headTitle };
}

/** The tags of a post, by its head, or by lines of the text, which are hidden. @param day Of the post; `undefined` for other pages. */
function tagsOf(main: Element | Root, day: string | undefined, metas: Metas): readonly string[] {
  const isPost = metas('article:published_time').length > 0;
  // Of other pages than posts, keywords are those of the site.
  const ofHead = [...metas('article:tag'), ...(isPost ? metas('keywords').flatMap((words) => words.split(',')) : [])];
  const inLine = (line: Element): string[] =>
    elementsOf(line)
      .filter(isLink)
      .map((link) => lineOf(link));
  const isKnown = (tag: string): boolean => ofHead.length === 0 || ofHead.some((known) => loose(known) === loose(tag));
  const all = day === undefined ? [] : elementsOf(main);
  const lines = all.some(isTagLink) ? all.filter((line) => isTagLine(line) && inLine(line).every(isKnown)) : [];
  for (const line of lines) line.properties['hidden'] = true;
  return ofHead.length > 0 ? ofHead : lines.flatMap(inLine);
}

/** Why a generator left the languages of code out of its pages, and what to do; empty if it is unknown. */
function missingLanguages(all: readonly Element[], generator = ''): string {
  if (/^mkdocs/.test(generator)) return ': write "pygments_lang_class: true" below pymdownx.highlight in mkdocs.yml, and build again';
  return all.some((node) => hasClass(node, /^nextra-code$/)) ? ', which Nextra leaves out of its HTML' : '';
}

/** The author of a page in themes: Docusaurus, microformats, and blocks such as `post__author-name`. */
const BYLINE = /^(?:avatar__name|p-author|(?:wp-block-)?(?:(?:post|entry|article|blog|byline)[-_]*)?author[-_]{1,2}name)$/i;

/** Whether an element holds what readers say, or may say. */
function isByOthers(element: Element): boolean {
  return /^(?:blockquote|form)$/.test(element.tagName) || hasClass(element, /^comments?(?![a-z])/i);
}

function headingOf(all: readonly Element[], main: Element | Root, leadsElsewhere: (link: Element) => boolean, documentTitle: string) {
  const isFirst = ({ tagName }: Element): boolean => tagName === 'h1';
  const linksOf = (heading: Element): Element[] =>
    elementsOf(heading).filter((link) => link.tagName === 'a' && !isSelfLink(link) && leadsElsewhere(link));
  // In a list of posts, headings are the titles of other pages.
  const isOfOther = (heading: Element): boolean => linksOf(heading).some((link) => lineOf(link) === lineOf(heading));
  const titleIn = (headings: readonly Element[]) => (headings.length > 1 && headings.every(isOfOther) ? undefined : headings[0]);
  const headlines = all.filter(
    (element) => /^h[1-3]$/.test(element.tagName) && (isItem(element, 'headline') || hasClass(element, HEADLINE)),
  );
  // The name of the site stands behind the title of the page in its head.
  const isOfPage = (heading: Element): boolean => documentTitle === lineOf(heading) || !documentTitle.endsWith(lineOf(heading));
  const isNamed = (heading: Element): boolean =>
    lineOf(heading) !== '' &&
    documentTitle.startsWith(lineOf(heading)) &&
    !/^[\p{L}\p{N}]/u.test(documentTitle.slice(lineOf(heading).length));
  const inMain = titleIn(elementsOf(main).filter(isFirst));
  // The name of a site may be a heading above each page, and stand first in its head.
  const isAhead = inMain !== undefined && lineOf(main).startsWith(lineOf(inMain));
  return (
    // Above a text whose own headings begin with the first level, too.
    titleIn(headlines.filter(isFirst)) ??
    // Behind the name of the site, too.
    (inMain && (isAhead || documentTitle.includes(lineOf(inMain)))
      ? inMain
      : all.filter(isFirst).find((heading) => linksOf(heading).length === 0 && isNamed(heading))) ??
    inMain ??
    titleIn(headlines) ??
    all.filter(isFirst).find((heading) => linksOf(heading).length === 0 && isOfPage(heading))
  );
}

function overviewOf(all: readonly Element[]): string | undefined {
  const crumbs = all.find(({ tagName, properties }) => tagName === 'ol' && properties['id'] === 'breadcrumbs');
  return stringOf(crumbs && elementsOf(crumbs).find(({ tagName }) => tagName === 'a'), 'href');
}

/** Whether an element brings a script of MathJax or KaTeX to a page, or their styles where a script is in a bundle. */
function drawsFormulas(node: Element): boolean {
  const { src, href, type } = node.properties;
  if (node.tagName === 'link') return /katex/i.test(String(href));
  if (node.tagName !== 'script' || /json/.test(String(type))) return false;
  return /mathjax|katex/i.test(String(src)) || /\bMathJax\b|\brenderMathInElement\b|[/'"]katex\b/.test(textOf(node));
}

/** A link that is marked as one to a tag (microformats.org/wiki/rel-tag). */
const isTagLink = (node: Element): boolean => isLink(node) && [node.properties['rel']].flat().includes('tag');

/** Whether an element holds no more than the tags of a post, as links that are marked so, perhaps with a name before them. */
function isTagLine(node: Element): boolean {
  if (!/^(?:div|p|[uo]l|footer|section|h[4-6])$/.test(node.tagName)) return false;
  const links = elementsOf(node).filter(isLink);
  if (links.length === 0 || !links.every(isTagLink)) return false;
  const around = textOf(node, (inner) => (isLink(inner) ? '' : undefined))
    .replace(/\s+/g, ' ')
    .trim();
  return /^(?:[\p{L} ]{1,20}:)?[^\p{L}\p{N}]*$/u.test(around);
}

/** A page that lists posts by a tag or a category has a feed of its own. */
function isTagList(all: readonly Element[], url: string, base: string): boolean {
  if (!/\/(?:tags?|categor(?:y|ies))(?:\/|$)/i.test(new URL(url).pathname)) return false;
  const below = new URL(url).pathname.replace(/(?:index)?(?:\.html?)?$/, '').replace(/\/?$/, '/');
  const feeds = all.filter(({ tagName, properties }) => tagName === 'link' && /(?:rss|atom)\+xml/.test(String(properties['type'])));
  return feeds.some((feed) => new URL(absolute(stringOf(feed, 'href'), base) ?? base).pathname.includes(below));
}

function isItem({ properties }: Element, name: string): boolean {
  return [properties['itemProp']].flat().includes(name);
}

function itemValue(all: readonly Element[], name: string): string | undefined {
  const element = all.find((candidate) => isItem(candidate, name));
  return stringOf(element, 'content') ?? stringOf(element, 'dateTime');
}

/** What a page describes as structured data (schema.org). Structured data that is no JSON says nothing. */
function structuredItems(all: readonly Element[]): Loose[] {
  const scripts = all.filter(({ tagName, properties }) => tagName === 'script' && properties['type'] === 'application/ld+json');
  return scripts.flatMap((script) => {
    const value = parseJson(textOf(script));
    return [value, looseObject(value)['@graph']].flat().map(looseObject);
  });
}

function structuredArticle(items: readonly Loose[]): Readonly<Record<string, string | undefined>> {
  const item = items.find((candidate) => /Article|Posting|WebPage/.test(String(candidate['@type'] ?? ''))) ?? {};
  const text = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined);
  const author: unknown = [item['author']].flat()[0];
  const [datePublished, dateModified] = [text(item['datePublished']), text(item['dateModified'])];
  return { datePublished, dateModified, author: text(author) ?? text(looseObject(author)['name']) };
}

function structuredQuestions(items: readonly Loose[]): string[] {
  const pages = items.filter((item) => [item['@type']].flat().includes('FAQPage'));
  const names = pages.flatMap((item) => [item['mainEntity']].flat().map((question) => looseObject(question)['name']));
  return names.filter((name) => typeof name === 'string');
}

function lastEdited(all: readonly Element[]): string | undefined {
  const box = all.find((element) => hasClass(element, EDITED));
  const time = box && elementsOf(box).find(({ properties }) => typeof properties['dateTime'] === 'string');
  if (box === undefined || time !== undefined) return stringOf(time, 'dateTime');
  // Confluence: "Created by Ada, last modified on Apr 22, 2016".
  const words = textOf(box).replace(/^(?:[^:\d]*:\s*|[\s\S]*\son\s+)/, '');
  return words.trim() || undefined;
}

const EDITED =
  /^(?:theme-last-updated|git-revision-date(?:-localized.*)?|last-updated|lastupdated|VPLastUpdated|page-metadata|md-source-date|td-page-meta__lastmod)$/i;

function withoutSiteName(title: string, siteName: string | undefined): string {
  const own = (siteName === undefined ? title : title.replace(siteName, '')).replace(/\s+/g, ' ').trim();
  const last = Math.max(...[...'|·•–—-'].map((sign) => own.lastIndexOf(` ${sign} `)));
  return (last > 0 ? own.slice(0, last) : own).replace(/[|·•–—-]$/, '').trim();
}

function titleText(heading: Element): string {
  const isControl = (inner: Element): boolean => isSelfLink(inner) || ['button', 'svg', 'script', 'style'].includes(inner.tagName);
  return lineOf(heading, (inner) => (isControl(inner) ? '' : inner.tagName === 'br' ? ' ' : undefined));
}

/** The main content: what semantics or a theme's mark say, if it holds a fair share of the words; or else the smallest element with most of them. */
function mainOf(root: Root, all: readonly Element[]): Element | Root {
  const body = all.find(({ tagName }) => tagName === 'body') ?? root;
  const total = wordsOutsideFrame(body);
  for (const isMain of MAIN) {
    const found = all.filter(isMain);
    // Several, as of a list of posts: what holds them all is found by a later mark.
    const inner = new Set(found.flatMap(elementsOf));
    const outermost = found.filter((element) => !inner.has(element));
    const [first] = outermost;
    const words = first === undefined ? 0 : wordsOutsideFrame(first);
    // What Confluence shows around a short page has more words.
    const isSure = first !== undefined && hasClass(first, /^wiki-content$/);
    if (first && outermost.length === 1 && (isSure || (words > 0 && words >= total * MAIN_SHARE_MIN))) return first;
  }
  let densest: Element | Root = body;
  for (;;) {
    const inner: Element | undefined = (densest.children as ElementContent[])
      .filter(isElement)
      .find((child) => !isFrame(child) && wordsOutsideFrame(child) >= total * 0.75);
    if (inner === undefined || /^(?:a|p|ul|ol|table|pre|blockquote|dl|h[1-6])$/.test(inner.tagName)) return densest;
    densest = inner;
  }
}

function isFrame(element: Element): boolean {
  return FRAME.test(element.tagName) || FRAME_ROLE.test(String(element.properties['role'])) || hasClass(element, NAVIGATION);
}

const wordCounts = new WeakMap<object, number>();

function wordsOutsideFrame(node: Element | Root): number {
  const known = wordCounts.get(node);
  if (known !== undefined) return known;
  let count = 0;
  for (const child of node.children) {
    if (child.type === 'text') count += wordCount(child.value);
    // A list of links is frame more often than text.
    else if (isElement(child) && child.tagName === 'a') count += wordCount(textOf(child)) / 4;
    else if (isElement(child) && !isFrame(child)) count += wordsOutsideFrame(child);
  }
  wordCounts.set(node, count);
  return count;
}

const HEADER = /^(?:navbar|VPNav|VPNavBar|md-header|md-tabs|site-header|top-?bar|masthead)$/;

type Place = { readonly base: string; readonly language: string | undefined };

function languageOf(all: readonly Element[]): string | undefined {
  return stringOf(
    all.find(({ tagName }) => tagName === 'html'),
    'lang',
  )?.toLowerCase();
}

/** The list beside the main content that has the page itself, or else the largest, and the menu above the page, which may be it. */
function navigationOf(all: readonly Element[], main: Element | Root, place: Place): PageNavigation {
  const within = (isOuter: (element: Element) => boolean): Set<Element> =>
    new Set(all.filter((element) => isOuter(element)).flatMap((element) => [element, ...elementsOf(element)]));
  const outside = within((element) => element === main || element.tagName === 'footer');
  const header = within((element) => element.tagName === 'header' || element.properties['role'] === 'banner' || hasClass(element, HEADER));
  const isNavigation = (element: Element): boolean =>
    ['nav', 'aside'].includes(element.tagName) || element.properties['role'] === 'navigation' || hasClass(element, NAVIGATION);
  const plain = (url: string | undefined): string | undefined => url?.replace(/(?:\/(?:index\.html?)?|\.html?)$/, '');
  const lists = all
    .filter((element) => !outside.has(element) && isNavigation(element))
    .map((element) => {
      const entries = entriesOf(element, place, []);
      const isMenu = header.has(element);
      const size = new Set(entries.flatMap(({ url }) => url ?? [])).size;
      // Breadcrumbs have the page too, and few links.
      const hasPage = size >= 5 && entries.some(({ url }) => plain(url) === plain(place.base));
      return { entries, isMenu, size: size + (hasPage ? (isMenu ? 1e6 : 2e6) : 0) };
    })
    .sort((a, b) => b.size - a.size);
  return { list: lists[0]?.entries ?? [], isMenu: lists[0]?.isMenu ?? true, menu: lists.find(({ isMenu }) => isMenu)?.entries ?? [] };
}

/** The navigation that is a page of its own, for a frame of others. */
export function readNavigation(html: string, url: string): PageNavigation {
  const root = fromHtml(html);
  return { list: entriesOf(root, { base: url, language: languageOf(elementsOf(root)) }, []), isMenu: false, menu: [] };
}

function entriesOf(node: Element | Root, place: Place, path: readonly string[]): NavigationEntry[] {
  const entries: NavigationEntry[] = [];
  let group: readonly string[] = path;
  let chapter = '';
  const nameOf = (element: Element): string =>
    lineOf(element, (part) => ((isDropped(part) && part !== element) || /^[uo]l$/.test(part.tagName) ? '' : undefined));
  const visit = (element: Element | Root): void => {
    for (const child of element.children) {
      // Sphinx: links to the page before, the page after and the one above.
      if (!isElement(child) || hasClass(child, /^rela(?:ted|tions)$/) || namesLanguages(child)) continue;
      if (child.tagName === 'a') {
        const [url, label] = [absolute(stringOf(child, 'href'), place.base)?.replace(/#.*$/s, ''), nameOf(child) || lineOf(child)];
        const isWithin = /^(?:#|$)/.test(String(child.properties['href']));
        // A sign, such as a question mark, leads to help, and a name of another language to the same page in it.
        if (url !== undefined && /[\p{L}\p{N}]/u.test(label) && !isWithin && !isOfOtherLanguage(child, place.language))
          entries.push({ url, label, path: group });
      } else if (child.tagName === 'section') entries.push(...entriesOf(child, place, group));
      else if (child.tagName === 'li' && isGroup(child)) {
        const opener = child.children.filter(isElement).find(({ tagName }) => tagName === 'button');
        const own = nameOf(child) || (opener && lineOf(opener)) || chapter;
        chapter = '';
        entries.push(...entriesOf(child, place, own === '' ? group : [...group, own]));
      } else if ((/^(?:h[1-6]|summary)$/.test(child.tagName) && !hasClass(child, /^page(?:t|SectionT)itle$/)) || isGroupName(child)) {
        const label = nameOf(child);
        if (hasLink(child)) visit(child);
        if (label !== '' && path.at(-1) !== label) group = [...path, label];
      } else {
        visit(child);
        // mdBook writes what a chapter holds as the item behind it.
        if (child.tagName === 'li') chapter = nameOf(child);
      }
    }
  };
  visit(node);
  return entries;
}

const linkLanguage = (link: Element): string | undefined => (stringOf(link, 'hrefLang') || stringOf(link, 'lang'))?.toLowerCase();

/** Also links to texts in the language of the page may say which one it is. */
function isOfOtherLanguage(link: Element, language: string | undefined): boolean {
  const own = linkLanguage(link);
  return own !== undefined && language !== undefined && !`${own}-`.startsWith(`${language}-`) && !`${language}-`.startsWith(`${own}-`);
}

/** Whether a list leads to the same page in several languages, of which one is its own. */
function namesLanguages(list: Element): boolean {
  if (!/^[uo]l$/.test(list.tagName)) return false;
  const languages = elementsOf(list).flatMap((link) => (link.tagName === 'a' ? [linkLanguage(link)] : []));
  return languages.length > 1 && !languages.includes(undefined) && new Set(languages).size === languages.length;
}

const hasLink = (element: Element): boolean => elementsOf(element).some(({ tagName }) => tagName === 'a');

function isGroupName(element: Element): boolean {
  return (
    (element.tagName === 'p' || (element.tagName === 'li' && !hasLink(element))) &&
    hasClass(element, /caption|title|heading|font-semibold/i)
  );
}

/** Whether an item of a list holds another list that leads on, and has one name for it: VitePress has all groups of a level in one item. */
function isGroup(item: Element): boolean {
  const addresses = (node: Element): string[] =>
    elementsOf(node).flatMap((link) => (link.tagName === 'a' && stringOf(link, 'href')?.replace(/#.*$/s, '')) || []);
  const inner = new Set(elementsOf(item).flatMap((list) => (/^[uo]l$/.test(list.tagName) ? addresses(list) : [])));
  return inner.size > 0 && new Set(addresses(item).filter((address) => !inner.has(address))).size <= 1;
}
