import type { Element, ElementContent, Root as HtmlRoot, Nodes } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type * as mdast from 'mdast';
import type { ContainerDirective } from 'mdast-util-directive';
import { defaultHandlers, type Handlers, type State, toHast } from 'mdast-util-to-hast';
import type { Page } from '../../documents/page-registry.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-fields.ts';
import type { Article, OutlineEntry, RenderedText } from '../../schemas/knowledge/generation-manifest.ts';
import type { SizedImage } from '../../schemas/primitives.ts';
import { element, elementsOf, text } from '../../text/html-tree.ts';
import { ADMONITION_KINDS, type AdmonitionKind, DETAILS, TAB } from '../../text/markdown/admonition-lines.ts';
import { definitionHandlers } from '../../text/markdown/definition-lists.ts';
import { headingNames, isPageId } from '../../text/markdown/heading-anchors.ts';
import { plainText, withFootnotes } from '../../text/markdown/markdown-tree.ts';
import type { InlineMath, MathBlock } from '../../text/markdown/math-syntax.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import type { TextReferences } from '../../text/markdown/resolve-links.ts';
import { beginsWithSummary, textBelowTitle } from '../../text/markdown/title-and-summary.ts';
import type { AuthoredPage, PublishedVersion } from '../../text/publication-model.ts';
import { cleanHtml, held } from './clean-html.ts';
import { codeBlock, codeInfo, type DrawnParts, loadDrawnParts, scrolled } from './code-and-formulas.ts';
import { sourceNotes } from './footnotes.ts';
import { type AdmonitionTitles, TEXT_LABELS, type TextLabels } from './text-labels.ts';

interface RenderOptions {
  readonly sources?: readonly CapsuleSource[];
  readonly references?: TextReferences | undefined;
  /** Levels by which headings move down, for a text below a heading of the page. */
  readonly headingShift?: number;
  readonly labels?: TextLabels;
}

/**
 * Renders markdown as HTML without scripts and inline styles. It is safe for unchecked text: raw HTML keeps only elements and attributes that
 * neither run nor load, images are those of the publication, and a link that leads neither to the web, to a mailbox nor to this site becomes
 * its text. Code is coloured, formulas become MathML, and diagrams SVG; what cannot be rendered stays as code.
 */
export async function renderMarkdown(markdown: string, options: RenderOptions = {}): Promise<RenderedText> {
  const { sources = [], labels = TEXT_LABELS } = options;
  const root = parseText(
    withFootnotes(
      markdown,
      sources.map(({ key }) => ({ key, markdown: 'source' })),
    ),
  );
  const sourceKeys = new Set(sources.map(({ key }) => key.toLowerCase()));
  const shown: mdast.Root = {
    ...root,
    children: root.children.filter((node) => node.type !== 'footnoteDefinition' || !sourceKeys.has(node.identifier.toLowerCase())),
  };
  const renderer = textRenderer(sourceKeys, options, await loadDrawnParts(shown, labels));
  const tree = toHast(shown, {
    handlers: renderer.handlers,
    allowDangerousHtml: true,
    clobberPrefix: '',
    footnoteLabel: labels.footnotes,
    footnoteLabelProperties: {},
    footnoteBackLabel: labels.backToReference,
  }) as HtmlRoot;
  return { html: toHtml((await renderer.finish(tree)) as Nodes), outline: renderer.outline, sourceOrder: renderer.notes.order() };
}

