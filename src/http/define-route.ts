import type * as z from 'zod';
import type { VerifiedKey } from '../gateway/agents/api-key.ts';
import type { ReadHeader } from '../gateway/commerce/payments/payment-scheme.ts';
import type { ErrorCode } from '../gateway/errors.ts';
import type { KeyScope } from '../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Refusal, type Result } from '../gateway/result.ts';
import type { Scope } from '../schemas/agents/registration.ts';
import type { RateLimitName } from '../schemas/limits.ts';
import type { GatewayDependencies, PublishedDocument } from './gateway-dependencies.ts';
import type { OnDemandPage } from './page.ts';
import type { Protocol } from './protocol.ts';

/** Who sent a request, by a key that was verified. */
export interface Caller {
  readonly key: VerifiedKey;
  /** Scopes of the key, and those that the publisher granted to the agent where the registry was read. */
  readonly scopes: readonly Scope[];
}

/** What was unavailable when a response was made; named in the header `Gateway-Degraded`. */
export type Degradation = 'revocations' | 'index' | 'registry';

/** A validated request: plain values, no HTTP. */
export interface RouteInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly idempotencyKey: string | undefined;
  /** Path and query of the address as sent, with their percent-encoding. */
  readonly rawAddress: { readonly path: string; readonly query: string };
  /** Whether the request is a HEAD, which never sells anything. */
  readonly isHead: boolean;
  /** Reads any header, for payments: which headers carry one is up to the payment schemes. */
  readonly rawHeader: ReadHeader;
  /** Declared headers that the request has, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body before its schema parsed it; `undefined` on a route without one. */
  readonly sentBody: unknown;
  /** The bytes of the body, on a route with {@link Route.takesBytes}; empty elsewhere. */
  readonly bytes: Uint8Array;
  /** Whether the body is a form, which browsers send. */
  readonly isForm: boolean;
  /** The media type of the route's responses that the caller prefers; the first if none is acceptable. */
  readonly preferredType: string | undefined;
  /** All query parameters as sent, for routes that forward some of them. */
  readonly rawQuery: URLSearchParams;
  /** The caller; `undefined` on open routes. */
  readonly caller: Caller | undefined;
  /** Network that the request comes from, as `networkOf` writes it. */
  readonly network: string;
  /** The refusal of the rate limit, on a route that handles requests over its limit itself; see {@link Route.handlesOverLimit}. */
  readonly overLimit: Refusal | undefined;
  /** Counts the request against a further rate limit of its network. */
  readonly takeRateLimit: (name: RateLimitName) => Promise<Result<undefined>>;
  /**
   * Binds the Idempotency-Key to the body, for an operation that keeps its results elsewhere than under the key. Does nothing without a key.
   *
   * @returns The conflict, if the key is bound to another body.
   * @throws If the database cannot be reached.
   */
  readonly bindKey: () => Promise<Result<undefined>>;
  /** Uses a solved challenge from the body, for a protocol without headers: the value that `Challenge-Solution` would have. */
  readonly useChallengeSolution: (solution: string) => void;
  /** Marks the response as made without something. */
  readonly degrade: (what: Degradation) => void;
  /** Continues work after the response; what it throws is logged. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** What a handler returns. */
export type Outcome =
  | {
      readonly kind: 'json';
      readonly status: 200 | 201 | 202;
      readonly value: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'text';
      /** 200 by default. */
      readonly status?: 200 | 201 | 404 | 409;
      readonly contentType: string;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Why nothing was done, where a protocol reports a refusal with a status of success. */
      readonly refusal?: Refusal | undefined;
    }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'empty';
      /** 204 by default. */
      readonly status?: 202 | 204;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'document'; readonly document: PublishedDocument }
  | { readonly kind: 'redirect'; readonly status: 302 | 303; readonly location: string }
  | ({ readonly kind: 'page' } & OnDemandPage)
  | ({ readonly kind: 'file' } & SiteFile);

