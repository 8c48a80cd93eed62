import type { Element, ElementContent } from 'hast';
import { toHtml } from 'hast-util-to-html';
import { type Handle, defaultHandlers as htmlHandlers } from 'hast-util-to-mdast';
import type { BlockContent, Code, DefinitionContent, Nodes as MarkdownNodes, PhrasingContent } from 'mdast';
import type { ContainerDirective } from 'mdast-util-directive';
import { defaultHandlers, type Options, type Handle as Write } from 'mdast-util-to-markdown';
import { inOneLine, WRITING as PAGE_WRITING, raw } from '../../../build/pages/markdown-from-html.ts';
import { element, elementsOf, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';
import type { AdmonitionKind } from '../../../text/markdown/admonition-lines.ts';
import type { DefinitionDescription, DefinitionList, DefinitionTerm } from '../../../text/markdown/definition-lists.ts';
import { plainText } from '../../../text/markdown/markdown-tree.ts';
import { admonition, destination } from '../markdown/markdown-syntax.ts';

export const DETAILS = 'details';

const INLINE_HTML = ['kbd', 'sub', 'sup', 'abbr', 'mark', 'small', 'ins', 'u', 'q', 'samp', 'var', 'dfn', 'cite', 'ruby', 'rt', 'rp'];

const inline: Handle = (state, node) => {
  const title = node.tagName === 'abbr' ? stringOf(node, 'title') : undefined;
  const attribute = title === undefined ? '' : ` title="${title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replace(/\s+/g, ' ')}"`;
  const children = state.all(node);
  return children.length === 0 ? [] : [raw(`<${node.tagName}${attribute}>`), ...children, raw(`</${node.tagName}>`)];
};

export const HANDLERS: Readonly<Record<string, Handle>> = {
  ...Object.fromEntries(INLINE_HTML.map((name) => [name, inline])),
  'akg-break': () => raw('<br>'),
  pre: (state, node) => {
    const code = node.children.find((child): child is Element => isElement(child) && child.tagName === 'code');
    const [lang = '', ...meta] = (stringOf(code, 'dataInfo') ?? '').split(' ');
    const result: Code = { type: 'code', lang: lang || null, meta: meta.join(' ') || null, value: textOf(node).replace(/\n$/, '') };
    state.patch(node, result);
    return result;
  },
  img: (state, node) => {
    if (node.properties['width'] === undefined) return htmlHandlers.img(state, node);
    // Signs that would end the address where links are rewritten, the row of a table, or the paragraph.
    const src = destination(stringOf(node, 'src') ?? '').replace(/["'|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
    const html = toHtml(element('img', [], { ...node.properties, src }), { characterReferences: { useNamedReferences: true } });
    return raw(html.replace(/\s+/g, ' ').replaceAll('|', '&#124;'));
  },
  dl: (state, node) => {
    const children: DefinitionList['children'] = [];
    const read = (parent: Element): void => {
      for (const child of parent.children) {
        if (!isElement(child)) continue;
        if (child.tagName === 'dt') children.push({ type: 'defListTerm', children: phrasing(state.all(child)) });
        else if (child.tagName === 'dd')
          children.push({ type: 'defListDescription', spread: true, children: withoutFirstBox(state.toFlow(state.all(child))) });
        else read(child);
      }
    };
    read(node);
    return { type: 'defList', children };
  },
  'akg-box': (state, node) => {
    const [title, ...rest] = node.children;
    const children = isElement(title) ? phrasing(state.all(title)) : [];
    return {
      type: 'containerDirective',
      name: stringOf(node, 'dataKind') ?? 'note',
      children: [{ type: 'paragraph', data: { directiveLabel: true }, children }, ...state.toFlow(state.all({ ...node, children: rest }))],
    };
  },
  'akg-math': (_state, node, parent) => {
    const tex = textOf(node);
    // A block of its own would end the paragraph whose words stand around it, a row of a table or a heading.
    const isAmongWords =
      parent?.type === 'element' &&
      (/^(?:t[dh]|h[1-6])$/.test(parent.tagName) ||
        (parent.tagName === 'p' && textOf(parent).replace(/\s/g, '') !== tex.replace(/\s/g, '')));
    return stringOf(node, 'dataDisplay') === 'true' && !isAmongWords
      ? ({ type: 'html', value: `$$\n${tex.replace(/\n\s*\n/g, '\n')}\n$$` } as const)
      : raw(`$${tex.replace(/\s+/g, ' ')}$`);
  },
  'akg-anchor': () => undefined,
  'akg-reference': (_state, node) => ({ type: 'footnoteReference', ...keyOf(node) }),
  'akg-footnote': (state, node) => ({ type: 'footnoteDefinition', ...keyOf(node), children: state.toFlow(state.all(node)) as [] }),
  'akg-table': (_state, node) => {
    const html = toHtml(tableHtml(node).children, { closeSelfClosing: false });
    // A blank line would end the HTML (CommonMark 0.31.2, section 4.6).
    return { type: 'html', value: html.replaceAll('\n', ' ').replaceAll(CODE_BREAK, '&#10;') };
  },
};

function keyOf(node: Element) {
  const key = stringOf(node, 'dataKey') ?? '';
  return { identifier: key, label: key };
}

function phrasing(nodes: readonly MarkdownNodes[]): PhrasingContent[] {
  return nodes.flatMap((node): PhrasingContent[] =>
    node.type === 'paragraph' || node.type === 'heading'
      ? node.children
      : 'children' in node && !/^(?:link|emphasis|strong|delete)$/.test(node.type)
        ? phrasing(node.children as MarkdownNodes[])
        : [node as PhrasingContent],
  );
}

function partsOf({ children }: ContainerDirective) {
  const [title, ...blocks] = children;
  return { title: title?.type === 'paragraph' ? title.children : [], blocks };
}

/** A description cannot begin with a block between lines of colons: its title becomes a bold line. */
function withoutFirstBox(nodes: readonly (BlockContent | DefinitionContent)[]): DefinitionDescription['children'] {
  const [first, ...rest] = nodes;
  if (first?.type !== 'containerDirective' || first.name === DETAILS) return [...nodes];
  const { title, blocks } = partsOf(first);
  const name = `${first.name.charAt(0).toUpperCase()}${first.name.slice(1)}`;
  const words: PhrasingContent[] = title.length > 0 ? title : [{ type: 'text', value: name }];
  return [{ type: 'paragraph', children: [{ type: 'strong', children: words }] }, ...blocks, ...rest];
}

const definitions: Write = ({ children }: DefinitionList, _parent, state, info) => {
  const written = (child: DefinitionTerm | DefinitionDescription): string =>
    child.type === 'defListTerm'
      ? state
          .containerPhrasing({ type: 'paragraph', children: child.children }, { ...info, before: '\n', after: '\n' })
          .split('\n')
          .map((line) => line.trim())
          .join(' ')
      : state.indentLines(
          state.containerFlow(child, state.createTracker(info).current()),
          (line, at, isBlank) => (at === 0 ? ': ' : isBlank ? '' : '  ') + line,
        );
  return children.map((child, index) => (index > 0 && child.type === 'defListTerm' ? '\n' : '') + written(child)).join('\n');
};

export const WRITING: Options = {
  ...PAGE_WRITING,
  handlers: {
    ...PAGE_WRITING.handlers,
    defList: definitions,
    containerDirective: (node: ContainerDirective, _parent, state, info) => {
      const { title, blocks } = partsOf(node);
      const text = state.containerFlow({ ...node, children: blocks }, info);
      if (node.name === DETAILS) {
        const summary = plainText({ type: 'root', children: title }).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        return `<details>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`;
      }
      const label = state.containerPhrasing({ type: 'paragraph', children: title }, { ...info, before: '[', after: ']' });
      return admonition(node.name as AdmonitionKind, label, text);
    },
    // Backticks of two would be one run; a bar in a cell would end it.
    inlineCode: (node, parent, state, info) => {
      const code = defaultHandlers.inlineCode(node, parent, state);
      return (info.before === '`' ? ' ' : '') + (state.stack.includes('tableCell') ? code.replaceAll('|', '\\|') : code);
    },
  },
  unsafe: [
    { character: '$', after: '\\S', inConstruct: 'phrasing' },
    { atBreak: true, character: ':', after: '[ \\t:]' },
    { character: '[', before: '!?', after: '\\^', inConstruct: 'phrasing' },
  ],
};

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
  if (spans || inner.some((one) => NOT_IN_CELLS.has(one.tagName) && !isShortCode(one))) return [element('akg-table', [whole])];
  for (const one of inner) if (one.tagName === 'akg-math') one.children = [text(withoutBars(textOf(one)))];
  for (const cell of cells) cell.children = inOneLine(cell.children);
  return [...captions, { ...whole, children: children.filter((child) => !(isElement(child) && child.tagName === 'caption')) }];
}

const TABLE_ATTRIBUTES: ReadonlySet<string> = new Set('colSpan rowSpan href src alt title start align open'.split(' '));

/** Stands for a line break in the code of a table, which must not be one of the text. */
const CODE_BREAK = '\uE012';

function tableHtml(node: Element): Element {
  const isCode = node.tagName === 'code' || node.tagName === 'pre';
  const children = node.children.flatMap((child): ElementContent[] => {
    if (child.type === 'text')
      return [text(isCode ? child.value.replace(/\n$/, '').replaceAll('\n', CODE_BREAK) : child.value.replace(/\s+/g, ' '))];
    if (!isElement(child) || child.tagName === 'akg-anchor') return [];
    if (child.tagName === 'akg-math') return [text(`$${textOf(child)}$`)];
    if (child.tagName === 'akg-break') return [element('br', [])];
    const inner = tableHtml(child);
    if (child.tagName === 'akg-box' && stringOf(child, 'dataKind') === 'details') return [{ ...inner, tagName: 'details' }];
    if (child.tagName === 'akg-title' && node.properties['dataKind'] === 'details') return [{ ...inner, tagName: 'summary' }];
    return ['akg-box', 'akg-title', 'div', 'span'].includes(child.tagName) ? inner.children : [inner];
  });
  const properties = Object.fromEntries(Object.entries(node.properties).filter(([name]) => TABLE_ATTRIBUTES.has(name)));
  const language = node.tagName === 'code' ? /^[\w+#-]+/.exec(stringOf(node, 'dataInfo') ?? '')?.[0] : undefined;
  return { ...node, properties: language === undefined ? properties : { className: [`language-${language}`] }, children };
}

function withoutBars(tex: string): string {
  return tex
    .replace(/\\begin\{array\}\{[^{}]*\}/g, (begin) => begin.replaceAll('|', ''))
    .replace(/\\\\|\\\||\|/g, (sign) => ({ '|': '\\vert ', '\\|': '\\Vert ' })[sign] ?? sign);
}