function textRenderer(
  sourceKeys: ReadonlySet<string>,
  { sources = [], references = {}, headingShift = 0, labels = TEXT_LABELS }: RenderOptions,
  drawn: DrawnParts,
) {
  const outline: OutlineEntry[] = [];
  const notes = sourceNotes(sources);
  const parts: Element[] = [];
  const idOf = headingNames();
  let section = '';
  let hasHtml = false;
  const hold = (element: Element): Element => (drawn.hasHtml ? held(element, parts) : element);
  const linkOf = (element: Element, url: string): ElementContent[] => {
    const href = references[url]?.href;
    if (href !== undefined) return [withProperties(element, { href })];
    return isSafeLink(url) ? [markExternal(element, url)] : element.children;
  };
  const imageOf = (image: AuthoredImage): ElementContent => renderImage(image, references[image.url]?.image);
  const heldImage = (image: AuthoredImage): ElementContent => {
    const shown = imageOf(image);
    return shown.type === 'element' ? hold(shown) : shown;
  };
  const handlers: Handlers = {
    ...definitionHandlers,
    footnoteReference: (state: State, node: mdast.FootnoteReference, parent: mdast.Parents | undefined): ElementContent[] => {
      const siblings: readonly mdast.Nodes[] = parent?.children ?? [];
      const isNext = siblings[siblings.indexOf(node) - 1]?.type === 'footnoteReference';
      if (!sourceKeys.has(node.identifier.toLowerCase())) return footnoteReference(state, node, sourceKeys.size > 0, isNext);
      return notes.reference(node.identifier, isNext).map(hold);
    },
    heading: (state: State, node: mdast.Heading): ElementContent[] => {
      const id = idOf(node);
      section = plainText(node);
      const shifted: mdast.Heading = { ...node, depth: Math.min(6, node.depth + headingShift) as mdast.Heading['depth'] };
      outline.push({ depth: shifted.depth, id, text: section });
      const rendered = notes.around(() => withProperties(defaultHandlers.heading(state, shifted), { id }), hold);
      return shifted.depth > 4 ? rendered : [...rendered, hold(sectionLink(id, `${labels.linkToSection}: ${section}`))];
    },
    html: (state: State, node: { readonly type: 'html'; readonly value: string }): ElementContent | undefined => {
      if (!drawn.hasHtml) return undefined;
      hasHtml = true;
      return defaultHandlers.html(state, node) as ElementContent | undefined;
    },
    paragraph: (state: State, node: mdast.Paragraph): Element[] => {
      const [only, ...others] = node.children;
      if (others.length > 0 || only?.type !== 'image' || !only.title)
        return notes.around(() => defaultHandlers.paragraph(state, node), hold);
      const content = state.all({ ...node, children: [{ ...only, title: null }] });
      return [element('figure', [...content, element('figcaption', [text(only.title)])])];
    },
    image: (_state: State, { url, alt, title }: mdast.Image): ElementContent => heldImage({ url, alt: alt ?? '', title }),
    imageReference: (state: State, { identifier, alt }: mdast.ImageReference): ElementContent => {
      const target = state.definitionById.get(identifier.toUpperCase());
      return target === undefined ? text(alt ?? '') : heldImage({ url: target.url, alt: alt ?? '', title: target.title });
    },
    link: (state: State, node: mdast.Link): ElementContent[] => linkOf(defaultHandlers.link(state, node), node.url),
    linkReference: (state: State, node: mdast.LinkReference): ElementContent | ElementContent[] | undefined => {
      const target = state.definitionById.get(node.identifier.toUpperCase());
      const rendered = defaultHandlers.linkReference(state, node);
      return target && rendered && !Array.isArray(rendered) && rendered.type === 'element' ? linkOf(rendered, target.url) : rendered;
    },
    code: (state: State, node: mdast.Code): Element => {
      const finished = drawn.get(node);
      if (finished !== undefined) return hold(finished);
      const info = codeInfo(node);
      return hold(codeBlock(defaultHandlers.code(state, { ...node, lang: info.word }), info, drawn.highlighted(node, info)));
    },
    inlineMath: (_state: State, node: InlineMath): Element => hold(drawn.get(node) ?? mathSource(node.value)),
    math: (_state: State, node: MathBlock): Element => hold(drawn.get(node) ?? mathSource(node.value)),
    containerDirective: (state: State, node: ContainerDirective, parent: mdast.Parents | undefined): ElementContent[] =>
      node.name === TAB && parent !== undefined ? renderTabs(state, node, parent) : renderContainer(state, node, labels),
    blockquote: (state: State, node: mdast.Blockquote): Element =>
      renderAlert(state, node, labels.admonitions) ?? defaultHandlers.blockquote(state, node),
    table: (state: State, node: mdast.Table): ElementContent[] =>
      notes.around(() => {
        const label = section === '' ? labels.table : `${labels.table}: ${section}`;
        return scrolled([], label, defaultHandlers.table(state, node));
      }, hold),
  };

  /** The tree for the page: raw HTML joined and cleaned. */
  const finish = async (tree: HtmlRoot): Promise<HtmlRoot> => {
    const isLettered = notes.order().length > 0;
    const children = tree.children.map((child) => (child.type === 'element' ? footnoteSection(child, isLettered) : child));
    const root: HtmlRoot = { ...tree, children };
    if (!hasHtml) return root;
    const ids = new Set(elementsOf(root).map(({ properties: { id } }) => id));
    return cleanHtml(root, parts, ids, {
      link: (element) => linkOf(element, String(element.properties['href'])),
      image: ({ properties: { src, alt, title, width, height } }) =>
        imageOf({
          ...{ url: String(src ?? ''), alt: String(alt ?? ''), title: title === undefined ? undefined : String(title) },
          ...{ width: Number(width) || undefined, height: Number(height) || undefined },
        }),
      isIdFree: (id) => !isPageId(id) && !/^(source|ref|fn|fnref|diagram)-/.test(id),
    });
  };
  return { outline, notes, handlers, finish };
}

