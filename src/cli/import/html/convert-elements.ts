import type { Element, ElementContent } from 'hast';
import { element, elementsOf, hasClass, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';
import { TAB } from '../../../text/markdown/admonition-lines.ts';
import { decoded } from '../../../text/markdown/resolve-links.ts';
import { type Grade, isImage, isLink } from '../conversion-losses.ts';
import { codeBlockOf, codeInfo } from './code-blocks.ts';
import { DETAILS, table } from './html-to-mdast-handlers.ts';
import { joinItems } from './restore-elements.ts';
import {
  absolute,
  admonitionOf,
  classesOf,
  drawingOf,
  type footnotesOf,
  formulaOf,
  isDropped,
  isOpener,
  isTabLabel,
  lineOf,
  rowsOf,
  tabLabels,
  tabPanels,
  withoutDropped,
  wordCount,
} from './theme-markup.ts';

export interface Context extends ReturnType<typeof footnotesOf> {
  readonly base: string;
  readonly origin: string;
  readonly hasFormulas: boolean;
  /** What the page shows that a text cannot have, each with its line in the page. */
  readonly notes: { readonly line: number; readonly message: string; readonly grade?: Grade }[];
  /** Whether it is in a table, where a caption must be words: an image there is no figure, and code has no title. */
  readonly isInTable?: boolean;
}

/** The elements of a page as those that markdown of this engine can write. */
export function contentOf(children: readonly ElementContent[], context: Context): ElementContent[] {
  const content: ElementContent[] = [];
  let last: Element | undefined;
  for (let index = 0; index < children.length; index += 1) {
    const child = children[index];
    if (child?.type === 'text') content.push(...(context.hasFormulas ? formulasIn(child.value) : [child]));
    if (!isElement(child) || context.lists.has(child)) continue;
    const before = last;
    last = child;
    let next = index + 1;
    while (children[next]?.type === 'text') next += 1;
    const panel = children[next];
    const tabs = tabLabels(child);
    const panels = tabs.length === 0 ? undefined : tabPanels(children.slice(index + 1), tabs.length);
    if (isElement(panel) && isOpener(child, panel)) {
      content.push(details([text(lineOf(child))], contentOf(panel.children, context), context));
      index = next;
    } else if (isTabLabel(child, before)) {
      const isBehind = isElement(panel) && /^(?:div|section)$/.test(panel.tagName);
      content.push(tabOf(contentOf(child.children, context), isBehind ? contentOf([panel], context) : [], context));
      if (isBehind) index = next;
    } else if (panels !== undefined) {
      index += panels.siblings;
      for (const [at, { properties, ...found }] of panels.found.entries()) {
        const shown = { ...found, properties: { className: properties['className'] ?? [] } };
        content.push(tabOf(contentOf(tabs[at]?.children ?? [], context), contentOf([shown], context), context));
      }
    } else if (child.tagName === 'noscript' && before?.tagName === 'img' && imageOf(before, context).length === 0)
      content.push(...contentOf(child.children, context));
    else content.push(...convert(child, context));
  }
  return joinItems(content);
}

/** Formulas of LaTeX that a script of MathJax or KaTeX finds in a text by their delimiters. */
function formulasIn(value: string): ElementContent[] {
  const parts = value.split(/(\\\((?:(?!\\[()])[\s\S])+\\\)|\\\[(?:(?!\\[[\]])[\s\S])+\\\]|\$\$(?:(?!\$\$)[\s\S])+\$\$)/);
  return parts.map((part, at) =>
    at % 2 === 0 ? text(part) : element('akg-math', [text(part.slice(2, -2).trim())], { dataDisplay: String(!part.startsWith('\\(')) }),
  );
}

/** Below this many words a part that is left out is no loss: the name of a button, a breadcrumb. */
export const LEFT_OUT_WORDS_MIN = 40;

function convert(node: Element, context: Context): ElementContent[] {
  if (isDropped(node)) return dropped(node, context);
  // A button among words is one that they speak about.
  if (/^(?:p|li|td|dd)$/.test(node.tagName) && node.children.some((child) => child.type === 'text' && wordCount(child.value) > 0))
    for (const child of node.children)
      if (isElement(child) && child.tagName === 'button' && !hasClass(child, /copy|clip/i)) child.tagName = 'span';
  const id = stringOf(node, 'id') ?? (node.tagName === 'a' ? stringOf(node, 'name') : undefined);
  const mark = id === undefined || id === '' || id.startsWith('__codelineno') ? [] : [element('akg-anchor', [], { dataId: id })];
  const anchors: Anchors = { mark, place: mark.length > 0 ? [here(id)] : [] };
  return ofMarkup(node, context, anchors) ?? BY_NAME.get(node.tagName)?.(node, context, anchors) ?? withContent(node, context, anchors);
}

/** Where links to the id of an element lead; empty without an id. */
interface Anchors {
  /** To the element, and to a heading that begins with it. */
  readonly mark: readonly Element[];
  /** To the section that the element stands in, and to no heading below. */
  readonly place: readonly Element[];
}

function dropped(node: Element, { notes }: Context): ElementContent[] {
  const note = (message: string): void => void notes.push({ line: node.position?.start.line ?? 1, message });
  const drawing = drawingOf(node);
  if (drawing !== undefined) return [drawing];
  const words = wordCount(textOf(node));
  const named = [node.tagName, ...(classesOf(node).length === 0 ? [] : [`class="${classesOf(node).join(' ')}"`])].join(' ');
  if (/^(?:canvas|form)$/.test(node.tagName)) note(`shows a ${node.tagName === 'form' ? 'form' : 'drawing'}, which is left out`);
  else if (words >= LEFT_OUT_WORDS_MIN && !/^(?:script|style|template|noscript|nav|footer|svg)$/.test(node.tagName))
    note(`shows <${named}> with ${words} words, which is left out as a part of the site's frame`);
  return /^(?:input|button|select|textarea)$/.test(node.tagName) ? [text(' ')] : [];
}

/** What scripts and styles show by classes and attributes; `undefined` for an element that is what its name says. */
function ofMarkup(node: Element, context: Context, { mark, place }: Anchors): ElementContent[] | undefined {
  const formula = formulaOf(node);
  if (formula?.tex !== undefined) return [...mark, element('akg-math', [text(formula.tex)], { dataDisplay: String(formula.isDisplay) })];
  if (formula !== undefined) {
    context.notes.push({ line: node.position?.start.line ?? 1, message: 'shows a formula without its LaTeX; its characters stay as text' });
    return [text(formula.text)];
  }
  const code = codeBlockOf(node);
  // `toMdast` reads the settings behind the language.
  if (code !== undefined) {
    const title = context.isInTable === true && code.title !== undefined ? [element('p', [text(code.title)])] : [];
    return [...place, ...title, element('pre', [element('code', [text(`${code.text}\n`)], { dataInfo: codeInfo(code) })])];
  }
  if (hasClass(node, /^line-block$/)) {
    const lines = elementsOf(node).filter((line) => hasClass(line, /^line$/));
    return [
      element(
        'p',
        lines.flatMap((line, at) => [...(at === 0 ? [] : [element('br', [])]), ...contentOf(line.children, context)]),
      ),
    ];
  }
  if (hasClass(node, /^checkbox-o(?:n|ff)$/)) return [element('input', [], { type: 'checkbox', checked: hasClass(node, /^checkbox-on$/) })];
  // AsciiDoc: what the numbers in code say, in rows of a table.
  const [list, ...others] = hasClass(node, /^colist$/) ? node.children.filter(isElement).reverse() : [];
  const rows = (list === undefined ? [] : rowsOf(list)).map((row) => row.children.filter(isElement));
  if (rows.length > 0 && rows.every(({ length }) => length === 2)) {
    const items = rows.map(([, words]) => element('li', contentOf(words?.children ?? [], context)));
    return [...contentOf(others.reverse().map(titleInBold), context), element('ol', items)];
  }
  // Style sheets of docutils write the colon before the type of a term.
  if (hasClass(node, /^classifier$/)) return [text(' : '), ...contentOf(node.children, context)];
  const aside = admonitionOf(node);
  if (aside === undefined) return undefined;
  const body = contentOf(aside.children, context);
  return [aside.isDetails ? details(aside.title, body, context) : box(aside.kind, contentOf(aside.title, context), body)];
}

/** @returns `undefined` for an element that keeps its name, with its content converted. */
type Conversion = (node: Element, context: Context, anchors: Anchors) => ElementContent[] | undefined;

/** Conversions of elements by their names. */
const BY_NAME: ReadonlyMap<string, Conversion> = new Map(
  Object.entries<Conversion>({
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, headingOf])),
    ...Object.fromEntries(['iframe', 'video', 'audio', 'embed', 'object'].map((name) => [name, embedded])),
    ...{
      img: imageOf,
      figure,
      picture: pictureOf,
      label: labelOf,
      li: itemOf,
      blockquote: quotationOf,
      div: divisionOf,
      section: divisionOf,
    },
    ...{ code: linkedCode, tt: linkedCode },
    a: (node, context, { mark }) => [...mark, ...linkOf(node, context)],
    sup: (node, context) => {
      const children = contentOf(node.children, context);
      const references = children.filter((child) => isElement(child) && child.tagName === 'akg-reference');
      return references.length > 0 ? references : [{ ...node, children }];
    },
    details: (node, context, { mark }) => {
      const summary = node.children.filter(isElement).find(({ tagName }) => tagName === 'summary');
      const rest = node.children.filter((child) => child !== summary);
      return [details(summary?.children ?? [text('Details')], [...mark, ...contentOf(rest, context)], context)];
    },
    figcaption: (node, context) => [
      element(elementsOf(node).some(({ tagName }) => BLOCK.test(tagName)) ? 'div' : 'p', contentOf(node.children, context)),
    ],
    table: (node, context, { place }) => [...place, ...table(node, contentOf(node.children, { ...context, isInTable: true }))],
    dt: (node, _, { mark }) =>
      hasClass(node, /^sig$/) ? [{ ...node, children: [...mark, element('code', [text(lineOf(withoutDropped(node)))])] }] : undefined,
  }),
);

