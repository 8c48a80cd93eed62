import { existsSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { httpAddress, isPrivateHost } from '../../fetch-within-origin.ts';
import { partText } from '../front-matter.ts';
import { sha256 } from '../imported-files.ts';
import { languageTag } from '../map-fields.ts';
import { decoded, failureOf, type ImportNote, type OpenOptions, type Source, type SourcePage, TEXT_MAX_BYTES } from '../source-page.ts';
import { type FetchedPage, openSite } from './fetch-pages.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { fileWithin, openWithin } from './open-within.ts';

/** Sitemaps in sitemaps: deeper ones are not read. */
const SITEMAPS_DEPTH = 3;

/** Addresses of files that are no pages. */
const NOT_A_PAGE = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|pdf|zip|gz|mp4|webm|mp3|css|js|json|xml|rss|atom|woff2?)$/i;

/** An entry of llms.txt: the address of a text, with its title. */
interface Entry {
  readonly address: string;
  readonly title: string | undefined;
}

/** Whether a text is a sitemap or an index of sitemaps. */
export function isSitemap(text: string): boolean {
  return /<(?:urlset|sitemapindex)[\s>]/.test(text.slice(0, 5_000));
}

/** Addresses in a sitemap, and of further sitemaps in an index (sitemaps.org, protocol 0.9). */
function readSitemapEntries(xml: string): { readonly pages: readonly string[]; readonly sitemaps: readonly string[] } {
  const locations = (element: string): string[] =>
    xml.split(`<${element}`).flatMap((part, index) => {
      const start = part.indexOf('<loc>');
      const end = part.indexOf('</loc>', start);
      if (index === 0 || !/^[\s>]/.test(part) || start === -1 || end === -1) return [];
      const location = part
        .slice(start + '<loc>'.length, end)
        .replace('<![CDATA[', '')
        .replace(']]>', '')
        .trim();
      return location === '' ? [] : [location.replaceAll('&amp;', '&')];
    });
  return { pages: locations('url'), sitemaps: locations('sitemap') };
}

/** The links of an llms.txt, in order: `- [Title](address): description`. */
function readLlmsTxtEntries(text: string): Entry[] {
  const seen = new Set<string>();
  return [...text.matchAll(/(?<!\\)\[((?:[^[\]\\]|\\.)*)\]\(<?([^\s)>[]+)>?(?:\s+"[^"]*")?\)/g)].flatMap(([, title = '', address = '']) => {
    if (seen.has(address) || address.startsWith('#') || address.startsWith('mailto:')) return [];
    seen.add(address);
    return [{ address, title: title.trim() === '' ? undefined : title.trim() }];
  });
}

/** Imports the pages that a sitemap lists, from a file or an address. */
export async function readSitemap(given: string, xml: string, options: OpenOptions): Promise<Source> {
  const first = readSitemapEntries(xml);
  const origin = await originOf(given, [...first.pages, ...first.sitemaps], options);
  const site = await openSite(origin, options.requestsPerSecond);
  const skipped: ImportNote[] = [];
  const pages = new Set(first.pages);
  let level = first.sitemaps;
  for (let depth = 0; depth < SITEMAPS_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const sitemap of level) {
      if (pages.size >= options.pagesMax) break;
      const fetched = await site.fetchPage(sitemap);
      if ('problem' in fetched) skipped.push({ path: sitemap, line: 1, message: fetched.problem });
      else {
        const entries = readSitemapEntries(fetched.text);
        for (const page of entries.pages) pages.add(page);
        next.push(...entries.sitemaps);
      }
    }
    level = next;
  }
  const entries = [...pages].map((address) => ({ address, title: undefined }));
  return await fetchEntries('sitemap', origin, entries, skipped, options);
}

