import type { ElementContent } from 'hast';
import type { BundledLanguage, HighlighterCore } from 'shiki';

/** Code with its parts in classes such as `hl-keyword`; `undefined` if its language is not known. Lines are numbered from 1. */
export type HighlightCode = (code: string, language: string, markedLines: ReadonlySet<number>) => ElementContent[] | undefined;

/** Longer code is not coloured. In UTF-16 code units. */
const CODE_MAX = 100_000;
/** Longer lines are not coloured: time grows with their square in some grammars. */
const LINE_MAX = 2_000;

/** Names of languages that have no colours. */
const PLAIN = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'ansi', 'none']);

/** Parts that are coloured; names of variables of the theme of Shiki. Punctuation is plain, which halves the pages. */
const PARTS = new Set(['constant', 'string', 'comment', 'keyword', 'parameter', 'function', 'string-expression', 'link']);

let highlighter: Promise<HighlighterCore> | undefined;

/**
 * Loads the grammars of some languages. Colours are classes, because the policy of our pages allows no inline styles.
 *
 * @see {@link https://shiki.style/guide/theme-colors#css-variables-theme Shiki, CSS variables theme}
 */
export async function loadHighlighter(languages: Iterable<string>): Promise<HighlightCode> {
  const { bundledLanguages } = await import('shiki/langs');
  const wanted = [...new Set(languages)].filter((name): name is BundledLanguage => Object.hasOwn(bundledLanguages, name));
  if (wanted.length === 0) return (code, _language, marked) => (marked.size === 0 ? undefined : linesOf([[{ text: code }]], marked));
  highlighter ??= createHighlighter();
  const shiki = await highlighter;
  for (const name of wanted) if (!shiki.getLoadedLanguages().includes(name)) await shiki.loadLanguage(bundledLanguages[name]);
  return (code, language, marked) => {
    if (!wanted.includes(language as BundledLanguage) || code.length > CODE_MAX) {
      return marked.size === 0
        ? undefined
        : linesOf(
            code.split('\n').map((text) => [{ text }]),
            marked,
          );
    }
    const options = { lang: language, theme: 'css-variables', tokenizeMaxLineLength: LINE_MAX, tokenizeTimeLimit: 0 };
    const lines = shiki
      .codeToTokensBase(code, options)
      .map((tokens) => tokens.map(({ content, color }) => ({ text: content, part: partOf(color) })));
    return linesOf(lines, marked);
  };
}

/** Whether a language can be coloured at all, so that its grammar is worth loading. */
export function hasColours(language: string | null | undefined): language is string {
  return language !== null && language !== undefined && !PLAIN.has(language.toLowerCase());
}

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
  readonly text: string;
  readonly part?: string | undefined;
}

/** Lines with their line ends; neighbours of the same kind in one element. */
function linesOf(lines: readonly (readonly Part[])[], marked: ReadonlySet<number>): ElementContent[] {
  const content: ElementContent[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) append(content, { text: '\n' });
    if (marked.has(index + 1)) {
      const children: ElementContent[] = [];
      for (const part of line) append(children, part);
      content.push({ type: 'element', tagName: 'mark', properties: { className: ['line'] }, children });
    } else for (const part of line) append(content, part);
  }
  return content;
}

/** Appends a part. White space takes the kind of what is before it. */
function append(content: ElementContent[], { text, part }: Part): void {
  const last = content.at(-1);
  if (last?.type === 'text' && (part === undefined || text.trim() === '')) last.value += text;
  else if (last?.type === 'element' && last.tagName === 'span' && (last.properties['className'] as string[])[0] === `hl-${part}`) {
    const [only] = last.children;
    if (only?.type === 'text') only.value += text;
  } else if (part === undefined || text.trim() === '') content.push({ type: 'text', value: text });
  else
    content.push({
      type: 'element',
      tagName: 'span',
      properties: { className: [`hl-${part}`] },
      children: [{ type: 'text', value: text }],
    });
}
