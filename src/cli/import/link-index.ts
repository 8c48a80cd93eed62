import { posix } from 'node:path';
import { decoded } from '../../text/markdown/text-references.ts';
import { WIKI_SCHEME } from './markdown/obsidian.ts';
import { commonFolders, type Source, type SourceFile, type SourcePage } from './source-page.ts';

export type SourceTarget =
  | { readonly kind: 'page'; readonly page: SourcePage; readonly anchor: string }
  | { readonly kind: 'file'; readonly file: SourceFile; readonly url: string | undefined }
  | { readonly kind: 'external'; readonly url: string }
  /** Nothing in the source. `url` is its address on the site of the source, if that is known. */
  | { readonly kind: 'missing'; readonly url: string | undefined };

/** Endings of the file behind an address without one. */
const ENDINGS = ['.md', '.mdx', '/index.md', '/index.mdx', '/readme.md', '/_index.md'];

/** Finds the page behind an address of a source: a file, a route with or without an ending, the name of a note, or an absolute URL. */
export function linkResolver(pages: readonly SourcePage[], { site, findFile }: Pick<Source, 'site' | 'findFile'>) {
  const sitePath = site === undefined ? '' : normalizedRoute(new URL(site).pathname);
  const byPath = new Map(pages.map((page) => [page.path.toLowerCase(), page]));
  const byRoute = new Map<string, SourcePage>();
  const byAlias = new Map<string, SourcePage>();
  for (const page of pages) {
    for (const route of page.routes.map(normalizedRoute)) if (!byRoute.has(route)) byRoute.set(route, page);
    for (const alias of page.fields.aliases) {
      byAlias.set(alias.toLowerCase(), page);
      if (alias.startsWith('/')) byRoute.set(normalizedRoute(alias), page);
    }
  }

  /** A route, which may begin with the base path of the site, as routes of pages do not. */
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

  const fromPage = ({ path: own, routes }: SourcePage, path: string): SourcePage | undefined =>
    atFile(posix.join(posix.dirname(own), path)) ??
    routes
      .flatMap((route) => [posix.dirname(route), route])
      .map((base) => byRoute.get(normalizedRoute(posix.join(base, path))))
      .find((page) => page !== undefined);

  /** A note by its name, its path or an alias, as in `[[Name#Heading]]`. The nearest one wins, as in Obsidian. */
  const ofName = (from: SourcePage, name: string): SourcePage | undefined => {
    const path = name.toLowerCase().replace(/^\//, '');
    const exact = atFile(posix.join(posix.dirname(from.path), path)) ?? atFile(path);
    if (exact !== undefined) return exact;
    const tail = `/${path.replace(/\.mdx?$/, '')}`;
    const [nearest] = pages
      .filter((page) => `/${page.path.toLowerCase().replace(/\.mdx?$/, '')}`.endsWith(tail))
      .sort((a, b) => commonFolders(b.path, from.path) - commonFolders(a.path, from.path));
    return nearest ?? byAlias.get(name.toLowerCase());
  };

  /** The address on the site of the source. */
  const onSite = (from: SourcePage, path: string, fragment: string): string | undefined => {
    if (site === undefined) return undefined;
    const base = from.url ?? `${site}${from.routes[0] ?? '/'}`;
    // Below the base path, unless the address already has it.
    const based = sitePath === '' || normalizedRoute(path).startsWith(sitePath) ? path : sitePath + path;
    const absolute = path.startsWith('/') ? based : path.replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '$1');
    return URL.canParse(absolute, base) ? new URL(absolute, base).href + fragment : undefined;
  };

  return (from: SourcePage, address: string): SourceTarget => {
    const isName = address.startsWith(WIKI_SCHEME);
    const [, written = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(isName ? address.slice(WIKI_SCHEME.length) : address) ?? [];
    const anchor = decoded(fragment.slice(1));
    // Notion writes a "#" of a name as it is.
    const unescaped = !isName && anchor.endsWith('.md') ? fromPage(from, decoded(address)) : undefined;
    if (unescaped) return { kind: 'page', page: unescaped, anchor: '' };
    if (written.trim() === '') return { kind: 'page', page: from, anchor };
    if (!isName && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) {
      const isOwn = site !== undefined && URL.canParse(written) && new URL(written).origin === new URL(site).origin;
      const page = isOwn ? atRoute(new URL(written).pathname) : undefined;
      if (page) return { kind: 'page', page, anchor };
      return { kind: 'external', url: written.startsWith('//') ? `https:${written}${fragment}` : written + fragment };
    }
    const path = decoded(isName ? written : written.replace(/\?.*$/s, '')).trim();
    const absolute = (): SourcePage | undefined => (path.startsWith('/') ? (atRoute(path) ?? atFile(path.slice(1))) : fromPage(from, path));
    const page = isName ? ofName(from, path) : absolute();
    if (page) return { kind: 'page', page, anchor };
    const url = isName ? undefined : onSite(from, path, fragment);
    const file = findFile?.(from.path, path);
    return file ? { kind: 'file', file, url } : { kind: 'missing', url };
  };
}

/** A route to compare: lower case, without ending, index, number prefixes and slash at the end. */
function normalizedRoute(route: string): string {
  const path = decoded(route)
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const plain = path
    .replace(/\.(?:html?|mdx?)$/, '')
    .replace(/\/(?:index|readme)$/, '')
    .replace(/(?<!\/)\/+$/, '');
  return plain === '' || plain.startsWith('/') ? plain : `/${plain}`;
}