/** A file of the site. */
export type SiteFile =
  /** Path of a page that the build made: if the host does not find it, the host is at fault. */
  | { readonly page: string }
  /** Whatever file is at the address of the request; the refusal is for callers that prefer problem documents to pages. */
  | { readonly missing: Refusal };

/** What a page can say about a request that was refused. */
export interface RefusedRequest {
  readonly query: URLSearchParams;
  /** Fields of the form; none if it could not be read. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A successful response of a route. */
export interface RouteResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303;
  readonly description: string;
  /** Media type and schema of the body; absent for a redirect and an empty response. */
  readonly content?: { readonly type: string; readonly schema: z.ZodType };
}

/** Headers that routes read besides those that every route reads. */
export type HeaderName =
  | 'Idempotency-Key'
  | 'API-Version'
  | 'Request-Id'
  | 'Signature'
  | 'Timestamp'
  | 'UCP-Agent'
  | 'MCP-Protocol-Version'
  | 'Mcp-Method'
  | 'Mcp-Name'
  | 'Stripe-Signature'
  | 'PAYMENT-SIGNATURE'
  | 'Challenge-Solution';

/** A header that a route reads. */
export interface RouteHeader {
  readonly name: HeaderName;
  readonly description: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** A value for documents; a UUID by default. */
  readonly example?: string;
  /** Whether a request without it is refused: as invalid, or by its protocol, in the protocol's own words. */
  readonly required?: true | 'by_protocol';
}