/** The link of a heading to itself, after it: within, it would be part of its name. It has no text, which would be copied with the heading. */
function sectionLink(id: string, ariaLabel: string): Element {
  return element('a', [], { className: ['anchor'], href: `#${id}`, ariaLabel, dataMarkdownIgnore: '' });
}

function mathSource(latex: string): Element {
  return element('code', [text(latex)]);
}

function withProperties(element: Element, properties: Element['properties']): Element {
  return { ...element, properties: { ...element.properties, ...properties } };
}

/** The text of a capsule as its page shows it, below the title. `labels` are the words of the page within it. */
export async function renderArticle(
  { metadata, markdown, references }: Pick<PublishedVersion, 'metadata' | 'markdown'> & Pick<RenderOptions, 'references'>,
  labels: TextLabels,
): Promise<Article> {
  const below = textBelowTitle(markdown, metadata.title);
  const { sources, summary } = metadata;
  return {
    ...(await renderMarkdown(below.markdown, { sources, references, headingShift: below.headingShift, labels })),
    beginsWithSummary: beginsWithSummary(below.markdown, summary),
  };
}

/** A page whose text the publisher may have written. */
export interface PublishedText extends Pick<Page, 'path' | 'title' | 'description'>, Pick<RenderedText, 'html' | 'outline'> {
  readonly updated: string | undefined;
  readonly language?: string | undefined;
}

/** The publisher's text at the address of a page; without one, the page has only its title. `labels` are the words of the page within it. */
export async function publishedText(
  page: Page,
  written: readonly Pick<AuthoredPage, 'id' | 'frontMatter' | 'markdown' | 'references'>[],
  labels: TextLabels,
): Promise<PublishedText> {
  const entry = written.find(({ id }) => `/${id}` === page.path);
  const { title, description } = entry?.frontMatter ?? page;
  const { markdown, headingShift } = textBelowTitle(entry?.markdown ?? '', title);
  const { html, outline } = await renderMarkdown(markdown, { references: entry?.references, headingShift, labels });
  const { updated, language } = entry?.frontMatter ?? {};
  return { path: page.path, title, description, updated, language, html, outline };
}

type ContainerLabels = Pick<TextLabels, 'admonitions' | 'details'>;

/** Renders a block between lines of `:::`: an admonition, a block that opens (`:::details`), or, of an unknown name, its content. */
function renderContainer(state: State, node: ContainerDirective, { admonitions: titles, details }: ContainerLabels): ElementContent[] {
  const { label, blocks } = containerParts(node);
  const content = flow(state, blocks);
  const heading: ElementContent[] = label ? state.all(label) : [];
  const kind = Object.hasOwn(ADMONITION_KINDS, node.name) ? ADMONITION_KINDS[node.name] : undefined;
  if (kind !== undefined) return [admonition(kind, heading, label && plainText(label), content, titles)];
  if (node.name === DETAILS) {
    return [element('details', [element('summary', heading.length > 0 ? heading : [text(details)]), ...content])];
  }
  return [...(heading.length === 0 ? [] : [element('p', [element('strong', heading)])]), ...content];
}

