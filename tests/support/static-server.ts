import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from './listen.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json',
};

/** A plain static host: files as they are, `/x` from `x.html`, everything else the 404 page. */
export interface StaticServer {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Serves a folder on a free loopback port, with the given headers on every answer. */
export async function serveFolder(folder: string, headers: Readonly<Record<string, string>> = {}): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    void (async () => {
      for (const candidate of candidates) {
        const bytes = await readFile(join(folder, candidate)).catch(() => undefined);
        if (bytes === undefined) continue;
        response.setHeader('Content-Type', TYPES[candidate.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
        return response.end(bytes);
      }
      response.statusCode = 404;
      response.setHeader('Content-Type', TYPES['html'] ?? '');
      return response.end(await readFile(join(folder, '404.html')).catch(() => ''));
    })();
  });
  return { origin: await listen(server), stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