/** One operation. Documents, pages and the HTTP layer are made from it. */
export interface Route<Path = unknown, Query = unknown, Body = unknown> {
  /** Permanent `operationId`: a verb and a noun. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Group in capabilities, OpenAPI and the documentation. */
  readonly capability: 'agents' | 'knowledge' | 'capsules' | 'commerce' | 'documents';
  /** Scope that the caller's key must have; `key` accepts every valid key, `open` needs none. */
  readonly access: 'open' | 'key' | Scope;
  /** `function` runs code; `file` is served as built and has no handler. */
  readonly servedBy: 'function' | 'file';
  /** Whether only functions can do it: a static deployment and its documents leave it out. */
  readonly edge: boolean;
  /** Where a static deployment keeps the same document as a file; by default at the path itself. */
  readonly staticPath?: string;
  readonly pathParameters?: z.ZodType<Path>;
  /** Query parameters. They need a function, so documents of a static deployment leave them out. */
  readonly queryParameters?: z.ZodType<Query>;
  /** Whether parameters that the schema does not name are forwarded to where the response leads; they may be repeated. */
  readonly forwardsParameters?: true;
  readonly headers?: readonly RouteHeader[];
  /**
   * Whose an Idempotency-Key is, and the endpoint that it counts for. Every route that declares the header has it, except one whose requests
   * may carry the key elsewhere: that one binds its keys itself.
   */
  readonly keyScope?: (input: Pick<RouteInput<Path, Query, unknown>, 'path' | 'headers' | 'caller'>) => KeyScope | Promise<KeyScope>;
  /** Protocol with its own error shape that the operation belongs to. */
  readonly protocol?: Protocol;
  /** Whether the handler gets the raw bytes of the body, because a signature covers them; no schema parses them. */
  readonly takesBytes?: true;
  readonly body?: z.ZodType<Body>;
  /** Media types that the body may have; JSON by default. A form has one text for each of its names. */
  readonly bodyTypes?: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
  /** Whether a request without a body stands for an empty object. */
  readonly bodyOptional?: true;
  /** Limits of the body where they differ from the usual ones. */
  readonly bodyLimits?: { readonly maxBytes: number; readonly maxStringLength: number };
  readonly responses: readonly RouteResponse[];
  /** Errors of this operation besides those that follow from its other members; see {@link errorsOf}. */
  readonly errors: readonly ErrorCode[];
  /** Whether it may respond with a page that the build made: such a page has an entity tag, so 304 is possible. */
  readonly servesBuiltPage?: true;
  /** Replaces the refusal of invalid input, where something else is to be said first. */
  readonly onInvalid?: (rawPath: Readonly<Record<string, string>>, refusal: Refusal, deps: GatewayDependencies) => Promise<Refusal>;
  /** Turns the fields of a form into the members of the JSON body; by default they are the same. */
  readonly readForm?: (fields: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** The page that a browser gets in place of a problem document, with the status of the error. */
  readonly refusalPage?: (refusal: Refusal, request: RefusedRequest, deps: GatewayDependencies) => OnDemandPage;
  readonly rateLimit: RateLimitName;
  /** Whether the handler receives requests over the rate limit, finds the refusal in its input and may let them through. */
  readonly handlesOverLimit?: true;
  /** How long caches may reuse a response without revalidation, in seconds. */
  readonly cache: 'no-store' | number;
  readonly handle?: (input: RouteInput<Path, Query, Body>, deps: GatewayDependencies) => Promise<Result<Outcome>>;
}

/**
 * Declares a route, served by a function by default; its schemas type the handler's input. The table forgets these types: `readRequest`
 * parses with the same schemas before the handler is called, which the compiler cannot see.
 */
export function defineRoute<Path = undefined, Query = undefined, Body = undefined>(
  route: Omit<Route<Path, Query, Body>, 'servedBy'> & Partial<Pick<Route, 'servedBy'>>,
): Route {
  return { servedBy: 'function', ...route } as unknown as Route;
}

/** Declares a JSON response. */
export function jsonResponse(description: string, schema: z.ZodType, status: RouteResponse['status'] = 200): RouteResponse {
  return { status, description, content: { type: 'application/json', schema } };
}

/** The outcome that sends the value of a result as JSON; a refusal stays a refusal. */
export function jsonOutcome(result: Result<unknown>, status: (Outcome & { readonly kind: 'json' })['status'] = 200): Result<Outcome> {
  return result.ok ? ok({ kind: 'json', status, value: result.value }) : result;
}

/** The caller of a route that is not open. */
export function callerOf({ caller }: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): Caller {
  if (caller === undefined) throw new TypeError('an open route has no caller');
  return caller;
}

/** Whether the database must confirm the key before the route is used: for all that changes something or costs money. */
export function confirmsByDatabase({ access, method }: Pick<Route, 'access' | 'method'>): boolean {
  return access !== 'open' && access !== 'read' && !(access === 'key' && method === 'GET');
}

/** Every error that a route can respond with: those of all routes of its kind, and its own. */
export function errorsOf(route: Route): ErrorCode[] {
  const all: ErrorCode[] = [
    ...(route.queryParameters || route.body || route.pathParameters ? (['invalid_request'] as const) : []),
    ...(route.body ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(route.takesBytes ? (['payload_too_large'] as const) : []),
    ...(route.headers?.some(({ name }) => name === 'Idempotency-Key') ? (['invalid_idempotency_key'] as const) : []),
    ...(route.headers?.some(({ name }) => name !== 'Idempotency-Key') ? (['invalid_request'] as const) : []),
    ...(route.headers?.some(({ name }) => name === 'Challenge-Solution') ? (['challenge_invalid', 'challenge_required'] as const) : []),
    ...(route.protocol?.admissionErrors ?? []),
    ...(route.access === 'open'
      ? []
      : (['api_key_missing', 'api_key_invalid', 'api_key_expired', 'api_key_revoked', 'api_key_in_url', 'not_configured'] as const)),
    ...(route.access === 'open' || route.access === 'key' ? [] : (['insufficient_scope'] as const)),
    ...(confirmsByDatabase(route) ? (['state_unavailable'] as const) : []),
    ...route.errors,
    'uri_too_long',
    'rate_limited',
    'internal',
  ];
  return [...new Set(all)];
}
