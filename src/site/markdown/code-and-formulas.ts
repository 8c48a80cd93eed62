import type { Element, ElementContent } from 'hast';
import type { Code, Nodes, Root } from 'mdast';
import type { BundledLanguage, HighlighterCore } from 'shiki';
import { element, text } from '../../text/html-tree.ts';
import { walk, withoutComments } from '../../text/markdown/markdown-tree.ts';
import type { InlineMath, MathBlock } from '../../text/markdown/math-syntax.ts';
import { DIAGRAM_LANGUAGES, type DiagramLanguage, loadDiagrams, MissingLibrary } from './mermaid-diagrams.ts';
import type { TextLabels } from './text-labels.ts';

type Formula = InlineMath | MathBlock;

interface UndrawnPart {
  /** Line of the text, from 1. */
  readonly line: number;
  readonly kind: 'diagram' | 'formula';
  readonly reason: string;
  /** The package that draws it, where that is not installed. */
  readonly missing?: string;
}

export interface DrawnParts {
  readonly hasHtml: boolean;
  readonly undrawn: readonly UndrawnPart[];
  /** A formula or a diagram; `undefined` if it stays as code. */
  readonly get: (node: Nodes) => Element | undefined;
  /** The coloured content of a block of code; `undefined` if it has no colours. */
  readonly highlighted: (node: Code, info: CodeInfo) => ElementContent[] | undefined;
}

/** Loads what renders code, formulas and diagrams only for texts that have such a part. */
export async function loadDrawnParts(root: Root, labels: TextLabels): Promise<DrawnParts> {
  const formulas: (Formula | Code)[] = [];
  const diagrams: { readonly node: Code; readonly language: DiagramLanguage }[] = [];
  const languages = new Set<string>();
  let hasMarks = false;
  let hasHtml = false;
  walk(root, (node) => {
    if (node.type === 'html') hasHtml ||= withoutComments(node.value).trim() !== '';
    if (node.type === 'math' || node.type === 'inlineMath') formulas.push(node);
    if (node.type !== 'code') return;
    const { language, markedLines } = codeInfo(node);
    const drawnAs = Object.hasOwn(DIAGRAM_LANGUAGES, language) ? DIAGRAM_LANGUAGES[language as keyof typeof DIAGRAM_LANGUAGES] : undefined;
    if (drawnAs !== undefined) diagrams.push({ node, language: drawnAs });
    else if (language === 'math') formulas.push(node);
    else if (!PLAIN.has(language)) languages.add(language);
    hasMarks ||= markedLines.size > 0;
  });
  const drawn = new Map<Nodes, Element>();
  const undrawn: UndrawnPart[] = [];
  const draw = (node: Formula | Code, kind: UndrawnPart['kind'], render: () => Element): void => {
    try {
      drawn.set(node, render());
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
      const missing = error instanceof MissingLibrary ? { missing: error.library } : {};
      undrawn.push({ line: node.position?.start.line ?? 1, kind, reason: reason.trim(), ...missing });
    }
  };
  if (formulas.length > 0) {
    const renderMath = await loadMath();
    for (const node of formulas) {
      const isBlock = node.type !== 'inlineMath';
      draw(node, 'formula', () => {
        const math = renderMath(node.value, isBlock || node.isDisplay);
        return isBlock ? scrolled(['math'], labels.formula, math) : math;
      });
    }
  }
  if (diagrams.length > 0) {
    const render = await loadDiagrams(new Set(diagrams.map(({ language }) => language)));
    for (const [index, { node, language }] of diagrams.entries())
      draw(node, 'diagram', () => diagramFigure(render(node.value, language, index + 1), node, labels));
  }
  const highlight = languages.size > 0 || hasMarks ? await loadHighlighter(languages) : undefined;
  return {
    hasHtml,
    undrawn,
    get: (node) => drawn.get(node),
    highlighted: ({ value }, { language, markedLines }) => highlight?.(value, language, markedLines),
  };
}

/** A block that scrolls by keyboard if it is too wide. */
export function scrolled(classes: readonly string[], label: string, content: Element): Element {
  return element('div', [content], { className: ['scroll', ...classes], role: 'group', ariaLabel: label, tabIndex: 0 });
}

