import GithubSlugger from 'github-slugger';
import type { Element, ElementContent, Root } from 'hast';
import { toMdast } from 'hast-util-to-mdast';
import { toMarkdown } from 'mdast-util-to-markdown';
import { element, elementsOf, isElement, stringOf, textOf } from '../../../text/html-tree.ts';
import { factsOfHtml, isImage, isLink, loose } from '../conversion-losses.ts';
import { type Context, contentOf, here, isBlank } from './convert-elements.ts';
import { HANDLERS, WRITING } from './html-to-mdast-handlers.ts';
import { footnotesOf, lineOf, takeControls } from './theme-markup.ts';

export interface ConvertedHeading {
  readonly text: string;
  readonly anchors: readonly string[];
  /** The id that it names for itself, as in `## Set up {#setup}`. */
  readonly id?: string | undefined;
}

/** The main content of a page as markdown of this engine, without its frame and without a heading that says its title, which stands above. */
export function htmlToMarkdown(main: Element | Root, title: string | undefined, page: Pick<Context, 'base' | 'origin' | 'hasFormulas'>) {
  const context: Context = { ...page, ...footnotesOf(main), notes: takeControls(main) };
  const content = contentOf(main.children as ElementContent[], context);
  const definitions = [...context.footnotes.values()].map(({ key, content: note }) =>
    element('akg-footnote', contentOf(note.children, context), { dataKey: key }),
  );
  const all = elementsOf({ type: 'root', children: [...content, ...definitions] });
  const referred = new Set(all.filter(({ tagName }) => tagName === 'akg-reference').map(({ properties }) => properties['dataKey']));
  // Pages show no footnote that nothing refers to.
  const notes = definitions.flatMap((note) => (referred.has(note.properties['dataKey']) ? [note] : note.children));
  const root: Root = { type: 'root', children: [...content, ...notes] };
  const seen = factsOfHtml(root);
  const shown = elementsOf(root).filter(isImage);
  const images = shown.flatMap((image) => stringOf(image, 'src')?.replace(/#.*$/s, '') ?? []);
  takeTitle(root, title);
  // A title that leads to its own page is not a link here.
  const facts = { ...seen, links: elementsOf(root).filter(isLink).length };
  const { headings, topAnchors } = takeHeadings(root);
  const tree = toMdast(root, { document: true, handlers: HANDLERS });
  const markdown = tree.type === 'root' ? toMarkdown(tree, WRITING) : '';
  return { markdown, headings, topAnchors, images, facts, leftOut: context.notes };
}

function takeTitle(root: Root, title: string | undefined): void {
  const all = elementsOf(root).filter(({ tagName }) => /^h[1-6]$/.test(tagName));
  const levelOf = ({ tagName }: Element): number => Number(tagName.charAt(1));
  const saysTitle = (heading: Element): boolean => title === undefined || loose(textOf(heading)) === loose(title);
  const [top] = all;
  const tops = all.filter((heading) => levelOf(heading) === 1);
  // Chapters of a book may begin with the second level.
  const isChapter = top !== undefined && title !== undefined && saysTitle(top) && isFirstIn(root, top);
  const first = isChapter ? top : tops[0];
  if (first === undefined) return;
  // Confluence writes the name of the space before the title.
  const holdsTitle = title !== undefined && loose(textOf(first)).endsWith(loose(title)) && isFirstIn(root, first);
  const isTitle = isChapter || saysTitle(first) || (tops.length === 1 && holdsTitle);
  const [rest, level] = [all.filter((heading) => heading !== first), levelOf(first)];
  const isAlone = isTitle && rest.every((heading) => levelOf(heading) > 1);
  const shift = !isAlone ? 1 : rest.every((heading) => levelOf(heading) > level) ? 1 - level : 0;
  for (const heading of all) heading.tagName = `h${Math.min(6, Math.max(1, levelOf(heading) + shift))}`;
  if (!isTitle) return;
  first.tagName = 'p';
  // They lead to the top of the page, not to the heading below.
  first.children = first.children.flatMap((child) =>
    isElement(child) && child.tagName === 'akg-anchor' ? [here(stringOf(child, 'dataId'))] : [],
  );
}

function isFirstIn(node: Element | Root, heading: Element): boolean {
  const first = (node.children as ElementContent[]).find((child) => {
    const isShown = isElement(child) && elementsOf(element('p', [child])).some(({ tagName }) => /^(?:img|input|hr)$/.test(tagName));
    return isShown || !isBlank([child]);
  });
  return isElement(first) && (first === heading || isFirstIn(first, heading));
}

function takeHeadings(root: Root) {
  const headings: (ConvertedHeading & { anchors: string[] })[] = [];
  const topAnchors: string[] = [];
  const waiting: string[] = [];
  const slugger = new GithubSlugger();
  const anchorsIn = (parent: Element): string[] =>
    elementsOf(parent).flatMap((child) => (child.tagName === 'akg-anchor' ? [stringOf(child, 'dataId') ?? ''] : []));
  const isAnchorAlone = (part: ElementContent): boolean =>
    isElement(part) && part.tagName === 'akg-anchor' && part.properties['dataHere'] === undefined;
  const visit = (parent: Element | Root): void => {
    for (const child of parent.children) {
      if (!isElement(child) || child.tagName === 'akg-table') continue;
      if (/^h[1-6]$/.test(child.tagName)) {
        const words = lineOf(child);
        headings.push({ text: words, anchors: [slugger.slug(words), ...anchorsIn(child), ...waiting.splice(0)] });
      } else if (child.tagName === 'akg-anchor') (headings.at(-1)?.anchors ?? topAnchors).push(stringOf(child, 'dataId') ?? '');
      // Anchors alone belong to the heading below.
      else if (child.tagName === 'p' && child.children.length > 0 && child.children.every(isAnchorAlone)) waiting.push(...anchorsIn(child));
      else visit(child);
    }
  };
  visit(root);
  (headings.at(-1)?.anchors ?? topAnchors).push(...waiting);
  return { headings, topAnchors };
}
