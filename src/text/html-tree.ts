import type { Element, ElementContent, Nodes, Root, Text } from 'hast';

/** Whether a class of an element, as a whole, matches. */
export function hasClass({ properties }: Element, pattern: RegExp): boolean {
  return Array.isArray(properties['className']) && properties['className'].some((name) => pattern.test(String(name)));
}

export function stringOf(element: Element | undefined, name: string): string | undefined {
  const value = element?.properties[name];
  return typeof value === 'string' ? value : undefined;
}

export function elementsOf(node: Element | Root): Element[] {
  const found: Element[] = [];
  const visit = (parent: Element | Root): void => {
    for (const child of parent.children)
      if (isElement(child)) {
        found.push(child);
        visit(child);
      }
  };
  visit(node);
  return found;
}

/** The text of a node and of all below it, code included. @param instead A text in place of an element; `undefined` for its own text. */
export function textOf(node: Nodes, instead?: (element: Element) => string | undefined): string {
  if (node.type === 'text') return node.value;
  const stated = node.type === 'element' ? instead?.(node) : undefined;
  return stated ?? ('children' in node ? node.children.map((child) => textOf(child as Nodes, instead)).join('') : '');
}

export function isElement(node: Nodes | ElementContent | undefined): node is Element {
  return node?.type === 'element';
}

export function element(tagName: string, children: readonly ElementContent[], properties: Element['properties'] = {}): Element {
  return { type: 'element', tagName, properties, children: [...children] };
}

export function text(value: string): Text {
  return { type: 'text', value };
}
