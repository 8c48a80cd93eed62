import { basename } from 'node:path';
import { fromHtml } from 'hast-util-from-html';
import { UserError } from '../../../publication/content-problem.ts';
import { slugOf } from '../../../publication/read/content-ids.ts';
import { parseJson } from '../../../publication/read/front-matter.ts';
import { convertHtml } from '../convert-page.ts';
import { type HtmlPage, readHtml } from '../html/read-html.ts';
import { attempt, type ImportNote, type OpenOptions, type Source, type SourcePage } from '../import-source.ts';
import { freeName } from '../plan-sections.ts';
import { NOWHERE, routeOf } from './read-html-folder.ts';

export interface ExportedPost extends Partial<Pick<HtmlPage, 'description' | 'created' | 'updated' | 'author' | 'tags' | 'draftReason'>> {
  /** HTML, as the text. */
  readonly title: string;
  readonly html: string;
  readonly url: string;
  /** Line of the export where its text begins. */
  readonly line?: number;
  /** What the export has of it, and its HTML does not. */
  readonly leftOut?: readonly Pick<ImportNote, 'message' | 'grade'>[];
}

export const UNPUBLISHED = 'is not published in its source';

export function isExport(text: string): boolean {
  const isGhost = text.trimStart().startsWith('{') && /"db"\s*:\s*\[/.test(text.slice(0, 200)) && text.includes('"posts"');
  return isGhost || isWordPress(text);
}

function isWordPress(text: string): boolean {
  return /<rss[\s>]/.test(text.slice(0, 5_000)) && text.includes('xmlns:wp=') && text.includes('<wp:post_type>');
}

/** Reads the export of a publishing system: its posts and pages, as the HTML that it shows. @throws {UserError} If it has none. */
export function readExport(given: string, text: string, { site, today }: OpenOptions): Source {
  const skipped: ImportNote[] = [];
  const posts = isWordPress(text) ? wordPressPosts(text, skipped) : ghostPosts(given, text, site ?? NOWHERE);
  return sourceOfPosts(given, posts, today, skipped);
}

export function sourceOfPosts(given: string, posts: readonly ExportedPost[], today: string, skipped: ImportNote[] = []): Source {
  const pages = new Map<string, SourcePage>();
  const taken = new Set<string>();
  for (const post of posts) {
    const { pathname, origin } = new URL(post.url);
    // Medium writes the name of the author before the title, and a number behind it.
    const named = routeOf(pathname).replace(/^\/(?:@[^/]+\/(.+?)(?:-[\da-f]{9,14})?$)?/, '$1') || 'index';
    const path = freeName(named, taken);
    const addresses = path === named ? [pathname] : [];
    const convert = (): void => {
      // The title stands above the text, whose own headings of the first level are part of it.
      const read = readHtml(`<main><h1>${post.title}</h1>${post.html}</main>`, { url: post.url, origin });
      const { line: first = 1, leftOut: missing = [] } = post;
      const notes = [...read.leftOut, ...missing.map((note) => ({ ...note, line: 1 }))];
      const leftOut = notes.map((note) => ({ ...note, line: first + note.line - 1 }));
      const page = convertHtml({ ...read, ...post, title: read.title, leftOut }, { path, source: post.html, line: first, today });
      pages.set(path, { ...page, routes: [routeOf(pathname)], addresses, url: origin === NOWHERE ? undefined : post.url });
    };
    attempt(convert, path, skipped);
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
function wordPressPosts(xml: string, skipped: ImportNote[]): ExportedPost[] {
  const [head = '', ...items] = xml.split('<item>');
  let itemLine = linesIn(head);
  const pictures = items.map((item) => {
    const value = (name: string): string => elementText(item, name) ?? '';
    const url = value('wp:attachment_url');
    const figure = figureOf(url, metaOf(item, '_wp_attachment_image_alt') ?? unescaped(value('title')), value('excerpt:encoded'));
    return { id: value('wp:post_id'), parent: value('wp:post_parent'), url, figure };
  });
  const accounts = xml.split('<wp:author>').slice(1);
  const authors = new Map(accounts.map((one) => [elementText(one, 'wp:author_login'), elementText(one, 'wp:author_display_name')]));
  return items.flatMap((item): ExportedPost[] => {
    const value = (name: string): string => elementText(item, name) ?? '';
    const line = itemLine + linesIn(item.slice(0, Math.max(0, item.indexOf('<content:encoded>')))) + 1;
    itemLine += linesIn(item);
    const gallery = (ids: string | undefined): string =>
      pictures
        .filter(({ url }) => /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(url))
        .filter(({ id, parent }) => (ids === undefined ? parent === value('wp:post_id') : ids.split(/[\s,]+/).includes(id)))
        .map(({ figure }) => figure)
        .join('\n');
    const html = value('content:encoded');
    const link = URL.canParse(value('link')) ? new URL(value('link')) : undefined;
    const isStated = link?.search === '';
    const type = value('wp:post_type');
    const isOwn = ['post', 'page'].includes(type);
    // What plugins add is a text if it has an address: the guides of a knowledge base. Of some forms, too, no reader knows it.
    if (!isOwn && (html.trim() === '' || /^(?:attachment|nav_menu_item|revision|wp_.*|elementor_.*)$/.test(type))) return [];
    const name = value('wp:post_name') || slugOf(value('title')) || value('wp:post_id');
    if (!isOwn && !isStated) {
      skipped.push({ path: name, line, message: `is of the type "${type}" and has no address, and is left out` });
      return [];
    }
    const day = (name: string): string | undefined => /^(?!0000).{1,10}/.exec(value(name))?.[0];
    const shown = withShortcodes(html, gallery);
    const reasons = [
      value('wp:status') === 'publish' ? '' : `has the status "${value('wp:status')}" in WordPress`,
      value('wp:post_password') && 'needs a password in WordPress',
      isOwn ? '' : `is of the type "${type}", which a plugin made`,
    ];
    const featured = metaOf(item, '_thumbnail_id');
    const picture = pictures.find(({ id, url }) => id === featured && url !== '');
    const above = picture === undefined || showsPicture(shown, picture.url) ? '' : picture.figure;
    const isMissing = picture === undefined && Number(featured ?? 0) > 0;
    const tags = [...item.matchAll(/<category domain="(?:post_tag|category)"[^>]*><!\[CDATA\[([^\]]*)\]\]>/g)].map(([, tag = '']) => tag);
    return [
      {
        title: value('title') || value('wp:post_name'),
        html: above + (html.includes('<!-- wp:') ? shown : withParagraphs(shown)),
        url: isStated ? value('link') : `${link?.origin ?? NOWHERE}/${name}`,
        description: value('excerpt:encoded') || undefined,
        created: day('wp:post_date_gmt'),
        updated: day('wp:post_modified_gmt'),
        author: authors.get(value('dc:creator')) || undefined,
        tags: tags.filter((tag) => tag !== 'Uncategorized'),
        draftReason: reasons.find((reason) => reason !== ''),
        line,
        leftOut: [...(isMissing ? [{ message: MISSING_PICTURE }] : []), ...pluginNotes(shown)],
      },
    ];
  });
}

const MISSING_PICTURE = 'has a featured picture that the export does not describe; export all content, with its media';

/** A value that a plugin or WordPress itself keeps beside a text. */
function metaOf(item: string, key: string): string | undefined {
  const own = item.split('<wp:postmeta>').find((part) => elementText(part, 'wp:meta_key') === key);
  return (own && elementText(own, 'wp:meta_value')) || undefined;
}

/** Whether a text shows a picture, whose file WordPress names by its size in a text. */
function showsPicture(html: string, url: string): boolean {
  const stem = url.replace(/(?:-scaled)?\.\w+$/, '');
  const isSized = (source: string): boolean => source.startsWith(stem) && SIZED.test(source.slice(stem.length));
  const sources = [...html.matchAll(/\s(?:data-[\w-]*)?src=["']([^"']*)/gi)].map(([, source = '']) => unescaped(source));
  return sources.some((source) => source === url || isSized(source));
}

const SIZED = /^(?:-\d+x\d+|-scaled)?\.\w+(?:\?.*)?$/;

function figureOf(url: string, alt: string, caption: string): string {
  return `<figure><img src="${quoted(url)}" alt="${quoted(alt)}">${caption === '' ? '' : `<figcaption>${caption}</figcaption>`}</figure>`;
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

export function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function pluginNotes(given: string): { readonly message: string }[] {
  const html = given.replace(CODE, '');
  const found = [...html.matchAll(/\[([a-z][\w-]{2,40})(?=[\s\]])[^[\]<>]{0,500}\]/g)];
  const names = new Set(found.flatMap(([whole, name = '']) => (whole.includes('=') || html.includes(`[/${name}]`) ? name : [])));
  return names.size === 0 ? [] : [{ message: `has shortcodes of plugins, which stay as text: ${[...names].join(', ')}` }];
}

const CODE =
  /<(pre|code)\b[^<>]*>(?:(?!<\/?\1\b)[\s\S])*<\/\1>|\[(code|sourcecode)\b([^[\]]*)\]((?:(?!\[\/?(?:source)?code\b)[\s\S])*)\[\/\2\]/gi;

/** What WordPress makes of usual shortcodes (captions, players, galleries, code, columns) when it shows a text; others, and code, stay as they are. */
function withShortcodes(html: string, gallery: (ids: string | undefined) => string): string {
  const attribute = (given: string, ...names: readonly string[]): string | undefined =>
    [...given.matchAll(/(?<![\w-])([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)]
      .filter(([, name = '']) => names.includes(name))
      .map(([, , ...values]) => values.find((value) => value !== undefined))[0];
  const closed = new Set(['vc_separator', 'vc_empty_space', ...[...html.matchAll(/\[\/(\w+)\]/g)].map(([, name = '']) => name)]);
  const blocks: string[] = [];
  const prose = html.replace(CODE, (whole: string, _tag: unknown, name: string | undefined, given: string, code: string) => {
    const language = name && quoted(attribute(given, 'language', 'lang') ?? 'text');
    const shown =
      name &&
      code
        .replace(/^(?:[ \t]*\r?\n)+/, '')
        .trimEnd()
        .replaceAll('<', '&lt;');
    blocks.push(name === undefined ? whole : `<pre><code class="language-${language}">${shown}</code></pre>`);
    return `\uE000${blocks.length - 1}\uE001`;
  });
  return (
    prose
      .replace(/\[caption\b([^[\]]*)\]((?:(?!\[\/?caption)[\s\S])*)\[\/caption\]/g, (_, given: string, inner: string) => {
        const [, picture = inner, words = ''] = /^\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*)$/.exec(inner) ?? [];
        return `<figure>${picture}<figcaption>${words.trim() || (attribute(given, 'caption') ?? '')}</figcaption></figure>`;
      })
      .replace(/\[(audio|video)\b([^[\]]*)\](?:\s*\[\/\1\])?/g, (whole, name: string, given: string) => {
        const source = attribute(given, ...PLAYED) ?? /https?:\S+/.exec(given)?.[0];
        return source === undefined ? whole : `<${name} controls src="${quoted(unescaped(source))}"></${name}>`;
      })
      // Frames of page builders around texts: WPBakery, Divi, Avada, Enfold.
      .replace(/\[\/?((?:vc|et_pb|fusion|av)_\w{1,60})[^[\]]*\]/g, (whole, name: string) =>
        /[=/]/.test(whole) || closed.has(name) ? '\n\n' : whole,
      )
      .replace(/\[embed\b[^[\]]*\]([^[\]<]*)\[\/embed\]/g, '\n\n$1\n\n')
      .replace(/\[gallery\b([^[\]]*)\]/g, (whole, given: string) => gallery(attribute(given, 'ids', 'include')) || whole)
      .replace(/\uE000(\d+)\uE001/g, (whole, number: string) => blocks[Number(number)] ?? whole)
  );
}

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
  const parts = html.replace(/\r\n?/g, '\n').split(BETWEEN_PARAGRAPHS);
  const written = parts.map((part, index) => {
    if (index % 2 === 1) {
      if (!HOLDS_LINES.test(before) || /^<\/(?:pre|script|style)/i.test(part)) before = part;
      return part;
    }
    const paragraphs = part.split(/\n\s*\n/).map((words) => words.trim().replaceAll('\n', '<br>'));
    const words = paragraphs.filter((paragraph) => paragraph !== '');
    if (words.length === 0 || HOLDS_LINES.test(before)) return part;
    return words.length === 1 && HOLDS_WORDS.test(before) ? words.join('') : words.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  });
  return written.join('');
}

/** The text of an element of XML, which may be in a CDATA section; `undefined` without one. */
export function elementText(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  if (start === -1 || end === -1) return undefined;
  const inner = xml.slice(start + name.length + 2, end).trim();
  if (inner.startsWith('<![CDATA['))
    return inner.slice('<![CDATA['.length, inner.endsWith(']]>') ? -3 : undefined).replaceAll(']]]]><![CDATA[>', ']]>');
  return unescaped(inner);
}

/** A text with the characters that references in it stand for. */
export function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  const [element] = fromHtml(`<p title="${text.replaceAll('"', '&quot;')}">`, { fragment: true }).children;
  return element?.type === 'element' ? String(element.properties['title']) : text;
}

type Row = Readonly<Record<string, unknown>>;

function ghostPosts(given: string, json: string, site: string): ExportedPost[] {
  const parsed = parseJson(json) as { db?: { data?: Row }[] } | undefined;
  if (parsed === undefined) throw new UserError(`${given} is no valid JSON; export it from Ghost again`);
  const data: Row = parsed.db?.[0]?.data ?? {};
  const rows = (name: string): Row[] => (Array.isArray(data[name]) ? data[name] : []);
  const text = (row: Row | undefined, name: string): string | undefined =>
    typeof row?.[name] === 'string' && row[name] !== '' ? row[name] : undefined;
  const joined = (table: string, key: string, named: string): Map<unknown, string[]> => {
    const names = new Map(rows(named).map((row) => [row['id'], text(row, 'name') ?? '']));
    const linked = Map.groupBy(rows(table), (row) => row['post_id']);
    return new Map([...linked].map(([id, links]) => [id, links.flatMap((row) => names.get(row[key]) ?? [])]));
  };
  const authors = joined('posts_authors', 'author_id', 'users');
  const tags = joined('posts_tags', 'tag_id', 'tags');
  const metas = new Map(rows('posts_meta').map((row) => [row['post_id'], row]));
  return rows('posts').map((post) => {
    const html = text(post, 'html') ?? '';
    const meta = metas.get(post['id']);
    const [image, alt = '', caption = ''] = [
      text(post, 'feature_image'),
      text(meta, 'feature_image_alt'),
      text(meta, 'feature_image_caption'),
    ];
    const picture = image === undefined || showsPicture(html, image) ? '' : figureOf(image, alt, caption);
    const isPublic = ['public', undefined].includes(text(post, 'visibility'));
    const reason = text(post, 'status') !== 'published' ? 'status' : isPublic ? undefined : 'visibility';
    // Exports of Ghost have the HTML of every post; files that other programs made for Ghost may have only what its editor keeps.
    const isLost =
      html === '' && /"(?:text|html|markdown|code|src|url)":"[^"]|,0,"[^"]/.test(text(post, 'lexical') ?? text(post, 'mobiledoc') ?? '');
    const message = 'has its text only as the editor of Ghost keeps it, and no HTML; import it into Ghost, and export it from there';
    return {
      title: quoted(text(post, 'title') ?? text(post, 'slug') ?? 'Untitled'),
      html: (picture + html).replaceAll('__GHOST_URL__', site),
      url: `${site}/${text(post, 'slug') ?? String(post['id'])}/`,
      description: text(post, 'custom_excerpt'),
      created: text(post, 'published_at')?.slice(0, 10),
      updated: text(post, 'updated_at')?.slice(0, 10),
      author: authors.get(post['id'])?.[0],
      tags: (tags.get(post['id']) ?? []).filter((tag) => !tag.startsWith('#')),
      draftReason: reason && `has the ${reason} "${text(post, reason) ?? ''}" in Ghost`,
      leftOut: isLost ? [{ message, grade: 'lost' as const }] : [],
    };
  });
}
