import type { Element, ElementContent, Root } from 'hast';
import { element } from '../../text/html-tree.ts';
import { DROPPED_ELEMENTS, SHOWN_ELEMENTS } from '../../text/markdown/html-elements.ts';

/** Puts a finished part of a text, which its raw HTML must not change, into a list, and gives the placeholder that {@link cleanHtml} replaces. */
export function held(part: Element, parts: Element[]): Element {
  return element('span', [], { dataPart: String(parts.push(part) - 1) });
}

/** What links and images of raw HTML become, and which ids they may have. */
interface HtmlRules {
  readonly link: (element: Element) => ElementContent[];
  readonly image: (element: Element) => ElementContent;
  readonly isIdFree: (id: string) => boolean;
}

/**
 * Joins raw HTML and markdown into one tree, and takes out everything that could run, load from elsewhere or change the page: scripts,
 * handlers, styles, frames, forms. Unknown elements become their content.
 */
export async function cleanHtml(tree: Root, parts: readonly Element[], ids: ReadonlySet<unknown>, rules: HtmlRules): Promise<Root> {
  const [{ raw }, { sanitize }, schema] = await Promise.all([import('hast-util-raw'), import('hast-util-sanitize'), htmlSchema()]);
  const clean = sanitize(raw(tree), schema) as Root;
  const taken = new Set<string>();
  const finish = (nodes: readonly ElementContent[]): ElementContent[] =>
    nodes.flatMap((node): ElementContent[] => {
      if (node.type === 'comment') return [];
      if (node.type !== 'element') return [node];
      const { dataPart, id, ...properties } = node.properties;
      const part = typeof dataPart === 'string' ? parts[Number(dataPart)] : undefined;
      if (part !== undefined) return [part];
      const name = typeof id === 'string' ? id : undefined;
      const keepsId =
        name !== undefined && !taken.has(name) && (ids.has(name) || (/^[\p{L}\p{N}_-]+$/u.test(name) && rules.isIdFree(name)));
      if (keepsId) taken.add(name);
      const cleaned = element(node.tagName, finish(node.children), { ...properties, ...(keepsId ? { id: name } : {}) });
      if (node.tagName === 'a' && properties['href'] !== undefined) return rules.link(cleaned);
      return [node.tagName === 'img' ? rules.image(cleaned) : cleaned];
    });
  return { type: 'root', children: finish(clean.children as ElementContent[]) };
}

/** Classes that the renderer itself writes outside of finished parts. */
const CLASSES = 'admonition admonition-title tabset scroll ref contains-task-list task-list-item footnotes data-footnote-backref'.split(
  ' ',
);

const SHOWN_ATTRIBUTES =
  'abbr align ariaLabel checked colSpan dateTime dir headers id lang open rowSpan scope span tabIndex title value'.split(' ');

/** The elements of GitHub's schema and a few more, without what only forms need and without ids of our own being renamed. */
async function htmlSchema(): Promise<typeof import('hast-util-sanitize')['defaultSchema']> {
  return {
    ...(await import('hast-util-sanitize')).defaultSchema,
    strip: [...DROPPED_ELEMENTS],
    clobber: [],
    clobberPrefix: '',
    protocols: { cite: ['https'], href: ['http', 'https', 'mailto'], src: ['https'] },
    tagNames: [...SHOWN_ELEMENTS],
    attributes: {
      a: ['href', 'rel', 'dataFootnoteBackref', 'dataFootnoteRef', 'ariaDescribedBy'],
      blockquote: ['cite'],
      code: [['className', /^language-./]],
      details: [['name', /^tabs-\d+$/]],
      div: ['role', ['className', ...CLASSES, /^admonition-[a-z]+$/]],
      img: ['src', 'alt', 'width', 'height'],
      input: [
        ['disabled', true],
        ['type', 'checkbox'],
      ],
      ol: ['start', 'reversed', 'type'],
      q: ['cite'],
      section: ['dataFootnotes'],
      span: ['dataPart'],
      '*': [...SHOWN_ATTRIBUTES, ['className', ...CLASSES]],
    },
  };
}