/** An element that keeps its name, with its content converted, after its anchor. */
function withContent(node: Element, context: Context, { mark, place }: Anchors): ElementContent[] {
  const { tagName } = node;
  if (hasClass(node, /^(?:material-icons|fa|fas|fab|icon)$/) && /^(?:i|span)$/.test(tagName) && elementsOf(node).length === 0) return [];
  const children = contentOf(node.children, /^(?:code|tt)$/.test(tagName) ? { ...context, hasFormulas: false } : context);
  if (tagName === 'span') return [...mark, ...children];
  if (!WITHOUT_OWN_TEXT.test(tagName)) return [{ ...node, children: [...mark, ...children] }];
  return [...(CELL_PARENT.test(tagName) ? [] : place), { ...node, children }];
}

function headingOf(node: Element, context: Context, { mark }: Anchors): ElementContent[] {
  const words = contentOf(node.children, context).filter((child) => !(isElement(child) && child.tagName === 'br'));
  // Docusaurus puts a sign before the title of a card.
  const signed = hasClass(node, /^cardTitle/) ? words : [];
  for (const child of signed) if (child.type === 'text') child.value = child.value.replace(CARD_SIGN, '');
  // A heading as a whole may lead to itself, or back to the list of contents.
  const leads = (child: ElementContent): child is Element => isElement(child) && /^#/.test(stringOf(child, 'href') ?? '');
  const heading = words.flatMap((child) => (leads(child) && lineOf(child) === lineOf(element('p', words)) ? child.children : [child]));
  if (!isBlank(heading)) return [{ ...node, children: [...heading, ...mark] }];
  return elementsOf(element('p', heading)).some(isImage) ? [element('p', heading)] : [];
}

