import { basename, dirname, posix, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import robotsParser from 'robots-parser';
import { UserError } from '../../../publication/content-problem.ts';
import { isMediaFile } from '../../../publication/read/media-file.ts';
import { decoded } from '../../../text/markdown/resolve-links.ts';
import { fetchWithinOrigin, httpAddress, isPrivateHost, politeFetch, readBody, UnreadableError } from '../../fetch-within-origin.ts';
import { convertHtml, convertMarkdown } from '../convert-page.ts';
import { partText } from '../front-matter.ts';
import { decodeHtml, readHtml, readNavigation } from '../html/read-html.ts';
import type { ImportNote, OpenOptions, PageNavigation, Source, SourceFile, SourcePage } from '../import-source.ts';
import { attempt } from '../import-source.ts';
import { sha256 } from '../imported-capsules.ts';
import { joinNavigation } from '../plan-sections.ts';
import { elementText } from './read-export.ts';
import { readFolder } from './read-folder.ts';
import { FRAME_PART, firstReason, frameProblem, isFurtherPage, routeOf, TAG_LIST } from './read-html-folder.ts';

const SITEMAPS_DEPTH = 3;

const NOT_A_PAGE = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|pdf|zip|gz|mp4|webm|mp3|css|js|json|xml|rss|atom|woff2?)$/i;

type Entry = { readonly address: string; readonly title?: string | undefined; readonly fetched?: FetchedPage };

export function isSitemap(text: string): boolean {
  return /<(?:urlset|sitemapindex)[\s>]/.test(text.slice(0, 5_000));
}

function readSitemapEntries(xml: string) {
  const locations = (element: string): string[] =>
    xml.split(`<${element}`).flatMap((part, index): string | string[] => {
      return (index > 0 && /^[\s>]/.test(part) ? elementText(part, 'loc')?.trim() : undefined) || [];
    });
  return { pages: locations('url'), sitemaps: locations('sitemap') };
}

