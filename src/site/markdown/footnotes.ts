import type { Element, ElementContent } from 'hast';
import type { FootnoteReference } from 'mdast';
import { defaultHandlers, type State } from 'mdast-util-to-hast';

/**
 * Marks of footnotes: numbers, or letters where the sources of the text have the numbers.
 *
 * @param position From 1.
 */
function footnoteMark(position: number, isLettered: boolean): string {
  if (!isLettered) return String(position);
  const letter = String.fromCharCode(97 + ((position - 1) % 26));
  return position <= 26 ? letter : `${footnoteMark(Math.floor((position - 1) / 26), true)}${letter}`;
}

/** Renders a reference to a footnote. `isNext`: it directly follows another reference, so the marks need a comma. */
export function footnoteReference(state: State, node: FootnoteReference, isLettered: boolean, isNext: boolean): ElementContent[] {
  const mark = defaultHandlers.footnoteReference(state, node);
  const [link] = mark.children;
  if (link?.type !== 'element') return [mark];
  const position = state.footnoteOrder.indexOf(node.identifier.toUpperCase()) + 1;
  const named: Element = { ...link, children: [{ type: 'text', value: footnoteMark(position, isLettered) }] };
  const comma: ElementContent[] = isNext ? [{ type: 'text', value: ', ' }] : [];
  return [{ ...mark, properties: { className: ['ref'] }, children: [...comma, named] }];
}

/** The list of footnotes with the marks of its references; other elements stay. */
export function footnoteSection(element: Element, isLettered: boolean): Element {
  if (!isLettered || element.properties['dataFootnotes'] === undefined) return element;
  const children = element.children.map((child) =>
    child.type === 'element' && child.tagName === 'ol' ? { ...child, properties: { ...child.properties, type: 'a' } } : child,
  );
  return { ...element, children };
}