/** Imports the texts that an llms.txt links to, from a file or an address. Local paths are read beside a local file. */
export async function readLlmsTxt(given: string, text: string, options: OpenOptions): Promise<Source> {
  const entries = readLlmsTxtEntries(text);
  if (entries.length === 0)
    throw new UserError(
      `${given} links to no text; an llms.txt has lines such as "- [Title](https://docs.example.com/page.md): description"`,
    );
  const isRemote = /^https?:/.test(given);
  const absolute = entries.map((entry) => ({
    ...entry,
    address: isRemote && URL.canParse(entry.address, given) ? new URL(entry.address, given).href : entry.address,
  }));
  const remote = absolute.filter(({ address }) => /^https?:/.test(address));
  if (!isRemote && remote.length < absolute.length) {
    const skipped: ImportNote[] = remote.map(({ address }) => ({
      path: address,
      line: 1,
      message: 'is an address, but other entries are files; only the files are read',
    }));
    return readLocalEntries(
      given,
      absolute.filter(({ address }) => !/^[a-z][a-z0-9+.-]*:/i.test(address)),
      skipped,
    );
  }
  const origin = await originOf(
    given,
    remote.map(({ address }) => address),
    options,
  );
  return await fetchEntries('llms.txt', origin, remote, [], options);
}