function readLlmsTxtEntries(text: string): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [, title = '', address = ''] of text.matchAll(/(?<!\\)\[((?:[^[\]\\]|\\.)*)\]\(<?([^\s)>[]+)>?(?:\s+"[^"]*")?\)/g))
    if (!entries.has(address) && !/^(?:#|mailto:)/.test(address)) entries.set(address, { address, title: title.trim() || undefined });
  return [...entries.values()];
}

/** Imports the pages that a sitemap lists, from a file or an address. */
export async function readSitemap(given: string, xml: string, options: OpenOptions): Promise<Source> {
  const first = readSitemapEntries(xml);
  const site = await openSite(await originOf(given, [...first.pages, ...first.sitemaps], options), options.requestsPerSecond);
  const skipped: ImportNote[] = [];
  const entries = [...(await pagesOfSitemap(xml, site, skipped, options))].map((address) => ({ address }));
  return await fetchEntries('sitemap', site, entries, skipped, options);
}

async function pagesOfSitemap(
  xml: string,
  site: PageFetcher,
  skipped: ImportNote[],
  options: OpenOptions,
  depth = SITEMAPS_DEPTH,
): Promise<ReadonlySet<string>> {
  const { pages: listed, sitemaps } = readSitemapEntries(xml);
  const pages = new Set(listed);
  for (const sitemap of depth === 0 ? [] : sitemaps) {
    if (pages.size >= options.pagesMax) break;
    const fetched = await site.fetchPage(sitemap);
    if ('problem' in fetched) skipped.push({ path: sitemap, line: 1, message: fetched.problem });
    else for (const page of await pagesOfSitemap(fetched.text, site, skipped, options, depth - 1)) pages.add(page);
  }
  return pages;
}

/** Imports the texts that an llms.txt links to, from a file or an address. Local paths are read beside a local file. */
export async function readLlmsTxt(given: string, text: string, options: OpenOptions): Promise<Source> {
  const entries = readLlmsTxtEntries(text);
  if (entries.length === 0)
    throw new UserError(
      `${given} links to no text; an llms.txt has lines such as "- [Title](https://docs.example.com/page.md): description"`,
    );
  const isRemote = /^https?:/.test(given);
  const addressOf = (address: string): string => (isRemote && URL.canParse(address, given) ? new URL(address, given).href : address);
  const absolute = entries.map((entry) => ({ ...entry, address: addressOf(entry.address) }));
  const remote = absolute.filter(({ address }) => /^https?:/.test(address));
  const addresses = remote.map(({ address }) => address);
  if (!isRemote && remote.length < absolute.length) {
    const paths = absolute.filter(({ address }) => !/^[a-z][a-z0-9+.-]*:/i.test(address));
    const files = paths.map(({ address }) => posix.normalize(decoded(address.replace(/[?#].*$/, ''), decodeURI)).replace(/^\/+/, ''));
    const folder = dirname(resolve(given));
    const source = await readFolder(folder, options, files);
    const message = 'is an address, but other entries are files; only the files are read';
    source.skipped.push(...addresses.map((path) => ({ path, line: 1, message })));
    return { ...source, from: basename(folder) };
  }
  const site = await openSite(await originOf(given, addresses, options), options.requestsPerSecond);
  return await fetchEntries('llms.txt', site, remote, [], options);
}

/** Imports a site: the pages of its sitemap below the address that the user named, or else those that its pages link to. */
export async function readSite(first: FetchedPage, site: PageFetcher, options: OpenOptions): Promise<Source> {
  const { origin, pathname } = new URL(first.url);
  const below = pathname.replace(/[^/]*$/, '');
  const isBelow = (address: string): boolean => httpAddress(address)?.origin === origin && new URL(address).pathname.startsWith(below);
  const skipped: ImportNote[] = [];
  const listed = new Set<string>();
  for (const address of site.sitemaps.length > 0 ? site.sitemaps : [`${origin}/sitemap.xml`, `${origin}/sitemap-index.xml`]) {
    const fetched = await site.fetchPage(address);
    if ('problem' in fetched || !isSitemap(fetched.text)) continue;
    for (const page of await pagesOfSitemap(fetched.text, site, skipped, options)) if (isBelow(page)) listed.add(page);
    if (listed.size > 0) break;
  }
  const others = [...listed].filter((address) => keyOf(address) !== keyOf(first.url));
  const entries = [{ address: first.url, fetched: first }, ...others.map((address) => ({ address }))];
  return await fetchEntries('site', site, entries, skipped, options, { isWithin: isBelow, followsLinks: listed.size === 0 });
}

const ANOTHER_QUERY = 'has the address of another page but for its query, and is left out';

const ONLY_LISTED = { isWithin: () => false, followsLinks: false };

/** Fetches pages one after the other. @param isWithin Which addresses that others lead on to are fetched, too; those of links only with `followsLinks`. */
async function fetchEntries(
  generator: 'llms.txt' | 'sitemap' | 'site',
  site: PageFetcher,
  entries: readonly Entry[],
  skipped: ImportNote[],
  options: OpenOptions,
  { isWithin, followsLinks }: { readonly isWithin: (address: string) => boolean; readonly followsLinks: boolean } = ONLY_LISTED,
): Promise<Source> {
  const { origin } = site;
  const pages = new Map<string, SourcePage>();
  const navigation: PageNavigation[] = [];
  const shown = new Set<string>();
  /** Routes that lead on to others, by these. */
  const former = new Map<string, string[]>();
  const isPage = (address: string): boolean => URL.canParse(address) && !NOT_A_PAGE.test(new URL(address).pathname);
  const waiting: Entry[] = entries.filter(({ address }) => isPage(address));
  const seen = new Set(waiting.map(({ address }) => keyOf(address)));
  const skip = (path: string, message: string): void => void skipped.push({ path, line: 1, message });
  const isListPage = ({ address, fetched }: Entry): boolean =>
    followsLinks && fetched === undefined && isFurtherPage(new URL(address).pathname);

  const responseOf = async (entry: Entry, index: number): Promise<FetchedPage | { readonly problem: string }> => {
    if (index >= options.pagesMax) return { problem: `is beyond the limit of ${options.pagesMax} pages; raise --limit` };
    options.onProgress('Fetching', index, waiting.length);
    const frame = entry.fetched === undefined && !isListPage(entry) ? frameProblem(new URL(entry.address).pathname) : undefined;
    return frame === undefined ? (entry.fetched ?? (await site.fetchPage(entry.address))) : { problem: frame };
  };

  /** Notes where an entry leads on to. @returns Whether the page has a text of its own. */
  const leadOn = (address: string, onward: string, isRefresh: boolean): boolean => {
    const isNew = isRefresh && !seen.has(keyOf(onward));
    if (isNew && !(isPage(onward) && isWithin(onward))) {
      skip(address, `sends its readers on to ${onward}, which is not a page of this import`);
      return false;
    }
    const [from = '', to = ''] = [address, onward].map((one) => routeOf(new URL(one).pathname));
    // A query may make another page of the same route.
    if (new URL(address).search + new URL(onward).search === '') former.set(to, [...(former.get(to) ?? []), from]);
    if (isNew) waiting.push({ address: onward });
    seen.add(keyOf(onward));
    return !isRefresh;
  };

  const keep = (page: SourcePage, entry: Entry, url: string, isTagList: boolean): void => {
    const isList = isListPage(entry) && isFurtherPage(new URL(url).pathname);
    if (isList || isTagList) skip(entry.address, isList ? FRAME_PART : TAG_LIST);
    else if (!pages.has(page.path)) pages.set(page.path, page);
    else if (pages.get(page.path)?.text !== page.text) skip(entry.address, ANOTHER_QUERY);
  };

  /** Takes the navigation and the images of a page, and its links where they are followed. */
  const takeAround = async (read: ReturnType<typeof readHtml>): Promise<void> => {
    const framed = read.frame === undefined || seen.has(keyOf(read.frame)) ? undefined : await site.fetchPage(read.frame);
    if (read.frame !== undefined) seen.add(keyOf(read.frame));
    const beside = framed === undefined || 'problem' in framed ? [] : [readNavigation(framed.text, framed.url)];
    navigation.push(...beside, read.navigation);
    for (const address of read.images) if (address.startsWith('/')) shown.add(address);
    for (const address of [...[...beside, read.navigation].flatMap(({ list }) => list.map(({ url }) => url)), ...read.links()]) {
      if (!followsLinks || !isWithin(address) || !isPage(address) || seen.has(keyOf(address))) continue;
      seen.add(keyOf(address));
      waiting.push({ address });
    }
  };

  for (const [index, entry] of waiting.entries()) {
    const { address } = entry;
    const fetched = await responseOf(entry, index);
    if ('problem' in fetched) {
      skip(address, fetched.problem);
      continue;
    }
    const { page, read } = attempt(() => pageOf(fetched, entry, generator, options.today), address, skipped) ?? {};
    if (page === undefined || !leadOn(address, read?.refresh ?? fetched.url, read?.refresh !== undefined)) continue;
    keep(page, entry, fetched.url, read?.isTagList === true);
    if (read !== undefined) await takeAround(read);
  }
  if (pages.size === 0) throw new UserError(`no page of ${origin} could be imported${firstReason(skipped)}`);
  const failed = skipped.filter(({ path, message }) => URL.canParse(path) && !NO_LONGER_THERE.test(message));
  const unread = new Set(failed.map(({ path }) => pathOf(path)));
  const own = new Set([...pages.values()].flatMap(({ routes }) => routes));
  const held = { bytes: 0 };
  const images = await fetchImages(shown, site, skipped, options, held);
  return {
    generator,
    from: origin,
    pages: [...pages.values()]
      .map((page) => {
        const others = (former.get(page.routes[0] ?? '') ?? []).filter((route) => !own.has(route));
        const joined = (own: readonly string[]): string[] => [...new Set([...own, ...others])];
        return { ...page, routes: joined(page.routes), addresses: page.addresses && joined(page.addresses) };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    imageBytes: held.bytes,
    findFile: (_fromPath, target) => images.get(target.replace(/#.*$/s, '')),
    // A page that is listed and was not read may be as it was.
    isGone: (path) => !pages.has(path) && !unread.has(path),
    navigation: joinNavigation(navigation).flatMap((entry) => {
      const { origin: own, pathname } = new URL(entry.url);
      return own === origin ? [{ ...entry, url: pathname }] : [];
    }),
    site: origin,
    skipped,
  };
}

function keyOf(address: string): string {
  return new URL(address).origin + routeOf(new URL(address).pathname) + new URL(address).search;
}

/** Most bytes of all images of an import: they are held until the texts that show them are written. */
const IMAGES_MAX_BYTES = 500_000_000;

/** Images that texts may show, by how their bytes begin, read as Latin script. */
const IMAGES: Readonly<Record<string, RegExp>> = {
  jpg: /^\xff\xd8\xff/,
  png: /^\x89PNG/,
  gif: /^GIF8/,
  webp: /^RIFF[\s\S]{4}WEBP/,
  avif: /^[\s\S]{4}ftypavi[fs]/,
  svg: /^(?:\xef\xbb\xbf)?\s*(?:<[?!](?!doctype html)[^>]*>[^<]*)*<svg[\s>]/i,
};

/** @param held Bytes of the images that the import has already; grows. */
export async function fetchImages(
  shown: ReadonlySet<string>,
  site: Pick<PageFetcher, 'origin' | 'fetchImage'>,
  skipped: ImportNote[],
  { onProgress }: OpenOptions,
  held: { bytes: number },
) {
  const images = new Map<string, SourceFile>();
  for (const [index, address] of [...shown].entries()) {
    const skip = (message: string): void => void skipped.push({ path: address, line: 1, message });
    onProgress('Fetching images', index, shown.size);
    const url = new URL(address, site.origin);
    const fetched = held.bytes > IMAGES_MAX_BYTES ? undefined : await site.fetchImage(url.href);
    if (fetched === undefined) skip('is an image beyond 500 MB of them, and is left out');
    else if ('problem' in fetched) skip(`is an image, and ${fetched.problem}`);
    else {
      const bytes = Buffer.from(fetched.bytes);
      const start = bytes.subarray(0, 5_000).toString('latin1');
      const ending = Object.keys(IMAGES).find((kind) => IMAGES[kind]?.test(start));
      const name = decoded(url.pathname, decodeURIComponent).replace(/^\/+/, '');
      const path = isMediaFile(name.toLowerCase()) ? name : `${name}${url.search}.${ending}`;
      if (ending === undefined) skip('is no image that texts may show, and is left out');
      else images.set(address, { path, read: () => ({ bytes }) });
      held.bytes += bytes.length;
    }
  }
  return images;
}

function pathOf(url: string): string {
  return routeOf(new URL(url).pathname).replace(/^\//, '') || 'index';
}

const NO_LONGER_THERE = /\b(?:404|410)$/;

function pageOf({ url, text, mediaType, draftReason }: FetchedPage, { title }: Entry, generator: Source['generator'], today: string) {
  const { origin, pathname } = new URL(url);
  const isMarkdown =
    mediaType === 'text/markdown' ||
    (/\.mdx?$/i.test(pathname) && !/html/.test(mediaType)) ||
    (mediaType === 'text/plain' && !/^\s*<(?:!doctype|html)/i.test(text));
  const [route, path] = [routeOf(pathname), pathOf(url)];
  const place = { path, source: text, today };
  const addresses = { routes: [route], url: origin + route };
  if (!isMarkdown) {
    const read = readHtml(text, { url, origin });
    const named = { ...read, title: read.title ?? title ?? path, draftReason: read.draftReason ?? draftReason };
    return { page: { ...convertHtml(named, place), ...addresses, addresses: [pathname] }, read };
  }
  const { fields, body, isBroken } = partText(text, { numbersAsWritten: true });
  const known = title === undefined || /^#\s/m.test(text) ? {} : { title };
  const given = { ...place, body, isBroken, fields: { ...known, ...fields }, sha256: sha256(text), draftReason };
  return { page: { ...convertMarkdown(given, { generator, today }), ...addresses } };
}

/** The only origin that is fetched: the one that the user named, or the first of a file, unless that is in the network of this machine. */
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

export interface FetchedPage {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** The bytes as text, in the charset that the response or the page states. */
  readonly text: string;
  readonly mediaType: string;
  /** Why it stays a draft: its header asks not to list it. */
  readonly draftReason: string | undefined;
}

export type PageFetcher = Awaited<ReturnType<typeof openSite>>;

const USER_AGENT = 'akg-import';

const TIMEOUT_MS = 30_000;
const PAGE_MAX_BYTES = 10_000_000;

/** A site that asks for nothing else gets a request again after so many seconds. */
const BACKOFF_SECONDS = [1, 2];

/** Fetches pages of one origin: as its robots.txt allows (RFC 9309), at most so many a second, slower if it asks for that. @throws {UserError} */
export async function openSite(origin: string, requestsPerSecond: number) {
  const robotsUrl = `${origin}/robots.txt`;
  const response = await request(robotsUrl, politeFetch({ timeoutMs: TIMEOUT_MS }));
  if ('problem' in response && response.status === 0)
    throw new UserError(`${origin} ${response.problem}; check the address and the network`);
  // Without a robots.txt everything is allowed; one that fails with a server error forbids everything (RFC 9309, section 2.3.1).
  const isForbidden = 'problem' in response && response.status >= 500;
  const robots = robotsParser(robotsUrl, 'problem' in response ? '' : response.text);
  const delayMs = Math.max(1_000 / requestsPerSecond, (robots.getCrawlDelay(USER_AGENT) ?? 0) * 1_000);
  const send = politeFetch({ timeoutMs: TIMEOUT_MS, delayMs, backoffSeconds: BACKOFF_SECONDS });
  const fetchAllowed = async (url: string, isText = true): Promise<FetchedPage | { readonly problem: string }> => {
    if (httpAddress(url)?.origin !== origin) return { problem: `is on another site than ${origin}` };
    if (isForbidden) return { problem: 'may not be fetched: robots.txt of the site answers with an error' };
    if (robots.isDisallowed(url, USER_AGENT) === true) return { problem: 'may not be fetched, says robots.txt' };
    return await request(url, send, isText);
  };
  return {
    origin,
    sitemaps: robots.getSitemaps(),
    fetchPage: (url: string) => fetchAllowed(url),
    fetchImage: (url: string) => fetchAllowed(url, false),
  };
}

type Sender = ReturnType<typeof politeFetch>;

async function request(
  address: string,
  send: Sender,
  isText = true,
): Promise<FetchedPage | { readonly problem: string; readonly status: number }> {
  // Markdown of a site is in the dialect of its generator; its HTML says what readers see.
  const accept = 'text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.1';
  const settings = { headers: { 'user-agent': USER_AGENT, accept } };
  try {
    const { response, url } = await fetchWithinOrigin(new URL(address).origin, httpAddress(address), (hop) => send(hop, settings));
    if (!response.ok) {
      await response.body?.cancel();
      return { problem: `answers ${response.status}`, status: response.status };
    }
    const received = await readBody(response, PAGE_MAX_BYTES);
    // PDF, archives and older documents of Office, whose addresses may have no ending.
    if (isText && /^(?:%PDF-|PK\x03\x04|\xd0\xcf\x11\xe0)/.test(Buffer.from(received.subarray(0, 5)).toString('latin1')))
      return { problem: 'is a document to download, and no page; links to it stay', status: response.status };
    const isGzip = received[0] === 0x1f && received[1] === 0x8b;
    const bytes = isGzip ? gunzipSync(received, { maxOutputLength: PAGE_MAX_BYTES * 10 }) : received;
    const contentType = response.headers.get('content-type') ?? '';
    const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
    const isHidden = /\b(?:noindex|none)\b/i.test(response.headers.get('x-robots-tag') ?? '');
    const draftReason = isHidden ? 'is hidden in its source (X-Robots-Tag: noindex)' : undefined;
    const text = !isText || /^(?:image|font|audio|video)\//.test(mediaType) ? '' : decodeHtml(bytes, contentType);
    if (text !== undefined) return { url: url.href, bytes, text, mediaType, draftReason };
    return { problem: 'is no text in the charset that it states, or in UTF-8', status: response.status };
  } catch (error) {
    if (error instanceof UnreadableError) return { problem: error.message, status: 200 };
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const isUnknown = cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND';
    const reason = cause instanceof Error ? cause.message : message;
    return { problem: `cannot be reached: ${isUnknown ? 'no site has this name' : reason}`, status: 0 };
  }
}
