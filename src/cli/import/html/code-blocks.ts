import type { Element } from 'hast';
import { element, elementsOf, hasClass, isElement, stringOf, textOf } from '../../../text/html-tree.ts';
import { classesOf, lineOf, wordCount } from './page-parts.ts';

/** Elements that highlighters, themes and generators put around a code block with its name, its buttons and its numbers. */
const WRAPPER =
  /^(?:highlight|highlighter-.*|code-?block.*|codeBlock.*|language-.+|expressive-code|frame|literal-block-wrapper|sourceCode|code-?wrapper|kg-code-card|wp-block-.*code.*|prism-.*|rouge-table|highlighttable|lntable|chroma|code-example|codehilite|code-toolbar|code-card)$/i;

/** Classes of what themes add to a code block: line numbers, buttons, the name of the language. */
const GUTTER =
  /^(?:linenos?|linenodiv|lineno|lnt|ln|rouge-gutter|gutter|line-numbers?-wrapper|line-numbers-rows|ec-line-number|hljs-ln-numbers|copy.*|copybtn|lang|toolbar|buttonGroup.*|collapse|prompt-hidden)$/i;

function isGutter(element: Element): boolean {
  return (
    hasClass(element, GUTTER) ||
    ['button', 'style', 'svg'].includes(element.tagName) ||
    (element.properties['ariaHidden'] === 'true' && /^\d*$/.test(textOf(element).trim()))
  );
}

const LINE = /^(?:line|ec-line|token-line|code-line|view-line|cl-line)$/;
const MARKED =
  /^(?:highlighted|hll|hl|highlight|mark|theme-code-block-highlighted-line|line-highlight|docusaurus-highlight-code-line|highlighted-line)$/;

/** Reads a `<pre>`, or the wrapper around a single one. `undefined` for other elements. */
export function codeBlockOf(node: Element) {
  const isWrapper = node.tagName !== 'pre' && /^(?:div|figure|table|section)$/.test(node.tagName) && hasClass(node, WRAPPER);
  if (node.tagName !== 'pre' && !isWrapper) return undefined;
  const isShown = (inner: Element): boolean => !wrappersOf(node, inner).some((one) => one !== node && isGutter(one));
  const blocks = isWrapper ? elementsOf(node).filter((inner) => inner.tagName === 'pre' && isShown(inner)) : [node];
  const [pre] = blocks;
  if (pre === undefined || blocks.length !== 1) return undefined;
  const code = elementsOf(pre).find(({ tagName }) => tagName === 'code') ?? pre;
  const outside = textOf(node, (inner) => (inner === pre || isGutter(inner) ? '' : undefined));
  if (isWrapper && wordCount(outside) > 30) return undefined;
  const { text, marked } = linesOf(code);
  const title = isWrapper ? titleOf(node, pre) : (stringOf(pre, 'title') ?? stringOf(pre, 'dataTitle'));
  return {
    language: [code, pre, ...wrappersOf(node, pre)].map(languageOf).find((name) => name !== undefined),
    title: title || undefined,
    /** Highlighted lines, from 1. */
    lines: marked,
    text,
  };
}

/** The elements around an element, up to a root, the innermost first. */
function wrappersOf(root: Element, target: Element): Element[] {
  for (const child of root === target ? [] : root.children) {
    const path = child === target ? [root] : isElement(child) ? wrappersOf(child, target) : [];
    if (path.length > 0) return child === target ? path : [...path, root];
  }
  return [];
}

function titleOf(node: Element, pre: Element): string | undefined {
  const inside = new Set(elementsOf(pre));
  const named = elementsOf(node).find(
    (element) =>
      !inside.has(element) &&
      (element.tagName === 'figcaption' ||
        hasClass(element, /^(?:filename|title|caption-text|codeBlockTitle.*|code-block-title|rehype-code-title|code-title)$/)),
  );
  const title = named?.tagName === 'figcaption' ? (elementsOf(named).find((element) => hasClass(element, /^title$/)) ?? named) : named;
  return (
    title &&
    lineOf(element('p', title.children), (inner) => (isGutter(inner) || hasClass(inner, /^(?:sr-only|headerlink)$/) ? '' : undefined))
  );
}

const NO_LANGUAGE =
  /^(?:default|none|plain|plaintext|text|txt|highlight|highlighter-rouge|notranslate|nohighlight|auto|undefined|fallback|ansi)$/i;

