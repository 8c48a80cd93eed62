import { join } from 'node:path';
import { Request as WorkerRequest } from 'miniflare';
import { unstable_generateASSETSBinding } from 'wrangler';
import type { EdgeOptions } from './edge-gateway.ts';
import { PUBLICATION } from './paths.ts';
import { type StaticServer, serveResponses } from './static-server.ts';

type ServerOptions = Parameters<typeof unstable_generateASSETSBinding>[0];
const silent = (): void => undefined;
const log = new Proxy({}, { get: () => silent }) as ServerOptions['log'];

/**
 * The server of static files that Pages uses, with the headers of `_headers`, on the built site or on another folder.
 *
 * @param signal Ends its watch over `_headers`, which keeps a process alive.
 */
export async function serveBuiltFiles(
  directory: string = join(PUBLICATION, 'dist'),
  signal?: AbortSignal,
): Promise<NonNullable<EdgeOptions['files']>> {
  const serve = await unstable_generateASSETSBinding({ log, directory, signal } as ServerOptions);
  return async (request) => (await serve(request as unknown as WorkerRequest)) as unknown as Response;
}

/** Media types that the host compresses (developers.cloudflare.com/speed/optimization/content/compression). */
const COMPRESSED = /^(?:text\/|image\/svg\+xml|application\/(?:[a-z]+\+)?(?:json|xml|javascript))/;

/** Serves a built folder on a loopback port, by default a free one, as Pages does: its addresses, types, headers and its page for missing files, compressed. */
export async function serveLikeHost(folder: string, port?: number): Promise<StaticServer> {
  const serve = await serveBuiltFiles(folder);
  // The server of files knows no other requests than its own.
  return serveResponses(async (path, { headers }) => {
    const request = new WorkerRequest(`http://${headers['host'] ?? 'localhost'}${path}`) as unknown as Request;
    const response = await serve(request);
    const isCompressed = headers['accept-encoding']?.includes('gzip') && COMPRESSED.test(response.headers.get('content-type') ?? '');
    if (!isCompressed || response.body === null || response.status !== 200) return response;
    const compressed = new Response(response.body.pipeThrough(new CompressionStream('gzip')), response);
    compressed.headers.set('Content-Encoding', 'gzip');
    compressed.headers.append('Vary', 'Accept-Encoding');
    compressed.headers.delete('Content-Length');
    return compressed;
  }, port);
}
