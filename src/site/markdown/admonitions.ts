import type { Element, ElementContent } from 'hast';
import type { Blockquote, PhrasingContent, RootContent } from 'mdast';
import type { ContainerDirective } from 'mdast-util-directive';
import type { State } from 'mdast-util-to-hast';
import { plainText } from '../../publication/lint/markdown.ts';
import { ADMONITION_KINDS, type AdmonitionKind, DETAILS } from '../../publication/markdown/admonition-lines.ts';

/** Titles of admonitions that have none of their own. */
export type AdmonitionTitles = Readonly<Record<AdmonitionKind, string>>;

/** Titles of blocks that have none of their own. */
export interface ContainerLabels {
  readonly admonitions: AdmonitionTitles;
  readonly details: string;
}

/**
 * Renders a block between lines of `:::`: an admonition, a block that opens (`:::details`), or, of an unknown name, its content.
 */
export function renderContainer(
  state: State,
  node: ContainerDirective,
  { admonitions: titles, details }: ContainerLabels,
): ElementContent[] {
  const [first, ...rest] = node.children;
  const label = first?.type === 'paragraph' && first.data?.directiveLabel === true ? first : undefined;
  const body = label === undefined ? node.children : rest;
  const content = flow(state, body);
  const heading: ElementContent[] = label ? state.all(label) : [];
  const name = label && plainText(label);
  const kind = Object.hasOwn(ADMONITION_KINDS, node.name) ? ADMONITION_KINDS[node.name] : undefined;
  if (kind !== undefined) return [admonition(kind, heading, name, content, titles)];
  if (node.name === DETAILS) {
    const summary: Element = {
      type: 'element',
      tagName: 'summary',
      properties: {},
      children: heading.length > 0 ? heading : [{ type: 'text', value: details }],
    };
    return [{ type: 'element', tagName: 'details', properties: {}, children: [summary, ...content] }];
  }
  const caption: Element[] =
    heading.length === 0
      ? []
      : [
          {
            type: 'element',
            tagName: 'p',
            properties: {},
            children: [{ type: 'element', tagName: 'strong', properties: {}, children: heading }],
          },
        ];
  return [...caption, ...content];
}

const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

/**
 * Renders a block quote that begins with `[!NOTE]` as an admonition; `undefined` if it does not.
 *
 * @see {@link https://docs.github.com/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#alerts GitHub, alerts}
 */
export function renderAlert(state: State, node: Blockquote, titles: AdmonitionTitles): Element | undefined {
  const [first, ...rest] = node.children;
  const [text, ...phrases] = first?.type === 'paragraph' ? first.children : [];
  const word = text?.type === 'text' ? ALERT.exec(text.value) : null;
  if (first?.type !== 'paragraph' || text?.type !== 'text' || word === null) return undefined;
  const kind = ADMONITION_KINDS[(word[1] ?? '').toLowerCase()] ?? 'note';
  const remaining: PhrasingContent[] = [{ ...text, value: text.value.slice(word[0].length) }, ...phrases];
  const hasText = remaining.some((child) => child.type !== 'text' || child.value.trim() !== '');
  const body: RootContent[] = [...(hasText ? [{ ...first, children: remaining }] : []), ...rest];
  return admonition(kind, [], undefined, flow(state, body), titles);
}

function admonition(
  kind: AdmonitionKind,
  heading: ElementContent[],
  name: string | undefined,
  content: ElementContent[],
  titles: AdmonitionTitles,
): Element {
  const title: Element = {
    type: 'element',
    tagName: 'p',
    properties: { className: ['admonition-title'] },
    children: heading.length > 0 ? heading : [{ type: 'text', value: titles[kind] }],
  };
  const properties = { className: ['admonition', `admonition-${kind}`], role: 'note', ariaLabel: name ?? titles[kind] };
  return { type: 'element', tagName: 'div', properties, children: [title, ...content] };
}

/** Blocks of an element, each on its own line. */
function flow(state: State, children: readonly RootContent[]): ElementContent[] {
  return state.wrap(state.all({ type: 'root', children: [...children] }) as ElementContent[], true);
}
