import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseJson } from '../../../publication/read/front-matter.ts';
import { FILE_MAX_BYTES, type OpenOptions, type Source } from '../import-source.ts';
import { type ExportedPost, quoted, sourceOfPosts, UNPUBLISHED, unescaped } from './read-export.ts';
import { NOWHERE } from './read-html-folder.ts';
import { listFiles, openWithin } from './read-within-folder.ts';

/** Reads the unpacked export of Substack or Medium, which has more than texts: addresses of subscribers, sessions. `undefined` for other folders. */
export function readExportFolder(given: string, options: OpenOptions): Source | undefined {
  const root = basename(given) === 'posts' ? dirname(given) : given;
  const textOf = (path: string): string => {
    const opened = openWithin(root, path, FILE_MAX_BYTES);
    return opened && 'bytes' in opened ? opened.bytes.toString('utf8') : '';
  };
  const table = textOf('posts.csv');
  if (/^\uFEFF?"?post_id"?,/.test(table)) return sourceOfPosts(root, substackPosts(table, textOf, options.site ?? NOWHERE), options.today);
  if (!existsSync(join(root, 'posts')) || !existsSync(join(root, 'profile/profile.html'))) return undefined;
  const files = listFiles(root, join(root, 'posts'), () => false).filter((path) => path.endsWith('.html'));
  const posts = files.map((path) => mediumPost(path, textOf(path)));
  return sourceOfPosts(root, posts, options.today);
}

function substackPosts(table: string, textOf: (path: string) => string, site: string): ExportedPost[] {
  return rowsOfCsv(table).map((row) => {
    const { post_id: id = '', title = '', subtitle = '', post_date: date = '', podcast_url: sound = '', audience = '' } = row;
    const slug = id.replace(/^\d+\./, '');
    const isPublished = /^true$/i.test(row['is_published'] ?? '');
    const player = sound === '' ? '' : `<audio controls src="${quoted(sound)}"></audio>`;
    return {
      title: quoted(title || slug),
      html: withoutWidgets(textOf(`posts/${id}.html`)) + player,
      url: `${site}/p/${slug}`,
      description: unescaped(subtitle),
      created: date.slice(0, 10) || undefined,
      draftReason: !isPublished ? UNPUBLISHED : audience === 'everyone' ? undefined : `is for the audience "${audience}"`,
    };
  });
}

/** Rows of a table (RFC 4180) by the names in the first. */
function rowsOfCsv(table: string): Readonly<Record<string, string>>[] {
  const rows: string[][] = [['']];
  let [isQuoted, isEnded] = [false, false];
  for (const part of table.replace(/^\uFEFF/, '').split(/("|,|\r?\n)/)) {
    const row = rows.at(-1) ?? [];
    const isQuote = part === '"';
    if (isQuote) isQuoted = !isQuoted;
    if (!isQuoted && part === ',') row.push('');
    else if (!isQuoted && /^\r?\n$/.test(part)) rows.push(['']);
    // Two quotes within a quotation are one.
    else if (!isQuote || (isQuoted && isEnded)) row.push((row.pop() ?? '') + part);
    if (part !== '') isEnded = isQuote && !isQuoted;
  }
  const [names = [], ...others] = rows.filter(({ length }) => length > 1);
  return others.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])));
}

/** A text without the buttons of Substack, and with what it keeps in attributes alone: formulas, and posts and sites that it embeds. */
function withoutWidgets(html: string): string {
  return html
    .replace(/<p class="button-wrapper"[^<>]*>\s*<a [^<>]*href="[^"]*(?:%%|\/subscribe|\/comments|action=share)[\s\S]*?<\/p>/g, '')
    .replace(/<div [^<>]*data-attrs="([^"]*)"[^<>]*>\s*<\/div>/g, (whole, given: string) => {
      const kept = (parseJson(unescaped(given)) ?? {}) as Readonly<Record<string, unknown>>;
      const [tex, words, url] = [['persistentExpression'], ['full_text', 'title'], ['canonical_url', 'url']].map((names) =>
        names.map((name) => kept[name]).find((value) => typeof value === 'string'),
      );
      if (typeof tex === 'string') return `<div class="math">\\[${quoted(tex)}\\]</div>`;
      return typeof url === 'string' ? `<p><a href="${quoted(url)}">${quoted(String(words ?? url))}</a></p>` : whole;
    });
}

/** A post of Medium, as it marks its parts with microformats (h-entry). Drafts have no address. */
function mediumPost(path: string, html: string): ExportedPost {
  const part = (pattern: RegExp): string | undefined => pattern.exec(html)?.[1]?.trim() || undefined;
  const [, body = ''] = /<section data-field="body"[^>]*>([\s\S]*)<\/section>\s*(?:<footer>|<\/article>)/.exec(html) ?? [];
  const address = part(/<a\s+href="(https?:[^"]+)"\s+class="p-canonical"/);
  const created = part(/class="dt-published"\s+datetime="([^"]{10})/);
  return {
    title: part(/<h1 class="p-name">([\s\S]*?)<\/h1>/) ?? basename(path, '.html'),
    html: body.replace(/<hr class="section-divider">/, '').replace(/<h[34][^>]*\bgraf--(?:title|subtitle)\b[^>]*>[\s\S]*?<\/h[34]>/g, ''),
    url: address ?? `${NOWHERE}/${basename(path, '.html')}`,
    description: unescaped(part(/class="p-summary">([\s\S]*?)<\/section>/) ?? '') || undefined,
    created,
    author: unescaped(part(/class="p-author h-card">([^<]*)</) ?? '') || undefined,
    tags: [...html.matchAll(/class="p-tag">([^<]*)</g)].map(([, tag = '']) => unescaped(tag)),
    draftReason: created === undefined ? UNPUBLISHED : undefined,
    line: html.slice(0, Math.max(0, html.indexOf(body))).split('\n').length,
  };
}
