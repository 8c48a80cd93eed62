import { basename } from 'node:path';
import { toHtml } from 'hast-util-to-html';
import { toHast } from 'mdast-util-to-hast';
import { UserError } from '../../../build/user-error.ts';
import { parseText } from '../../../text/markdown/parse-text.ts';
import type { Grade } from '../compare-texts.ts';
import { type HtmlPage, readHtml } from '../html/read-html.ts';
import { failureOf, type ImportNote, type Source, type SourcePage } from '../source-page.ts';
import { routeOf, sourcePageOf } from './read-html-folder.ts';

/** A post or page of a publishing system, as its export has it. */
interface ExportedPost extends Pick<HtmlPage, 'description' | 'created' | 'updated' | 'author' | 'tags' | 'isHidden'> {
  /** HTML, as the text. */
  readonly title: string;
  readonly html: string;
  /** Absolute address. */
  readonly url: string;
  /** Line of the export where its text begins. */
  readonly line: number;
  /** What the export has of it, and its HTML does not. */
  readonly leftOut: readonly Pick<ImportNote, 'message' | 'grade'>[];
}

/** Address of posts whose export does not say where they are. */
const NOWHERE = 'http://import.invalid';

/** Whether a text is an export of WordPress (WXR) or of Ghost. */
export function isExport(text: string): boolean {
  return isWordPress(text) || isGhost(text);
}

function isWordPress(text: string): boolean {
  return /<rss[\s>]/.test(text.slice(0, 5_000)) && text.includes('xmlns:wp=') && text.includes('<wp:post_type>');
}

