import type { Element, Nodes, Root } from 'hast';

/** The first element below a node that passes a test, in the order of the document. */
export function find(node: Element | Root, test: (element: Element) => boolean): Element | undefined {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    const found = test(child) ? child : find(child, test);
    if (found) return found;
  }
  return undefined;
}

/** All elements below a node that pass a test, in the order of the document; none within another. */
export function findAll(node: Element | Root, test: (element: Element) => boolean): Element[] {
  return node.children.flatMap((child) => (child.type !== 'element' ? [] : test(child) ? [child] : findAll(child, test)));
}

/** Whether an element has a class. */
export function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties['className']) && properties['className'].includes(name);
}

/** The text of a node. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map((child) => textOf(child as Nodes)).join('') : '';
}
