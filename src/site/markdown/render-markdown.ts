import type { Element, ElementContent, Root as HtmlRoot, Nodes } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type {
  Blockquote,
  Code,
  FootnoteReference,
  Heading,
  Image,
  ImageReference,
  Link,
  LinkReference,
  Nodes as MarkdownNode,
  Paragraph,
  Parents,
  Root,
  Table,
} from 'mdast';
import type { ContainerDirective } from 'mdast-util-directive';
import { defaultHandlers, type Handlers, type State, toHast } from 'mdast-util-to-hast';
import { headingNames, isPageId } from '../../publication/links/anchors.ts';
import type { TextReferences } from '../../publication/links/text-references.ts';
import { plainText, withFootnotes } from '../../publication/lint/markdown.ts';
import { definitionHandlers } from '../../publication/markdown/definition-lists.ts';
import type { InlineMath, MathBlock } from '../../publication/markdown/math-syntax.ts';
import { parseText } from '../../publication/markdown/parse-text.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { OutlineEntry, RenderedText } from '../../schemas/knowledge/generation.ts';
import { renderAlert, renderContainer } from './admonitions.ts';
import { cleanHtml, FinishedParts } from './clean-html.ts';
import { codeBlock, codeInfo } from './code-block.ts';
import { DrawnParts } from './drawn-parts.ts';
import { footnoteReference, footnoteSection } from './footnotes.ts';
import { renderFigure, renderImage } from './images.ts';
import { isSafeLink, markExternal } from './safe-links.ts';
import { SourceNotes } from './source-notes.ts';
import { TEXT_LABELS, type TextLabels } from './text-labels.ts';

/** What the text may refer to, and how it is shown. */
export interface RenderOptions {
  readonly sources?: readonly CapsuleSource[];
  /** Where its relative links and images lead. */
  readonly references?: TextReferences | undefined;
  /** Levels by which headings move down, for a text below a heading of the page. */
  readonly headingShift?: number;
  /** Words of the page within the text. */
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
  const shown: Root = {
    ...root,
    children: root.children.filter((node) => node.type !== 'footnoteDefinition' || !sourceKeys.has(node.identifier.toLowerCase())),
  };
  const text = new TextRenderer(sourceKeys, options, await DrawnParts.load(shown, labels));
  const tree = toHast(shown, {
    handlers: text.handlers,
    allowDangerousHtml: true,
    clobberPrefix: '',
    footnoteLabel: labels.footnotes,
    footnoteLabelProperties: {},
    footnoteBackLabel: labels.backToReference,
  }) as HtmlRoot;
  return { html: toHtml((await text.finish(tree)) as Nodes), outline: text.outline, sourceOrder: [...text.notes.order] };
}

/** Renders the nodes of one text. */
class TextRenderer {
  readonly outline: OutlineEntry[] = [];
  readonly notes: SourceNotes;
  readonly handlers: Handlers;
  readonly #parts = new FinishedParts();
  readonly #ids = new Set<string>();
  readonly #references: TextReferences;
  #hasHtml = false;

  constructor(sourceKeys: ReadonlySet<string>, options: RenderOptions, drawn: DrawnParts) {
    const { sources = [], references = {}, headingShift = 0, labels = TEXT_LABELS } = options;
    this.notes = new SourceNotes(sources);
    this.#references = references;
    this.handlers = this.#handlers(sourceKeys, headingShift, drawn, labels);
  }

