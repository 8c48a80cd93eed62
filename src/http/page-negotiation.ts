import { LruCache } from '../gateway/lru-cache.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { sentParameters } from '../schemas/knowledge/capsule-lists.ts';
import { capsulePath, PATHS, pageMarkdownPath, pageOfSiteText } from '../schemas/paths.ts';
import { Version } from '../schemas/primitives.ts';
import type { Route } from './define-route.ts';
import { isAt } from './nearest-route.ts';
import { NEGOTIATION_HEADERS, readsMarkdown, varyBy } from './negotiate.ts';
import { decodeOnce } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import { INDEX_LINK } from './security-headers.ts';

/** The path of a page and of its markdown twin. */
interface PageAddress {
  readonly path: string;
  readonly twin: string;
  /** Whether no operation answers there, but a file of the site. */
  readonly isFile: boolean;
  /** Whether a function makes the twin of every page there. */
  readonly hasTwinRoute: boolean;
}

/** Asks for another address of this site, on behalf of the request at hand. */
type Ask = (path: string, method: 'GET' | 'HEAD') => Promise<Response>;

/** Most paths in an isolate's cache of existing pages and markdown files. */
const KNOWN_PATHS_MAX = 4_000;

/** Characters of a token, as estimates of the length of English texts count them. */
const TOKEN_CHARACTERS = 4;

/** `/{id}/{version}.md` below the path of the capsules. Lists have the same form: `/type/concept.md`. */
const BELOW_CAPSULES = /^\/([^/]+)\/([^/]+)\.md$/;

/** Sends pages as HTML or as markdown, as the headers of a request ask (RFC 9110 section 12.1). Each names the other in its headers. */
export class PageNegotiation {
  readonly #baseUrl: string;
  /** Whether some capsules have no markdown, because their text is sold. */
  readonly #sellsTexts: boolean;
  /** Operations with any method. */
  readonly #operations: readonly Route[];
  readonly #reads: readonly Route[];
  /** Operations that return a page as markdown. */
  readonly #twinRoutes: readonly Route[];
  readonly #known = new LruCache<string, boolean>(KNOWN_PATHS_MAX);

  constructor({ baseUrl, payments }: Pick<Deployment, 'baseUrl' | 'payments'>, routes: readonly Route[]) {
    this.#baseUrl = baseUrl;
    this.#sellsTexts = payments !== undefined;
    this.#operations = routes;
    this.#reads = routes.filter(({ method }) => method === 'GET');
    this.#twinRoutes = this.#reads.filter(({ path }) => path.endsWith('.md'));
  }

