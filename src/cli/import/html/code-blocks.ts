import type { Element } from 'hast';
import { element, elementsOf, hasClass, isElement, stringOf, textOf } from '../../../text/html-tree.ts';
import { classesOf, lineOf, wordCount } from './theme-markup.ts';

/** Elements that highlighters, themes and generators put around a code block with its name, its buttons and its numbers. */
const WRAPPER =
  /^(?:highlight|highlight-[\w+#.-]+|highlighter-.*|code-?block.*|codeBlock.*|language-.+|expressive-code|frame|literal-block-wrapper|listingblock|literalblock|sourceCode|code-?wrapper|vp-code-block-title|kg-code-card|wp-block-.*code.*|prism-.*|rouge-table|highlighttable|lntable|chroma|codehilite|code-toolbar|code-card|pdl|nextra-code.*)$/i;

/** Classes of what themes add to a code block: line numbers, buttons, the name of the language. */
const GUTTER =
  /^(?:linenos?|linenodiv|lineno|lnt|ln|rouge-gutter|gutter|line-numbers?-wrapper|line-numbers-rows|ec-line-number|hljs-ln-numbers|copy.*|copybtn|lang|toolbar|buttonGroup.*|collapse|prompt-hidden|boring)$/i;

function isGutter(element: Element): boolean {
  if (hasClass(element, GUTTER) || ['button', 'style', 'svg'].includes(element.tagName)) return true;
  return element.properties['ariaHidden'] === 'true' && /^\d*$/.test(textOf(element).trim());
}

const LINE = /^(?:line|ec-line|token-line|code-line|view-line|cl-line)$/;
const MARKED =
  /^(?:highlighted|hll|hl|highlight|mark|theme-code-block-highlighted-line|line-highlight|docusaurus-highlight-code-line|highlighted-line)$/;

export function codeBlockOf(node: Element) {
  const isWrapper = node.tagName !== 'pre' && /^(?:div|figure|table|section)$/.test(node.tagName) && hasClass(node, WRAPPER);
  if (node.tagName !== 'pre' && !isWrapper) return undefined;
  const isShown = (inner: Element): boolean => !wrappersOf(node, inner).some((one) => one !== node && isGutter(one));
  const blocks = isWrapper ? elementsOf(node).filter((inner) => inner.tagName === 'pre' && isShown(inner)) : [node];
  const [pre] = blocks;
  if (pre === undefined || blocks.length !== 1) return undefined;
  const code = elementsOf(pre).find(({ tagName }) => tagName === 'code') ?? pre;
  const outside = textOf(node, (inner) => (inner === pre || isGutter(inner) ? '' : undefined));
  const title = isWrapper ? titleOf(node, pre) : (stringOf(pre, 'title') ?? stringOf(pre, 'dataTitle'));
  // Besides a title and the name of its language, what stands beside the code is text.
  if (isWrapper && wordCount(outside) > wordCount(title ?? '') + 3) return undefined;
  const language = [code, pre, ...wrappersOf(node, pre)].map(languageOf).find((name) => name !== undefined);
  return { ...linesOf(code), language, title: title || undefined };
}

function wrappersOf(root: Element, target: Element): Element[] {
  for (const child of root === target ? [] : root.children) {
    const path = child === target ? [root] : isElement(child) ? wrappersOf(child, target) : [];
    if (path.length > 0) return child === target ? path : [...path, root];
  }
  return [];
}

const CODE_TITLE =
  /^(?:filename|title|caption-text|codeBlockTitle.*|code-block-title|rehype-code-title|code-title|codeHeader|vp-code-block-title-text)$/;

function titleOf(node: Element, pre: Element): string | undefined {
  const inside = new Set(elementsOf(pre));
  const first = hasClass(node, /^nextra-code/)
    ? node.children.filter(isElement).find((one) => one !== pre && textOf(one) !== '')
    : undefined;
  const named = first ?? elementsOf(node).find((one) => !inside.has(one) && (one.tagName === 'figcaption' || hasClass(one, CODE_TITLE)));
  const title = named?.tagName === 'figcaption' ? (elementsOf(named).find((element) => hasClass(element, /^title$/)) ?? named) : named;
  const instead = (inner: Element) => (isGutter(inner) || hasClass(inner, /^(?:sr-only|headerlink)$/) ? '' : undefined);
  return title && lineOf(element('p', title.children), instead);
}

const NO_LANGUAGE =
  /^(?:default|none|plain|plaintext|text|txt|highlight|highlighter-rouge|notranslate|nohighlight|auto|undefined|fallback|ansi)$/i;

function languageOf(element: Element): string | undefined {
  const names = classesOf(element);
  const own = names.map((name) => /^(?:lang(?:uage)?-|highlight-(?:source-)?|brush:|src-)([\w+#.-]{1,30})$/.exec(name)?.[1]);
  const brush = /\bbrush:\s?([\w+#.-]{1,30})/.exec(stringOf(element, 'dataSyntaxhighlighterParams') ?? '')?.[1];
  const isSource = names.includes('sourceCode') || names.includes('src');
  const named =
    ['dataLanguage', 'dataLang', 'dataCodeBlockLang', 'dataEnlighterLanguage']
      .map((name) => stringOf(element, name))
      .find((name) => name !== undefined) ??
    own.find((name) => name !== undefined && name !== 'highlight') ??
    brush ??
    (isSource ? names.find((name) => !['sourceCode', 'src', 'numberSource', 'code'].includes(name)) : undefined);
  if (named === undefined && names.includes('mermaid')) return 'mermaid';
  if (named === undefined || !/^[\w+#.-]{1,30}$/.test(named) || NO_LANGUAGE.test(named)) return undefined;
  return named.toLowerCase() === 'python3' ? 'python' : named.toLowerCase() === 'pycon3' ? 'pycon' : named;
}

function linesOf(code: Element) {
  const lines = lineElements(code);
  const shown = lines === undefined ? plain(code) : lines.map((line) => plain(line).replace(/\n$/, '')).join('\n');
  // Line breaks at the end have no meaning in HTML, and fences cannot keep them.
  const text = shown.replace(/\n+$/, '');
  if (lines !== undefined) return { text, marked: lines.flatMap((line, index) => (isMarked(line) ? [index + 1] : [])) };
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
  return { text, marked: [...new Set(marked)] };
}

function isMarked(line: Element): boolean {
  return hasClass(line, MARKED) || elementsOf(line).some((child) => child.tagName === 'mark' && textOf(child) === textOf(line));
}

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

/** The ending of a title that is the name of a file: its language, where the page names none. */
const FILE_ENDING = /^[\w./-]{0,200}\w\.([a-z][a-z\d]{0,9})$/i;

export function codeInfo({ language, title, marked }: NonNullable<ReturnType<typeof codeBlockOf>>): string {
  const titled = title === undefined ? [] : [`title="${title.replaceAll('"', "'")}"`];
  const settings = marked.length === 0 ? titled : [...titled, `{${ranges(marked)}}`];
  const ofFile = FILE_ENDING.exec(title ?? '')?.[1]?.toLowerCase();
  return [language ?? ofFile ?? (settings.length > 0 ? 'text' : ''), ...settings].join(' ');
}

function ranges(lines: readonly number[]): string {
  // Numbers that follow each other are as far from their places.
  const sorted = lines.toSorted((a, b) => a - b);
  const runs = Map.groupBy(sorted, (line, at) => line - at);
  return [...runs.values()].map((run) => [...new Set([run[0], run.at(-1)])].join('-')).join(',');
}
