import { diffArrays } from 'diff';
import type { Element, ElementContent, RootContent } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toHtml } from 'hast-util-to-html';
import { element, text } from '../../text/html-tree.ts';

/** Longest that two texts are compared, in milliseconds: texts without anything in common take minutes. */
const COMPARING_MAX_MS = 2_000;

/** Parents whose children are elements: removed words wait for the next cell, item or block. */
const WITHOUT_TEXT = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'ul', 'ol', 'dl']);

const ATOMIC = new Set(['svg', 'math', 'img', 'button', 'picture', 'video', 'iframe', 'br', 'hr', 'input']);

/** White space, a word with what joins its parts, or other characters. */
const WORD = /\s+|[\p{L}\p{N}_]+(?:['’./-][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}_]+/gu;

const BLOCK = /^(?:p|li|td|th|h[1-6]|pre|blockquote|dt|dd|div|figure)$/;

/** A word, white space, an element that is compared as a whole, or the beginning or end of another. */
type Token = { readonly key: string } & (
  | { readonly opens: Element }
  | { readonly closes: string }
  | { readonly word: string }
  | { readonly whole: Element }
);

/**
 * What has changed between two rendered texts, as HTML: the blocks of the later one that differ, below their headings, with `<ins>` around the
 * words that it has gained and `<del>` around those that it has lost. Numbers of sources and their notes are left out, because each change of
 * the sources moves them, and links of headings.
 *
 * @returns Empty if no word differs; `undefined` if comparing takes too long.
 */
export function markChanges(earlier: string, later: string): string | undefined {
  const [before, after] = [tokensOf(earlier), tokensOf(later)];
  const changes = diffArrays(before, after, { comparator: (a, b) => a.key === b.key, timeout: COMPARING_MAX_MS });
  if (changes === undefined) return undefined;
  const root = element('div', []);
  const open: Element[] = [root];
  // Removed words for which the open element has no place.
  let waiting = '';
  const append = (words: string, tagName: '' | 'ins' | 'del'): void => {
    const parent = open.at(-1) ?? root;
    if (WITHOUT_TEXT.has(parent.tagName)) {
      if (tagName === 'del') waiting += words;
      return;
    }
    if (waiting.trim() !== '') addText(parent.children, waiting, 'del');
    waiting = '';
    if (words !== '') addText(parent.children, words, tagName);
  };
  for (const { added, removed, value } of changes)
    for (const token of value) {
      const { children } = open.at(-1) ?? root;
      if (removed) {
        if ('word' in token) append(token.word, 'del');
        else if ('closes' in token && BLOCK.test(token.closes)) append(' ', 'del');
      } else if ('opens' in token) {
        const opened = { ...token.opens, children: [] };
        children.push(opened);
        open.push(opened);
      } else if ('closes' in token) {
        append('', '');
        open.pop();
      } else if ('whole' in token) children.push(token.whole);
      else append(token.word, added ? 'ins' : '');
    }
  append('', '');
  return toHtml(changedBlocks(root.children));
}

function tokensOf(html: string): Token[] {
  const tokens: Token[] = [];
  const add = (node: RootContent): void => {
    if (node.type === 'text') for (const [word] of node.value.matchAll(WORD)) tokens.push({ key: word.trim() || ' ', word });
    if (node.type !== 'element' || isOfPage(node)) return;
    const { tagName, properties, children } = node;
    if (ATOMIC.has(tagName)) {
      tokens.push({ key: toHtml(node), whole: node });
      return;
    }
    const { id: _id, ...shown } = properties;
    tokens.push({ key: `<${tagName} ${shown['href'] ?? ''}>`, opens: { ...node, properties: shown, children: [] } });
    children.forEach(add);
    tokens.push({ key: `</${tagName}>`, closes: tagName });
  };
  fromHtml(html, { fragment: true }).children.forEach(add);
  return tokens;
}

/** Whether an element is a number of a source, the note about it, or what only readers of a page need, such as the link of a heading. */
function isOfPage({ tagName, properties }: Element): boolean {
  const classes = [properties['className']].flat();
  if (properties['dataMarkdownIgnore'] !== undefined) return true;
  return (tagName === 'aside' && classes.includes('notes')) || (tagName === 'sup' && classes.includes('ref'));
}

function addText(children: ElementContent[], value: string, tagName: '' | 'ins' | 'del'): void {
  const last = children.at(-1);
  const [inner] = last?.type === 'element' && last.tagName === tagName ? last.children : [last];
  if (inner?.type === 'text' && (tagName === '' ? last === inner : last !== inner)) inner.value += value;
  else children.push(tagName === '' ? text(value) : element(tagName, [text(value)]));
}

function changedBlocks(blocks: readonly ElementContent[]): ElementContent[] {
  const shown: ElementContent[] = [];
  let heading: ElementContent | undefined;
  let isOmitting = false;
  for (const block of blocks) {
    if (block.type === 'element' && /^h[1-6]$/.test(block.tagName)) heading = block;
    if (!hasChange(block)) {
      isOmitting ||= block.type === 'element' && block !== heading;
      continue;
    }
    if (isOmitting) shown.push(element('p', [text('[…]')], { className: ['soft'] }));
    isOmitting = false;
    if (heading !== undefined && heading !== block) shown.push(heading);
    heading = undefined;
    shown.push(block);
  }
  return shown;
}

function hasChange(node: ElementContent): boolean {
  if (node.type !== 'element') return false;
  return node.tagName === 'ins' || node.tagName === 'del' ? toHtml(node.children).trim() !== '' : node.children.some(hasChange);
}
