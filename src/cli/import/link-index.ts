import { posix } from 'node:path';
import { decoded } from '../../text/markdown/text-references.ts';
import type { ConvertedPage } from './convert-page.ts';
import { WIKI_SCHEME } from './markdown/obsidian.ts';
import { commonFolders, type Source, type SourceFile } from './source-page.ts';

export type SourceTarget =
  | { readonly kind: 'page'; readonly page: ConvertedPage; readonly anchor: string }
  | { readonly kind: 'file'; readonly file: SourceFile; readonly url: string | undefined }
  | { readonly kind: 'external'; readonly url: string }
  /** Nothing in the source. `url` is its address on the site of the source, if that is known. */
  | { readonly kind: 'missing'; readonly url: string | undefined };

/** Finds the page behind an address of a source: a file, a route with or without an ending, the name of a note, or an absolute URL. */
export class LinkIndex {
  readonly #byPath = new Map<string, ConvertedPage>();
  readonly #byRoute = new Map<string, ConvertedPage>();
  /** Pages by the last part of a route or file name; several may share it. */
  readonly #byName = new Map<string, ConvertedPage[]>();
  readonly #byAlias = new Map<string, ConvertedPage>();
  readonly #options: Pick<Source, 'site' | 'findFile'>;
  readonly #sitePath: string;

  constructor(pages: readonly ConvertedPage[], options: Pick<Source, 'site' | 'findFile'>) {
    this.#options = options;
    this.#sitePath = options.site === undefined ? '' : normalizedRoute(new URL(options.site).pathname);
    for (const page of pages) {
      this.#byPath.set(page.page.path.toLowerCase(), page);
      for (const route of page.page.routes) {
        const normalized = normalizedRoute(route);
        if (!this.#byRoute.has(normalized)) this.#byRoute.set(normalized, page);
        this.#addName(normalized.split('/').at(-1) ?? '', page);
      }
      this.#addName(nameOf(page.page.path), page);
      for (const alias of page.fields.aliases) {
        this.#byAlias.set(alias.toLowerCase(), page);
        if (alias.startsWith('/')) this.#byRoute.set(normalizedRoute(alias), page);
      }
    }
  }

  #addName(name: string, page: ConvertedPage): void {
    const known = this.#byName.get(name) ?? [];
    if (!known.includes(page)) this.#byName.set(name, [...known, page]);
  }

  resolve(from: ConvertedPage, address: string): SourceTarget {
    if (address.startsWith(WIKI_SCHEME)) return this.#resolveName(from, address.slice(WIKI_SCHEME.length));
    const [, written = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
    const anchor = decoded(fragment.slice(1));
    // Notion writes a "#" of a name as it is.
    const unescaped = /\.md$/.test(anchor) ? this.#resolveRelative(from, decoded(address)) : undefined;
    if (unescaped) return { kind: 'page', page: unescaped, anchor: '' };
    if (written === '') return { kind: 'page', page: from, anchor };
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) return this.#resolveUrl(written, fragment);
    const path = decoded(written.replace(/\?.*$/s, '')).trim();
    const page = path.startsWith('/') ? this.#resolveAbsolute(path) : this.#resolveRelative(from, path);
    if (page) return { kind: 'page', page, anchor };
    const file = this.#options.findFile?.(from.page.path, path);
    if (file) return { kind: 'file', file, url: this.#onSite(from, path, fragment) };
    return { kind: 'missing', url: this.#onSite(from, path, fragment) };
  }

  #resolveUrl(written: string, fragment: string): SourceTarget {
    const { site } = this.#options;
    if (site !== undefined && URL.canParse(written) && new URL(written).origin === new URL(site).origin) {
      const page = this.#byRoute.get(normalizedRoute(new URL(written).pathname)) ?? this.#withoutBase(new URL(written).pathname);
      if (page) return { kind: 'page', page, anchor: decoded(fragment.slice(1)) };
    }
    return { kind: 'external', url: written.startsWith('//') ? `https:${written}${fragment}` : written + fragment };
  }

  #resolveAbsolute(path: string): ConvertedPage | undefined {
    return this.#byRoute.get(normalizedRoute(path)) ?? this.#withoutBase(path) ?? this.#file(path.slice(1));
  }

  /** A route that begins with the base path of the site, which routes do not have. */
  #withoutBase(path: string): ConvertedPage | undefined {
    const route = normalizedRoute(path);
    if (this.#sitePath === '') return undefined;
    return route === this.#sitePath || route.startsWith(`${this.#sitePath}/`)
      ? this.#byRoute.get(route.slice(this.#sitePath.length))
      : undefined;
  }

  #resolveRelative(from: ConvertedPage, path: string): ConvertedPage | undefined {
    const beside = this.#file(posix.join(posix.dirname(from.page.path), path));
    if (beside) return beside;
    for (const route of from.page.routes)
      for (const base of [posix.dirname(route), route]) {
        const page = this.#byRoute.get(normalizedRoute(posix.join(base, path)));
        if (page) return page;
      }
    return undefined;
  }

  #file(path: string): ConvertedPage | undefined {
    const base = posix.normalize(path).replace(/\/$/, '').toLowerCase();
    for (const ending of ['', '.md', '.mdx', '/index.md', '/index.mdx', '/readme.md', '/_index.md']) {
      const page =
        this.#byPath.get(base + ending) ?? (ending === '' ? undefined : this.#byPath.get(base.replace(/\.(?:html|mdx?)$/, '') + ending));
      if (page) return page;
    }
    return undefined;
  }

  /** A note by its name, its path or an alias, as in `[[Name#Heading]]`. The nearest one wins, as in Obsidian. */
  #resolveName(from: ConvertedPage, address: string): SourceTarget {
    const [, written = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
    const [name, anchor] = [decoded(written).trim(), decoded(fragment.slice(1))];
    if (name === '') return { kind: 'page', page: from, anchor };
    const path = name.toLowerCase().replace(/^\//, '');
    const exact = this.#file(posix.join(posix.dirname(from.page.path), path)) ?? this.#file(path);
    const named = (this.#byName.get(nameOf(path)) ?? []).filter(({ page }) => {
      const file = page.path.toLowerCase().replace(/\.mdx?$/, '');
      return file === path.replace(/\.mdx?$/, '') || file.endsWith(`/${path.replace(/\.mdx?$/, '')}`);
    });
    const near = ({ page }: ConvertedPage): number => commonFolders(page.path, from.page.path);
    const nearest = [...named].sort((a, b) => near(b) - near(a))[0];
    const page = exact ?? nearest ?? this.#byAlias.get(name.toLowerCase());
    if (page) return { kind: 'page', page, anchor };
    const file = this.#options.findFile?.(from.page.path, name);
    return file ? { kind: 'file', file, url: undefined } : { kind: 'missing', url: undefined };
  }

  /** The address on the site of the source. */
  #onSite(from: ConvertedPage, path: string, fragment: string): string | undefined {
    const { site } = this.#options;
    if (site === undefined) return undefined;
    const base = from.page.url ?? `${site}${from.page.routes[0] ?? '/'}`;
    // Below the base path, unless the address already has it.
    const isBased = this.#sitePath === '' || normalizedRoute(path).startsWith(this.#sitePath);
    const absolute = path.startsWith('/')
      ? isBased
        ? path
        : this.#sitePath + path
      : path.replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '$1');
    return URL.canParse(absolute, base) ? new URL(absolute, base).href + fragment : undefined;
  }
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

function nameOf(path: string): string {
  return normalizedRoute(path.split('/').at(-1) ?? '').slice(1);
}