function languageOf(element: Element): string | undefined {
  const names = classesOf(element);
  const own = names.map((name) => /^(?:lang(?:uage)?-|highlight-(?:source-)?|brush:|src-)([\w+#.-]{1,30})$/.exec(name)?.[1]);
  const isSource = names.includes('sourceCode') || names.includes('src');
  const named =
    ['dataLanguage', 'dataLang', 'dataEnlighterLanguage'].map((name) => stringOf(element, name)).find((name) => name !== undefined) ??
    own.find((name) => name !== undefined && name !== 'highlight') ??
    (isSource ? names.find((name) => !['sourceCode', 'src', 'numberSource', 'code'].includes(name)) : undefined);
  if (named === undefined && names.includes('mermaid')) return 'mermaid';
  if (named === undefined || !/^[\w+#.-]{1,30}$/.test(named) || NO_LANGUAGE.test(named)) return undefined;
  return named.toLowerCase() === 'python3' ? 'python' : named.toLowerCase() === 'pycon3' ? 'pycon' : named;
}

/** The text of a code block as a reader would copy it, and the numbers of its highlighted lines. */
function linesOf(code: Element): { readonly text: string; readonly marked: readonly number[] } {
  const lines = lineElements(code);
  if (lines !== undefined) {
    const texts = lines.map((line) => plain(line).replace(/\n$/, ''));
    return { text: trimmed(texts.join('\n')), marked: lines.flatMap((line, index) => (isMarked(line) ? [index + 1] : [])) };
  }
  const marked: number[] = [];
  let at = 1;
  const visit = (node: Element): void => {
    for (const child of node.children) {
      const from = at;
      if (child.type === 'text') at += child.value.split('\n').length - 1;
      if (!isElement(child) || isGutter(child)) continue;
      visit(child);
      if (hasClass(child, MARKED)) for (let line = from; line < Math.max(at, from + 1); line += 1) marked.push(line);
    }
  };
  visit(code);
  return { text: trimmed(plain(code)), marked: [...new Set(marked)] };
}

/** Line breaks at the end have no meaning in HTML, and fences cannot keep them. */
function trimmed(text: string): string {
  return text.replace(/\n+$/, '');
}

function isMarked(line: Element): boolean {
  return hasClass(line, MARKED) || elementsOf(line).some((child) => child.tagName === 'mark' && textOf(child) === textOf(line));
}

/** The elements that hold one line of code each; `undefined` if lines are no elements, or there is text between them. */
function lineElements(node: Element): Element[] | undefined {
  const parts = node.children.filter((child) => child.type !== 'comment' && !(isElement(child) && isGutter(child)));
  const elements = parts.filter(isElement);
  const isOnlyWhitespace = parts.every((child) => isElement(child) || textOf(child).trim() === '');
  if (!isOnlyWhitespace || elements.length === 0) return undefined;
  if (elements.every((element) => hasClass(element, LINE) || (element.tagName === 'div' && elements.length > 1))) {
    // Lines that end with a line break of their own between them need no other; texts between them must be one each at most.
    return parts.some((child) => child.type === 'text' && child.value.split('\n').length > 2) ? undefined : elements;
  }
  const [only] = elements.length === 1 ? elements : [];
  const rows = only !== undefined && !hasClass(only, /token|hljs-|^k$|^n$/) ? lineElements(only) : undefined;
  // Or a table with a row for each line.
  return rows ?? (elements.every(({ tagName }) => tagName === 'tr') ? elements : undefined);
}

function plain({ children }: Element): string {
  return textOf(element('code', children), (inner) => (isGutter(inner) ? '' : inner.tagName === 'br' ? '\n' : undefined));
}

/** The line that begins a code block of this engine: language, title and highlighted lines. */
export function codeInfo({ language, title, lines }: NonNullable<ReturnType<typeof codeBlockOf>>): string {
  const titled = title === undefined ? [] : [`title="${title.replaceAll('"', "'")}"`];
  const settings = lines.length === 0 ? titled : [...titled, `{${ranges(lines)}}`];
  return [language ?? (settings.length > 0 ? 'text' : ''), ...settings].join(' ');
}

function ranges(lines: readonly number[]): string {
  const parts: { from: number; to: number }[] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && line <= last.to + 1) last.to = line;
    else parts.push({ from: line, to: line });
  }
  return parts.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