  /** The page at the address of a request; `undefined` if only an operation or another file can be there. */
  pageAt({ request, url: { pathname, search } }: Pick<RequestContext, 'request' | 'url'>): PageAddress | undefined {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || pathname.startsWith('/api/')) return undefined;
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    if ((name === '' && pathname !== PATHS.home) || name.includes('.')) return undefined;
    const twin = pageMarkdownPath(pathname);
    const isFile = !this.#isRoute(pathname);
    const isOffer = pathname.startsWith(`${PATHS.buy}/`) && pathname !== PATHS.buyInvoice;
    const hasTwinRoute = !isFile && this.#twinRoutes.some((route) => isAt(twin, route));
    // With parameters, operations do something else than to show the page.
    if (!isFile && (search !== '' || !(isOffer || hasTwinRoute))) return undefined;
    return { path: pathname, twin, isFile, hasTwinRoute };
  }

  /** Whether a file of the site, or nothing, is at the address of a request. */
  isFile({ request, url: { pathname } }: Pick<RequestContext, 'request' | 'url'>): boolean {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const path = decodeOnce(pathname);
    if (!isReading || path.startsWith('/api/')) return false;
    return !this.#operations.some((operation) => isAt(path, operation));
  }

  /** The page as markdown, if the caller prefers that and there is one. */
  async twinResponse({ path, twin }: PageAddress, { request, url }: RequestContext, ask: Ask): Promise<Response | undefined> {
    if (!readsMarkdown(request.headers)) return undefined;
    const found = await ask(twin, request.method === 'HEAD' ? 'HEAD' : 'GET');
    if (found.status !== 304 && !isMarkdown(found)) {
      await found.body?.cancel();
      return undefined;
    }
    const ignored = found.status === 200 && request.method === 'GET' ? sentParameters(Object.fromEntries(url.searchParams)) : [];
    const response = await withTokenCount(ignored.length === 0 ? found : await withIgnored(found, ignored), request);
    const { headers } = response;
    if (found.status === 200) headers.set('Content-Type', 'text/markdown; charset=utf-8');
    varyBy(headers, NEGOTIATION_HEADERS);
    headers.set('Content-Location', twin);
    headers.set('Link', `<${this.#baseUrl}${path}>; rel="canonical", ${INDEX_LINK}`);
    return response;
  }

  /** A markdown response with an estimate of its length and the address of its page in its headers; any other response as it is. */
  async withMarkdownHeaders(found: Response, { request, url: { pathname } }: RequestContext, ask: Ask): Promise<Response> {
    if (!pathname.endsWith('.md') || !(found.status === 304 || isMarkdown(found))) return found;
    const response = await withTokenCount(found, request);
    const link = (await this.#linkToPage(pathname, ask)) ?? [];
    response.headers.set('Link', [...link, INDEX_LINK].join(', '));
    return response;
  }

  /** The link from a markdown file to the page that it is a form of, or an earlier version of. */
  async #linkToPage(pathname: string, ask: Ask): Promise<string[] | undefined> {
    const below = pathname.startsWith(`${PATHS.capsules}/`) ? pathname.slice(PATHS.capsules.length) : '';
    const [, capsuleId = '', version] = BELOW_CAPSULES.exec(below) ?? [];
    if (Version.safeParse(version).success) return [`<${this.#baseUrl}${capsulePath(capsuleId)}>; rel="latest-version"`];
    const ofText = pageOfSiteText(pathname);
    const page = ofText ?? (pathname === pageMarkdownPath(PATHS.home) ? PATHS.home : pathname.slice(0, -'.md'.length));
    const isPage = ({ status, headers }: Response) => status === 304 || (status === 200 && isHtml(headers));
    const exists = this.#isRoute(page) || (await this.#exists(page, isPage, ask));
    return exists ? [`<${this.#baseUrl}${page}>; rel="canonical"`] : undefined;
  }

  /** Names the markdown of a page, if there is one, and the documents about the site, in the headers of its HTML. */
  async addLinks({ status, headers }: Response, { twin, hasTwinRoute }: PageAddress, ask: Ask): Promise<void> {
    if (status !== 304 && !(status === 200 && isHtml(headers))) return;
    varyBy(headers, NEGOTIATION_HEADERS);
    const present = headers.get('link') ?? '';
    if ((hasTwinRoute && !this.#sellsTexts) || (await this.#exists(twin, isMarkdown, ask)))
      headers.append('Link', `<${twin}>; rel="alternate"; type="text/markdown"`);
    if (!present.includes(PATHS.llmsTxt)) headers.append('Link', INDEX_LINK);
    if (!present.includes(PATHS.openApiAgent)) headers.append('Link', `<${PATHS.openApiAgent}>; rel="service-desc"`);
    if (!present.includes(PATHS.apiCatalog)) headers.append('Link', `<${PATHS.apiCatalog}>; rel="api-catalog"`);
  }

  /** Whether a page or its markdown is at a path. Files of a deployment never change, so an isolate asks once for each. */
  async #exists(path: string, isWanted: (found: Response) => boolean, ask: Ask): Promise<boolean> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = await ask(path, 'HEAD');
    await found.body?.cancel();
    const exists = isWanted(found);
    if (exists || found.status === 404) this.#known.set(path, exists);
    return exists;
  }

  #isRoute(path: string): boolean {
    return this.#reads.some((route) => isAt(path, route));
  }
}

/** A copy whose headers can change, with an estimate of the tokens of its text if it has one. */
async function withTokenCount(found: Response, { method }: Request): Promise<Response> {
  const text = found.status === 200 && method === 'GET' ? await found.text() : undefined;
  const response = new Response(text ?? null, { status: found.status, headers: found.headers });
  if (text !== undefined) response.headers.set('x-markdown-tokens', String(Math.ceil(text.length / TOKEN_CHARACTERS)));
  return response;
}

/** The markdown of a file, with a line about parameters, which a file does not take; without the validator of the file. */
async function withIgnored(found: Response, names: readonly string[]): Promise<Response> {
  const text = await found.text();
  const start = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) + '\n---\n'.length : 0;
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const note = `> This page takes no parameters, so these are ignored: ${listed}. Filters of capsules are those of ${PATHS.publicCapsules}/browse.`;
  const headers = new Headers(found.headers);
  for (const name of ['etag', 'content-length']) headers.delete(name);
  return new Response(`${text.slice(0, start)}\n${note}\n${text.slice(start)}`, { status: found.status, headers });
}

function isHtml(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}

function isMarkdown({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type')?.startsWith('text/markdown') === true;
}
