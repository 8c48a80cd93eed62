import { createServer } from 'node:http';
import { Request } from 'miniflare';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { listen } from '../../support/listen.ts';
import type { StaticServer } from '../../support/static-server.ts';

/** Serves a built folder on a free loopback port as Pages does: its addresses, types, headers and its page for missing files. */
export async function serveLikeHost(folder: string): Promise<StaticServer> {
  const serve = await serveBuiltFiles(folder);
  const server = createServer((request, response) => {
    void (async () => {
      // The address as it was sent, where it is one; the server of files knows no other.
      const url = `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`;
      const answer = await serve(new Request(url) as unknown as globalThis.Request);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })().catch(() => response.writeHead(500).end());
  });
  return { origin: await listen(server), stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
