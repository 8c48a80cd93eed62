import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { RenderPage } from '../../http/on-demand-pages.ts';
import { isImageFile, typeOf } from '../../publication/media/media-file.ts';
import { PATHS } from '../../schemas/paths.ts';
import { PREVIEW_PATH } from '../../site/dev/live-site.ts';
import { type LiveBindings, LiveGateway } from './live-gateway.ts';
import type { LivePublication, LiveState } from './live-publication.ts';
import { fetchRequest, sendResponse } from './node-messages.ts';
import { Preview } from './preview.ts';

type Next = (error?: unknown) => void;

/** Marks requests that this server sends to itself: for files, and for pages with the props that the header names. */
const OWN_REQUEST = 'x-akg-own-request';

const ON_DEMAND = '/on-demand/';

/** Files that every site serves, unless `public/` of the publication has its own. */
const ENGINE_PUBLIC = join(import.meta.dirname, '../../site/public');

/** A file below the page of a capsule. */
const OF_CAPSULE = /^\/capsules\/([a-z0-9-]+)(?:\.md|\/[^/]+)$/;

/** How the development server answers requests: functions in this process, pages and documents with Astro. */
export class DevRequests {
  readonly #root: string;
  readonly #address: string;
  readonly #live: LivePublication;
  readonly #bindings: LiveBindings;
  /** A secret, so that nobody else sends requests as this server. */
  readonly #secret = randomBytes(16).toString('hex');
  readonly #props = new Map<string, unknown>();
  readonly #gateways = new WeakMap<LiveState, LiveGateway>();

  /** @param address Where the server listens. */
  constructor(root: string, address: string, live: LivePublication, bindings: Omit<LiveBindings, 'ASSETS'>) {
    this.#root = root;
    this.#address = address;
    this.#live = live;
    this.#bindings = {
      ...bindings,
      ASSETS: { fetch: (request) => this.#fetchFile(new URL(typeof request === 'string' ? request : request.url)) },
    };
  }

  /** Answers a request, or passes it on to Astro. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    this.#handle(request, response, next).catch(next);
  };

  async #handle(request: IncomingMessage, response: ServerResponse, next: Next): Promise<void> {
    const url = new URL(request.url ?? '/', this.#address);
    const path = url.pathname;
    const { state } = this.#live;
    if (state === undefined || path.startsWith('/@') || path.startsWith('/node_modules/')) return next();
    if (path.startsWith(ON_DEMAND)) {
      if (this.#props.has(`${request.headers[OWN_REQUEST]}`)) return next();
      response.statusCode = 404;
      response.end();
      return undefined;
    }
    if (path === PREVIEW_PATH || path.startsWith(`${PREVIEW_PATH}/`)) {
      const answer = await new Preview(this.#root, this.#live, state).answer(request, path);
      return answer === undefined ? next() : sendResponse(answer, response, request.method);
    }
    const gateway = this.#gatewayOf(state);
    const isOwn = request.headers[OWN_REQUEST] === this.#secret;
    if (!isOwn && gateway.serves(path))
      return sendResponse(withoutPagePolicy(await gateway.respond(fetchRequest(request, this.#address))), response, request.method);
    const document = (await state.capsuleDocuments(OF_CAPSULE.exec(path)?.[1] ?? '')).find((file) => file.path === path);
    if (document !== undefined) {
      response.setHeader('Content-Type', document.contentType);
      response.end(document.body);
      return undefined;
    }
    if (await this.#sendMedia(path, state, response)) return undefined;
    if (await this.#sendEngineFile(path, state, response)) return undefined;
    return next();
  }

  /** What a request to this server itself shows. */
  readonly localsOf = async ({ headers, url }: Request): Promise<Partial<App.Locals>> => {
    const { state } = this.#live;
    const { pathname } = new URL(url);
    if (pathname.startsWith(ON_DEMAND)) return { props: this.#props.get(headers.get(OWN_REQUEST) ?? '') };
    if (!pathname.startsWith(PREVIEW_PATH) || state === undefined) return {};
    return { preview: await new Preview(this.#root, this.#live, state).data(pathname) };
  };

  #gatewayOf(state: LiveState): LiveGateway {
    const gateway = this.#gateways.get(state) ?? new LiveGateway(state, this.#bindings, this.#renderPage);
    this.#gateways.set(state, gateway);
    return gateway;
  }

  readonly #renderPage: RenderPage = async (page, props) => {
    const id = randomBytes(16).toString('hex');
    this.#props.set(id, props);
    try {
      const response = await fetch(`${this.#address}${ON_DEMAND}${page}`, { headers: { [OWN_REQUEST]: id } });
      if (response.status !== 200) throw new Error(`The page "${page}" could not be rendered.`);
      return await response.text();
    } finally {
      this.#props.delete(id);
    }
  };

  #fetchFile({ pathname, search }: URL): Promise<Response> {
    return fetch(this.#address + pathname + search, { headers: { [OWN_REQUEST]: this.#secret }, redirect: 'manual' });
  }

  /** Sends a file of a text; in place of a smaller copy of an image the image itself. */
  async #sendMedia(path: string, { made }: LiveState, response: ServerResponse): Promise<boolean> {
    if (!path.startsWith(`${PATHS.media}/`)) return false;
    const found = made.content.media.find(
      (media) => media.path === path || media.image?.variants.some((variant) => variant.path === path) === true,
    );
    const bytes = found && (await readFile(join(this.#root, found.file)).catch(() => undefined));
    if (found === undefined || bytes === undefined) return false;
    const type = typeOf(found.file);
    response.setHeader(
      'Content-Type',
      ENGINE_TYPES[type] ?? (isImageFile(found.file) ? `image/${type === 'jpg' ? 'jpeg' : type}` : 'application/octet-stream'),
    );
    response.end(bytes);
    return true;
  }

  /** Sends a file of the engine or one that it makes of the publisher's look, unless `public/` of the publication has its own. */
  async #sendEngineFile(path: string, state: LiveState, response: ServerResponse): Promise<boolean> {
    if (!/^(\/[\w-][\w.-]*)+$/.test(path) || existsSync(join(this.#root, 'public', path))) return false;
    const bytes = (await state.brand()).files.get(path) ?? (await readFile(join(ENGINE_PUBLIC, path)).catch(() => undefined));
    if (bytes === undefined) return false;
    const ending = path.slice(path.lastIndexOf('.') + 1);
    response.setHeader('Content-Type', ENGINE_TYPES[ending] ?? 'application/octet-stream');
    response.end(bytes);
    return true;
  }
}

/** Media types of the engine's own files, by ending. */
const ENGINE_TYPES: Readonly<Record<string, string>> = {
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
};

/** A response whose page may load what Vite adds to it: styles in the page, and its client. */
function withoutPagePolicy(answer: Response): Response {
  if (answer.headers.get('Content-Type')?.startsWith('text/html') !== true) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('Content-Security-Policy');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}
