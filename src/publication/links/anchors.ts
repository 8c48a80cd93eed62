import type { Heading, Root } from 'mdast';
import { isHeadingOfTitle } from '../defaults/title-heading.ts';
import { plainText, walk } from '../lint/markdown.ts';
import { headingIds, isPageId } from './heading-ids.ts';

/** Where a section of a text begins, in UTF-16 code units, and the id of its heading on the page of the text. */
export type SectionAnchor = [start: number, id: string];

/** An id or a name of an HTML element. */
const HTML_ID = /\s(?:id|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))/gi;

/** Everything in a text that a link may name after `#`. */
export function anchorsOf(root: Root): ReadonlySet<string> {
  const anchors = new Set<string>();
  const nextId = headingIds();
  walk(root, (node) => {
    if (node.type === 'heading') {
      const text = plainText(node);
      anchors.add(nextId(text));
      const own = node.data?.hProperties?.['id'];
      if (typeof own === 'string') anchors.add(own);
    } else if (node.type === 'html') {
      for (const [, double, single, bare] of node.value.matchAll(HTML_ID)) anchors.add(double ?? single ?? bare ?? '');
    }
  });
  return anchors;
}

/**
 * The sections of a text as its page names them, ascending. The heading that repeats the title is not on the page: its section is the page.
 *
 * @param root Tree of the text in which references to its sources are footnotes, as its page has them.
 */
export function sectionAnchors(root: Root, title: string | undefined): SectionAnchor[] {
  const idOf = headingNames();
  const anchors: SectionAnchor[] = [];
  walk(root, (node) => {
    if (node.type !== 'heading' || (title !== undefined && isHeadingOfTitle(node, root, title))) return;
    anchors.push([node.position?.start.offset ?? 0, idOf(node)]);
  });
  return anchors;
}

/** Names the headings of a text, which are to be passed in order, as its page does: by an id of their own, or by their words. */
export function headingNames(): (heading: Heading) => string {
  const nextId = headingIds();
  return (heading) => {
    const own = heading.data?.hProperties?.['id'];
    return typeof own === 'string' && !isPageId(own) ? own : nextId(plainText(heading));
  };
}
