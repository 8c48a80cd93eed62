import type { Element, ElementContent } from 'hast';
import { element, elementsOf, hasClass, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';
import { classesOf } from './theme-markup.ts';

/** What styles of Google Docs say that elements of HTML could. */
const MARKS: readonly (readonly [tag: string, style: RegExp])[] = [
  ['code', /font-family:"?(?:Courier New|Roboto Mono|Source Code Pro|Consolas)/],
  ['del', /text-decoration:line-through/],
  ['em', /font-style:italic/],
  ['strong', /font-weight:(?:bold|[7-9]00)/],
];

/** Gives a page the elements for which its editor has classes and styles alone. */
export function restoreElements(all: readonly Element[]): void {
  for (const node of all) if (hasClass(node, /^kg-/)) restoreCard(node);
  restoreGoogleDocs(all);
}

/** Cards of Ghost: of a link around several parts, the title is the link; a player shows what it plays, without its clock. */
function restoreCard(card: Element): void {
  const all = elementsOf(card);
  const part = (name: RegExp): Element | undefined => all.find((one) => hasClass(one, name));
  const title = part(/^kg-(?:bookmark|file-card|audio)-title$/);
  const words = part(/^kg-(?:bookmark-description|file-card-caption)$/);
  const audio = all.find(({ tagName }) => tagName === 'audio');
  if (hasClass(card, /^kg-(?:bookmark|file-card)-container$/) && title !== undefined) {
    const link = element('a', title.children, { href: stringOf(card, 'href') ?? '' });
    Object.assign(card, element('div', [element('p', [link]), element('p', words?.children ?? [])]));
  } else if (hasClass(card, /^kg-audio-card$/) && audio !== undefined)
    card.children = [{ ...audio, properties: { ...audio.properties, controls: true, title: title === undefined ? '' : textOf(title) } }];
  else if (hasClass(card, /^kg-(?:video-player-container|callout-emoji)$/)) card.properties['hidden'] = true;
}

/** Gives a document of Google Docs its titles, marks, lists in lists and footnotes. Comments go. */
function restoreGoogleDocs(all: readonly Element[]): void {
  const body = all.find(({ tagName }) => tagName === 'body');
  if (body === undefined || !hasClass(body, /^doc-content$/)) return;
  const css = all.flatMap((node) => (node.tagName === 'style' ? textOf(node) : [])).join('\n');
  const styles = new Map([...css.matchAll(/\.(c\d+)\{([^{}]*)\}/g)].map(([, name = '', style = '']) => [name, style]));
  for (const node of all) {
    if (hasClass(node, /^title$/)) node.tagName = 'h1';
    if (/^#cmnt/.test(stringOf(node, 'href') ?? '')) node.properties['hidden'] = true;
  }
  for (const node of [body, ...elementsOf(body)]) {
    if (/^(?:p|li|h[1-6])$/.test(node.tagName)) markWords(node, (name) => styles.get(name) ?? '');
    node.children = nestLists(node.children);
    const [note] = node.tagName === 'div' ? elementsOf(node).filter(({ tagName }) => tagName === 'a') : [];
    const [kind] = /^(?:ftnt|cmnt)(?=\d)/.exec(stringOf(note, 'id') ?? '') ?? [];
    if (note === undefined || kind === undefined) continue;
    node.properties = kind === 'cmnt' ? { hidden: true } : { className: ['footnote'], id: note.properties['id'] ?? '' };
    note.children = [];
    const at = body.children.indexOf(node) - 1;
    const rule = body.children[at];
    if (isElement(rule) && rule.tagName === 'hr') body.children.splice(at, 1);
  }
}

function markWords(node: Element, styleOf: (name: string) => string): void {
  const joined: Element[] = [];
  const elements = node.children.filter(isElement);
  const isTight = elements.length === node.children.length;
  for (const child of elements) {
    const last = joined.at(-1);
    const isSame = isTight && last?.tagName === 'span' && child.tagName === 'span' && classesOf(last).join() === classesOf(child).join();
    if (isSame) last.children.push(...child.children);
    else joined.push(child);
  }
  if (isTight) node.children = joined;
  for (const span of joined) {
    const style = classesOf(span).map(styleOf).join(';');
    const words = textOf(span);
    const tags = MARKS.filter(([tag, mark]) => mark.test(style) && !(tag === 'strong' && /^h/.test(node.tagName)));
    if (span.tagName !== 'span' || words.trim() === '' || tags.length === 0) continue;
    const [first, last] = [span.children[0], span.children.at(-1)];
    if (first?.type === 'text') first.value = first.value.trimStart();
    if (last?.type === 'text') last.value = last.value.trimEnd();
    const marked = tags.reduce<ElementContent[]>((children, [tag]) => [element(tag, children)], span.children);
    span.children = [text(words.slice(0, -words.trimStart().length)), ...marked, text(words.slice(words.trimEnd().length))];
  }
}

function nestLists(children: readonly ElementContent[]): ElementContent[] {
  const kept: ElementContent[] = [];
  let open: Element[] = [];
  for (const child of children) {
    const name = isElement(child) ? classesOf(child).find((one) => /^lst-.*-\d$/.test(one)) : undefined;
    const depth = Number(name?.at(-1));
    const parent = open[depth - 1]?.children.filter(isElement).at(-1);
    const same = open[depth];
    if (name === undefined || !isElement(child)) open = [];
    else if (same !== undefined && classesOf(same).includes(name)) {
      same.children.push(...child.children);
      open = open.slice(0, depth + 1);
      continue;
    } else {
      open = [...open.slice(0, depth), child];
      if (parent !== undefined) {
        parent.children.push(child);
        continue;
      }
    }
    kept.push(child);
  }
  return kept;
}

/** Notion writes each item of a list as a list of its own. */
export function joinItems(content: readonly ElementContent[]): ElementContent[] {
  const joined: ElementContent[] = [];
  let [list, next] = [undefined as Element | undefined, 0];
  for (const child of content) {
    const isItem = isElement(child) && /^[uo]l$/.test(child.tagName) && child.children.filter(isElement).length === 1;
    if (isItem && list?.tagName === child.tagName && (child.tagName === 'ul' || Number(child.properties['start']) === next)) {
      list.children.push(...child.children);
      next += 1;
      continue;
    }
    joined.push(child);
    if (isElement(child) ? child.tagName === 'akg-anchor' : child.type === 'text' && child.value.trim() === '') continue;
    list = isItem ? child : undefined;
    next = Number(list?.properties['start'] ?? 1) + 1;
  }
  return joined;
}
