import type { Element, ElementContent } from 'hast';
import type { Handle } from 'hast-util-to-mdast';
import { find, textOf } from './html-tree.ts';

/** Elements that a twin leaves out: scripts, controls and navigation. It ends with links of its own. */
const DROPPED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'svg',
  'form',
  'button',
  'input',
  'select',
  'dialog',
  'iframe',
  'nav',
]);

/** Elements whose content begins and ends lines. */
const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'section', 'figure', 'figcaption', 'pre']);

/** An element that stands for a new line within the cell of a table. */
const CELL_BREAK: Element = { type: 'element', tagName: 'cell-break', properties: {}, children: [] };

/** How elements become markdown for which it has no form of its own. */
export const MARKDOWN_HANDLERS: Readonly<Record<string, Handle>> = {
  [CELL_BREAK.tagName]: () => ({ type: 'html', value: '<br>' }),
};

/**
 * The content of an element in forms that markdown has: links are absolute, code has one element and a language, a caption is a paragraph before
 * its table, cells hold no blocks, and a fact of a list is one line.
 *
 * `data-markdown-ignore` marks what only readers of the page need (agent-ecosystem/agent-docs-spec).
 *
 * @param base Address of the page.
 */
export function markdownContent(node: Element, base: string): Element {
  const properties = { ...node.properties };
  for (const name of ['href', 'src'])
    if (typeof properties[name] === 'string' && URL.canParse(properties[name], base))
      properties[name] = new URL(properties[name], base).href;
  return { ...node, properties, children: node.children.flatMap((child) => contentOf(child, base)) };
}

function contentOf(node: ElementContent, base: string): ElementContent[] {
  if (node.type !== 'element') return node.type === 'text' ? [node] : [];
  if (DROPPED.has(node.tagName) || node.properties['ariaHidden'] === 'true' || node.properties['dataMarkdownIgnore'] !== undefined)
    return [];
  if (node.tagName === 'pre') return [code(node)];
  const content = markdownContent(node, base);
  switch (node.tagName) {
    case 'table':
      return table(content);
    case 'td':
    case 'th':
      return [{ ...content, children: inOneLine(content.children) }];
    case 'dl':
      return [element('ul', facts(content))];
    default:
      return [content];
  }
}

function table(content: Element): Element[] {
  const isCaption = (child: ElementContent): boolean => child.type === 'element' && child.tagName === 'caption';
  const captions = content.children.flatMap((child) =>
    child.type === 'element' && isCaption(child) ? [element('p', child.children)] : [],
  );
  return [...captions, { ...content, children: content.children.filter((child) => !isCaption(child)) }];
}

/** The content of a cell, with breaks between its blocks: a row of a table is one line. */
function inOneLine(children: readonly ElementContent[]): ElementContent[] {
  const lines: ElementContent[][] = [[]];
  for (const child of children) {
    const isBlock = child.type === 'element' && BLOCKS.has(child.tagName);
    if (isBlock) lines.push(inOneLine(child.children), []);
    else lines.at(-1)?.push(child);
  }
  return lines
    .filter((line) => line.some((part) => textOf(part).trim() !== '' || find(element('p', [part]), ({ tagName }) => tagName === 'img')))
    .flatMap((line, at) => (at === 0 ? line : [CELL_BREAK, ...line]));
}

/** The facts of a `<dl>` as items of a list: name and value in one line, unless the value is several blocks. */
function facts(list: Element): Element[] {
  const groups: { readonly name: ElementContent[]; readonly values: ElementContent[][] }[] = [];
  const read = (children: readonly ElementContent[]): void => {
    for (const child of children) {
      if (child.type !== 'element') continue;
      const last = groups.at(-1);
      if (child.tagName === 'dt') {
        if (last !== undefined && last.values.length === 0) last.name.push({ type: 'text', value: ', ' }, ...child.children);
        else groups.push({ name: [...child.children], values: [] });
      } else if (child.tagName === 'dd') last?.values.push(child.children);
      else read(child.children);
    }
  };
  read(list.children);
  return groups.map(({ name, values }) => {
    const hasBlocks = values.some((value) => value.some((part) => part.type === 'element' && BLOCKS.has(part.tagName)));
    if (hasBlocks) return element('li', [element('p', name), ...values.map((value) => element('div', value))]);
    const value = values.flatMap((parts, at): ElementContent[] => (at === 0 ? parts : [{ type: 'text', value: ', ' }, ...parts]));
    return element('li', value.length === 0 ? name : [...name, { type: 'text', value: ': ' }, ...value]);
  });
}

function code(pre: Element): Element {
  const inner = find(pre, ({ tagName }) => tagName === 'code') ?? pre;
  const language = [pre, inner].map(languageOf).find((name) => name !== undefined) ?? 'text';
  const value = textOf(inner).replace(/\n+$/, '');
  const text = element('code', [{ type: 'text', value: `${value}\n` }], { className: [`language-${language}`] });
  return element('pre', [text]);
}

function languageOf({ properties }: Element): string | undefined {
  const named = properties['dataLanguage'];
  if (typeof named === 'string') return named;
  const names = Array.isArray(properties['className']) ? properties['className'].map(String) : [];
  return names.map((name) => /^language-([\w+#-]{1,30})$/.exec(name)?.[1]).find((name) => name !== undefined);
}

function element(tagName: string, children: readonly ElementContent[], properties: Element['properties'] = {}): Element {
  return { type: 'element', tagName, properties, children: [...children] };
}
