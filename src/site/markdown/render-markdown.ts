import type { Element, ElementContent, Nodes } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type {
  Code,
  Definition,
  FootnoteReference,
  Heading,
  Image,
  ImageReference,
  Link,
  LinkReference,
  Nodes as MarkdownNode,
  Parents,
  Root,
  Table,
} from 'mdast';
import { defaultHandlers, type Handlers, type State, toHast } from 'mdast-util-to-hast';
import { headingIds } from '../../publication/links/heading-ids.ts';
import { plainText, withFootnotes } from '../../publication/lint/markdown.ts';
import { parseText } from '../../publication/markdown/parse-text.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-front-matter.ts';
import { SourceNotes } from './source-notes.ts';

/** A heading of a text, for its outline. */
export interface OutlineEntry {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** A rendered text. */
export interface RenderedText {
  readonly html: string;
  readonly outline: readonly OutlineEntry[];
  /** Keys of the sources that the text refers to; the first has the number 1. */
  readonly sourceOrder: readonly string[];
}

/** What the text may refer to. */
export interface RenderOptions {
  readonly sources?: readonly CapsuleSource[];
  /** Levels by which headings move down, for a text below a heading of the page. */
  readonly headingShift?: number;
}

/**
 * Renders markdown as HTML without scripts and inline styles. It is safe for unchecked text: raw HTML and images are dropped, and a link
 * that leads neither to the web, to a mailbox nor to this site becomes its text.
 */
export function renderMarkdown(markdown: string, { sources = [], headingShift = 0 }: RenderOptions = {}): RenderedText {
  const root = parseText(
    withFootnotes(
      markdown,
      sources.map(({ key }) => ({ key, markdown: 'source' })),
    ),
  );
  const shown: Root = { ...root, children: root.children.filter(({ type }) => type !== 'footnoteDefinition') };
  const outline: OutlineEntry[] = [];
  const notes = new SourceNotes(sources);
  const tree = toHast(shown, { handlers: handlersFor(outline, notes, headingShift) });
  return { html: toHtml(tree as Nodes), outline, sourceOrder: notes.order };
}

function handlersFor(outline: OutlineEntry[], notes: SourceNotes, headingShift: number): Handlers {
  const nextId = headingIds();
  let section = '';
  return {
    footnoteReference: (_state: State, node: FootnoteReference, parent: Parents | undefined): ElementContent[] => {
      const siblings: readonly MarkdownNode[] = parent?.children ?? [];
      const before = siblings[siblings.indexOf(node) - 1];
      return notes.reference(node.identifier, before?.type === 'footnoteReference');
    },
    heading: (state: State, node: Heading): ElementContent[] => {
      const text = plainText(node);
      const id = nextId(text);
      section = text;
      const shifted: Heading = { ...node, depth: Math.min(6, node.depth + headingShift) as Heading['depth'] };
      outline.push({ depth: shifted.depth, id, text });
      return notes.around(() => withProperties(defaultHandlers.heading(state, shifted), { id }));
    },
    html: () => undefined,
    image: (_state: State, node: Image): ElementContent => ({ type: 'text', value: node.alt ?? '' }),
    imageReference: (_state: State, node: ImageReference): ElementContent => ({ type: 'text', value: node.alt ?? '' }),
    link: (state: State, node: Link): ElementContent[] =>
      isSafeLink(node.url) ? [markExternal(defaultHandlers.link(state, node), node.url)] : state.all(node),
    linkReference: (state: State, node: LinkReference): ElementContent | ElementContent[] | undefined => {
      const target: Definition | undefined = state.definitionById.get(node.identifier.toUpperCase());
      if (target && !isSafeLink(target.url)) return state.all(node);
      const rendered = defaultHandlers.linkReference(state, node);
      return target && rendered && !Array.isArray(rendered) && rendered.type === 'element' ? markExternal(rendered, target.url) : rendered;
    },
    code: (state: State, node: Code): Element => {
      const properties = { tabIndex: 0, ...(node.lang ? { className: [`language-${node.lang}`] } : {}) };
      return withProperties(defaultHandlers.code(state, node), properties);
    },
    table: (state: State, node: Table): ElementContent[] =>
      notes.around(() => {
        const label = section === '' ? 'Table' : `Table: ${section}`;
        return {
          type: 'element',
          tagName: 'div',
          properties: { className: ['scroll'], role: 'group', ariaLabel: label, tabIndex: 0 },
          children: [defaultHandlers.table(state, node)],
        };
      }),
  };
}

function withProperties(element: Element, properties: Element['properties']): Element {
  return { ...element, properties: { ...element.properties, ...properties } };
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
  return /^https?:/.test(url) ? withProperties(link, { rel: ['nofollow', 'noopener'] }) : link;
}
