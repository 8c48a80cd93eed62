import type { RouteInput } from '../../http/define-route.ts';

/** Headers of a request that the library of the protocol reads. */
const READ_HEADERS = ['host', 'origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

const ACCEPTED = 'application/json, text/event-stream';

/**
 * The request as the library of the protocol takes it.
 *
 * @param url Absolute address of the server.
 */
export function libraryRequest(
  { rawHeader, sentBody }: Pick<RouteInput<unknown, unknown, unknown>, 'rawHeader' | 'sentBody'>,
  url: string,
): Request {
  const headers = new Headers({ host: new URL(url).host });
  for (const name of READ_HEADERS) {
    const value = rawHeader(name);
    if (value !== undefined) headers.set(name, value);
  }
  // Every response is one JSON object, so what else a client accepts does not matter.
  headers.set('accept', ACCEPTED);
  headers.set('content-type', 'application/json');
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(sentBody) });
}