function isGhost(text: string): boolean {
  return text.trimStart().startsWith('{') && /"db"\s*:\s*\[/.test(text.slice(0, 200)) && text.includes('"posts"');
}

/**
 * Reads the export of a publishing system: its posts and pages, as the HTML that it shows.
 *
 * @throws {UserError} If it has none.
 */
export function readExport(given: string, text: string, site: string | undefined): Source {
  const posts = isWordPress(text) ? wordPressPosts(text) : ghostPosts(given, text, site ?? NOWHERE);
  const skipped: ImportNote[] = [];
  const pages = new Map<string, SourcePage>();
  for (const post of posts) {
    const { pathname, origin } = new URL(post.url);
    const route = routeOf(pathname);
    const path = route.replace(/^\//, '') || 'index';
    try {
      // The title stands above the text, whose own headings of the first level are part of it.
      const read = readHtml(`<main><h1>${post.title}</h1>${post.html}</main>`, { url: post.url, origin });
      const page = {
        ...read,
        ...post,
        title: read.title,
        leftOut: [
          ...read.leftOut.map((note) => ({ ...note, line: post.line + note.line - 1 })),
          ...post.leftOut.map((note) => ({ ...note, line: post.line })),
        ],
      };
      const url = origin === NOWHERE ? undefined : post.url;
      pages.set(path, sourcePageOf(page, post.html, { path, routes: [route], addresses: [pathname], url }, post.line));
    } catch (error) {
      skipped.push({ path, line: 1, message: failureOf(error) });
    }
  }
  if (pages.size === 0) throw new UserError(`${given} has no posts and no pages; export them with their content`);
  const origin = new URL(posts[0]?.url ?? NOWHERE).origin;
  const own = origin === NOWHERE ? undefined : origin;
  return {
    generator: 'export',
    from: own ?? basename(given),
    pages: [...pages.values()],
    isGone: (path) => !pages.has(path),
    site: own,
    skipped,
  };
}

/** The posts of a WXR file (WordPress eXtended RSS 1.2): RSS 2.0 with elements of WordPress. */
function wordPressPosts(xml: string): ExportedPost[] {
  const [head = '', ...items] = xml.split('<item>');
  let itemLine = linesIn(head);
  const pictures = items.flatMap((item) => {
    const [id = '', parent = '', url] = ['wp:post_id', 'wp:post_parent', 'wp:attachment_url'].map((name) => elementText(item, name));
    return url === undefined || !/\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(url)
      ? []
      : [{ id, parent, url, title: elementText(item, 'title') ?? '' }];
  });
  const authors = new Map(
    xml
      .split('<wp:author>')
      .slice(1)
      .map((author) => [elementText(author, 'wp:author_login'), elementText(author, 'wp:author_display_name')]),
  );
  return items.flatMap((item): ExportedPost[] => {
    const value = (name: string): string => elementText(item, name) ?? '';
    const line = itemLine + linesIn(item.slice(0, Math.max(0, item.indexOf('<content:encoded>')))) + 1;
    itemLine += linesIn(item);
    const gallery = (ids: string | undefined): string =>
      pictures
        .filter(({ id, parent }) => (ids === undefined ? parent === value('wp:post_id') : ids.split(/[\s,]+/).includes(id)))
        .map(({ url, title }) => `<figure><img src="${quoted(url)}" alt="${quoted(title)}"></figure>`)
        .join('\n');
    if (!['post', 'page'].includes(value('wp:post_type'))) return [];
    const html = value('content:encoded');
    const link = value('link');
    return [
      {
        title: value('title') || value('wp:post_name'),
        html: html.includes('<!-- wp:') ? withShortcodes(html, gallery) : withParagraphs(withShortcodes(html, gallery)),
        url:
          URL.canParse(link) && !new URL(link).search.startsWith('?p')
            ? link
            : `${URL.canParse(link) ? new URL(link).origin : NOWHERE}/${value('wp:post_name')}`,
        description: value('excerpt:encoded') || undefined,
        created:
          value('wp:post_date_gmt')
            .replace(/^0000.*$/, '')
            .slice(0, 10) || undefined,
        updated:
          value('wp:post_modified_gmt')
            .replace(/^0000.*$/, '')
            .slice(0, 10) || undefined,
        author: authors.get(value('dc:creator')) || undefined,
        tags: [...item.matchAll(/<category domain="(?:post_tag|category)"[^>]*><!\[CDATA\[([^\]]*)\]\]>/g)]
          .map(([, tag = '']) => tag)
          .filter((tag) => tag !== 'Uncategorized'),
        isHidden: value('wp:status') !== 'publish' || value('wp:post_password') !== '',
        line,
        leftOut: [],
      },
    ];
  });
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** A text for an attribute in double quotes; references that it has stay. */
function quoted(text: string): string {
  return text.replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** What WordPress makes of its own shortcodes (captions, players, galleries) when it shows a text; those of plugins stay as they are. */
function withShortcodes(html: string, gallery: (ids: string | undefined) => string): string {
  const attribute = (given: string, ...names: readonly string[]): string | undefined =>
    [...given.matchAll(/(?<![\w-])([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)]
      .filter(([, name = '']) => names.includes(name))
      .map(([, , ...values]) => values.find((value) => value !== undefined))[0];
  return html
    .replace(/\[caption\b([^[\]]*)\]((?:(?!\[\/?caption)[\s\S])*)\[\/caption\]/g, (_, given: string, inner: string) => {
      const [, picture = inner, words = ''] = /^\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*)$/.exec(inner) ?? [];
      return `<figure>${picture}<figcaption>${words.trim() || (attribute(given, 'caption') ?? '')}</figcaption></figure>`;
    })
    .replace(/\[(audio|video)\b([^[\]]*)\](?:\s*\[\/\1\])?/g, (whole, name: string, given: string) => {
      const source = attribute(given, ...PLAYED) ?? /https?:\S+/.exec(given)?.[0];
      return source === undefined ? whole : `<${name} src="${quoted(source)}"></${name}>`;
    })
    .replace(/\[embed\b[^[\]]*\]([^[\]<]*)\[\/embed\]/g, '\n\n$1\n\n')
    .replace(/\[gallery\b([^[\]]*)\]/g, (whole, given: string) => gallery(attribute(given, 'ids', 'include')) || whole);
}

/** Attributes of the players of WordPress that name what they play. */
const PLAYED = 'src mp3 m4a ogg wav mp4 m4v webm ogv flv wma wmv'.split(' ');

/** Tags between which WordPress makes paragraphs of lines (its function `wpautop`). */
const BETWEEN_PARAGRAPHS =
  /(<\/?(?:pre|script|style|table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|form|map|area|blockquote|address|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|summary|audio|video|iframe)\b[^<>]*>)/i;
/** Elements whose text is a paragraph without a tag for it, and those whose text stays as it is. */
const HOLDS_WORDS = /^<(?:td|th|dd|dt|li|p|h[1-6]|caption|figcaption|legend|address|summary)\b/i;
const HOLDS_LINES = /^<(?:pre|script|style)\b/i;

/** A text of the old editor of WordPress, which keeps paragraphs as blank lines and adds their tags when it shows them. */
function withParagraphs(html: string): string {
  let before = '';
  return html
    .replace(/\r\n?/g, '\n')
    .split(BETWEEN_PARAGRAPHS)
    .map((part, index) => {
      // Texts and tags by turns.
      if (index % 2 === 1) {
        // The tag around preformatted text is before all of it.
        if (!HOLDS_LINES.test(before) || /^<\/(?:pre|script|style)/i.test(part)) before = part;
        return part;
      }
      const parts = part
        .split(/\n\s*\n/)
        .map((words) => words.trim().replaceAll('\n', '<br>'))
        .filter((words) => words !== '');
      if (parts.length === 0 || HOLDS_LINES.test(before)) return part;
      return parts.length === 1 && HOLDS_WORDS.test(before) ? parts.join('') : parts.map((words) => `<p>${words}</p>`).join('\n');
    })
    .join('');
}

/** The text of an element, which may be in a CDATA section; `undefined` without one. */
function elementText(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  if (start === -1 || end === -1) return undefined;
  const inner = xml.slice(start + name.length + 2, end).trim();
  if (inner.startsWith('<![CDATA['))
    return inner
      .slice('<![CDATA['.length)
      .replaceAll(']]]]><![CDATA[>', ']]>')
      .replace(/\]\]>$/, '');
  return inner.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#039;', "'").replaceAll('&amp;', '&');
}

type Row = Readonly<Record<string, unknown>>;

/** The posts of an export of Ghost (version 3 or later): rows of its tables. */
function ghostPosts(given: string, json: string, site: string): ExportedPost[] {
  let data: Readonly<Record<string, unknown>>;
  try {
    data = ((JSON.parse(json) as { db?: { data?: Row }[] }).db?.[0]?.data ?? {}) as Row;
  } catch (error) {
    throw new UserError(`${given} is no valid JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`);
  }
  const rows = (name: string): Row[] => (Array.isArray(data[name]) ? (data[name] as Row[]) : []);
  const text = (row: Row | undefined, name: string): string | undefined =>
    typeof row?.[name] === 'string' && row[name] !== '' ? row[name] : undefined;
  const joined = (table: string, key: string, named: string): Map<unknown, string[]> => {
    const names = new Map(rows(named).map((row) => [row['id'], text(row, 'name') ?? '']));
    const found = new Map<unknown, string[]>();
    for (const row of rows(table)) {
      const name = names.get(row[key]);
      if (name !== undefined) found.set(row['post_id'], [...(found.get(row['post_id']) ?? []), name]);
    }
    return found;
  };
  const authors = joined('posts_authors', 'author_id', 'users');
  const tags = joined('posts_tags', 'tag_id', 'tags');
  return rows('posts').map((post) => {
    const leftOut: { message: string; grade?: Grade }[] = [];
    const lexical = text(post, 'lexical');
    const html = text(post, 'html') ?? (lexical === undefined ? '' : htmlOfLexical(lexical, leftOut));
    if (html === '' && text(post, 'mobiledoc') !== undefined)
      leftOut.push({ message: 'has its text only as Mobiledoc, which is not read; export it from Ghost 5 or later', grade: 'lost' });
    return {
      title: escaped(text(post, 'title') ?? text(post, 'slug') ?? 'Untitled'),
      html: html.replaceAll('__GHOST_URL__', site),
      url: `${site}/${text(post, 'slug') ?? String(post['id'])}/`,
      description: text(post, 'custom_excerpt'),
      created: text(post, 'published_at')?.slice(0, 10),
      updated: text(post, 'updated_at')?.slice(0, 10),
      author: authors.get(post['id'])?.[0],
      tags: (tags.get(post['id']) ?? []).filter((tag) => !tag.startsWith('#')),
      isHidden: text(post, 'status') !== 'published' || !['public', undefined].includes(text(post, 'visibility')),
      line: 1,
      leftOut,
    };
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Formats of a text in Lexical: bits of a number (lexical, `TEXT_TYPE_TO_FORMAT`). */
const FORMATS = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [8, 'u'],
  [16, 'code'],
  [32, 'sub'],
  [64, 'sup'],
  [128, 'mark'],
] as const;

/**
 * The text that the editor of Ghost keeps as JSON, as HTML.
 *
 * @param leftOut Gets a note for each card that has no form here.
 */
function htmlOfLexical(json: string, leftOut: { message: string; grade?: Grade }[]): string {
  const written = (given: unknown): string => {
    const node = (given ?? {}) as Row;
    const own = (name: string): string => (typeof node[name] === 'string' ? node[name] : '');
    const within = (name = 'children'): string => (Array.isArray(node[name]) ? (node[name] as unknown[]).map(written).join('') : '');
    const media = (tag: string): string =>
      `<${tag} src="${quoted(own('src'))}"${own('title') && ` title="${quoted(own('title'))}"`}></${tag}>`;
    const figure = (html: string): string => `<figure>${html}${own('caption') && `<figcaption>${own('caption')}</figcaption>`}</figure>`;
    const link = (address: string, words: string): string => `<a href="${quoted(own(address))}">${words}</a>`;
    const type = own('type').replace(/^extended-/, '');
    switch (type) {
      case 'text':
        return FORMATS.reduce(
          (html, [bit, tag]) => (Number(node['format']) & bit ? `<${tag}>${html}</${tag}>` : html),
          escaped(own('text')),
        );
      case 'linebreak':
        return '<br>';
      case 'link':
        return link('url', within());
      case 'heading':
        return `<${/^h[1-6]$/.exec(own('tag'))?.[0] ?? 'h2'}>${within()}</${/^h[1-6]$/.exec(own('tag'))?.[0] ?? 'h2'}>`;
      case 'list':
        return own('listType') === 'number' ? `<ol start="${Number(node['start']) || 1}">${within()}</ol>` : `<ul>${within()}</ul>`;
      case 'listitem':
        return `<li>${within()}</li>`;
      case 'paragraph':
        return `<p>${within()}</p>`;
      case 'quote':
      case 'aside':
        return `<blockquote><p>${within()}</p></blockquote>`;
      case 'image':
        return figure(`<img src="${quoted(own('src'))}" alt="${quoted(own('alt'))}">`);
      case 'gallery':
        return figure(
          (Array.isArray(node['images']) ? node['images'] : []).map((one: object) => written({ ...one, type: 'image' })).join(''),
        );
      case 'codeblock':
        return figure(`<pre><code class="language-${quoted(own('language'))}">${escaped(own('code'))}</code></pre>`);
      case 'html':
      case 'embed':
        return own('html');
      case 'markdown':
        return toHtml(toHast(parseText(own('markdown')), { allowDangerousHtml: true }), { allowDangerousHtml: true });
      case 'horizontalrule':
        return '<hr>';
      case 'callout':
        return `<div class="kg-callout-card callout">${own('calloutText')}</div>`;
      case 'toggle':
        return `<details><summary>${own('heading')}</summary>${own('content')}</details>`;
      case 'bookmark':
        return `<p>${link('url', escaped(String((node['metadata'] as Row | undefined)?.['title'] ?? own('url'))))}</p>`;
      case 'button':
        return `<p>${link('buttonUrl', escaped(own('buttonText')))}</p>`;
      case 'file':
        return `<p>${link('src', escaped(own('fileTitle') || own('fileName') || own('src')))}</p>`;
      case 'video':
      case 'audio':
        return figure(media(type));
      case 'header':
        return `<h2>${own('header')}</h2><p>${own('subheader')}</p>`;
      case 'paywall':
        return '';
      default:
        if (node['children'] === undefined) leftOut.push({ message: `has a card of Ghost, "${type}", which is left out` });
        return within();
    }
  };
  try {
    return written((JSON.parse(json) as Row)['root']);
  } catch {
    leftOut.push({ message: 'has a text in Lexical that cannot be read, and is left out', grade: 'lost' });
    return '';
  }
}