  /** The tree for the page: raw HTML joined and cleaned. */
  async finish(tree: HtmlRoot): Promise<HtmlRoot> {
    const isLettered = this.notes.order.length > 0;
    const children = tree.children.map((child) => (child.type === 'element' ? footnoteSection(child, isLettered) : child));
    const root: HtmlRoot = { ...tree, children };
    if (!this.#hasHtml) return root;
    const free = new Set<string>();
    visitElements(root, ({ properties: { id } }) => {
      if (typeof id === 'string') this.#ids.add(id);
    });
    return cleanHtml(root, this.#parts, this.#ids, {
      link: (element) => this.#link(element, String(element.properties['href'])),
      image: ({ properties: { src, alt, title, width, height } }) =>
        this.#image(
          String(src ?? ''),
          String(alt ?? ''),
          title === undefined ? undefined : String(title),
          Number(width) || undefined,
          Number(height) || undefined,
        ),
      isIdFree: (id) => !isPageId(id) && !/^(source|ref|fn|fnref|diagram)-/.test(id) && !free.has(id),
    });
  }

  #handlers(sourceKeys: ReadonlySet<string>, headingShift: number, drawn: DrawnParts, labels: TextLabels): Handlers {
    const idOf = headingNames();
    let section = '';
    const hold = (element: Element): Element => (drawn.hasHtml ? this.#parts.hold(element) : element);
    return {
      ...definitionHandlers,
      footnoteReference: (state: State, node: FootnoteReference, parent: Parents | undefined): ElementContent[] => {
        const siblings: readonly MarkdownNode[] = parent?.children ?? [];
        const isNext = siblings[siblings.indexOf(node) - 1]?.type === 'footnoteReference';
        if (!sourceKeys.has(node.identifier.toLowerCase())) return footnoteReference(state, node, sourceKeys.size > 0, isNext);
        return this.notes.reference(node.identifier, isNext).map(hold);
      },
      heading: (state: State, node: Heading): ElementContent[] => {
        const text = plainText(node);
        const id = idOf(node);
        section = text;
        const shifted: Heading = { ...node, depth: Math.min(6, node.depth + headingShift) as Heading['depth'] };
        this.outline.push({ depth: shifted.depth, id, text });
        return this.notes.around(() => withProperties(defaultHandlers.heading(state, shifted), { id }), hold);
      },
      html: (state: State, node: { readonly type: 'html'; readonly value: string }): ElementContent | undefined => {
        if (!drawn.hasHtml) return undefined;
        this.#hasHtml = true;
        return defaultHandlers.html(state, node) as ElementContent | undefined;
      },
      paragraph: (state: State, node: Paragraph): Element[] => {
        const [only, ...others] = node.children;
        if (others.length > 0 || only?.type !== 'image' || !only.title)
          return this.notes.around(() => defaultHandlers.paragraph(state, node), hold);
        return [renderFigure(state.all({ ...node, children: [{ ...only, title: null }] }), only.title)];
      },
      image: (_state: State, { url, alt, title }: Image): ElementContent[] =>
        this.#image(url, alt ?? '', title ?? undefined).map((part) => (part.type === 'element' ? hold(part) : part)),
      imageReference: (state: State, node: ImageReference): ElementContent[] => {
        const target = state.definitionById.get(node.identifier.toUpperCase());
        if (target === undefined) return [{ type: 'text', value: node.alt ?? '' }];
        return this.#image(target.url, node.alt ?? '', target.title ?? undefined).map((part) =>
          part.type === 'element' ? hold(part) : part,
        );
      },
      link: (state: State, node: Link): ElementContent[] => this.#link(defaultHandlers.link(state, node), node.url),
      linkReference: (state: State, node: LinkReference): ElementContent | ElementContent[] | undefined => {
        const target = state.definitionById.get(node.identifier.toUpperCase());
        const rendered = defaultHandlers.linkReference(state, node);
        return target && rendered && !Array.isArray(rendered) && rendered.type === 'element' ? this.#link(rendered, target.url) : rendered;
      },
      code: (state: State, node: Code): Element => {
        const finished = drawn.get(node);
        if (finished !== undefined) return hold(finished);
        const info = codeInfo(node);
        return hold(codeBlock(defaultHandlers.code(state, { ...node, lang: info.word }), info, drawn.highlighted(node, info)));
      },
      inlineMath: (_state: State, node: InlineMath): Element => hold(drawn.get(node) ?? mathSource(node.value)),
      math: (_state: State, node: MathBlock): Element => hold(drawn.get(node) ?? mathSource(node.value)),
      containerDirective: (state: State, node: ContainerDirective): ElementContent[] => renderContainer(state, node, labels),
      blockquote: (state: State, node: Blockquote): Element =>
        renderAlert(state, node, labels.admonitions) ?? defaultHandlers.blockquote(state, node),
      table: (state: State, node: Table): ElementContent[] =>
        this.notes.around(() => {
          const label = section === '' ? labels.table : `${labels.table}: ${section}`;
          return {
            type: 'element',
            tagName: 'div',
            properties: { className: ['scroll'], role: 'group', ariaLabel: label, tabIndex: 0 },
            children: [defaultHandlers.table(state, node)],
          };
        }, hold),
    };
  }

  #link(element: Element, url: string): ElementContent[] {
    const href = this.#references[url]?.href;
    if (href !== undefined) return [withProperties(element, { href })];
    return isSafeLink(url) ? [markExternal(element, url)] : element.children;
  }

  #image(url: string, alt: string, title: string | undefined, width?: number, height?: number): ElementContent[] {
    return renderImage({ url, alt, title, width, height }, this.#references[url]?.image);
  }
}

function mathSource(latex: string): Element {
  return { type: 'element', tagName: 'code', properties: {}, children: [{ type: 'text', value: latex }] };
}

function withProperties(element: Element, properties: Element['properties']): Element {
  return { ...element, properties: { ...element.properties, ...properties } };
}

function visitElements(node: Nodes, visit: (element: Element) => void): void {
  if (node.type === 'element') visit(node);
  if ('children' in node) for (const child of node.children) visitElements(child, visit);
}