function diagramFigure(drawing: Element, node: Code, labels: TextLabels): Element {
  const caption = codeInfo(node).title ?? /^[ \t]*(?:accTitle|title)[ \t]*:?[ \t]+(\S.*)$/m.exec(node.value)?.[1];
  const source = element('pre', [element('code', [text(`${node.value}\n`)])], { tabIndex: 0 });
  const parts = [
    scrolled(['drawing'], caption ?? labels.diagram, drawing),
    ...(caption === undefined ? [] : [element('figcaption', [text(caption)])]),
    element('details', [element('summary', [text(labels.diagramSource)]), source]),
  ];
  return element('figure', parts, { className: ['diagram'] });
}

/** What the line that opens a block of code says: ```` ```js title="app.js" {2,4-6} ````. */
interface CodeInfo {
  readonly language: string;
  /** The word after the fence as the author wrote it. */
  readonly word: string;
  readonly title: string | undefined;
  /** From 1. */
  readonly markedLines: ReadonlySet<number>;
}

/** Reads the line that opens a block of code, in the forms of Starlight, Docusaurus and VitePress. */
export function codeInfo({ lang, meta }: Pick<Code, 'lang' | 'meta'>): CodeInfo {
  const [, word = '', attached = ''] = /^([^\s{[]*)(.*)$/.exec(lang ?? '') ?? [];
  const text = `${attached} ${meta ?? ''}`;
  const title = /\btitle=(?:"([^"]*)"|'([^']*)')/.exec(text) ?? /(?:^|\s)\[([^[\]]+)\]/.exec(text);
  const ranges = /\{([\d,\s-]+)\}/.exec(text)?.[1] ?? '';
  return { language: word.toLowerCase(), word, title: title?.[1] ?? title?.[2], markedLines: new Set(lineNumbers(ranges)) };
}

/** Most lines of one range: "1-1000000" is a mistake. */
const RANGE_MAX = 10_000;

function lineNumbers(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Number.isInteger(from) && Number.isInteger(to) && from > 0 && to - from < RANGE_MAX
      ? Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
      : [];
  });
}

/** A block of code that scrolls by keyboard, with its title above it. */
export function codeBlock(block: Element, { word, title }: CodeInfo, highlighted: ElementContent[] | undefined): Element {
  const language = word === '' ? {} : { className: [`language-${word}`] };
  const children =
    highlighted === undefined
      ? block.children
      : block.children.map((child) => (child.type === 'element' ? { ...child, children: [...highlighted, text('\n')] } : child));
  const pre: Element = { ...block, properties: { ...block.properties, tabIndex: 0, ...language }, children };
  return title === undefined ? pre : element('figure', [element('figcaption', [text(title)]), pre], { className: ['code'] });
}

/** Code with its parts in classes such as `hl-keyword`; `undefined` if its language is not known. Lines are numbered from 1. */
type HighlightCode = (code: string, language: string, markedLines: ReadonlySet<number>) => ElementContent[] | undefined;

/** Longer code is not coloured. In UTF-16 code units. */
const CODE_MAX = 100_000;
/** Longer lines are not coloured: time grows with their square in some grammars. */
const LINE_MAX = 2_000;

const PLAIN = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'ansi', 'none']);

/** Parts that are coloured; names of variables of the theme of Shiki. Punctuation is plain, which halves the pages. */
const PARTS = new Set(['constant', 'string', 'comment', 'keyword', 'parameter', 'function', 'string-expression', 'link']);

let highlighter: Promise<HighlighterCore> | undefined;

/**
 * Loads the grammars of some languages. Colours are classes, because the policy of our pages allows no inline styles.
 *
 * @see {@link https://shiki.style/guide/theme-colors#css-variables-theme Shiki, CSS variables theme}
 */
async function loadHighlighter(languages: Iterable<string>): Promise<HighlightCode> {
  const { bundledLanguages } = await import('shiki/langs');
  const wanted = [...new Set(languages)].filter((name): name is BundledLanguage => Object.hasOwn(bundledLanguages, name));
  const plain = (code: string, marked: ReadonlySet<number>): ElementContent[] | undefined => {
    const lines = code.split('\n').map((value) => [{ value }]);
    return marked.size === 0 ? undefined : linesOf(lines, marked);
  };
  if (wanted.length === 0) return (code, _language, marked) => plain(code, marked);
  highlighter ??= createHighlighter();
  const shiki = await highlighter;
  for (const name of wanted) if (!shiki.getLoadedLanguages().includes(name)) await shiki.loadLanguage(bundledLanguages[name]);
  return (code, language, marked) => {
    if (!wanted.includes(language as BundledLanguage) || code.length > CODE_MAX) return plain(code, marked);
    const options = { lang: language, theme: 'css-variables', tokenizeMaxLineLength: LINE_MAX, tokenizeTimeLimit: 0 };
    const key = `${language}\n${code}`;
    const lines =
      coloured.get(key) ??
      shiki.codeToTokensBase(code, options).map((tokens) => tokens.map(({ content, color }) => ({ value: content, part: partOf(color) })));
    if (coloured.size >= COLOURED_MAX) coloured.clear();
    coloured.set(key, lines);
    return linesOf(lines, marked);
  };
}

