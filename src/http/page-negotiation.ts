import { LruCache } from '../gateway/lru-cache.ts';
import { PATHS, pageMarkdownPath } from '../schemas/paths.ts';
import type { Route } from './define-route.ts';
import { prefersMarkdown } from './negotiate.ts';
import type { RequestContext } from './request-context.ts';

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

/** Most pages for which an isolate remembers whether a twin exists. */
const KNOWN_TWINS_MAX = 2_000;

/** Characters of a token, as estimates of the length of English texts count them. */
const TOKEN_CHARACTERS = 4;

const INDEX_LINK = `<${PATHS.llmsTxt}>; rel="describedby"`;

/** Chooses between the two forms of a page, HTML and markdown, by the Accept header (RFC 9110 section 12.5.1). */
export class PageNegotiation {
  readonly #baseUrl: string;
  readonly #routes: readonly (readonly string[])[];
  /** Paths of operations with any method. */
  readonly #operations: readonly (readonly string[])[];
  readonly #hasTwin = new LruCache<string, boolean>(KNOWN_TWINS_MAX);

  constructor(baseUrl: string, routes: readonly Route[]) {
    this.#baseUrl = baseUrl;
    this.#operations = routes.map(({ path }) => path.split('/'));
    this.#routes = routes.filter(({ method }) => method === 'GET').map(({ path }) => path.split('/'));
  }

  /** The page at the address of a request; `undefined` if only an operation or another file can be there. */
  pageAt({ request, url: { pathname, search } }: Pick<RequestContext, 'request' | 'url'>): PageAddress | undefined {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || pathname.startsWith('/api/')) return undefined;
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    if ((name === '' && pathname !== PATHS.home) || name.includes('.')) return undefined;
    const twin = pageMarkdownPath(pathname);
    const isFile = !this.#isRoute(pathname);
    const isOffer = pathname.startsWith(`${PATHS.buy}/`) && pathname !== PATHS.buyInvoice;
    const hasTwinRoute = !isFile && !isOffer && this.#isRoute(twin) && !pathname.startsWith(`${PATHS.orders}/`);
    // With parameters, operations do something else than to show the page.
    if (!isFile && (search !== '' || !(isOffer || hasTwinRoute))) return undefined;
    return { path: pathname, twin, isFile, hasTwinRoute };
  }

  /** Whether a file of the site, or nothing, is at the address of a request. */
  isFile({ request, url: { pathname } }: Pick<RequestContext, 'request' | 'url'>): boolean {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || pathname.startsWith('/api/')) return false;
    const segments = pathname.split('/');
    return !this.#operations.some((operation) => isAt(segments, operation));
  }

  /** The page as markdown, if the caller prefers that and there is one. */
  async twinResponse({ path, twin }: PageAddress, { request }: RequestContext, ask: Ask): Promise<Response | undefined> {
    if (!prefersMarkdown(request.headers.get('accept'))) return undefined;
    const found = await ask(twin, request.method === 'HEAD' ? 'HEAD' : 'GET');
    if (found.status !== 304 && !isMarkdown(found)) {
      await found.body?.cancel();
      return undefined;
    }
    const text = found.status === 200 && request.method === 'GET' ? await found.text() : undefined;
    const response = new Response(text ?? null, { status: found.status, headers: found.headers });
    const { headers } = response;
    if (text !== undefined) headers.set('x-markdown-tokens', String(Math.ceil(text.length / TOKEN_CHARACTERS)));
    if (found.status === 200) headers.set('Content-Type', 'text/markdown; charset=utf-8');
    headers.append('Vary', 'Accept');
    headers.set('Content-Location', twin);
    headers.set('Link', `<${this.#baseUrl}${path}>; rel="canonical", <${this.#baseUrl}${PATHS.llmsTxt}>; rel="describedby"`);
    return response;
  }

  /** Names the markdown of a page, if there is one, and the documents about the site, in the headers of its HTML. */
  async addLinks({ status, headers }: Response, { path, twin, hasTwinRoute }: PageAddress, ask: Ask): Promise<void> {
    if (status !== 304 && !(status === 200 && headers.get('content-type')?.startsWith('text/html'))) return;
    if (!/\baccept\b/i.test(headers.get('vary') ?? '')) headers.append('Vary', 'Accept');
    const present = headers.get('link') ?? '';
    if (hasTwinRoute || (await this.#twinExists(path, twin, ask)))
      headers.append('Link', `<${twin}>; rel="alternate"; type="text/markdown"`);
    if (!present.includes(PATHS.llmsTxt)) headers.append('Link', INDEX_LINK);
    if (!present.includes(PATHS.openApiAgent)) headers.append('Link', `<${PATHS.openApiAgent}>; rel="service-desc"`);
  }

  /** Files of a deployment never change, so an isolate asks once for each. */
  async #twinExists(path: string, twin: string, ask: Ask): Promise<boolean> {
    const known = this.#hasTwin.get(path);
    if (known !== undefined) return known;
    const found = await ask(twin, 'HEAD');
    await found.body?.cancel();
    const exists = found.status === 304 || isMarkdown(found);
    if (exists || found.status === 404) this.#hasTwin.set(path, exists);
    return exists;
  }

  #isRoute(path: string): boolean {
    const segments = path.split('/');
    return this.#routes.some((route) => isAt(segments, route));
  }
}

function isMarkdown({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type')?.startsWith('text/markdown') === true;
}

/** Whether a path is one of a route: a parameter is anything, with the text after it at its end. */
function isAt(path: readonly string[], route: readonly string[]): boolean {
  return (
    path.length === route.length &&
    route.every((segment, at) => {
      const sent = path[at] ?? '';
      if (!segment.startsWith('{')) return sent === segment;
      const ending = segment.slice(segment.indexOf('}') + 1);
      return sent.length > ending.length && sent.endsWith(ending);
    })
  );
}
