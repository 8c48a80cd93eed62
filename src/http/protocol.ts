import type * as z from 'zod';
import type { ErrorCode } from '../gateway/errors.ts';
import type { Refusal, Result } from '../gateway/result.ts';
import type { Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { bearerChallenge, missingKeyChallenge, retryAfterOf } from './render-problem.ts';
import type { RequestHeaderName } from './route-headers.ts';

/** A protocol with its own error shape. Its errors come from the same table as all others. */
export interface Protocol {
  readonly name: string;
  /** Path prefix below which every error has its shape, even without an operation there; the longest prefix wins. */
  readonly prefix: string;
  readonly errorSchema: z.ZodType;
  /** Path of its metadata as a protected resource (RFC 9728), if not that of the whole site. */
  readonly metadataPath?: string;
  readonly statusOf: (code: ErrorCode) => number;
  readonly errorBody: (refusal: Refusal, context: { readonly baseUrl: string; readonly requestId: string }) => unknown;
  /** Admits a request by its declared headers, mostly by the version of the protocol. */
  readonly admit: (headers: Readonly<Record<string, string>>, deps: GatewayDependencies) => Result<undefined>;
  /** Errors that `admit` returns. */
  readonly admissionErrors: readonly ErrorCode[];
  /** Error for a body that is JSON, but not an object; `invalid_json` by default. */
  readonly nonObjectCode?: ErrorCode;
  /** Whether a body may also be a list, which the schema of the route then admits. */
  readonly acceptsList?: true;
  /** Request headers that every response repeats, if they hold at most 255 printable ASCII characters. */
  readonly echoedHeaders: readonly RequestHeaderName[];
}

/** The protocol whose error shape applies at a path: among the protocols of the table, the one with the longest matching prefix. */
export function protocolAt(pathname: string, routes: readonly Route[]): Protocol | undefined {
  const path = decodeOnce(pathname);
  const isBelow = ({ prefix }: Protocol): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return routes
    .flatMap(({ protocol }) => (protocol && isBelow(protocol) ? [protocol] : []))
    .reduce<Protocol | undefined>((best, each) => (best && best.prefix.length >= each.prefix.length ? best : each), undefined);
}

/** A path as the router matches it: decoded once, except escapes that are not UTF-8. */
export function decodeOnce(pathname: string): string {
  return pathname.replaceAll('%25', '%2525').replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURI(escapes);
    } catch {
      return escapes;
    }
  });
}

/** The response to a refusal in the shape of a protocol, with the headers of its status. */
export function protocolError(
  protocol: Protocol,
  refusal: Refusal,
  context: { readonly baseUrl: string; readonly requestId: string },
): Response {
  const status = protocol.statusOf(refusal.code);
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...refusal.headers });
  const retryAfterSeconds = retryAfterOf(refusal);
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  if (status === 401) headers.set('WWW-Authenticate', missingKeyChallenge(refusal, context, protocol.metadataPath));
  if (status === 403) headers.set('WWW-Authenticate', bearerChallenge(refusal));
  return new Response(JSON.stringify(protocol.errorBody(refusal, context)), { status, headers });
}

/** Repeats the request headers that a protocol echoes. */
export function echoHeaders(response: Response, { echoedHeaders }: Protocol, sent: Headers): Response {
  for (const name of echoedHeaders) {
    const value = sent.get(name)?.trim() ?? '';
    if (/^[\x20-\x7e]{1,255}$/.test(value)) response.headers.set(name, value);
  }
  return response;
}