function pictureOf(node: Element, context: Context, { mark }: Anchors): ElementContent[] {
  const all = [isImage, ({ tagName }: Element) => tagName === 'source'].flatMap((isOne) => elementsOf(node).filter(isOne));
  const alt = all.map((one) => stringOf(one, 'alt')).find((words) => words) ?? '';
  const found = all.map((one) => imageOf({ ...one, properties: { ...one.properties, alt } }, context));
  const others = node.children.filter((child) => !isElement(child) || !/^(?:img|source|noscript)$/.test(child.tagName));
  return [...mark, ...(found.find(({ length }) => length > 0) ?? []), ...contentOf(others, context)];
}

function labelOf(node: Element, context: Context, { mark }: Anchors): ElementContent[] {
  // A box that opens what follows it, without a script.
  const at = node.children.findIndex((child) => isElement(child) && child.properties['type'] === 'checkbox');
  const [summary, body] = [node.children.slice(0, Math.max(0, at)), node.children.slice(at + 1)];
  if (!isBlank(summary) && body.some((child) => isElement(child) && child.tagName === 'div'))
    return [details(summary, contentOf(body, context), context)];
  // A checkbox begins the text of its list item only if nothing is around it.
  return [...mark, ...contentOf(node.children, context)];
}

function itemOf(node: Element, context: Context): ElementContent[] | undefined {
  // The name of a folder in a tree.
  const [opener, list] = node.children.filter(isElement);
  if (opener?.tagName === 'button' && list?.tagName === 'ul') opener.tagName = 'span';
  if (node.properties['dataInlineTaskId'] === undefined) return undefined;
  const box = element('input', [], { type: 'checkbox', checked: hasClass(node, /^checked$/) });
  return [{ ...node, children: [box, ...contentOf(node.children, context)] }];
}