function containerParts({ children }: ContainerDirective) {
  const [first, ...rest] = children;
  const label = first?.type === 'paragraph' && first.data?.directiveLabel === true ? first : undefined;
  return { label, blocks: label === undefined ? children : rest };
}

type TabGroups = ReadonlyMap<mdast.Nodes, readonly ContainerDirective[]>;

/** Tabs among the children of a node, by the first one of each group. */
const tabGroups = new WeakMap<mdast.Parents, TabGroups>();

/** Tabs that follow each other are a group. A label that it has already begins another one. */
function groupTabs(parent: mdast.Parents): TabGroups {
  const groups = new Map<mdast.Nodes, ContainerDirective[]>();
  let group: ContainerDirective[] | undefined;
  const labels = new Set<string>();
  for (const node of parent.children) {
    if (node.type !== 'containerDirective' || node.name !== TAB) {
      group = undefined;
      continue;
    }
    const label = plainText({ type: 'root', children: node.children.slice(0, 1) });
    if (group === undefined || labels.has(label)) {
      group = [];
      groups.set(node, group);
      labels.clear();
    }
    labels.add(label);
    group.push(node);
  }
  tabGroups.set(parent, groups);
  return groups;
}

/**
 * Renders a group of tabs, in the place of the first one, as `details` elements of one name; the first is open. They need no script. A search in the
 * page and a link to a heading open the tab that contains it. In the HTML, each label precedes its text.
 */
function renderTabs(state: State, node: ContainerDirective, parent: mdast.Parents): ElementContent[] {
  const group = (tabGroups.get(parent) ?? groupTabs(parent)).get(node) ?? [];
  const name = `tabs-${node.position?.start.offset ?? 0}`;
  const tabs = group.map((tab, at) => {
    const { label, blocks } = containerParts(tab);
    const summary = element('summary', !label?.children.length ? [text(String(at + 1))] : state.all(label));
    return element('details', [summary, ...flow(state, blocks)], { name, ...(at === 0 ? { open: true } : {}) });
  });
  return tabs.length === 0 ? [] : [element('div', tabs, { className: ['tabset'] })];
}

const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

/**
 * Renders a block quote that begins with `[!NOTE]` as an admonition; `undefined` if it does not.
 *
 * @see {@link https://docs.github.com/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#alerts GitHub, alerts}
 */
function renderAlert(state: State, node: mdast.Blockquote, titles: AdmonitionTitles): Element | undefined {
  const [first, ...rest] = node.children;
  const [opening, ...phrases] = first?.type === 'paragraph' ? first.children : [];
  const word = opening?.type === 'text' ? ALERT.exec(opening.value) : null;
  if (first?.type !== 'paragraph' || opening?.type !== 'text' || word === null) return undefined;
  const kind = ADMONITION_KINDS[(word[1] ?? '').toLowerCase()] ?? 'note';
  const remaining: mdast.PhrasingContent[] = [{ ...opening, value: opening.value.slice(word[0].length) }, ...phrases];
  const hasText = remaining.some((child) => child.type !== 'text' || child.value.trim() !== '');
  return admonition(kind, [], undefined, flow(state, [...(hasText ? [{ ...first, children: remaining }] : []), ...rest]), titles);
}

function admonition(
  kind: AdmonitionKind,
  heading: ElementContent[],
  name: string | undefined,
  content: ElementContent[],
  titles: AdmonitionTitles,
): Element {
  const title = element('p', heading.length > 0 ? heading : [text(titles[kind])], { className: ['admonition-title'] });
  const properties = { className: ['admonition', `admonition-${kind}`], role: 'note', ariaLabel: name ?? titles[kind] };
  return element('div', [title, ...content], properties);
}

