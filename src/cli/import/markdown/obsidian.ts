import { admonition, admonitionKind, escapeText, outsideCode, replaceOutsideCode, scanLines } from './markdown-syntax.ts';

/** Scheme of links that name a page by its title or file name, as Obsidian does. */
export const WIKI_SCHEME = 'wiki:';

/** Brackets behind a sign are text, and numbers in brackets before an address a link of markdown. */
const WIKI_LINK = /(!?)(?<!\\)\[\[([^\][|#\n]*)(#[^\][|\n]*)?(?:\\?\|([^\]\n]*))?\]\](?:(?<=\[\[\d{1,9}\]\])(?!\()|(?<!\[\[\d{1,9}\]\]))/g;

/** Links and embeds of Obsidian as links and images of markdown. A note that is embedded becomes a link to it. */
export function rewriteWikiLinks(text: string): string {
  if (!text.includes('[[')) return text;
  return replaceOutsideCode(text, WIKI_LINK, (whole = '', embed, target = '', heading = '', label) => {
    const name = target.trim().replace(/\\$/, '');
    if (name === '' && heading === '') return whole;
    const address = `<${WIKI_SCHEME}${encodeURI(name)}${heading === '' ? '' : `#${encodeURIComponent(heading.slice(1).replace(/^.*#/, ''))}`}>`;
    const isImage = embed !== '' && /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(name);
    const text = label?.trim() && !(embed !== '' && /^\d+(x\d+)?$/.test(label)) ? label : wikiText(name, heading, isImage);
    const isIncluded = embed !== '' && !isImage;
    return `${isImage ? '!' : ''}[${text.replace(/(?<!\\)[[\]]/g, '\\$&')}](${address}${isIncluded ? ' ":include"' : ''})`;
  });
}

function wikiText(name: string, heading: string, isImage: boolean): string {
  const last = name.split('/').at(-1) ?? '';
  if (isImage) return escapeText(last.replace(/\.\w+$/, ''));
  const section = heading.slice(1).replace(/^\^.*/, '').replaceAll('#', ' > ');
  return escapeText([last.replace(/\.md$/, ''), section].filter((part) => part !== '').join(' > '));
}

export function rewriteObsidianMarks(text: string): string {
  return outsideCode(withoutComments(text), (prose) =>
    prose
      // A picture with its width, and its height.
      .replace(/(!\[[^[\]\n]*)\|\d+(?:x\d+)?(?=\]\()/g, '$1')
      .replace(/==(?=\S)([^=\n]+?)(?<=\S)==/g, '<mark>$1</mark>')
      .replace(/(^|[ \t])\^[\w-]{1,64}[ \t]*$/gm, (_, before: string) => before.trimEnd()),
  );
}

/** A comment may hold code, whose own signs mean nothing. */
function withoutComments(text: string): string {
  const parts = outsideCode(text, (prose) => prose.replaceAll('%%', COMMENT_SIGN)).split(COMMENT_SIGN);
  const unclosed = parts.length % 2 === 0 ? `%%${parts.pop() ?? ''}` : '';
  const shown = parts.filter((_, index) => index % 2 === 0);
  return shown.map((part, index) => (index === shown.length - 1 ? part : part.replace(/(?<![ \t])[ \t]+$/, ''))).join('') + unclosed;
}

const COMMENT_SIGN = '\uE000%\uE001';

const CALLOUT = /^([ \t]*)>[ \t]*\[!([\w-]+)(?:\|[^\]]*)?\]([+-]?)[ \t]*(.*?)[ \t]*$/;

const GITHUB_ALERT = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/i;

/** Callouts of Obsidian: `> [!tip]- Title` becomes an admonition. Alerts of GitHub, which have no title, stay. */
export function rewriteCallouts(text: string): string {
  if (!text.includes('[!')) return text;
  const lines = scanLines(text);
  const output: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const { text: line = '', isCode = false } = lines[index] ?? {};
    const [whole, indent = '', name = '', fold = '', title = ''] = (isCode ? null : CALLOUT.exec(line)) ?? [];
    if (whole === undefined || (GITHUB_ALERT.test(name) && fold === '' && title === '')) {
      output.push(line);
      continue;
    }
    const body: string[] = [];
    for (; /^[ \t]*>/.test(lines[index + 1]?.text ?? ''); index += 1) body.push((lines[index + 1]?.text ?? '').replace(/^[ \t]*> ?/, ''));
    const written = admonition(admonitionKind(name) ?? 'note', title, rewriteCallouts(body.join('\n')));
    output.push(...(output.at(-1)?.trim() ? [''] : []), ...written.split('\n').map((row) => (row === '' ? '' : indent + row)));
    if (lines[index + 1]?.text.trim()) output.push('');
  }
  return output.join('\n');
}
