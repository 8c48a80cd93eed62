import type { Element, ElementContent } from 'hast';
import { element, elementsOf, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';

const NOT_IN_CELLS: ReadonlySet<string> = new Set('ul ol dl pre table blockquote hr akg-box h1 h2 h3 h4 h5 h6'.split(' '));

/** A table for markdown, with its caption before it; as HTML where rows would not be lines. One of a single cell is its content. */
export function table(node: Element, children: readonly ElementContent[]): ElementContent[] {
  const whole = { ...node, children: [...children] };
  const inner = elementsOf(whole);
  const cells = inner.filter(({ tagName }) => tagName === 'td' || tagName === 'th');
  const captions = children.flatMap((child) => (isElement(child) && child.tagName === 'caption' ? [element('p', child.children)] : []));
  if (cells.length === 1 || node.properties['role'] === 'presentation')
    return [...captions, ...cells.flatMap((cell) => [element('div', cell.children)])];
  const spans = cells.some(({ properties }) => Number(properties['colSpan'] ?? 1) > 1 || Number(properties['rowSpan'] ?? 1) > 1);
  const isShortCode = (one: Element): boolean => one.tagName === 'pre' && !textOf(one).trim().includes('\n');
  const isPlain = !spans && !inner.some((one) => NOT_IN_CELLS.has(one.tagName) && !isShortCode(one));
  if (isPlain) {
    for (const cell of cells) cell.children = inOneLine(cell.children);
    return [...captions, { ...whole, children: children.filter((child) => !(isElement(child) && child.tagName === 'caption')) }];
  }
  return [element('akg-table', [whole])];
}

function inOneLine(children: readonly ElementContent[]): ElementContent[] {
  const lines: ElementContent[][] = [[]];
  for (const child of children) {
    if (!isElement(child)) lines.at(-1)?.push(child);
    else if (child.tagName === 'pre') lines.push([element('code', [text(textOf(child).trim())])], []);
    else if (child.tagName === 'br') lines.push([]);
    else if (/^(?:p|div|section|figure|figcaption|article|address)$/.test(child.tagName)) lines.push(inOneLine(child.children), []);
    else lines.at(-1)?.push(child);
  }
  return lines
    .filter((line) =>
      line.some(
        (part) =>
          textOf(part).trim() !== '' ||
          (isElement(part) && [part, ...elementsOf(part)].some(({ tagName }) => /^(?:img|input|akg-reference|akg-math)$/.test(tagName))),
      ),
    )
    .flatMap((line, at) => (at === 0 ? line : [element('akg-break', []), ...line]));
}

const TABLE_ATTRIBUTES: ReadonlySet<string> = new Set('colSpan rowSpan href src alt title start align open'.split(' '));

/** Stands for a line break in the code of a table, which must not be one of the text. */
export const CODE_BREAK = '\uE012';

export function tableHtml(node: Element): Element {
  const isCode = node.tagName === 'code' || node.tagName === 'pre';
  const children = node.children.flatMap((child): ElementContent[] => {
    if (child.type === 'text')
      return [text(isCode ? child.value.replace(/\n$/, '').replaceAll('\n', CODE_BREAK) : child.value.replace(/\s+/g, ' '))];
    if (!isElement(child) || child.tagName === 'akg-anchor') return [];
    if (child.tagName === 'akg-math') return [text(`$${textOf(child)}$`)];
    const inner = tableHtml(child);
    if (child.tagName === 'akg-box' && stringOf(child, 'dataKind') === 'details') return [{ ...inner, tagName: 'details' }];
    if (child.tagName === 'akg-title' && node.properties['dataKind'] === 'details') return [{ ...inner, tagName: 'summary' }];
    if (['akg-box', 'akg-title', 'div', 'span'].includes(child.tagName)) return inner.children;
    return [inner];
  });
  const properties = Object.fromEntries(Object.entries(node.properties).filter(([name]) => TABLE_ATTRIBUTES.has(name)));
  const language = node.tagName === 'code' ? /^[\w+#-]+/.exec(stringOf(node, 'dataInfo') ?? '')?.[0] : undefined;
  return { ...node, properties: language === undefined ? properties : { className: [`language-${language}`] }, children };
}
