import { errorEntry } from '../gateway/errors.ts';
import type { Refusal } from '../gateway/result.ts';
import type { Protocol } from './define-route.ts';
import { forbidden } from './render-problem.ts';

/** The answer to a refusal in the shape of a protocol, with the headers that its status asks for. */
export function protocolError(
  protocol: Protocol,
  refusal: Refusal,
  context: { readonly baseUrl: string; readonly requestId: string },
): Response {
  const status = protocol.statusOf(refusal.code);
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...refusal.headers });
  const retryAfterSeconds = refusal.retryAfterSeconds ?? errorEntry(refusal.code).retryAfterSeconds;
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  if (status === 401) headers.set('WWW-Authenticate', 'Bearer realm="agent-gateway"');
  if (status === 403) headers.set('WWW-Authenticate', forbidden(refusal));
  return new Response(JSON.stringify(protocol.errorBody(refusal, context)), { status, headers });
}

/** Repeats headers of the request that a protocol wants to see again. */
export function withEchoes(response: Response, { echoed }: Protocol, sent: Headers): Response {
  for (const name of echoed) {
    const value = sent.get(name)?.trim() ?? '';
    if (/^[\x20-\x7e]{1,255}$/.test(value)) response.headers.set(name, value);
  }
  return response;
}
