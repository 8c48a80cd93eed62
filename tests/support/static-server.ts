import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { close, listen } from './listen.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json',
};

export interface StaticServer {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

export async function serveResponses(
  respond: (path: string, init: RequestInit & { readonly headers: Record<string, string> }) => Response | Promise<Response>,
  port?: number,
): Promise<StaticServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const init = { method: request.method ?? 'GET', headers, ...(body.length > 0 ? { body: new Uint8Array(body) } : {}) };
      const given = await respond(request.url ?? '/', init);
      response.writeHead(given.status, Object.fromEntries(given.headers));
      response.end(Buffer.from(await given.arrayBuffer()));
    })().catch(() => response.writeHead(500).end());
  });
  return { origin: await listen(server, port), stop: () => close(server) };
}

/**
 * Serves a folder, below a path if one is given, as GitHub Pages does: files as they are, `/x` from `x.html`, a folder from its `index.html` after
 * a redirect to its slash, everything else the 404 page.
 */
export function serveFolder(folder: string, basePath = ''): Promise<StaticServer> {
  return serveResponses(async (address) => {
    const path = decodeURIComponent(new URL(address, 'http://localhost').pathname);
    const html = { 'Content-Type': TYPES['html'] ?? '' };
    const isOfSite = path.startsWith(`${basePath}/`) || path === basePath;
    const name = path.slice(basePath.length) || '/';
    for (const candidate of !isOfSite ? [] : name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`]) {
      const bytes = await readFile(join(folder, candidate)).catch(() => undefined);
      if (bytes !== undefined)
        return new Response(bytes, { headers: { 'Content-Type': TYPES[candidate.split('.').at(-1) ?? ''] ?? 'application/octet-stream' } });
    }
    const isFolder = isOfSite && (await stat(join(folder, name, 'index.html')).catch(() => undefined)) !== undefined;
    if (isFolder) return new Response('', { status: 301, headers: { Location: `${path}/` } });
    return new Response(await readFile(join(folder, '404.html')).catch(() => ''), { status: 404, headers: html });
  });
}

/**
 * Serves a folder below a path as a plain server of files does, such as `python3 -m http.server`: no address stands for another file, and a folder
 * is its `index.html`.
 *
 * @param missing The file for missing ones, which a bucket that is a website has.
 */
export function servePlainly(folder: string, basePath = '', port?: number, missing?: string): Promise<StaticServer> {
  return serveResponses(async (address) => {
    const { pathname, search } = new URL(address, 'http://localhost');
    if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return new Response('', { status: 404 });
    const file = join(folder, decodeURIComponent(pathname.slice(basePath.length)));
    const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true;
    if (isFolder && !pathname.endsWith('/')) return new Response('', { status: 301, headers: { Location: `${pathname}/${search}` } });
    const name = isFolder ? join(file, 'index.html') : file;
    const bytes = !isFolder && pathname.endsWith('/') ? undefined : await readFile(name).catch(() => undefined);
    const type = TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''] ?? 'application/octet-stream';
    if (bytes !== undefined) return new Response(bytes, { headers: { 'Content-Type': type } });
    const page = missing === undefined ? '' : await readFile(join(folder, missing));
    return new Response(page, { status: 404, headers: { 'Content-Type': TYPES['html'] ?? '' } });
  }, port);
}
