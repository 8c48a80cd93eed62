import { posix } from 'node:path';
import type { Definition, Image, Link, Nodes } from 'mdast';
import { headingIds, isPageId } from '../../text/markdown/heading-anchors.ts';
import { walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { decoded } from '../../text/markdown/resolve-links.ts';
import { httpAddress } from '../fetch-within-origin.ts';
import { type Grade, loose } from './conversion-losses.ts';
import { lineOf } from './convert-page.ts';
import type { ConvertedHeading } from './html/html-to-markdown.ts';
import { commonFolders, type ImportNote, type Source, type SourceFile, type SourcePage } from './import-source.ts';
import { sha256 } from './imported-capsules.ts';
import { destination, escapeText } from './markdown/markdown-syntax.ts';
import { WIKI_SCHEME } from './markdown/obsidian.ts';

export interface Placement {
  /** The file of a page, or of its part with a heading, relative to the text, empty for its own; and the id of the heading there. */
  readonly fileOf: (page: SourcePage, heading: number | undefined) => { readonly file: string; readonly anchor: string | undefined };
  /** The path of an image, relative to the text; `undefined` if it is of no kind that a text may show. */
  readonly imageOf: (file: SourceFile) => string | undefined;
}

const ADDRESS = /(<(?:a|img)\s[^<>]*?(?:href|src)=["'])([^"'<>]*)(["'])/gi;

/** Rewrites every link, image and anchor of a page. Everything else stays as its author wrote it. */
export function rewriteLinks(page: SourcePage, text: string, resolve: ReturnType<typeof linkResolver>, placement: Placement) {
  const root = parseText(text);
  const notes: ImportNote[] = [];
  const pictures: string[] = [];
  let dropped = 0;
  const note = (needle: string, message: string, grade?: Grade): void =>
    void notes.push({ path: page.path, line: lineOf(page, needle), message, ...(grade === undefined ? {} : { grade }) });
  const shownAs = (url: string): string => (url.startsWith(WIKI_SCHEME) ? decoded(url.slice(WIKI_SCHEME.length)) : url);
  const addressOf = (url: string, label: string, isImage = false): string | undefined => {
    const address = newAddressOf(url, label, isImage);
    if (!address) dropped += 1;
    return address;
  };
  const newAddressOf = (url: string, label: string, isImage: boolean): string | undefined => {
    const target = resolve(page, url);
    const shown = shownAs(url);
    const remote = target.kind === 'external' || target.kind === 'missing' ? target.url : undefined;
    const picture = isImage ? httpAddress(remote) : undefined;
    if (picture !== undefined) {
      const hint = resolve.copiesRemoteImages ? '' : '; --copy-images copies it';
      note(shown, `shows the picture ${remote}, which becomes a link${hint}`, 'changed');
      pictures.push(picture.href);
    }
    if (target.kind === 'external') {
      if (/^(?:https?|mailto):/i.test(target.url)) return target.url;
      return void note(shown, `has a link for an application, ${shown}, which is left out; its text stays`);
    }
    if (target.kind === 'page') {
      const heading = target.anchor === '' ? undefined : findHeading(target.page, target.anchor);
      const { file, anchor } = placement.fileOf(target.page, heading);
      const known = [...target.page.ids, ...target.page.topAnchors.map(loose)];
      const isKnown = known.includes(target.anchor) || known.includes(loose(target.anchor));
      if (target.anchor !== '' && heading === undefined && !TOP_ANCHOR.test(target.anchor) && !isKnown)
        note(shown, `links to #${target.anchor}, which no heading of ${target.page.path} has; the link leads to the page`);
      const name = anchor ?? (target.page.ids.includes(target.anchor) ? target.anchor : undefined);
      return file + (name === undefined ? '' : `#${name}`);
    }
    const address = (target.kind === 'file' ? placement.imageOf(target.file) : undefined) ?? target.url;
    const named = target.kind === 'file' ? `the file "${target.file.path}", which is not imported` : `"${shown}", which ${target.reason}`;
    if (address === undefined) note(shown, `${isImage ? 'shows' : 'links to'} ${named}${label === '' ? '' : `; "${label}" stays as text`}`);
    else if (target.kind === 'file' && address === target.url && !isImage) note(shown, `links to ${named}; the link leads to ${address}`);
    return address;
  };
  const shownAsImages = new Set<string>();
  walk(root, (node) => {
    if (node.type === 'imageReference') shownAsImages.add(node.identifier);
  });
  const definitions = new Map<string, string>();
  walk(root, (node) => {
    if (node.type !== 'definition') return;
    const label = node.label ?? node.identifier;
    const address = addressOf(node.url, label, shownAsImages.has(node.identifier));
    definitions.set(node.identifier, address ? `[${label}]: ${destination(address)}${titleOf(node)}` : '');
  });
  const slice = (nodes: readonly Nodes[], from: number, to: number): string => {
    let result = '';
    let at = from;
    for (const node of nodes) {
      // Bare addresses that GFM makes links of have no place in the source, and need no change.
      const [start, end] = [node.position?.start.offset ?? -1, node.position?.end.offset ?? -1];
      if (start < at || end > to) continue;
      result += text.slice(at, start) + rewritten(node, text.slice(start, end), start);
      at = end;
    }
    return result + text.slice(at, to);
  };
  const rewritten = (node: Nodes, source: string, start: number): string => {
    const children = 'children' in node ? node.children : [];
    const within = (): string => slice(children, children[0]?.position?.start.offset ?? 0, children.at(-1)?.position?.end.offset ?? 0);
    switch (node.type) {
      case 'definition':
        return definitions.get(node.identifier) ?? '';
      case 'link': {
        // Autolinks are absolute already.
        if (!source.startsWith('[')) return source.startsWith('<') && !/^<(?:https?:|mailto:|\S+@)/i.test(source) ? within() : source;
        const label = within();
        const address = addressOf(node.url, label);
        if (address && /^:include\b/.test(node.title ?? '')) note(shownAs(node.url), `includes ${shownAs(node.url)}, which becomes a link`);
        return address ? `[${label}](${destination(address)}${titleOf(node)})` : label;
      }
      case 'image': {
        const alt = node.alt ?? '';
        const address = addressOf(node.url, alt || (node.title ?? ''), true);
        // Of a figure whose picture is missing, the caption is left.
        return address === undefined
          ? escapeText([alt, node.title ?? ''].join(' ').trim())
          : `![${escapeText(alt)}](${destination(address)}${titleOf(node)})`;
      }
      case 'html':
        return source.replace(ADDRESS, (_, before: string, url: string, after: string) => {
          const address = addressOf(url.replaceAll('&amp;', '&'), url, before.startsWith('<img')) ?? '';
          return before + address.replaceAll('&', '&amp;').replaceAll('"', '%22') + after;
        });
      case 'linkReference':
        return definitions.get(node.identifier) === '' ? within() : slice(children, start, start + source.length);
      case 'imageReference':
        return definitions.get(node.identifier) === '' ? (node.alt ?? '') : source;
      default:
        return slice(children, start, start + source.length);
    }
  };
  return { text: slice(root.children, 0, text.length), root, notes, pictures, dropped };
}

/** The headings of each page by the names that links use for them: as they are, and loosely. */
const named = new WeakMap<SourcePage, Readonly<Record<'exact' | 'similar', ReadonlyMap<string, number>>>>();

function findHeading(page: SourcePage, anchor: string): number | undefined {
  const wanted = anchor.replace(/^user-content-/, '');
  const found = named.get(page) ?? headingNames(page);
  named.set(page, found);
  return found.exact.get(wanted) ?? found.similar.get(loose(wanted));
}

function headingNames({ headings }: SourcePage) {
  const [exact, similar] = [new Map<string, number>(), new Map<string, number>()];
  for (const [number, { text, anchors }] of headings.entries()) {
    for (const anchor of anchors) if (!exact.has(anchor)) exact.set(anchor, number);
    // Badges and signatures after a name, which some generators leave out of anchors: `useData (function)`, `dispatch(action)`.
    for (const name of [text, text.replace(/\([\s\S]*$/, ''), ...anchors].map(loose))
      if (name !== '' && !similar.has(name)) similar.set(name, number);
  }
  return { exact, similar };
}

/** Ids that the headings of a text get on its page, by their number in the text. */
export function headingAnchors(headings: readonly Omit<ConvertedHeading, 'anchors'>[]): string[] {
  const next = headingIds();
  return headings.map(({ text, id }) => (id !== undefined && !isPageId(id) ? id : next(text)));
}

/** Anchors of the page as a whole, and of lines of code and blocks of notes, which have no heading. */
const TOP_ANCHOR = /^(?:top|_top|\^.*|L\d+.*|:~:.*|\/.*)$/;

function titleOf({ title }: Link | Image | Definition): string {
  // Docsify writes settings there, such as ':target=_blank'.
  return title === null || title === undefined || /^(?:$|:(?:target|include|ignore|disabled|class|id|size)\b)/.test(title)
    ? ''
    : ` "${title.replace(/(["\\])/g, '\\$1')}"`;
}

type SourceTarget =
  | { readonly kind: 'page'; readonly page: SourcePage; readonly anchor: string }
  | { readonly kind: 'file'; readonly file: SourceFile; readonly url: string | undefined }
  | { readonly kind: 'external'; readonly url: string }
  /** Nothing in the source, or a page without text. `url` is its address on the site of the source, if that is known. */
  | { readonly kind: 'missing'; readonly url: string | undefined; readonly reason: string };

const INDEX_FILE = /(?:^|\/)(?:_?index|readme)\.\w+$/i;

const ENDINGS = ['.md', '.mdx', '/index.md', '/index.mdx', '/readme.md', '/_index.md'];

/** Finds the page behind an address of a source: a file, a route with or without an ending, the name of a note, or an absolute URL. */
export function linkResolver(
  pages: readonly SourcePage[],
  { site, isPreview = false, findFile, remoteImages, copiesRemoteImages = false, filesUrl }: Omit<Source, 'pages'>,
) {
  const siteHost = hostOf(site ?? '');
  const siteUrl = isPreview ? undefined : site;
  const sitePath = site === undefined ? '' : normalizedRoute(new URL(site).pathname);
  const byPath = new Map(pages.map((page) => [page.path.toLowerCase(), page]));
  const byName = Map.groupBy(pages, ({ path }) => nameOf(path));
  const byRoute = new Map<string, SourcePage>();
  const byAlias = new Map<string, SourcePage>();
  for (const page of pages) {
    for (const route of page.routes.map(normalizedRoute)) if (!byRoute.has(route)) byRoute.set(route, page);
    for (const alias of page.fields.aliases) {
      byAlias.set(alias.toLowerCase(), page);
      if (alias.startsWith('/')) byRoute.set(normalizedRoute(alias), page);
    }
  }

  /** The page of a route, with or without the base path of the site. */
  const atRoute = (path: string): SourcePage | undefined => {
    const route = normalizedRoute(path);
    const isBased = sitePath !== '' && `${route}/`.startsWith(`${sitePath}/`);
    return byRoute.get(route) ?? (isBased ? byRoute.get(route.slice(sitePath.length)) : undefined);
  };

  const atFile = (path: string): SourcePage | undefined => {
    const base = posix.normalize(path).replace(/\/$/, '').toLowerCase();
    const plain = base.replace(/\.(?:html|mdx?)$/, '');
    const found = [base, ...ENDINGS.flatMap((ending) => [base + ending, plain + ending])].find((name) => byPath.has(name));
    return byPath.get(found ?? '');
  };

  const fromPage = ({ path: own, routes }: SourcePage, path: string): SourcePage | undefined => {
    const asFile = atFile(posix.join(posix.dirname(own), path));
    // An address with a slash at its end is that of a folder, or of a page on a site where each page is a folder.
    const isOfSite = path.endsWith('/') && (asFile === undefined || !INDEX_FILE.test(asFile.path));
    const asFolder = isOfSite ? atFile(posix.join(own.replace(INDEX_FILE, '').replace(/\.\w+$/, ''), path)) : undefined;
    const onRoutes = routes
      .flatMap((route) => [posix.dirname(route), route])
      .flatMap((base) => byRoute.get(normalizedRoute(posix.join(base, path))) ?? []);
    return asFolder ?? asFile ?? onRoutes[0];
  };

  /** A link to the file of another page as the source writes it, before the address of its own page changed it. */
  const ofSource = ({ routes }: SourcePage, path: string): SourcePage | undefined =>
    (/\.mdx?$/i.test(path) ? routes : []).flatMap(
      (route) => atRoute(posix.join(posix.dirname(route), posix.relative(route, path))) ?? [],
    )[0];

  /** A note by its name, its path or an alias, as in `[[Name#Heading]]`. The nearest one wins, as in Obsidian. */
  const ofName = (from: SourcePage, name: string): SourcePage | undefined => {
    const path = name.toLowerCase().replace(/^\//, '');
    const exact = atFile(posix.join(posix.dirname(from.path), path)) ?? atFile(path);
    if (exact !== undefined) return exact;
    const tail = `/${path.replace(/\.mdx?$/, '')}`;
    const [nearest] = (byName.get(nameOf(path)) ?? [])
      .filter((page) => `/${page.path.toLowerCase().replace(/\.mdx?$/, '')}`.endsWith(tail))
      .sort((a, b) => commonFolders(b.path, from.path) - commonFolders(a.path, from.path));
    return nearest ?? byAlias.get(name.toLowerCase());
  };

  const onSite = (from: SourcePage, path: string, fragment: string): string | undefined => {
    if (siteUrl === undefined) return undefined;
    const base = from.url ?? `${siteUrl}${from.routes[0] ?? '/'}`;
    // Below the base path, unless the address already has it.
    const based = sitePath === '' || normalizedRoute(path).startsWith(sitePath) ? path : sitePath + path;
    const absolute = (path.startsWith('/') ? based : path).replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '$1');
    return URL.canParse(absolute, base) ? new URL(absolute, base).href + fragment : undefined;
  };

  /** An absolute address, which may lead to the site of the source. */
  const atAddress = (from: SourcePage, url: string, anchor: string): SourceTarget => {
    const own = siteHost !== undefined && hostOf(url) === siteHost ? new URL(url) : undefined;
    if (own === undefined) return { kind: 'external', url };
    const page = atRoute(own.pathname);
    if (page && page.text !== '') return { kind: 'page', page, anchor };
    const file = findFile?.(from.path, decoded(own.pathname));
    if (file) return { kind: 'file', file, url: siteUrl && url };
    return isPreview ? { kind: 'missing', url: undefined, reason: 'is not in the source' } : { kind: 'external', url };
  };

  /** A path, or the name of a note. */
  const atPath = (from: SourcePage, path: string, isName: boolean, anchor: string, fragment: string): SourceTarget => {
    const atRoot = (): SourcePage | undefined => atRoute(path) ?? atFile(path.slice(1)) ?? ofSource(from, path);
    const page = isName ? ofName(from, path) : path.startsWith('/') ? atRoot() : fromPage(from, path);
    if (page && page.text !== '') return { kind: 'page', page, anchor };
    const url = isName ? undefined : onSite(from, path, fragment);
    const file = findFile?.(from.path, path);
    if (file === undefined) return { kind: 'missing', url, reason: page ? 'has no text' : 'is not in the source' };
    const shownAt = filesUrl && filesUrl + file.path.split('/').map(encodeURIComponent).join('/') + fragment;
    return { kind: 'file', file, url: url ?? shownAt };
  };

  const resolve = (from: SourcePage, address: string): SourceTarget => {
    const inline = inlineImage(address);
    if (inline !== undefined) return { kind: 'file', file: inline, url: undefined };
    const isName = address.startsWith(WIKI_SCHEME);
    const [, written = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(isName ? address.slice(WIKI_SCHEME.length) : address) ?? [];
    // Docsify names headings in its query.
    const anchor = decoded(fragment.slice(1) || (/\?id=([a-z][^&]*)$/i.exec(written)?.[1] ?? ''));
    // Notion writes a "#" of a name as it is.
    const unescaped = !isName && anchor.endsWith('.md') ? fromPage(from, decoded(address)) : undefined;
    if (unescaped) return { kind: 'page', page: unescaped, anchor: '' };
    if (written.trim() === '') return { kind: 'page', page: from, anchor };
    if (!isName && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written))
      return atAddress(from, (written.startsWith('//') ? `https:${written}` : written) + fragment, anchor);
    return atPath(from, decoded(isName ? written : written.replace(/\?.*$/s, '')).trim(), isName, anchor, fragment);
  };
  const find = (from: SourcePage, address: string): SourceTarget => {
    const target = resolve(from, address);
    const file = target.kind === 'page' || target.url === undefined ? undefined : remoteImages?.get(httpAddress(target.url)?.href ?? '');
    return file === undefined ? target : { kind: 'file', file, url: undefined };
  };
  return Object.assign(find, { copiesRemoteImages });
}

/** The image in a `data:` address. */
function inlineImage(address: string): SourceFile | undefined {
  const [, type = '', encoded = ''] = /^data:image\/(?:x-)?(\w+)[^,]*,(.+)$/s.exec(address) ?? [];
  if (encoded === '') return undefined;
  const bytes = address.includes(';base64,') ? Buffer.from(encoded, 'base64') : Buffer.from(decoded(encoded));
  return { path: `inline/${sha256(bytes).slice(0, 16)}.${type}`, read: () => ({ bytes }) };
}

function nameOf(path: string): string {
  return posix.basename(path.toLowerCase()).replace(/\.mdx?$/, '');
}

export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, '') : undefined;
}

/** A route to compare: lower case, without ending, index, number prefixes and slash at the end. */
function normalizedRoute(route: string): string {
  const plain = decoded(route)
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/\.(?:html?|mdx?)$/, '')
    .replace(/\/(?:index|readme)$/, '')
    .replace(/(?<!\/)\/+$/, '');
  return plain === '' || plain.startsWith('/') ? plain : `/${plain}`;
}
