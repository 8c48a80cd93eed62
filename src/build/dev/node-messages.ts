import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** A request of Node's server as one of the Fetch standard. Cloudflare names the caller in a header, which a caller cannot set. */
export function fetchRequest(message: IncomingMessage, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers))
    for (const one of [value ?? []].flat()) if (!name.startsWith(':')) headers.append(name, one);
  headers.set('CF-Connecting-IP', (message.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''));
  const hasBody = message.method !== 'GET' && message.method !== 'HEAD';
  return new Request(new URL(message.url ?? '/', address), {
    ...(message.method === undefined ? {} : { method: message.method }),
    headers,
    redirect: 'manual',
    ...(hasBody ? { body: Readable.toWeb(message) as BodyInit, duplex: 'half' } : {}),
  } as RequestInit);
}

/** Sends a response of the Fetch standard through Node's server. */
export async function sendResponse(response: Response, target: ServerResponse, method: string | undefined): Promise<void> {
  target.statusCode = response.status;
  for (const [name, value] of response.headers) if (name !== 'set-cookie') target.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) target.setHeader('set-cookie', cookies);
  if (response.body === null || method === 'HEAD') {
    await response.body?.cancel();
    target.end();
    return;
  }
  // A caller that leaves early is no error of ours.
  await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), target).catch(() => undefined);
}