/** docutils writes an indented list as a quotation. */
function quotationOf(node: Element, context: Context, { place }: Anchors): ElementContent[] | undefined {
  const parts = node.children.flatMap((child) => (isElement(child) && child.tagName === 'div' ? child.children : [child]));
  const quoted = parts.filter((child) => child.type !== 'text' || child.value.trim() !== '');
  const isList = quoted.length > 0 && quoted.every((child) => isElement(child) && /^[uo]l$/.test(child.tagName));
  return isList ? [...place, ...contentOf(quoted, context)] : undefined;
}

function divisionOf(node: Element, context: Context, { mark, place }: Anchors): ElementContent[] {
  if (hasClass(node, /^imageblock$/)) {
    const parts = node.children.map((child) => (isElement(child) && isTitle(child) ? { ...child, tagName: 'figcaption' } : child));
    return [...mark, ...figure({ ...node, children: parts }, context)];
  }
  const children = contentOf(hasClass(node, TITLED) ? node.children.map(titleInBold) : node.children, context);
  const first = children.find((child) => child.type !== 'text' || child.value.trim() !== '');
  const isHeaded = isElement(first) && /^h[1-6]$/.test(first.tagName);
  if (isHeaded) first.children.push(...mark);
  return [{ ...node, properties: {}, children: isHeaded ? children : [...place, ...children] }];
}

/** Code with links, in parts: markdown has no links in code. */
function linkedCode(code: Element, context: Context, { mark }: Anchors): ElementContent[] | undefined {
  if (!elementsOf(code).some(isLink)) return undefined;
  const parts: ElementContent[] = [];
  let words = '';
  const take = (): void => {
    if (words !== '') parts.push(words.trim() === '' ? text(words) : element('code', [text(words)]));
    words = '';
  };
  const visit = (node: Element): void => {
    for (const child of node.children) {
      if (child.type === 'text') words += child.value;
      else if (!isElement(child) || isDropped(child)) continue;
      else if (isLink(child) && textOf(child).trim() !== '') {
        take();
        parts.push(...linkOf({ ...child, children: [element('code', [text(textOf(child))])] }, context));
      } else visit(child);
    }
  };
  visit(code);
  take();
  return [...mark, ...parts];
}

const CARD_SIGN = /^(?:📄|🗃|🔗)\uFE0F?\s*/u;

/** Blocks of AsciiDoc, which may begin with a title. */
const TITLED = /^(?:[uodq]list|colist|hdlist|paragraph|(?:audio|example|listing|literal|open|quote|stem|verse|video)block)$/;

function isTitle(node: Element): boolean {
  const hasBlocks = elementsOf(node).some(({ tagName }) => BLOCK.test(tagName) || /^(?:div|h[1-6])$/.test(tagName));
  return hasClass(node, /^title$/) && !isBlank(node.children) && !hasBlocks;
}

function titleInBold(child: ElementContent): ElementContent {
  return isElement(child) && isTitle(child) ? element('p', [element('strong', child.children)]) : child;
}

