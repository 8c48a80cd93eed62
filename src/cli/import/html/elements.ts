import type { Element, ElementContent, Nodes, Root, Text } from 'hast';

export function hasClass({ properties }: Element, pattern: RegExp): boolean {
  return Array.isArray(properties['className']) && properties['className'].some((name) => pattern.test(String(name)));
}

export function stringOf(element: Element | undefined, name: string): string | undefined {
  const value = element?.properties[name];
  return typeof value === 'string' ? value : undefined;
}

/** All elements below a node, in the order of the document. */
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

export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map((child) => textOf(child as Nodes)).join('') : '';
}

/** Whether an element is a link that a theme put into a heading so that readers can copy its address. */
export function isSelfLink(element: Element): boolean {
  return (
    hasClass(
      element,
      /^(?:hash-link|header-?anchor|heading-?anchor|anchor-?link|headerlink|anchor|sl-anchor-link|td-heading-self-link|viewcode-link|anchorjs-link|direct-link|permalink|octicon-link)$/i,
    ) && !/[\p{L}\p{N}]{2}/u.test(visibleText(element))
  );
}

function visibleText(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'element' && hasClass(node, /^(?:sr-only|visually-hidden|screen-reader-text)$/)) return '';
  return 'children' in node ? node.children.map((child) => visibleText(child as Nodes)).join('') : '';
}

/** An address that a page names, as an absolute one of http; `undefined` for others. */
export function absolute(address: string | undefined, base: string): string | undefined {
  if (address === undefined || !URL.canParse(address.trim(), base)) return undefined;
  const url = new URL(address.trim(), base);
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
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

/** Letters and digits alone, to compare names that differ in case and punctuation. */
export function loose(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
