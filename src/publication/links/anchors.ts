import type { Root } from 'mdast';
import { plainText, walk } from '../lint/markdown.ts';
import { headingIds } from './heading-ids.ts';

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