/** An anchor of the section that it stands in, not of a heading below it. */
export function here(id: string | undefined): Element {
  return element('akg-anchor', [], { dataId: id ?? '', dataHere: 'true' });
}

const CELL_PARENT = /^(?:thead|tbody|tfoot|tr|body|html)$/;
const WITHOUT_OWN_TEXT = /^(?:[uod]l|table|thead|tbody|tfoot|tr|article|main|body|html|hgroup|header|blockquote|center)$/;

/** Stands for the number of a footnote, so that a space behind it stays. */
const JOINER = '\u2060';

/** Where a page of a repository is edited: themes link there from every page. */
const EDIT_LINK = /^https:\/\/(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/[^?#]*\/(?:edit|_edit|-\/edit)\//;

/** Characters that name a link whose only words are those of a whole card. */
const LINK_NAME_MAX = 100;

const shortened = (name: string): string =>
  name.length <= LINK_NAME_MAX ? name : `${name.slice(0, LINK_NAME_MAX).replace(/\s+\S*$/, '')}…`;

function linkOf(node: Element, context: Context): ElementContent[] {
  const href = stringOf(node, 'href');
  const target = href === undefined ? undefined : /#(.+)$/s.exec(href)?.[1];
  const footnote = target === undefined ? undefined : context.footnotes.get(decoded(target));
  if (footnote !== undefined) return [element('akg-reference', [text(JOINER)], { dataKey: footnote.key })];
  if (href !== undefined && EDIT_LINK.test(href) && textOf(node).trim() !== href && textOf(node).trim().split(/\s+/).length <= 6) return [];
  const children = contentOf(node.children, context);
  const whole = element('p', children);
  const inner = elementsOf(whole);
  const image = inner.some(({ tagName }) => tagName === 'img' || tagName === 'akg-math');
  // Among blocks, a picture becomes a link of its own, which needs a name.
  const picture = inner.find(isImage);
  if (picture?.properties['alt'] === '' && inner.some(({ tagName }) => /^(?:div|figure|figcaption|p|h[1-6])$/.test(tagName)))
    picture.properties['alt'] = shortened(lineOf(whole));
  if (isBlank(children) && !image) return children;
  // A button, or a link to nowhere but the top of the page.
  if (href === undefined || /^#?$/.test(href.trim())) return children;
  // Pictures with links stand side by side without a space.
  return [element('a', children, { href: addressOf(href, context) }), ...(image ? [text(' ')] : [])];
}

function addressOf(address: string, { base, origin }: Pick<Context, 'base' | 'origin'>): string {
  if (address.startsWith('#') || !URL.canParse(address.trim(), base)) return address;
  const url = new URL(address.trim(), base);
  // Google Docs leads readers through an address of Google.
  if (url.origin + url.pathname === 'https://www.google.com/url') return url.searchParams.get('q') ?? url.href;
  if (url.origin !== origin || !/^https?:$/.test(url.protocol)) return url.href;
  return new URL(base).pathname === url.pathname && url.hash !== '' ? url.hash : url.pathname + url.search + url.hash;
}

function imageOf(node: Element, { base, origin }: Context): ElementContent[] {
  const alt = stringOf(node, 'alt') ?? '';
  if (hasClass(node, /emoji|emoticon/i) && alt !== '') return [text(alt)];
  const set = [node.properties['srcSet'] ?? node.properties['dataSrcset'] ?? []].flat().join(',');
  const own = stringOf(node, 'src');
  const given = [stringOf(node, 'dataSrc') ?? stringOf(node, 'dataOriginal'), own, set.trim().split(/[\s,]+/)[0]];
  // Bundlers write small pictures into the page; the smallest GIF holds the place of a picture that a script loads.
  const inline = own !== undefined && /^data:image\/(?!gif)/.test(own) ? own : undefined;
  const source = given.find((one) => one !== undefined && !one.startsWith('data:')) || inline;
  if (!source || source.endsWith('#only-dark')) return [];
  const url = absolute(source, base);
  const src = url === undefined ? source : addressOf(url.replace(/#only-light$/, ''), { base, origin });
  const title = stringOf(node, 'title');
  const words = { alt: alt.replace(/\s+/g, ' ').trim(), ...(title === undefined ? {} : { title }) };
  const styled = /(?:^|;)\s*width:\s*(\d+(?:\.\d+)?)px/.exec(stringOf(node, 'style') ?? '')?.[1];
  const width = Math.round(Number(styled ?? node.properties['width']));
  // It counts readers, and shows them nothing.
  if (words.alt === '' && (width === 1 || /\/(?:matomo|piwik)\.php$/.test(url?.replace(/\?.*$/s, '') ?? ''))) return [];
  return [element('img', [], { src, ...words, ...(width > 0 && width <= LOGO_WIDTH_MAX ? { width } : {}) })];
}

/** Widest picture whose width is a part of it, in CSS pixels: of larger ones, pages write the size of the file. */
const LOGO_WIDTH_MAX = 200;

const BLOCK = /^(?:p|table|pre|[uod]l|blockquote)$/;

function figure(node: Element, context: Context): ElementContent[] {
  const caption = elementsOf(node).find(({ tagName }) => tagName === 'figcaption');
  const words = caption === undefined ? '' : lineOf(withoutDropped(caption));
  const shown = node.children.filter((child) => child !== caption);
  const content = contentOf(shown, context);
  const [image, another] = elementsOf(element('p', content)).filter(isImage);
  const isLine = caption === undefined || !elementsOf(caption).some(({ tagName }) => tagName !== 'p' && BLOCK.test(tagName));
  // One that is deeper within stands in its place already.
  const isOwn = caption !== undefined && shown.length < node.children.length;
  const isAlone = isBlank(content) || (!isOwn && lineOf(element('p', content)) === words);
  if (image !== undefined && another === undefined && isAlone && isLine && context.isInTable !== true) {
    if (words !== '') image.properties['title'] = words;
    return [element('p', isBlank(content) ? content : [image])];
  }
  if (!isOwn || words === '') return content;
  return [...content, isLine ? element('p', [text(words)]) : element('div', contentOf(caption.children, context))];
}

/** What a link to something that a page embeds is called, in any language: its file, or its site. */
export function nameOfEmbedded(address: string): string {
  const file =
    address
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  return decoded(/\.(?!php$|html?$)[a-z]\w+$/i.test(file) ? file : (/\/\/([^/]+)/.exec(address)?.[1] ?? address));
}

function embedded(node: Element, context: Context): ElementContent[] {
  // Without controls, scripts play it (HTML, section 4.8.9), and readers see nothing.
  if (node.tagName === 'audio' && node.properties['controls'] !== true) return [];
  const own = ['src', 'data', 'dataSrc'].map((name) => stringOf(node, name));
  const stated = [...own, ...elementsOf(node).map((child) => stringOf(child, 'src'))].find((value) => value !== undefined);
  const url = absolute(stated, context.base);
  if (url === undefined) return contentOf(node.children, context);
  if (node.tagName === 'object' && /\.(?:svg|png|jpe?g|gif|webp)$/i.test(url))
    return [element('img', [], { src: addressOf(url, context), alt: lineOf(node) })];
  const address = addressOf(url, context);
  return [element('p', [element('a', [text(stringOf(node, 'title') ?? nameOfEmbedded(address))], { href: address })])];
}

export function isBlank(children: readonly ElementContent[]): boolean {
  return textOf(element('p', children)).trim() === '';
}

/** A tab; in a cell of a table, and without content of its own, its label in bold. */
function tabOf(label: readonly ElementContent[], body: readonly ElementContent[], { isInTable }: Context): Element {
  const whole = element('p', label);
  // A picture alone says its name.
  const pictured = elementsOf(whole).flatMap((inner) => stringOf(inner, 'alt') ?? []);
  const words = [text(lineOf(whole) || pictured.join(' ').trim())];
  if (body.length > 0 && isInTable !== true) return box(TAB, words, body);
  return element('div', [element('p', [element('strong', words)]), ...body]);
}

function details(summary: readonly ElementContent[], body: readonly ElementContent[], context: Context): Element {
  return box(DETAILS, [text(lineOf(element('p', contentOf(summary, context))) || 'Details')], body);
}

function box(dataKind: string, title: readonly ElementContent[], body: readonly ElementContent[]): Element {
  return element('akg-box', [element('akg-title', title), ...body], { dataKind });
}
