import { codeBlock, escapeText } from './markdown-forms.ts';
import { outsideCode, scanLines } from './text-edits.ts';

/** Scheme of links that name a page by its title or file name, as Obsidian does. */
export const WIKI_SCHEME = 'wiki:';

const WIKI_LINK = /(!?)\[\[([^\][|#\n]*)(#[^\][|\n]*)?(?:\\?\|([^\]\n]*))?\]\]/g;

/** Links and embeds of Obsidian as links and images of markdown. A note that is embedded becomes a link to it. */
export function rewriteWikiLinks(text: string): string {
  if (!text.includes('[[')) return text;
  return outsideCode(text, (prose) =>
    prose.replace(WIKI_LINK, (whole, embed: string, target = '', heading = '', label?: string) => {
      const name = String(target).trim().replace(/\\$/, '');
      if (name === '' && heading === '') return whole;
      const address = `<${WIKI_SCHEME}${encodeURI(name)}${heading === '' ? '' : `#${encodeURIComponent(String(heading).slice(1).replace(/^.*#/, ''))}`}>`;
      const isImage = embed !== '' && /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(name);
      const text = label !== undefined && !(embed !== '' && /^\d+(x\d+)?$/.test(label)) ? label : wikiText(name, String(heading), isImage);
      return `${isImage ? '!' : ''}[${text.replace(/(?<!\\)[[\]]/g, '\\$&')}](${address})`;
    }),
  );
}

function wikiText(name: string, heading: string, isImage: boolean): string {
  const last = name.split('/').at(-1) ?? '';
  if (isImage) return escapeText(last.replace(/\.\w+$/, ''));
  const section = heading.slice(1).replace(/^\^.*/, '').replaceAll('#', ' > ');
  return escapeText([last.replace(/\.md$/, ''), section].filter((part) => part !== '').join(' > '));
}

/** Comments, highlights and block ids of Obsidian. */
export function rewriteObsidianMarks(text: string): string {
  return outsideCode(text, (prose) =>
    withoutComments(prose)
      .replace(/==(?=\S)([^=\n]+?)(?<=\S)==/g, '<mark>$1</mark>')
      .replace(/(^|[ \t])\^[\w-]{1,64}[ \t]*$/gm, (_, before: string) => before.trimEnd()),
  );
}

/** A text without what stands between two `%%`, and without the spaces before it. */
function withoutComments(text: string): string {
  const parts = text.split('%%');
  const unclosed = parts.length % 2 === 0 ? `%%${parts.pop() ?? ''}` : '';
  const shown = parts.filter((_, index) => index % 2 === 0);
  return shown.map((part, index) => (index === shown.length - 1 ? part : part.replace(/(?<![ \t])[ \t]+$/, ''))).join('') + unclosed;
}

/** Files that VitePress includes: `<<< @/snippets/a.js{1} [title]` as a code block, `<!--@include: ./part.md-->` as text. */
export function rewriteIncludes(
  text: string,
  include: (target: string, isRaw: boolean) => string | undefined,
  note: (line: string) => void,
): string {
  if (!/<<<|@include:/.test(text)) return text;
  const output = scanLines(text).map(({ text: line, isCode }) => {
    const [, indent = '', target = '', info = ''] = (isCode ? null : /^([ \t]*)<<<[ \t]+([^\s{[#]+)(?:#[\w-]+)?(.*)$/.exec(line)) ?? [];
    const part = isCode ? undefined : /^[ \t]*<!--[ \t]*@include:[ \t]*([^\s{#>]+)[^>]*-->/.exec(line)?.[1];
    if (target === '' && part === undefined) return line;
    const content = include(part ?? target, part === undefined);
    if (content === undefined) {
      note(line.trim());
      return '';
    }
    if (part !== undefined) return content.trim();
    const title = /^[^[]*\[([^\]]+)\]/.exec(info)?.[1];
    const language = /\.(\w+)$/.exec(target)?.[1] ?? '';
    return codeBlock(content, title === undefined ? language : `${language} title="${title}"`)
      .split('\n')
      .map((row) => indent + row)
      .join('\n');
  });
  return output.join('\n');
}

/**
 * The line that begins a code block: language, title and marked lines, as this engine writes them. Other settings of generators are left
 * out: `js{1,3}:line-numbers [npm]` becomes `js title="npm" {1,3}`.
 */
function fenceInfo(info: string): string {
  const language = /^[^\s{[:"'=]+(?=$|[\s{[:])/.exec(info.trim())?.[0] ?? '';
  const rest = info.trim().slice(language.length);
  const bracketed = /^[^[]*\[([^\]]+)\]/.exec(rest)?.[1];
  const quoted = /(?:title|filename)=(["'])(.*?)\1/.exec(rest)?.[2];
  const marked = /(?:^|\s|:[\w-]+)\{([\d,\s-]+)\}/.exec(` ${rest}`)?.[1];
  // Mintlify: words after the language are the title.
  const words = /^\s+((?:[A-Z][\w.+/-]*|[\w./+-]+\.\w+)(?:\s+(?![\w-]+=)[\w.+/-]+)*)/.exec(rest)?.[1];
  const title =
    quoted ?? bracketed ?? (/^(?:showLineNumbers|live|twoslash|noInline|wrap|lines|expandable)\b/.test(words ?? '') ? undefined : words);
  return [
    language === 'ansi' || language === 'plaintext' || language === 'txt' ? 'text' : language,
    title === undefined || title === '' ? '' : `${language === '' ? 'text ' : ''}title="${title.replaceAll('"', '')}"`,
    marked === undefined ? '' : `${language === '' && title === undefined ? 'text ' : ''}{${marked.replace(/\s/g, '')}}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The lines that begin code blocks, each as {@link fenceInfo} writes it. */
export function rewriteFences(text: string): string {
  let wasCode = false;
  return scanLines(text)
    .map(({ text: line, isCode }) => {
      const begins = isCode && !wasCode;
      const ends = isCode && wasCode && /^[\s>]*(`{3,}|~{3,})[ \t]*$/.test(line);
      wasCode = isCode && !ends;
      return begins ? line.replace(/(`{3,}|~{3,})(.*)$/, (_, fence: string, info: string) => fence + fenceInfo(info)) : line;
    })
    .join('\n');
}

/** Elements that are often written without their end. */
const OPEN_ENDED: ReadonlySet<string> = new Set([
  ...['br', 'hr', 'img', 'input', 'wbr', 'col', 'p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'thead', 'tbody', 'tfoot', 'rt', 'rp'],
  ...['div', 'span', 'section', 'center', 'details', 'summary', 'script', 'style', 'table', 'ul', 'ol', 'a'],
]);

/**
 * Escapes what looks like a tag and is text: `<your-token>`, `Option<T>`, `List<String>`. Such a name in angle brackets has no attributes and is
 * never closed in the text.
 */
export function escapePlaceholders(text: string): string {
  if (!/<[A-Za-z][\w.-]*>/.test(text)) return text;
  const closed = new Set([...text.matchAll(/<\/([A-Za-z][\w.-]*)\s*>/g)].map(([, name = '']) => name));
  return outsideCode(text, (prose) =>
    prose.replace(/(?<!\\)<([A-Za-z][\w.-]*)>/g, (tag, name: string) =>
      closed.has(name) || OPEN_ENDED.has(name.length === 1 ? name : name.toLowerCase()) ? tag : `\\${tag}`,
    ),
  );
}
