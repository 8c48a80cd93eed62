import type { Element } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type { Handle } from 'hast-util-to-mdast';
import type { Nodes as MarkdownNodes, Parent, PhrasingContent, RootContent } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import type { Options, Handle as Write } from 'mdast-util-to-markdown';
import { isElement, stringOf, textOf } from '../../../text/html-tree.ts';
import { admonition } from '../markdown/markdown-forms.ts';
import { CODE_BREAK, tableHtml } from './tables.ts';

/** Elements within a line that stay HTML, because markdown has no form for them. */
const INLINE_HTML = ['kbd', 'sub', 'sup', 'abbr', 'mark', 'small', 'ins', 'u', 'q', 'samp', 'var', 'dfn', 'cite', 'ruby', 'rt', 'rp'];

const inline: Handle = (state, node) => {
  const title = node.tagName === 'abbr' ? stringOf(node, 'title') : undefined;
  const attribute = title === undefined ? '' : ` title="${title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replace(/\s+/g, ' ')}"`;
  const children = state.all(node);
  return children.length === 0 ? [] : [raw(`<${node.tagName}${attribute}>`), ...children, raw(`</${node.tagName}>`)];
};

/** Markup within a line, written as it is. The library takes `html` for a block, and formulas for words. */
function raw(value: string): PhrasingContent {
  return { type: 'inlineMath', value, isDisplay: false };
}

/** A node that only {@link WRITING} knows. */
function own(type: string, members: Readonly<Record<string, unknown>>): RootContent {
  return { type, ...members } as unknown as RootContent;
}

/** How elements become nodes of markdown for which the library has no form. */
export const HANDLERS: Readonly<Record<string, Handle>> = {
  ...Object.fromEntries(INLINE_HTML.map((name) => [name, inline])),
  pre: (state, node) => {
    const code = node.children.find((child): child is Element => isElement(child) && child.tagName === 'code');
    const info = stringOf(code, 'dataInfo') ?? '';
    const [lang = '', ...meta] = info.split(' ');
    const result = {
      type: 'code' as const,
      lang: lang === '' ? null : lang,
      meta: meta.length === 0 ? null : meta.join(' '),
      value: textOf(node).replace(/\n$/, ''),
    };
    state.patch(node, result);
    return result;
  },
  dl: (state, node) => {
    const children: RootContent[] = [];
    const read = (parent: Element): void => {
      for (const child of parent.children) {
        if (!isElement(child)) continue;
        if (child.tagName === 'dt') children.push(own('akgTerm', { children: phrasing(state.all(child)) }));
        else if (child.tagName === 'dd')
          children.push(own('akgDescription', { children: withoutFirstBox(state.toFlow(state.all(child))) }));
        else read(child);
      }
    };
    read(node);
    return own('akgDefinitions', { children });
  },
  // Our mark for blocks that hold their content in HTML or between lines of colons.
  'akg-admonition': (state, node) => {
    const [title, ...rest] = node.children;
    return own('akgAdmonition', {
      kind: stringOf(node, 'dataKind') ?? 'note',
      title: isElement(title) ? phrasing(state.all(title)) : [],
      children: state.toFlow(state.all({ ...node, children: rest })),
    });
  },
  'akg-details': (state, node) => own('akgDetails', { title: stringOf(node, 'dataTitle') ?? '', children: state.toFlow(state.all(node)) }),
  'akg-math': (_state, node, parent) => {
    const tex = textOf(node);
    // A block of its own would end the paragraph whose words stand around it.
    const isAmongWords =
      parent?.type === 'element' && parent.tagName === 'p' && textOf(parent).replace(/\s/g, '') !== tex.replace(/\s/g, '');
    return stringOf(node, 'dataDisplay') === 'true' && !isAmongWords
      ? own('akgBlock', { value: `$$\n${tex.replace(/\n\s*\n/g, '\n')}\n$$` })
      : raw(`$${tex.replace(/\s+/g, ' ')}$`);
  },
  'akg-break': () => raw('<br>'),
  'akg-reference': (_state, node) => ({
    type: 'footnoteReference',
    identifier: stringOf(node, 'dataKey') ?? '',
    label: stringOf(node, 'dataKey') ?? '',
  }),
  'akg-footnote': (state, node) => ({
    type: 'footnoteDefinition',
    identifier: stringOf(node, 'dataKey') ?? '',
    label: stringOf(node, 'dataKey') ?? '',
    children: state.toFlow(state.all(node)) as [],
  }),
  'akg-table': (_state, node) => {
    const html = toHtml(tableHtml(node).children, { closeSelfClosing: false });
    // A blank line would end the HTML (CommonMark 0.31.2, section 4.6).
    return own('akgBlock', { value: html.replaceAll('\n', ' ').replaceAll(CODE_BREAK, '&#10;') });
  },
};

