import { basename } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { readHtml } from '../html/read-html.ts';
import { failureOf, type ImportNote, type Source, type SourcePage } from '../source-page.ts';
import { routeOf, sourcePageOf } from './read-html-folder.ts';

/** A post or page of a publishing system, as its export has it. */
interface ExportedPost {
  /** HTML, as the text. */
  readonly title: string;
  readonly html: string;
  /** Absolute address. */
  readonly url: string;
  readonly summary: string | undefined;
  readonly created: string | undefined;
  readonly updated: string | undefined;
  readonly author: string | undefined;
  readonly tags: readonly string[];
  readonly isHidden: boolean;
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
        description: post.summary,
        created: post.created,
        updated: post.updated,
        author: post.author,
        tags: post.tags,
      };
      pages.set(
        path,
        sourcePageOf(page, text, {
          path,
          routes: [route],
          addresses: [pathname],
          url: origin === NOWHERE ? undefined : post.url,
          isHidden: post.isHidden,
        }),
      );
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
    findFile: () => undefined,
    isGone: (path) => !pages.has(path),
    site: own,
    license: undefined,
    skipped,
  };
}

/** The posts of a WXR file (WordPress eXtended RSS 1.2): RSS 2.0 with elements of WordPress. */
function wordPressPosts(xml: string): ExportedPost[] {
  const items = xml.split('<item>').slice(1);
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
        summary: value('excerpt:encoded') || undefined,
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
      },
    ];
  });
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
  const joined = (table: string, post: Row, key: string, named: string): string[] => {
    const names = new Map(rows(named).map((row) => [row['id'], text(row, 'name') ?? '']));
    return rows(table)
      .filter((row) => row['post_id'] === post['id'])
      .flatMap((row) => names.get(row[key]) ?? []);
  };
  return rows('posts').map((post) => ({
    title: (text(post, 'title') ?? text(post, 'slug') ?? 'Untitled').replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    html: (text(post, 'html') ?? '').replaceAll('__GHOST_URL__', site),
    url: `${site}/${text(post, 'slug') ?? String(post['id'])}/`,
    summary: text(post, 'custom_excerpt'),
    created: text(post, 'published_at')?.slice(0, 10),
    updated: text(post, 'updated_at')?.slice(0, 10),
    author: joined('posts_authors', post, 'author_id', 'users')[0],
    tags: joined('posts_tags', post, 'tag_id', 'tags').filter((tag) => !tag.startsWith('#')),
    isHidden: text(post, 'status') !== 'published' || !['public', undefined].includes(text(post, 'visibility')),
  }));
}
