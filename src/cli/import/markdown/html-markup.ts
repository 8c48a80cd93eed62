import type { Nodes } from 'mdast';
import { parseMarkdownOnce } from '../../../text/markdown/markdown-tree.ts';
import { destination, escapeText, image, link } from './markdown-forms.ts';
import { escapePlaceholders } from './prose-syntax.ts';
import { anchorMark, applyEdits, outsideCode, replaceEnclosed, type TextEdit } from './text-edits.ts';

/** Elements that stay in a text as HTML, with the attributes that may stay. */
const KEPT: ReadonlySet<string> = new Set([
  ...['kbd', 'sub', 'sup', 'abbr', 'mark', 'small', 'del', 'ins', 'samp', 'var', 's', 'u', 'q', 'cite', 'dfn', 'ruby', 'rt', 'rp'],
  ...['details', 'summary', 'br', 'hr', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption', 'dl', 'dt', 'dd'],
  ...['ul', 'ol', 'li', 'pre', 'code', 'b', 'strong', 'i', 'em', 'blockquote', 'figure', 'figcaption', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(['open', 'colspan', 'rowspan', 'title', 'start', 'align']);

const TAG = /^<(\/?)([A-Za-z][\w.:-]*)((?:\s(?:"[^"]*"|'[^']*'|\{[^{}]*\}|[^<>"'{])*)?)(\/?)>/;

/** Longest tag that is read, in characters. */
const TAG_MAX_LENGTH = 4_000;
const ATTRIBUTE = /([@:#\w.-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|\{\s*["'`]?([^{}"'`]*)["'`]?\s*\}|([^\s"'>]+)))?/g;

/** Elements that go with everything within them. */
const DROPPED_ELEMENT = /<(script|style|template|svg|noscript|head)\b[\s\S]*?<\/\1\s*>/gi;

/**
 * HTML in markdown reduced to what a text may contain: images and links become markdown, scripts, styles and comments go, and of other
 * elements and of components that HTML does not know what is within remains. Code stays as it is.
 *
 * @param note Is told the name of each element that is left out with everything within it, and of each component without text; and its source.
 */
export function reduceHtml(text: string, note: (name: string, source: string) => void): string {
  if (!/<[!/A-Za-z]/.test(text)) return text;
  const source = outsideCode(escapePlaceholders(text), (prose) => withoutDropped(prose, note).replace(EMPTY_COMPONENT, '<$1$2/>'));
  const edits: TextEdit[] = [];
  const visit = (parent: Nodes): void => {
    if (!('children' in parent)) return;
    /** Links that are open among the children: where their address is written when they end. */
    const open: string[] = [];
    const isFlow =
      parent.type === 'root' || parent.type === 'blockquote' || parent.type === 'listItem' || parent.type === 'footnoteDefinition';
    for (const node of parent.children) {
      if (node.type !== 'html') {
        visit(node);
        continue;
      }
      const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
      const markup = source.slice(start, end);
      const tag = isFlow ? undefined : firstTag(markup);
      if (tag?.name.toLowerCase() === 'a' && !tag.isClosing && tag.attributes.has('href')) {
        open.push(tag.attributes.get('href') ?? '');
        edits.push({ start, end, text: `${markOf(tag)}[` });
      } else if (tag?.name.toLowerCase() === 'a' && tag.isClosing) {
        const address = open.pop();
        edits.push({ start, end, text: address === undefined ? '' : `](${destination(address)})` });
      } else edits.push({ start, end, text: reduceMarkup(markup, isFlow, note) });
    }
  };
  visit(parseMarkdownOnce(source));
  return applyEdits(source, edits);
}

function withoutDropped(markup: string, note: (name: string, source: string) => void): string {
  return markup.replace(DROPPED_ELEMENT, (element, name: string) => {
    note(name.toLowerCase(), element.slice(0, element.indexOf('>') + 1));
    return '';
  });
}

/** A component with nothing between its tags. */
const EMPTY_COMPONENT = /<([A-Z][\w.]*|[a-z]+-[\w-]+)((?:\s[^<>]*)?)>\s*<\/\1\s*>/g;

/** Elements whose content stays HTML, in which markdown has no meaning. */
const HTML_BLOCK = /<(?:table|ul|ol|dl|pre|figure|h[2-6]|blockquote)\b/i;

function reduceMarkup(markup: string, isFlow: boolean, note: (name: string, source: string) => void): string {
  const shown = replaceEnclosed(withoutDropped(markup, note), '<!--', '-->', () => '');
  const staysHtml = isFlow && HTML_BLOCK.test(shown);
  const reduced = replaceTags(shown, (tag) => reduceTag(tag, staysHtml, isFlow, note));
  // Indentation within HTML would be code in markdown.
  const flat = isFlow && !/<pre\b/i.test(reduced) ? reduced.replace(/^[ \t]{1,40}(?=\S)/gm, '') : reduced;
  return staysHtml
    ? flat
    : flat
        .replace(/<a href="([^"<\n]*)">((?:(?!<a\b)[^\n])*?)<\/a>/g, (_, address: string, label: string) =>
          label.trim() === '' ? '' : link(label.trim(), address),
        )
        .replace(/<\/?a(?:\s[^<>]*)?>/g, '');
}

function firstTag(markup: string): Tag | undefined {
  let first: Tag | undefined;
  replaceTags(markup, (tag) => {
    first ??= tag;
    return '';
  });
  return first;
}

/** The anchor that a tag gives its place. */
function markOf({ name, isClosing, attributes }: Tag): string {
  const id = attributes.get('id') ?? (name.toLowerCase() === 'a' ? attributes.get('name') : undefined);
  return isClosing || id === undefined || id === '' ? '' : anchorMark(id);
}

/** A text with `replace` in the place of every tag. */
function replaceTags(markup: string, replace: (tag: Tag) => string): string {
  let result = '';
  let at = 0;
  for (let start = markup.indexOf('<'); start !== -1; start = markup.indexOf('<', Math.max(at, start + 1))) {
    const [tag, slash = '', name = '', attributes = ''] = TAG.exec(markup.slice(start, start + TAG_MAX_LENGTH)) ?? [];
    if (tag === undefined) continue;
    const isSelfClosing = tag.endsWith('/>');
    result += markup.slice(at, start);
    result += replace({ tag, name, isClosing: slash !== '', isSelfClosing, attributes: readAttributes(attributes.replace(/\/$/, '')) });
    at = start + tag.length;
  }
  return result + markup.slice(at);
}

interface Tag {
  readonly tag: string;
  readonly name: string;
  readonly isClosing: boolean;
  readonly isSelfClosing: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

function reduceTag(whole: Tag, staysHtml: boolean, isFlow: boolean, note: (name: string, tag: string) => void): string {
  const { tag, name, isClosing, isSelfClosing, attributes } = whole;
  const element = name.toLowerCase();
  const mark = markOf(whole);
  if (element === 'a') return attributes.has('href') ? `${mark}<a href="${attributes.get('href')}">` : isClosing ? '</a>' : mark;
  if (element === 'img') {
    const source = attributes.get('src') ?? attributes.get(':src') ?? '';
    if (source === '') return '';
    return staysHtml
      ? `<img src="${source}" alt="${attributes.get('alt') ?? ''}">`
      : image(attributes.get('alt') ?? '', source, attributes.get('title'));
  }
  if (element === 'iframe' || element === 'video') {
    const source = attributes.get('src');
    return isClosing || source === undefined
      ? ''
      : `\n\n${link(escapeText(attributes.get('title') ?? (element === 'video' ? 'Video' : 'Embedded page')), source)}\n\n`;
  }
  if (name !== element || name.includes('-')) {
    // A component, which HTML does not know.
    if (isSelfClosing && mark === '') note(name, tag);
    return isFlow && !isSelfClosing ? `${mark}\n\n` : mark;
  }
  if (element === 'h1') return isClosing ? '</h2>' : `${mark}<h2>`;
  if (element === 'p' || element === 'div' || element === 'section') return `${mark}\n`;
  if (!KEPT.has(element) || (isSelfClosing && element !== 'br' && element !== 'hr')) return mark;
  const kept = [...attributes]
    .filter(([key]) => KEPT_ATTRIBUTES.has(key))
    .map(([key, value]) => (value === '' ? ` ${key}` : ` ${key}="${value}"`));
  return `${mark}<${isClosing ? '/' : ''}${element}${isClosing ? '' : kept.join('')}>`;
}

function readAttributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, key = '', ...values]) => [key, values.find((value) => value !== undefined) ?? '']));
}