async function fetchEntries(
  generator: 'llms.txt' | 'sitemap',
  origin: string,
  entries: readonly Entry[],
  skipped: ImportNote[],
  options: OpenOptions,
): Promise<Source> {
  const site = await openSite(origin, options.requestsPerSecond);
  const pages = new Map<string, SourcePage>();
  const isPage = ({ address }: Entry): boolean => URL.canParse(address) && !NOT_A_PAGE.test(new URL(address).pathname);
  const chosen = entries.filter(isPage).slice(0, options.pagesMax);
  for (const { address } of entries.filter(isPage).slice(options.pagesMax))
    skipped.push({ path: address, line: 1, message: `is beyond the limit of ${options.pagesMax} pages; raise --limit` });
  for (const [index, entry] of chosen.entries()) {
    options.onProgress('Fetching', index, chosen.length);
    const fetched = await site.fetchPage(entry.address);
    if ('problem' in fetched) skipped.push({ path: entry.address, line: 1, message: fetched.problem });
    else {
      try {
        const page = pageOf(fetched, entry);
        if (!pages.has(page.path)) pages.set(page.path, page);
      } catch (error) {
        skipped.push({ path: entry.address, line: 1, message: failureOf(error) });
      }
    }
  }
  if (pages.size === 0) {
    const [first] = skipped;
    throw new UserError(`no page of ${origin} could be imported${first === undefined ? '' : `: ${first.path} ${first.message}`}`);
  }
  const unread = new Set(
    skipped.filter(({ path, message }) => URL.canParse(path) && !NO_LONGER_THERE.test(message)).map(({ path }) => pathOf(path)),
  );
  return {
    generator,
    from: origin,
    pages: [...pages.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    findFile: () => undefined,
    // A page that is listed and was not read may be as it was.
    isGone: (path) => !pages.has(path) && !unread.has(path),
    site: origin,
    license: undefined,
    skipped,
  };
}

/** The address of a page on its site, without what names its form. */
function routeOf(url: string): string {
  return new URL(url).pathname
    .replace(/\.(?:mdx?|html?|txt)$/i, '')
    .replace(/\/index$/, '')
    .replace(/(?<!\/)\/+$/, '');
}

/** The name of a page among those of its site. */
function pathOf(url: string): string {
  return decoded(routeOf(url), decodeURI).replace(/^\//, '') || 'index';
}

/** What a site answers for a page that it no longer has: 404 or 410. */
const NO_LONGER_THERE = /\b(?:404|410)$/;

/** A fetched page as a text with front matter. */
function pageOf({ url, text, mediaType }: FetchedPage, { title }: Entry): SourcePage {
  const isMarkdown =
    mediaType === 'text/markdown' ||
    (/\.mdx?$/i.test(new URL(url).pathname) && !/html/.test(mediaType)) ||
    (mediaType === 'text/plain' && !/^\s*<(?:!doctype|html)/i.test(text));
  const { origin } = new URL(url);
  const route = routeOf(url);
  const path = pathOf(url);
  if (isMarkdown) {
    const hasTitle = 'title' in partText(text).fields || /^#\s/m.test(text);
    const fields = hasTitle || title === undefined ? '' : `---\n${JSON.stringify({ title })}\n---\n\n`;
    return {
      path,
      text: fields + text.replace(/\r\n?/g, '\n'),
      syntax: 'markdown',
      routes: [route],
      url: origin + route,
      sha256: sha256(text),
    };
  }
  const page = htmlToMarkdown(text);
  const language = languageTag(page.language);
  const fields = {
    title: page.title ?? title ?? path,
    ...(page.description === undefined ? {} : { description: page.description }),
    ...(page.updated === undefined ? {} : { updated: page.updated }),
  };
  return {
    path,
    text: `---\n${JSON.stringify(fields)}\n---\n\n${page.markdown}`,
    syntax: 'markdown',
    routes: [route],
    url: origin + route,
    language,
    sha256: sha256(page.markdown),
  };
}

function readLocalEntries(given: string, entries: readonly Entry[], skipped: ImportNote[]): Source {
  const root = dirname(resolve(given));
  const pages = entries.flatMap(({ address, title }): SourcePage[] => {
    const path = posix.normalize(decoded(address.replace(/[?#].*$/, ''), decodeURI)).replace(/^\/+/, '');
    const skip = (message: string): [] => {
      skipped.push({ path, line: 1, message });
      return [];
    };
    if (path.startsWith('..')) return skip('is outside the folder of the llms.txt');
    const opened = openWithin(root, path, TEXT_MAX_BYTES);
    if (opened === undefined) return skip('does not exist');
    if ('refused' in opened) return skip(opened.refused);
    const text = opened.bytes.toString('utf8');
    const route = `/${path.replace(/\.mdx?$/, '').replace(/(?:^|\/)index$/, '')}`;
    const hasTitle = text.startsWith('---') || /^#\s/m.test(text);
    return [
      {
        path,
        text: hasTitle || title === undefined ? text : `---\n${JSON.stringify({ title })}\n---\n\n${text}`,
        syntax: path.endsWith('.mdx') ? 'mdx' : 'markdown',
        routes: [route],
        sha256: sha256(text),
      },
    ];
  });
  if (pages.length === 0)
    throw new UserError(
      `no file that ${given} links to could be read${skipped[0] === undefined ? '' : `: ${skipped[0].path} ${skipped[0].message}`}`,
    );
  return {
    generator: 'llms.txt',
    from: basename(root),
    pages,
    findFile: (fromPath, target) => {
      const path = target.startsWith('/') ? posix.normalize(target.slice(1)) : posix.join(posix.dirname(fromPath), target);
      return path.startsWith('..') ? undefined : fileWithin(root, path, skipped);
    },
    isGone: (path) => !existsSync(join(root, path)),
    site: undefined,
    license: undefined,
    skipped,
  };
}

/**
 * The only origin that pages are fetched from: the one that the user named, or else, for a file, the one of its first address. That may not lead
 * into the network of this machine, which the author of the file cannot reach.
 */
async function originOf(given: string, addresses: readonly string[], { site }: OpenOptions): Promise<string> {
  const named = httpAddress(site ?? given);
  if (named !== undefined) return named.origin;
  const listed = httpAddress(addresses[0]);
  if (listed === undefined) throw new UserError(`${given} lists no https address`);
  if (await isPrivateHost(listed.hostname))
    throw new UserError(
      `${given} lists pages of this machine or of a private network (${listed.origin}), which are not fetched; to import them, name the site: --site ${listed.origin}`,
    );
  return listed.origin;
}