/** Blocks where only words may stand: their words. */
function phrasing(nodes: readonly MarkdownNodes[]): PhrasingContent[] {
  return nodes.flatMap((node): PhrasingContent[] =>
    node.type === 'paragraph' || node.type === 'heading'
      ? node.children
      : 'children' in node && !/^(?:link|emphasis|strong|delete)$/.test(node.type)
        ? phrasing(node.children as MarkdownNodes[])
        : [node as PhrasingContent],
  );
}

/** A description cannot begin with a block between lines of colons: its title becomes a bold line. */
function withoutFirstBox(nodes: readonly MarkdownNodes[]): MarkdownNodes[] {
  const [first, ...rest] = nodes as {
    readonly type: string;
    readonly kind?: string;
    readonly title?: PhrasingContent[];
    readonly children?: MarkdownNodes[];
  }[];
  if (first?.type !== 'akgAdmonition') return [...nodes];
  const title: PhrasingContent[] = first.title?.length
    ? first.title
    : [{ type: 'text', value: `${first.kind?.charAt(0).toUpperCase()}${first.kind?.slice(1)}` }];
  return [{ type: 'paragraph', children: [{ type: 'strong', children: title }] }, ...(first.children ?? []), ...(rest as MarkdownNodes[])];
}

const definitions: Write = (node, _parent, state, info) =>
  (node as Parent).children
    .map((child, index) => {
      const isTerm = (child.type as string) === 'akgTerm';
      const written = isTerm
        ? state
            .containerPhrasing(own('paragraph', { children: (child as Parent).children }) as never, {
              ...info,
              before: '\n',
              after: '\n',
            })
            .split('\n')
            .map((line) => line.trim())
            .join(' ')
        : state.indentLines(
            state.containerFlow(child as never, state.createTracker(info).current()),
            (line, at, isBlank) => (at === 0 ? ': ' : isBlank ? '' : '  ') + line,
          );
      return (index > 0 && isTerm ? '\n' : '') + written;
    })
    .join('\n');

/** How nodes are written as markdown of this engine. */
export const WRITING: Options = {
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
  handlers: {
    akgDefinitions: definitions,
    akgAdmonition: ((node, _parent, state, info) => {
      const { kind, title } = node as { readonly kind: 'note'; readonly title: PhrasingContent[] };
      const label = state.containerPhrasing(own('paragraph', { children: title }) as never, { ...info, before: '[', after: ']' });
      return admonition(kind, label, state.containerFlow(node as never, info));
    }) as Write,
    akgDetails: ((node, _parent, state, info) => {
      const title = (node as { readonly title: string }).title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return `<details>\n<summary>${title}</summary>\n\n${state.containerFlow(node as never, info)}\n\n</details>`;
    }) as Write,
    inlineMath: ((node) => (node as { readonly value: string }).value) as Write,
    akgBlock: ((node) => (node as { readonly value: string }).value) as Write,
  } as unknown as NonNullable<Options['handlers']>,
  unsafe: [
    // Formulas, definitions and blocks of this engine.
    { character: '$', after: '\\S', inConstruct: 'phrasing' },
    { atBreak: true, character: ':', after: '[ \\t:]' },
    { character: '[', before: '!?', after: '\\^', inConstruct: 'phrasing' },
  ],
};
