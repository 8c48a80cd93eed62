import type { Element, ElementContent, Root } from 'hast';
import { toHtml } from 'hast-util-to-html';
import { element, elementsOf, hasClass, isElement, stringOf, text, textOf } from '../../../text/html-tree.ts';
import { ADMONITION_KINDS } from '../../../text/markdown/admonition-lines.ts';
import { admonitionKind } from '../markdown/markdown-syntax.ts';

const SELF_LINK =
  /^(?:hash-link|header-link|header-?anchor|heading-?anchor|anchor-?link|headerlink|anchor|sl-anchor-link|td-heading-self-link|anchorjs-link|direct-link|permalink|octicon-link)$/i;

/** Whether an element is a link that a theme put into a heading so that readers can copy its address. */
export function isSelfLink(element: Element): boolean {
  if (/^h[1-6]$/.test(element.tagName) || !hasClass(element, SELF_LINK)) return false;
  const shown = textOf(element, (inner) => (hasClass(inner, /^(?:sr-only|visually-hidden|screen-reader-text)$/) ? '' : undefined));
  return !/[\p{L}\p{N}]{2}/u.test(shown);
}

export function classesOf({ properties: { className } }: Element): string[] {
  return Array.isArray(className) ? className.map(String) : [];
}

export function wordCount(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

export function lineOf(...[node, instead]: Parameters<typeof textOf>): string {
  return textOf(node, instead).replace(/\s+/g, ' ').trim();
}

/** An address that a page names, as an absolute one of http; `undefined` for others. */
export function absolute(address: string | undefined, base: string): string | undefined {
  if (address === undefined || !URL.canParse(address.trim(), base)) return undefined;
  const url = new URL(address.trim(), base);
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
}

const DROPPED =
  /^(?:script|style|noscript|template|nav|footer|form|button|dialog|svg|canvas|input|select|textarea|link|meta|base|map|progress|meter|datalist)$/;
const DROPPED_ROLE = /^(?:navigation|banner|complementary|contentinfo|search|menu|menubar|toolbar|dialog)$/;
/** Classes of what is for programs that read aloud or for the dark alone, and of controls and links back among words. */
const INVISIBLE =
  /^(?:dark-only|sr-only|visually-hidden|screen-reader-text|hide-text|skip-link|headerlink|viewcode-link|copy.*button|copybtn|clipboard.*|footnote-backref|footnote-backlink|reversefootnote|data-footnote-backref|fn-backref)$/i;
/** Classes of parts of the frame, which may be those of a few words for something else. */
const FRAME_CLASS =
  /^(?:breadcrumbs?|breadcrumb-.*|pagination.*|page-?nav.*|pager|prev-next.*|toc|toc-macro|table-of-contents|local-toc|contents-list|edit-?(?:page|link|this).*|theme-doc-(?:footer|toc|breadcrumbs|version).*|theme-last-updated|cookie.*|page-metadata|page-info|feedback.*|md-source-file|md-content__button|social-share|share-buttons|related-posts|comments?(?:-area)?|td-page-meta|subscription-widget.*|VPDocFooter|VPDocAsideOutline)$/i;
const WORDS = /^(?:b|code|em|i|kbd|mark|small|span|strong)$/;

const HIDDEN = /(?:^|;)\s*display\s*:\s*none/;

/** Whether an element belongs to the frame of a site, or is hidden. Panels of tabs that are not open are content. */
export function isDropped(node: Element): boolean {
  const { tagName, properties } = node;
  if (tagName === 'input') return properties['type'] !== 'checkbox';
  if (DROPPED.test(tagName) || isSelfLink(node)) return true;
  if (properties['role'] === 'tabpanel') return false;
  return (
    isFrameLink(node) ||
    (properties['hidden'] !== undefined && properties['hidden'] !== false && properties['hidden'] !== 'until-found') ||
    (properties['ariaHidden'] === 'true' && !hasClass(node, /^katex/)) ||
    HIDDEN.test(stringOf(node, 'style') ?? '') ||
    DROPPED_ROLE.test(String(properties['role'])) ||
    // Sphinx marks its headings so, which lead back to the list of contents; others are an arrow.
    (properties['role'] === 'doc-backlink' && !/\p{L}{2}/u.test(textOf(node))) ||
    /breadcrumb/i.test(String(properties['itemType'] ?? '')) ||
    (/^[ou]l$/.test(tagName) && /^breadcrumbs?$/i.test(stringOf(node, 'id') ?? '')) ||
    // A sidebar of reStructuredText has a title, and stands beside a part of the text.
    (hasClass(node, /^sidebar$/i) && !node.children.some((child) => isElement(child) && hasClass(child, /^sidebar-title$/))) ||
    hasClass(node, INVISIBLE) ||
    (!WORDS.test(tagName) && hasClass(node, FRAME_CLASS))
  );
}

function isFrameLink(node: Element): boolean {
  if (node.tagName !== 'a' || !/^#/.test(stringOf(node, 'href') ?? '')) return false;
  const names = [...classesOf(node), stringOf(node, 'id') ?? ''];
  return names.some((name) => /skip|(?:sidebar|nav|menu)-?toggle/i.test(name)) || /^(?:skip (?:to|over)\b|↩\uFE0E?$)/i.test(lineOf(node));
}

export function withoutDropped(node: Element): Element {
  const kept = node.children.filter((child) => !(isElement(child) && isDropped(child)));
  return { ...node, children: kept.map((child) => (isElement(child) ? withoutDropped(child) : child)) };
}

const isField = ({ tagName, properties }: Element): boolean =>
  /^(?:select|textarea)$/.test(tagName) || (tagName === 'input' && !/^(?:checkbox|hidden)$/.test(String(properties['type'])));

/** Whether an element is a control with its label, or a group of such, and no text. A label that holds blocks holds a part of the text. */
function isControl(node: Element, isInGroup = false): boolean {
  if (!/^(?:label|fieldset|form)$/.test(node.tagName)) return false;
  const inner = elementsOf(node);
  if (node.tagName === 'label')
    return (isInGroup || inner.some(isField)) && !inner.some(({ tagName }) => /^(?:div|p|[uod]l|pre|table|h[1-6]|details)$/.test(tagName));
  const isPart = (part: Element): boolean =>
    /^(?:legend|button|output|s(?:cript|elect|tyle)|textarea)$/.test(part.tagName) ||
    isControl(part, part.properties['htmlFor'] !== undefined);
  return inner.some(isField) && textOf(node, (part) => (part !== node && isPart(part) ? '' : undefined)).trim() === '';
}

/** Takes the controls of forms out of a page, with their words, and returns what to say of them. Labels of tabs stay. */
export function takeControls(main: Element | Root) {
  const taken: Element[] = [];
  const take = (parent: Element | Root): void => {
    for (const [at, child] of parent.children.entries()) {
      if (!isElement(child)) continue;
      const isShown = !isDropped(child);
      if ((isShown || child.tagName === 'form') && isControl(child) && !(parent.type === 'element' && tabLabels(parent).length > 0)) {
        taken.push(child);
        parent.children[at] = text(' ');
      } else if (isShown) take(child);
    }
  };
  take(main);
  const named = taken.flatMap((node) => [node, ...elementsOf(node)]).filter(({ tagName }) => /^(?:legend|label)$/.test(tagName));
  // Behind its name, a label may show the value.
  const names = named.map((node) => lineOf(withoutDropped(node).children.find((part) => lineOf(part) !== '') ?? text('')));
  const shown = [...new Set(names)].filter((name) => name !== '').join(', ');
  const message = `leaves out controls of a form${shown === '' ? '' : `: ${shown}`}`;
  return taken.slice(0, 1).map(({ position }) => ({ line: position?.start.line ?? 1, message }));
}

/** Classes of the boxes that themes draw around a remark; a word of them names its kind. */
const BOX =
  /^(?:(?:theme-)?admonition|custom-block|callout|alert|markdown-alert|starlight-aside|hint|notice|message|panel|infobox|admonitionblock|book-hint|notices|kg-callout-card|wp-block-.*notice|note-?box|td-box|box|sd-card-note|confluence-information-macro|nextra-callout|versionadded|versionchanged|deprecated|seealso|topic|sidebar|sidebarblock)(?:$|[-_].*)/i;
const BOX_WORD = /^(?:admonition|aside|callout|alert|summary|message)$/i;
const BOX_TITLE = /(?:^|[-_])(?:admonition-?title|admonition-?heading|title|heading|header|label)(?:$|[-_])|admonitionHeading|^rubric$/i;
const BOX_BODY = /(?:^|[-_])(?:content|body|text)(?:$|[-_])|admonitionContent/i;

/** What Nextra says of a box by its colour alone. */
const COLORS = { yellow: 'warning', orange: 'warning', red: 'caution', green: 'tip', purple: 'important', blue: 'note' } as const;

/** The remark that a box of a usual theme holds; `undefined` for other elements. */
export function admonitionOf(node: Element) {
  if (!/^(?:div|aside|section|blockquote|details|p|figure)$/.test(node.tagName)) return undefined;
  const names = classesOf(node);
  const [first = ''] = names;
  const callout = stringOf(node, 'dataCallout');
  const isPlain = names.length <= 2 && admonitionKind(first) !== undefined && first !== 'example' && first !== 'quote';
  if (!isPlain && callout === undefined && !names.some((name) => BOX.test(name))) return undefined;
  const stated = [callout ?? stringOf(node, 'dataCalloutType') ?? '', ...names, ...names.flatMap((name) => name.split(/--|[-_]/))]
    .filter((word) => !BOX_WORD.test(word))
    .map(admonitionKind)
    .find((found) => found !== undefined);
  const color = hasClass(node, /^nextra-callout$/)
    ? Object.entries(COLORS).find(([name]) => names.some((one) => one.includes(`bg-${name}-`)))
    : undefined;
  const version = names.find((name) => /^(?:versionadded|versionchanged|deprecated)$/.test(name));
  const isNamed = hasClass(
    node,
    /^(?:admonition|alert|callout|confluence-information-macro|nextra-callout|kg-callout-card|topic|sidebar|sidebarblock|hint|notice)$/,
  );
  if (stated === undefined && version === undefined && !isNamed) return undefined;
  const kind = color?.[1] ?? stated ?? (version === 'deprecated' ? 'warning' : 'note');
  if (node.tagName === 'p') return { kind, title: [], children: [{ ...node, properties: {} }], isDetails: false };
  if (version !== undefined) return { kind, title: [], children: node.children, isDetails: false };
  const contentsOf = (box: Element): ElementContent[] => box.children.filter((child) => child.type !== 'text' || child.value.trim() !== '');
  // A sidebar of AsciiDoc has its title in its content.
  const isSidebar = hasClass(node, /^sidebarblock$/);
  // Nextra: a sign or an icon before the words.
  let inner = contentsOf(node).filter((child) => color === undefined || child.type !== 'element' || !hasClass(child, /select-none$/));
  // One element around everything, as Bootstrap's themes have.
  const isFrame = (only: Element): boolean => /^(?:div|section)$/.test(only.tagName) && (isSidebar || !hasClass(only, BOX_BODY));
  while (inner.length === 1 && isElement(inner[0]) && isFrame(inner[0])) inner = contentsOf(inner[0]);
  const isTitle = (child: Element): boolean =>
    child.tagName === 'summary' || hasClass(child, BOX_TITLE) || (child === inner[0] && /^h[2-6]$/.test(child.tagName));
  // AsciiDoc: an icon and the text, in the cells of a table.
  const [row, anotherRow] = inner.length === 1 ? inner.filter(isElement).flatMap(rowsOf) : [];
  const [icon, cell, anotherCell] = row?.children.filter(isElement) ?? [];
  if (icon && hasClass(icon, /^icon$/) && cell && anotherCell === undefined && anotherRow === undefined) inner = contentsOf(cell);
  const title = inner.filter(isElement).find(isTitle);
  const words = title === undefined ? '' : lineOf(withoutDropped(title)).replace(/[¶#]$/, '').trim();
  const isBody = (child: ElementContent): child is Element =>
    isElement(child) && hasClass(child, BOX_BODY) && /^(?:div|section)$/.test(child.tagName);
  return {
    kind,
    title: title === undefined || ADMONITION_KINDS[words.toLowerCase()] === kind ? [] : [text(words)],
    children: inner.filter((child) => child !== title).flatMap((child) => (isBody(child) ? child.children : [child])),
    isDetails: node.tagName === 'details',
  };
}

/** The rows of a table itself, not of those in its cells; empty for other elements. */
export function rowsOf(node: Element): Element[] {
  const parts = /^t(?:able|head|body|foot)$/.test(node.tagName) ? node.children.filter(isElement) : [];
  return parts.flatMap((part) => (part.tagName === 'tr' ? [part] : rowsOf(part)));
}

/** The labels of a row of tabs; empty for other elements. */
export function tabLabels(node: Element): Element[] {
  const list = [node, ...(node.tagName === 'div' ? elementsOf(node).slice(0, 3) : [])].find(
    (child) =>
      child.properties['role'] === 'tablist' ||
      hasClass(child, /^(?:tabbed-labels|nav-tabs|tab-nav|tabs__list|tablist)$/) ||
      (hasClass(child, /^tabs$/) && elementsOf(child).some(({ tagName }) => tagName === 'label')),
  );
  if (list === undefined || elementsOf(node).some((child) => isPanel(child) || hasClass(child, /^blocks$/))) return [];
  const all = elementsOf(list);
  const roles = all.filter((child) => child.properties['role'] === 'tab');
  const labels = all.filter(({ tagName }) => tagName === 'label');
  return [roles, labels].find(({ length }) => length > 0) ?? all.filter(({ tagName }) => tagName === 'a' || tagName === 'button');
}

/** The panels of a row of tabs among the elements behind it, and how many of those hold them. */
export function tabPanels(following: readonly ElementContent[], count: number) {
  const found: Element[] = [];
  for (const [index, sibling] of following.entries()) {
    if (!isElement(sibling)) continue;
    const panels = panelsIn(sibling, count);
    found.push(...panels);
    if (found.length === count) return { found, siblings: index + 1 };
    if (panels.length === 0 || found.length > count) return undefined;
  }
  return undefined;
}

function isPanel(node: Element): boolean {
  return node.properties['role'] === 'tabpanel' || hasClass(node, /^(?:tabbed-block|tab-pane|tab-panel|tabs-panel|tab-item)$/);
}

function panelsIn(node: Element, count: number): Element[] {
  const outermost = (child: ElementContent): Element[] =>
    !isElement(child) ? [] : isPanel(child) ? [child] : child.children.flatMap(outermost);
  const panels = outermost(node);
  const children = node.children.filter(isElement);
  return panels.length === 0 && hasClass(node, /^blocks$/) && children.length === count ? children : panels;
}

/** Whether a label stands behind the radio button that it chooses: a tab without a script, whose content follows. */
export function isTabLabel(node: Element, before: Element | undefined): boolean {
  const target = [node.properties['htmlFor']].flat().join(' ');
  return node.tagName === 'label' && target !== '' && before?.properties['type'] === 'radio' && before.properties['id'] === target;
}

/** Whether a click on an element opens the part behind it, which readers of the page can see. */
export function isOpener(node: Element, panel: Element): boolean {
  if (!/^(?:div|section)$/.test(panel.tagName)) return false;
  if (hasClass(node, /^(?:expand-control|kg-toggle-heading)$/) && hasClass(panel, /^(?:expand|kg-toggle)-content$/)) return true;
  if (!HIDDEN.test(stringOf(panel, 'style') ?? '')) return false;
  const isControl = ['onClick', 'ariaExpanded', 'ariaControls'].some((name) => node.properties[name] !== undefined);
  return isControl && textOf(node).trim() !== '' && !isDropped({ ...panel, properties: { ...panel.properties, style: '' } });
}

/** Elements by which a drawing does more than to be seen. */
const ACTIVE = /^(?:script|iframe|object|embed|animate.*|set|handler|listener)$/i;

function passive(node: Element): Element {
  // Parsers of addresses leave out tabs and line breaks.
  const isScript = (value: unknown): boolean => /^\W*javascript:/i.test(String(value).replace(/\s/g, ''));
  const properties = Object.entries(node.properties).filter(([name, value]) => !/^on/i.test(name) && !isScript(value));
  const children = node.children.flatMap((child) => {
    if (!isElement(child) || ACTIVE.test(child.tagName)) return isElement(child) ? [] : child;
    return child.tagName === 'foreignObject' ? labelOf(child) : passive(child);
  });
  // Of a switch, a viewer shows the first part that it can: words without HTML come after those with it.
  const isSwitch = node.tagName === 'switch' && node.children.some((child) => isElement(child) && child.tagName === 'foreignObject');
  return { ...node, properties: Object.fromEntries(properties), children: isSwitch ? children.filter(isElement).slice(0, 1) : children };
}

/** HTML in a drawing, such as the labels of Mermaid, as words in the middle of its place. */
function labelOf({ children, properties }: Element): Element[] {
  const middleOf = (at: string, size: string): number => (Number(properties[at]) || 0) + (Number(properties[size]) || 0) / 2;
  const place = { x: middleOf('x', 'width'), y: middleOf('y', 'height'), textAnchor: 'middle', dominantBaseline: 'middle' };
  const parted = (node: Element): string =>
    textOf({ type: 'root', children: [...node.children] }, (inner) =>
      /^(?:br|div|h[1-6]|li|p|t[dhr])$/.test(inner.tagName) ? ` ${parted(inner)} ` : undefined,
    );
  const words = parted(withoutDropped(element('p', children)))
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' ? [] : [element('text', [text(words)], place)];
}

const DRAWING_ALT_MAX_LENGTH = 200;

/** An `<svg>` that is shown and says something in words, which is more than an icon, as an image: its words, if it has no title, are the alternative. */
export function drawingOf(node: Element): Element | undefined {
  if (node.tagName !== 'svg' || isDropped({ ...node, tagName: 'span' })) return undefined;
  const shown = passive(node);
  const inner = elementsOf(shown);
  const words = inner.filter(({ tagName }) => tagName === 'text').map((one) => lineOf(one));
  if (words.length < 3) return undefined;
  const drawing = toHtml({ ...shown, properties: { xmlns: 'http://www.w3.org/2000/svg', ...shown.properties } }, { space: 'svg' });
  const title = stringOf(node, 'ariaLabel') ?? lineOf(inner.find(({ tagName }) => tagName === 'title') ?? text(''));
  const alt = title === '' ? words.join(' ').slice(0, DRAWING_ALT_MAX_LENGTH) : title;
  return element('img', [], { src: `data:image/svg+xml,${encodeURIComponent(drawing)}`, alt });
}

const DELIMITED = /^\\(?:\((?:(?!\\[()])[\s\S])*\\\)|\[(?:(?!\\[[\]])[\s\S])*\\\])$/;

/** A formula: its LaTeX, if the page has it, or the characters that it shows. */
export function formulaOf(node: Element) {
  const isMath =
    node.tagName === 'math' ||
    node.tagName === 'mjx-container' ||
    hasClass(node, /^(?:katex|katex-display|MathJax|MathJax_Display|arithmatex|math)$/) ||
    /^math\/tex/.test(stringOf(node, 'type') ?? '') ||
    // Of a page whose script is in a bundle.
    (node.tagName === 'span' && elementsOf(node).length === 0 && DELIMITED.test(textOf(node).trim()));
  if (!isMath || (node.tagName === 'div' && elementsOf(node).some(({ tagName }) => tagName === 'p'))) return undefined;
  const inner = elementsOf(node);
  const annotation = inner.find(({ tagName, properties }) => tagName === 'annotation' && /tex/i.test(String(properties['encoding'] ?? '')));
  const math = [node, ...inner].find(({ tagName }) => tagName === 'math');
  const number = inner.find((child) => hasClass(child, /^eqno$/));
  const raw = textOf(node, (child) => (child === number ? '' : undefined)).trim();
  const [, ...delimited] = /^(?:\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\]|\$\$([\s\S]*)\$\$|\$([\s\S]*)\$)$/.exec(raw) ?? [];
  const isDisplay =
    node.tagName === 'div' ||
    hasClass(node, /display/i) ||
    inner.some((child) => hasClass(child, /katex-display/)) ||
    stringOf(math, 'display') === 'block' ||
    /^(?:\\\[|\$\$)/.test(raw) ||
    stringOf(node, 'display') === 'true';
  const stated = annotation === undefined ? delimited.find((part) => part !== undefined) : textOf(annotation);
  const tex = stated ?? (math && texOf(math));
  if (tex === undefined && math === undefined && hasClass(node, /^math$/) && !/[\\^_{}=]/.test(raw)) return undefined;
  const tag = number && ` \\tag{${lineOf(withoutDropped(number)).replace(/[()]/g, '')}}`;
  return { tex: tex === undefined ? undefined : tex.trim() + (tag ?? ''), text: raw.replace(/\s+/g, ' '), isDisplay };
}

/** How LaTeX writes elements of MathML (Core, section 3) around the others that they hold. */
const TEX: Readonly<Record<string, (...parts: readonly string[]) => string>> = {
  msqrt: (inner) => `\\sqrt{${inner}}`,
  mtable: (rows) => `\\begin{matrix} ${rows} \\end{matrix}`,
  mfrac: (above, below) => `\\frac{${above}}{${below}}`,
  mroot: (base, index) => `\\sqrt[${index}]{${base}}`,
  msub: (base, sub) => `{${base}}_{${sub}}`,
  msup: (base, sup) => `{${base}}^{${sup}}`,
  msubsup: (base, sub, sup) => `{${base}}_{${sub}}^{${sup}}`,
  munder: (base, under) => `\\underset{${under}}{${base}}`,
  mover: (base, over) => `\\overset{${over}}{${base}}`,
  munderover: (base, under, over) => `\\underset{${under}}{\\overset{${over}}{${base}}}`,
};

function texOf(node: Element): string | undefined {
  const characters = (): string =>
    textOf(node)
      .trim()
      .replace(/[\\{}$%#&_^~]/g, (sign) => (sign === '\\' ? '\\backslash ' : `\\${sign}`));
  const parts = node.children.flatMap((child) => (isElement(child) && !/^annotation/.test(child.tagName) ? [texOf(child)] : []));
  if (parts.includes(undefined)) return undefined;
  const joined = parts.join(' ').trim();
  const form = TEX[node.tagName];
  // What holds any number of others has one part: all of them.
  const given = form?.length === 1 ? [joined] : (parts as string[]);
  if (form !== undefined) return given.length === form.length ? form(...given) : undefined;
  if (/^(?:math|mrow|mstyle|semantics|mpadded|mtd)$/.test(node.tagName)) return joined;
  if (node.tagName === 'mtr') return `${parts.join(' & ')} \\\\`;
  if (node.tagName === 'mspace') return '\\ ';
  if (node.tagName === 'mtext' || (node.tagName === 'mi' && characters().length > 1)) return `\\text{${characters()}}`;
  return /^m[ino]$/.test(node.tagName) ? characters() : undefined;
}

const FOOTNOTE_LABEL = /^(?:label|footnote-number|backrefs|fn-bracket|footnote-definition-label)$/;

/** Footnotes of a text by the id of their elements, with their numbers as keys, and the elements that hold them. */
export function footnotesOf(main: Element | Root) {
  const footnotes = new Map<string, { readonly key: string; readonly content: Element }>();
  const lists = new Set<Element>();
  const add = (id: string | undefined, content: Element): void => {
    if (id !== undefined && id !== '') footnotes.set(id, { key: footnotes.get(id)?.key ?? String(footnotes.size + 1), content });
  };
  const isItem = (child: Element): boolean =>
    child.tagName === 'li' && /^(?:user-content-)?(?:fn|footnote)/.test(stringOf(child, 'id') ?? '');
  for (const node of elementsOf(main)) {
    const { role, dataFootnotes } = node.properties;
    const isList = hasClass(node, /^(?:footnotes?|footnote-(?:list|definition)|footnotes-sep)$/);
    const items = isList || role === 'doc-endnotes' || dataFootnotes !== undefined ? elementsOf(node).filter(isItem) : [];
    // Substack has it at the number.
    const id = stringOf(node, 'id') ?? stringOf(isElement(node.children[0]) ? node.children[0] : undefined, 'id');
    if (items.length > 0 || (isList && node.tagName === 'hr')) {
      for (const item of items) add(stringOf(item, 'id'), item);
      lists.add(node);
    } else if (id && /^(?:aside|div)$/.test(node.tagName) && hasClass(node, /^footnote(?:-definition)?$/)) {
      // Sphinx, mdBook and AsciiDoc: one element for each, with its number before the text.
      const isLabel = (child: ElementContent | undefined): boolean =>
        isElement(child) && (hasClass(child, FOOTNOTE_LABEL) || /^#_footnoteref/.test(stringOf(child, 'href') ?? ''));
      const children = node.children.map((child, at) =>
        child.type === 'text' && isLabel(node.children[at - 1]) ? text(child.value.replace(/^\. /, '')) : child,
      );
      add(id, { ...node, children: children.filter((child) => !isLabel(child)) });
      lists.add(node);
    } else if (node.tagName === 'dl' && hasClass(node, /^footnote$/)) {
      // docutils before 0.18.
      const [terms, texts] = ['dt', 'dd'].map((name) => node.children.filter(isElement).filter(({ tagName }) => tagName === name));
      const ids = (texts ?? []).map((_, at) => stringOf(terms?.[at], 'id'));
      if (ids.includes(undefined)) continue;
      for (const [at, text] of (texts ?? []).entries()) add(ids[at], text);
      lists.add(node);
    }
  }
  return { footnotes, lists };
}