/** Lines of code by its language and text: a build shows much code on several pages, and grammars are slow. */
const coloured = new Map<string, readonly (readonly Part[])[]>();
const COLOURED_MAX = 1_000;

async function createHighlighter(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ variablePrefix: '--hl-' })],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

function partOf(color: string | undefined): string | undefined {
  const name = /^var\(--hl-token-([a-z-]+)\)$/.exec(color ?? '')?.[1];
  return name !== undefined && PARTS.has(name) ? name : undefined;
}

interface Part {
  readonly value: string;
  readonly part?: string | undefined;
}

function linesOf(lines: readonly (readonly Part[])[], marked: ReadonlySet<number>): ElementContent[] {
  const content: ElementContent[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) append(content, { value: '\n' });
    if (marked.has(index + 1)) {
      const children: ElementContent[] = [];
      for (const part of line) append(children, part);
      content.push(element('mark', children, { className: ['line'] }));
    } else for (const part of line) append(content, part);
  }
  return content;
}

function append(content: ElementContent[], { value, part }: Part): void {
  const last = content.at(-1);
  const isPlain = part === undefined || value.trim() === '';
  if (last?.type === 'text' && isPlain) last.value += value;
  else if (last?.type === 'element' && last.tagName === 'span' && (last.properties['className'] as string[])[0] === `hl-${part}`) {
    const [only] = last.children;
    if (only?.type === 'text') only.value += value;
  } else content.push(isPlain ? text(value) : element('span', [text(value)], { className: [`hl-${part}`] }));
}

interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly MathNode[];
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
}

/**
 * Loads the renderer of formulas. What it returns throws an Error that says what is wrong with a formula.
 *
 * @see {@link https://temml.org/docs/en/supported Temml, supported functions}
 */
async function loadMath(): Promise<(latex: string, isDisplay: boolean) => Element> {
  const { default: temml } = await import('temml');
  return (latex, isDisplay) => {
    const options = { displayMode: isDisplay, throwOnError: true, trust: false, maxExpand: 1_000, maxSize: [25, 25] as [number, number] };
    const math = elementOf(temml.__renderToMathMLTree(latex, options) as MathNode);
    if (math === undefined) throw new Error('Temml returned no MathML');
    return { ...math, properties: { ...(isDisplay ? { display: 'block' } : {}), alttext: latex } };
  };
}

/** Elements and attributes without which a formula is complete, or which lead out of it. */
const OMITTED = new Set(['annotation', 'annotation-xml']);
const ATTRIBUTE = /^(?!on|href|src|style|id|class)[a-z][a-z-]*$/;

/** The same node for our pages, whose policy allows no inline styles: a class or an attribute instead. */
function elementOf(node: MathNode): Element | undefined {
  if (node.type === undefined || OMITTED.has(node.type)) return undefined;
  const { style = {}, classes = [] } = node;
  const attributes = Object.entries(node.attributes ?? {}).filter(([name]) => ATTRIBUTE.test(name));
  const names = [...classes.filter((name) => /^tml-(left|right)$/.test(name)), ...layoutClasses(style)];
  return element(node.type, (node.children ?? []).flatMap(contentOf), {
    ...Object.fromEntries(attributes.map(([name, value]) => [name, String(value)])),
    ...(style['color'] ? { mathcolor: style['color'] } : {}),
    ...(style['backgroundColor'] ? { mathbackground: style['backgroundColor'] } : {}),
    ...(names.length > 0 ? { className: names } : {}),
  });
}

function contentOf(node: MathNode): ElementContent[] {
  if (node.type === undefined || node.type === 'text') {
    // A text, or a group without an element of its own.
    return node.text === undefined ? (node.children ?? []).flatMap(contentOf) : [text(node.text)];
  }
  const drawn = elementOf(node);
  return drawn === undefined ? [] : [drawn];
}

function layoutClasses(style: Readonly<Record<string, string>>): string[] {
  const isTight = style['paddingLeft'] === '0em' && style['paddingRight'] === '0em';
  return [...(isTight ? ['math-tight'] : []), ...(style['border']?.includes('solid') ? ['math-boxed'] : [])];
}
