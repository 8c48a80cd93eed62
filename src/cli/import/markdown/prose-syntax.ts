import { escapeText } from './markdown-forms.ts';
import { outsideCode } from './text-edits.ts';

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
