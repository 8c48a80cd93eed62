import { existsSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { UserError } from '../../../publication/content-problem.ts';
import { decoded } from '../../../text/markdown/resolve-links.ts';
import { isLoopback } from '../../verify/site-reader.ts';
import { convertHtml } from '../convert-page.ts';
import { decodeHtml, readHtml, readNavigation } from '../html/read-html.ts';
import { attempt, FILE_MAX_BYTES, type ImportNote, type OpenOptions, type Source } from '../import-source.ts';
import { joinNavigation } from '../plan-sections.ts';
import { hostOf } from '../rewrite-links.ts';
import { configIn, detectLicense } from './detect-site-and-license.ts';
import { fileWithin, listFiles, openWithin } from './read-within-folder.ts';

/** Origin of pages of a folder or an export that does not state theirs. */
export const NOWHERE = 'http://import.invalid';

/** Routes of pages that generators add to a site for its frame: search, errors, everything on one page, indexes of names. */
const FRAME_ROUTE =
  /^(?:\/(?:[a-z]{2}(?:[-_]\w+)?|v?\d[\w.]*|latest|stable|main|master))*\/(?:404|500|offline|search|_?print|toc)$|\/(?:genindex(?:-\w+)?|(?:py-)?modindex)$|\/_(?:modules|sources|static)(?:\/|$)/i;

/** Routes of further pages of a list, which may be all that leads to a text. */
const FURTHER_PAGE = /\/page\/\d+$/i;

export const FRAME_PART = 'belongs to the frame of the site, and is left out';

export function frameProblem(path: string): string | undefined {
  return FRAME_ROUTE.test(routeOf(path)) || isFurtherPage(path) ? FRAME_PART : undefined;
}

export function isFurtherPage(path: string): boolean {
  return FURTHER_PAGE.test(routeOf(path));
}

export const TAG_LIST = 'lists texts by a tag, as pages of subjects do, and is left out';

const IGNORED_FOLDER = /^(?:\..*|node_modules|_astro|_next|assets|static|pagefind)$/;

function listHtml(root: string): string[] {
  return listFiles(root, root, (name) => IGNORED_FOLDER.test(name)).filter((path) => /\.x?html?$/i.test(path));
}

/** Whether a folder holds the HTML that a generator wrote, rather than the texts that it was written from. */
export function isHtmlFolder(root: string): boolean {
  if (existsSync(join(root, 'package.json')) || configIn(root) !== undefined) return false;
  return listHtml(root).length > listFiles(root, root, () => false).filter((name) => /\.mdx?$/i.test(name)).length;
}

type ReadPage = ReturnType<typeof readPage>;

const addressOf = (path: string): string => `${NOWHERE}/${path.split('/').map(encodeURIComponent).join('/')}`;

function readPage(path: string, html: string, today: string) {
  const read = readHtml(html, { url: addressOf(path), origin: NOWHERE });
  return { path, route: routeOf(`/${path}`), read, page: convertHtml(read, { path, source: html, today }) };
}

/** Reads the HTML that a site generator wrote into a folder. @throws {UserError} If no page has a text. */
export function readHtmlFolder(root: string, options: OpenOptions): Source {
  const skipped: ImportNote[] = [];
  const pages: ReadPage[] = [];
  const redirects = new Map<string, string>();
  for (const [index, path] of listHtml(root).entries()) {
    if (index % 50 === 0) options.onProgress('Reading', index);
    const opened = openWithin(root, path, FILE_MAX_BYTES) ?? { refused: 'cannot be read' };
    const html = 'bytes' in opened ? decodeHtml(opened.bytes, undefined) : undefined;
    const unread = 'refused' in opened ? opened.refused : 'is no text in the charset that it states, or in UTF-8';
    const frame = frameProblem(`/${path}`);
    if (html === undefined || frame !== undefined) {
      skipped.push({ path, line: 1, message: frame ?? unread });
      continue;
    }
    const made = attempt(() => readPage(path, html, options.today), path, skipped);
    if (made?.read.isTagList === true) skipped.push({ path, line: 1, message: TAG_LIST });
    else if (made?.read.refresh !== undefined) redirects.set(made.route, made.read.refresh);
    else if (made !== undefined) pages.push(made);
  }
  if (pages.length === 0) throw new UserError(`${root} has no page that could be read${firstReason(skipped)}`);
  const stated = options.site ?? statedSite(pages);
  const site = stated ?? linkedSite(pages);
  const base = site === undefined ? '' : new URL(site).pathname.replace(/\/$/, '');
  const own = [NOWHERE, site ?? NOWHERE].map(hostOf);
  const local = (address: string): string => {
    if (URL.canParse(address) && !own.includes(hostOf(address))) return address;
    const path = URL.canParse(address) ? new URL(address).pathname : address;
    return base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path;
  };
  const framed = new Set(pages.flatMap(({ read }) => read.frame ?? []).map((address) => decoded(local(address), decodeURI).slice(1)));
  const frames = [...framed].flatMap((path) => {
    const opened = openWithin(root, path, FILE_MAX_BYTES);
    return opened && 'bytes' in opened ? readNavigation(decodeHtml(opened.bytes, undefined) ?? '', addressOf(path)) : [];
  });
  const byRoute = new Map(pages.map((page) => [page.route, page]));
  const aliases = new Map<string, string[]>(pages.map(({ route }) => [route, []]));
  // Pages that send their readers on name the site that no other page does.
  for (const [from, to] of redirects) aliases.get(routeOf(site === undefined ? new URL(to).pathname : local(to)))?.push(from);
  const unique = pages.filter(({ path, route, read: { canonical } }) => {
    const isOwn = canonical !== undefined && stated !== undefined && canonical.startsWith(new URL(stated).origin);
    if (framed.has(path)) return void skipped.push({ path, line: 1, message: FRAME_PART });
    const main = isOwn ? routeOf(local(canonical)) : route;
    const other = byRoute.get(main);
    if (main === route || other === undefined) return true;
    skipped.push({ path, line: 1, message: `is another address of ${other.path}, and is left out` });
    aliases.get(main)?.push(route);
    return false;
  });
  return {
    generator: 'html',
    from: stated ?? root.split(sep).at(-1) ?? 'folder',
    folder: stated === undefined ? root : undefined,
    pages: unique.map(({ path, route, read, page }) => ({
      ...page,
      routes: [route, ...(aliases.get(route) ?? [])],
      addresses: [...addressesOf(path), ...(aliases.get(route) ?? [])],
      url: site === undefined ? undefined : (read.canonical ?? `${new URL(site).origin}${base}${route}`),
    })),
    findFile: (_fromPath, target) => {
      const path = posix.normalize(decoded(local(target.replace(/[?#].*$/s, '')), decodeURI)).replace(/^\/+/, '');
      return path.startsWith('..') || path === '' ? undefined : fileWithin(root, path, skipped);
    },
    isGone: (path) => openWithin(root, path, FILE_MAX_BYTES) === undefined,
    navigation: joinNavigation([...frames, ...unique.map(({ read }) => read.navigation)]).map((entry) => ({
      ...entry,
      url: local(entry.url),
    })),
    site,
    isPreview: options.site === undefined && site !== undefined && isLoopback(new URL(site).hostname),
    license: detectLicense(root, root, options.root),
    skipped,
  };
}

export function firstReason([first]: readonly ImportNote[]): string {
  return first === undefined ? '' : `: ${first.path} ${first.message}`;
}

function statedSite(pages: readonly ReadPage[]): string | undefined {
  const sites = pages.flatMap(({ route, read: { canonical } }) => {
    const own = canonical === undefined ? undefined : routeOf(new URL(canonical).pathname);
    if (canonical === undefined || !own?.endsWith(route)) return [];
    return [new URL(canonical).origin + own.slice(0, own.length - route.length).replace(/\/$/, '')];
  });
  const [most] = [...Map.groupBy(sites, (site) => site)].sort(([, a], [, b]) => b.length - a.length);
  return most !== undefined && most[1].length * 2 > pages.length ? most[0] : undefined;
}

/**
 * The site that pages without canonical addresses link to, as many themes do: most of them have an address there, and two pages lead to it. Addresses of a
 * page itself say nothing, nor does the start page, which every site has; those of its source lead to a forge.
 */
function linkedSite(pages: readonly ReadPage[]): string | undefined {
  const routes = new Set(pages.map(({ route }) => route).filter((route) => route !== '/'));
  const reached = new Map<string, { readonly routes: Set<string>; readonly from: Set<string> }>();
  for (const { path, route, read } of pages)
    for (const address of read.links()) {
      const { origin, pathname } = new URL(address);
      const parts = routeOf(pathname).split('/');
      if (origin === NOWHERE || parts.join('/').endsWith(route) || /\.mdx?$/.test(address)) continue;
      const depth = parts.findIndex((_, at) => routes.has(['', ...parts.slice(at + 1)].join('/')));
      if (depth === -1) continue;
      const base = origin + parts.slice(0, depth + 1).join('/');
      const found = reached.get(base) ?? { routes: new Set(), from: new Set() };
      reached.set(base, { routes: found.routes.add(parts.slice(depth + 1).join('/')), from: found.from.add(path) });
    }
  const [[most, found] = []] = [...reached].sort(([, a], [, b]) => b.routes.size - a.routes.size);
  return found !== undefined && found.from.size > 1 && found.routes.size * 2 > pages.length ? most : undefined;
}

function addressesOf(path: string): string[] {
  if (/(?:^|\/)index\.x?html?$/i.test(path)) return [`/${path.replace(/index\.x?html?$/i, '')}`];
  return [`/${path}`, `/${path.replace(/\.x?html?$/i, '')}`];
}

/** The address of a page from the root of its site, without what names its form: `/guide` for `/guide/index.html`. */
export function routeOf(path: string): string {
  return decoded(path, decodeURI)
    .replace(/[?#].*$/s, '')
    .replace(/\.(?:mdx?|x?html?|txt)$/i, '')
    .replace(/(?:^|\/)index$/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^\/$/, '');
}