function flow(state: State, children: readonly mdast.RootContent[]): ElementContent[] {
  return state.wrap(state.all({ type: 'root', children: [...children] }) as ElementContent[], true);
}

/** Marks of footnotes, counted from 1: numbers, or letters where the sources of the text have the numbers. */
function footnoteMark(position: number, isLettered: boolean): string {
  if (!isLettered) return String(position);
  const letter = String.fromCharCode(97 + ((position - 1) % 26));
  return position <= 26 ? letter : `${footnoteMark(Math.floor((position - 1) / 26), true)}${letter}`;
}

/** Renders a reference to a footnote. `isNext`: it directly follows another reference, so the marks need a comma. */
function footnoteReference(state: State, node: mdast.FootnoteReference, isLettered: boolean, isNext: boolean): ElementContent[] {
  const mark = defaultHandlers.footnoteReference(state, node);
  const [link] = mark.children;
  if (link?.type !== 'element') return [mark];
  const position = state.footnoteOrder.indexOf(node.identifier.toUpperCase()) + 1;
  const named: Element = { ...link, children: [text(footnoteMark(position, isLettered))] };
  return [{ ...mark, properties: { className: ['ref'] }, children: isNext ? [text(', '), named] : [named] }];
}

function footnoteSection(element: Element, isLettered: boolean): Element {
  if (!isLettered || element.properties['dataFootnotes'] === undefined) return element;
  const children = element.children.map((child) =>
    child.type === 'element' && child.tagName === 'ol' ? { ...child, properties: { ...child.properties, type: 'a' } } : child,
  );
  return { ...element, children };
}

interface AuthoredImage {
  readonly url: string;
  readonly alt: string;
  readonly title?: string | null | undefined;
  /** Width and height that the author wants, in CSS pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Widest an image is shown in a text, in CSS pixels. */
const SHOWN_WIDTH = 700;

/**
 * An image of the publication, with its size, so that nothing shifts while it loads. An image elsewhere becomes a link: pages load nothing
 * from other sites, which would learn who reads them. One that is nowhere becomes its alternative text.
 */
function renderImage({ url, alt, title, width, height }: AuthoredImage, image: SizedImage | undefined): ElementContent {
  if (image === undefined)
    return /^https:\/\/[^\\]*$/.test(url) ? element('a', [text(alt || url)], { href: url, rel: ['nofollow', 'noopener'] }) : text(alt);
  const scale = width !== undefined ? width / image.width : height !== undefined ? height / image.height : 1;
  const words = { alt, ...(title ? { title } : {}) };
  return element('img', [], { ...imageAttributes(image, image.width * scale, words), loading: 'lazy', decoding: 'async' });
}

/** Addresses and size of an image, whose ratio keeps its place while it loads. `width` is in pixels, where there is room. */
export function imageAttributes<Words extends object>({ path, variants, ...size }: SizedImage, width: number, words: Words) {
  return {
    src: path,
    ...(variants.length === 0
      ? {}
      : {
          srcset: [...variants, { path, width: size.width }].map((variant) => `${variant.path} ${variant.width}w`).join(', '),
          sizes: `(max-width: ${SHOWN_WIDTH}px) 100vw, ${Math.min(SHOWN_WIDTH, Math.round(width))}px`,
        }),
    ...words,
    width: Math.round(width),
    height: Math.round((size.height * width) / size.width),
  };
}

/** Whether an address leads to the web, to a mailbox or to this site. `//` and `\\` at its beginning only look as if they did. */
function isSafeLink(url: string): boolean {
  const base = 'https://this-site.invalid';
  if (!URL.canParse(url, base)) return false;
  const { protocol, origin } = new URL(url, base);
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(url);
  if (!hasScheme) return origin === base;
  return protocol === 'mailto:' || /^https?:\/\/[^\\]*$/i.test(url);
}

function markExternal(link: Element, url: string): Element {
  return /^https?:/.test(url) ? { ...link, properties: { ...link.properties, rel: ['nofollow', 'noopener'] } } : link;
}
