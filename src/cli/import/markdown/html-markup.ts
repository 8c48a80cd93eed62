import type { Root } from 'mdast';
import { parseMarkdownOnce, walk } from '../../../text/markdown/markdown-tree.ts';
import { admonitionKind, escapeText, image, link } from './markdown-forms.ts';
import { anchorMark, escapePlaceholders } from './prose-syntax.ts';
import { applyEdits, outsideCode, replaceEnclosed, type TextEdit } from './text-edits.ts';

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

/** A component with nothing between its tags. */
const EMPTY_COMPONENT = /<([A-Z][\w.]*|[a-z]+-[\w-]+)((?:\s[^<>]*)?)>\s*<\/\1\s*>/g;

/**
 * HTML in markdown reduced to what a text may contain: images and links become markdown, scripts, styles and comments go, and of other
 * elements and of components that HTML does not know what is within remains.
 *
 * @param note Is told the name of each element that is left out with everything within it, and of each component without text; and its source.
 */
export function reduceHtml(text: string, note: (name: string, source: string) => void): string {
  if (!/<[!/A-Za-z]/.test(text)) return text;
  const source = outsideCode(escapePlaceholders(text), (prose) =>
    withoutDropped(prose, note).replace(EMPTY_COMPONENT, (_, name: string, attributes: string) => `<${name}${attributes}/>`),
  );
  const root: Root = parseMarkdownOnce(source);
  const edits: TextEdit[] = [];
  walk(root, (node) => {
    if (node.type !== 'html') return;
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    edits.push({ start, end, text: reduceMarkup(source.slice(start, end), note) });
  });
  return applyEdits(source, edits)
    .replace(/<a href="([^"<\n]*)">((?:(?!<a\b)[^[\]\n])*?)<\/a>/g, (_, address: string, label: string) =>
      label.trim() === '' ? '' : link(label.trim(), address),
    )
    .replace(/<\/?a(?:\s[^<>]*)?>/g, '');
}

function withoutDropped(markup: string, note: (name: string, source: string) => void): string {
  return markup.replace(DROPPED_ELEMENT, (element, name: string) => {
    note(name.toLowerCase(), element.slice(0, element.indexOf('>') + 1));
    return '';
  });
}

function reduceMarkup(markup: string, note: (name: string, source: string) => void): string {
  const isBlock = markup.includes('\n');
  const shown = replaceEnclosed(withoutDropped(markup, note), '<!--', '-->', () => '');
  const reduced = replaceTags(shown, (tag) => reduceTag(tag, note));
  // Indentation within HTML would be code in markdown.
  return isBlock && !/<pre\b/i.test(reduced) ? reduced.replace(/^[ \t]{1,40}(?=\S)/gm, '') : reduced;
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

function reduceTag({ tag, name, isClosing, isSelfClosing, attributes }: Tag, note: (name: string, tag: string) => void): string {
  const element = name.toLowerCase();
  const id = attributes.get('id') ?? (element === 'a' ? attributes.get('name') : undefined);
  const mark = isClosing || id === undefined || id === '' ? '' : anchorMark(id);
  const isComponent = name !== element || name.includes('-');
  if (!isComponent || element === 'img') {
    if (element === 'a') return attributes.has('href') ? `${mark}<a href="${attributes.get('href')}">` : isClosing ? '</a>' : mark;
    if (element === 'img') {
      const source = attributes.get('src') ?? attributes.get(':src') ?? '';
      return source === '' ? '' : image(attributes.get('alt') ?? '', source, attributes.get('title'));
    }
    if (element === 'iframe' || element === 'video') {
      const source = attributes.get('src');
      return isClosing || source === undefined
        ? ''
        : `\n\n${link(escapeText(attributes.get('title') ?? (element === 'video' ? 'Video' : 'Embedded page')), source)}\n\n`;
    }
    if (element === 'h1' && !isClosing) return `${mark}<h2>`;
    if (element === 'h1') return '</h2>';
    if (element === 'p' || element === 'div' || element === 'section') return `${mark}\n`;
    if (!KEPT.has(element) || (isSelfClosing && element !== 'br' && element !== 'hr')) return mark;
    const kept = [...attributes]
      .filter(([key]) => KEPT_ATTRIBUTES.has(key))
      .map(([key, value]) => (value === '' ? ` ${key}` : ` ${key}="${value}"`));
    return `${mark}<${isClosing ? '/' : ''}${element}${isClosing ? '' : kept.join('')}>`;
  }
  return reduceComponent({ tag, name, isClosing, isSelfClosing, attributes }, mark, note);
}

/** The tag of a component of Vue or of an MDX file that does not parse: its label, or nothing. */
function reduceComponent(
  { tag, name, isClosing, isSelfClosing, attributes }: Tag,
  mark: string,
  note: (name: string, tag: string) => void,
): string {
  const value = (...names: readonly string[]): string | undefined =>
    names.map((key) => attributes.get(key)).find((text) => text !== undefined && text !== '');
  const kind = /^[A-Z]/.test(name) ? admonitionKind(name) : undefined;
  if (kind !== undefined && !isSelfClosing) {
    const title = value('title');
    return isClosing ? '\n\n:::\n\n' : `\n\n:::${kind}${title === undefined ? '' : `[${title}]`}\n\n`;
  }
  if (isClosing) return name === 'Badge' ? '' : '\n\n';
  if (name === 'Badge') return value('text') === undefined ? '' : `(${escapeText(value('text') ?? '')})`;
  const label = value('title', 'label', 'header', 'text', 'name');
  const address = value('href', 'link', 'to');
  if (label !== undefined) return `${mark}\n\n**${link(escapeText(label), address)}**\n\n`;
  if (isSelfClosing && mark === '') note(name, tag);
  return isSelfClosing ? mark : `${mark}\n\n`;
}

function readAttributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, key = '', ...values]) => [key, values.find((value) => value !== undefined) ?? '']));
}
