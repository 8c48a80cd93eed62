import { slug } from 'github-slugger';
import type { Heading, Root } from 'mdast';
import { nodesOf, plainText, walk } from './markdown-tree.ts';
import { isHeadingOfTitle } from './title-and-summary.ts';

/** Where a section of a text begins, in UTF-16 code units, and the id of its heading on the page of the text. */
export type SectionAnchor = [start: number, id: string];

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

/** The heading that repeats the title is not on the page. @param root Tree of {@link parseWithSources}. */
export function sectionAnchors(root: Root, title: string | undefined): SectionAnchor[] {
  const idOf = headingNames();
  return nodesOf(root).flatMap((node): SectionAnchor[] => {
    if (node.type !== 'heading' || (title !== undefined && isHeadingOfTitle(node, root, title))) return [];
    return [[node.position?.start.offset ?? 0, idOf(node)]];
  });
}

/** Names the headings of a text, which are to be passed in order, as its page does: by an id of their own, or by their words. */
export function headingNames(): (heading: Heading) => string {
  const nextId = headingIds();
  return (heading) => {
    const own = heading.data?.hProperties?.['id'];
    return typeof own === 'string' && !isPageId(own) ? own : nextId(plainText(heading));
  };
}

const PAGE_IDS: readonly string[] = [
  ...['main', 'page-formats', 'site-formats', 'more-pages', 'imprint', 'outline-heading'],
  ...['text', 'sources', 'lineage', 'verify', 'colophon', 'cite', 'related', 'answered-questions'],
  ...['price', 'includes', 'steps', 'details', 'facts', 'all-checkouts', 'invoice-ids', 'request', 'items'],
];

/** Makes the ids of a text's headings, in order, as GitHub does: `What's new?`, twice, is `whats-new` and `whats-new-1`. Ids of the page get a number. */
export function headingIds(): (heading: string) => string {
  const taken = new Map<string, number>(PAGE_IDS.map((id) => [id, 2]));
  return (heading) => {
    const base = slug(heading) || 'section';
    let id = base;
    for (let count = taken.get(base); count !== undefined && taken.has(id); count += 1) {
      id = `${base}-${count}`;
      taken.set(base, count + 1);
    }
    if (!taken.has(id)) taken.set(id, 1);
    return id;
  };
}

export function isPageId(id: string): boolean {
  return PAGE_IDS.includes(id);
}
