import * as z from 'zod';
import type { VerifiedKey } from '../gateway/agents/api-key.ts';
import type { ReadHeader } from '../gateway/commerce/payments/payment-ports.ts';
import { type ErrorCode, errorEntry } from '../gateway/errors.ts';
import type { KeyScope } from '../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Refusal, type Result } from '../gateway/result.ts';
import type { Scope } from '../schemas/api-keys.ts';
import type { Capability } from '../schemas/capabilities.ts';
import type { FeatureName, Features } from '../schemas/feature-switches.ts';
import { LIMITS, type RateLimitName } from '../schemas/limits.ts';
import {
  type DependenciesWith,
  type FiledDocument,
  type GatewayDependencies,
  NEEDS,
  type Need,
  type PublishedDocument,
} from './gateway-dependencies.ts';
import type { OnDemandPage } from './on-demand-page-props.ts';

export interface Caller {
  readonly key: VerifiedKey;
  /** Scopes of the key, plus those that the publisher granted to the agent if the registry was read. */
  readonly scopes: readonly Scope[];
}

/** A component that was unavailable while a response was made; named in the header `Gateway-Degraded`. */
export type Degradation = 'revocations' | 'index' | 'registry';

export interface RouteInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly idempotencyKey: string | undefined;
  readonly rawAddress: { readonly path: string; readonly query: string };
  /** A HEAD request never sells anything. */
  readonly isHead: boolean;
  /** Reads any header: payment schemes decide which ones carry a payment. */
  readonly rawHeader: ReadHeader;
  /** Declared headers of the request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body before its schema parsed it; `undefined` on a route without one. */
  readonly sentBody: unknown;
  /** The bytes of the body, on a route with {@link Route.acceptsBytes}; empty elsewhere. */
  readonly bytes: Uint8Array;
  readonly isForm: boolean;
  /** The route's media type that the caller prefers; the first one if none is acceptable. */
  readonly preferredType: string | undefined;
  readonly rawQuery: URLSearchParams;
  readonly caller: Caller | undefined;
  /** The caller by a key that the operation needs for some responses only; see {@link Route.acceptsKey}. @param mustBeKey Refuses a key that is none of ours. */
  readonly identify: (mustBeKey?: boolean) => Promise<Result<Caller | undefined>>;
  readonly network: string;
  /** The refusal of the rate limit, on a route with {@link Route.handlesOverLimit}. */
  readonly overLimit: Refusal | undefined;
  readonly takeRateLimit: (name: RateLimitName) => Promise<Result<undefined>>;
  /** Binds the Idempotency-Key, if there is one, to the body; a conflict if it is bound to another. Throws if the database cannot be reached. */
  readonly bindKey: () => Promise<Result<undefined>>;
  /** Uses a `Challenge-Solution` from the body, for a protocol without headers. */
  readonly useChallengeSolution: (solution: string) => void;
  readonly degrade: (what: Degradation) => void;
  /** Continues work after the response; what it throws is logged. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** A protocol with its own error shape. Its errors come from the same table as all others. */
export interface Protocol {
  readonly name: string;
  /** Path prefix below which every error has its shape, even without an operation there; the longest prefix wins. */
  readonly prefix: string;
  readonly errorSchema: z.ZodType;
  /** Path of its metadata as a protected resource (RFC 9728), if not that of the whole site. */
  readonly metadataPath?: string;
  readonly statuses?: Partial<Record<ErrorCode, number>>;
  readonly errorBody: (refusal: Refusal, baseUrl: string) => unknown;
  /** Adds to a refusal what its shape repeats of the JSON body of the request. */
  readonly withRequest?: (refusal: Refusal, sentBody: unknown) => Refusal;
  /** Admits a request by its declared headers, mostly by the version of the protocol. */
  readonly admit: (headers: Readonly<Record<string, string>>, deps: GatewayDependencies) => Result<undefined>;
  readonly admissionErrors: readonly ErrorCode[];
  /** Error for a body that is JSON, but not an object; `invalid_json` by default. */
  readonly nonObjectCode?: ErrorCode;
  /** Request headers that every response repeats, if they hold at most 255 printable ASCII characters. */
  readonly echoedHeaders: readonly RequestHeaderName[];
}

export function statusOf(code: ErrorCode, protocol?: Protocol): number {
  return protocol?.statuses?.[code] ?? errorEntry(code).status;
}

export type Outcome =
  | (Body & { readonly headers?: Readonly<Record<string, string>> })
  | { readonly kind: 'response'; readonly response: Response }
  | { readonly kind: 'redirect'; readonly status: 302 | 303 | 308; readonly location: string }
  | ({ readonly kind: 'page' } & OnDemandPage)
  | ({ readonly kind: 'file' } & SiteFile);

type Body =
  | { readonly kind: 'json'; readonly status: 200 | 201 | 202; readonly value: unknown }
  | {
      readonly kind: 'text';
      readonly status?: 200 | 201 | 404 | 409;
      readonly contentType: string;
      readonly body: string;
      readonly cache?: Route['cache'];
      /** The refusal, in a protocol that reports some refusals with status 200. */
      readonly refusal?: Refusal | undefined;
    }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'empty'; readonly status?: 202 | 204 }
  | { readonly kind: 'document'; readonly document: PublishedDocument | FiledDocument };

export type SiteFile =
  /** Path of a page that the build made: if it is missing, the file host is at fault. */
  | { readonly page: string }
  /** The file at the requested address; if there is none, callers that prefer problem documents get this refusal. */
  | { readonly missing: Refusal };

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Fields of the form; none if it could not be read. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RouteResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303 | 308;
  readonly description: string;
  readonly content?: { readonly type: string; readonly schema: z.ZodType };
}

/** One operation. Documents, pages and the HTTP layer are made from it. */
export interface Route<Path = unknown, Query = unknown, Body = unknown, Needs extends Need = Need> {
  /** Permanent `operationId`: a verb and a noun. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Whether the same operation is at the path with a slash at its end, which some clients add to an address. */
  readonly answersTrailingSlash?: true;
  /** Address of the form, which it is sent to as well, so that a page with errors keeps that address. No document describes it. */
  readonly formPath?: string;
  readonly summary: string;
  readonly description: string;
  readonly capability: Capability;
  /** Feature that the operation belongs to. It answers while that is off, and nothing describes it. */
  readonly feature?: FeatureName;
  /** Scope that the caller's key must have; `key` accepts every valid key, `open` needs none. */
  readonly access: 'open' | 'key' | Scope;
  /** Whether an open operation also takes a key, which must then be valid: its requests count for the agent. Or that only paid texts need one. */
  readonly acceptsKey?: true | 'for paid texts';
  /** `function` runs code; `file` is served as built and has no handler. */
  readonly servedBy: 'function' | 'file';
  /** Whether it needs functions: a static deployment and its documents leave it out. */
  readonly edge: boolean;
  /** Where a static deployment has the same document as a file; by default at the path itself. */
  readonly staticPath?: string;
  readonly pathParameters?: z.ZodType<Path>;
  /** They need a function, so documents of a static deployment leave them out. */
  readonly queryParameters?: z.ZodType<Query>;
  /** Whether other query parameters are forwarded to where the response leads; they may be repeated. */
  readonly forwardsParameters?: true;
  readonly headers?: readonly RouteHeader[];
  /** Caller and endpoint that an Idempotency-Key belongs to. A route without it that declares the header binds its keys itself. */
  keyScope?(input: Pick<RouteInput<Path, Query, unknown>, 'path' | 'headers' | 'caller'>): KeyScope | Promise<KeyScope>;
  readonly protocol?: Protocol;
  /** Whether the handler gets the raw bytes of the body, because a signature covers them. */
  readonly acceptsBytes?: true;
  readonly body?: z.ZodType<Body>;
  /** The body as a deployment accepts it, if its features decide; documents derive the same from `FEATURE_PARTS`. */
  readonly bodyOf?: (features: Features) => z.ZodType<Body>;
  /** Accepted media types of the body; JSON by default. */
  readonly bodyTypes?: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
  /** Whether a missing body counts as an empty object. */
  readonly bodyOptional?: true;
  readonly bodyLimits?: { readonly maxBytes: number; readonly maxStringLength: number };
  readonly responses: readonly RouteResponse[];
  /** What a deployment may lack that the handler needs; checked in this order once the request is valid. */
  readonly needs?: readonly Needs[];
  /** Its own errors; {@link errorsOf} adds those that follow from its other members. */
  readonly errors: readonly ErrorCode[];
  /** Whether it may respond with a page that the build made, which has an entity tag, so 304 is possible. */
  readonly servesBuiltPage?: true;
  readonly onInvalid?: (
    rawPath: Readonly<Record<string, string>>,
    refusal: Refusal,
    deps: GatewayDependencies,
    request: Request,
  ) => Promise<Refusal>;
  /** Maps the fields of a form to the members of the JSON body; by default they are the same. */
  readonly readForm?: (fields: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** The page that a browser gets instead of a problem document, with the status of the error. */
  readonly refusalPage?: (refusal: Refusal, request: RefusedRequest, deps: GatewayDependencies) => OnDemandPage;
  /** The response to an earlier request under the Idempotency-Key that itself revoked the key. Nothing is done again. */
  replay?(
    input: Pick<RouteInput<Path, Query, unknown>, 'idempotencyKey' | 'sentBody'>,
    key: VerifiedKey,
    deps: GatewayDependencies,
  ): Promise<Result<Outcome> | undefined>;
  readonly rateLimit: RateLimitName;
  /** Whether the handler also gets requests over the rate limit, with the refusal in their input, and may let them through. */
  readonly handlesOverLimit?: true;
  /** How long caches may reuse a response, in seconds; `file`: as the host says of its files; `immutable`: the bytes never change. */
  readonly cache: 'no-store' | 'file' | 'immutable' | number;
  handle?(input: RouteInput<Path, Query, Body>, deps: DependenciesWith<Needs>): Promise<Result<Outcome>>;
}

/** What a gateway needs of an operation to match it, and to refuse a request before it runs. The build writes it as data. */
export interface RouteEntry extends Pick<Route, 'id' | 'method' | 'path' | 'answersTrailingSlash' | 'formPath' | 'summary'> {
  readonly protocol?: Pick<Protocol, 'name' | 'prefix'>;
  readonly hasRefusalPage: boolean;
}

/** An operation whose definition is loaded when it is first needed. */
export interface LazyRoute extends RouteEntry {
  readonly load: () => Route | Promise<Route>;
}

export function routeEntry({ id, method, path, summary, answersTrailingSlash, formPath, protocol, refusalPage }: Route): RouteEntry {
  return {
    id,
    method,
    path,
    summary,
    ...(answersTrailingSlash && { answersTrailingSlash }),
    ...(formPath !== undefined && { formPath }),
    ...(protocol && { protocol: { name: protocol.name, prefix: protocol.prefix } }),
    hasRefusalPage: refusalPage !== undefined,
  };
}

export function loadedRoutes(table: readonly Route[]): LazyRoute[] {
  return table.filter(({ servedBy }) => servedBy === 'function').map((route) => ({ ...routeEntry(route), load: () => route }));
}

type RouteDefaults = Pick<Route, 'method' | 'servedBy' | 'edge' | 'errors' | 'rateLimit' | 'cache'>;

export type RouteDeclaration<Path, Query, Body, Needs extends Need = never> = Omit<Route<Path, Query, Body, Needs>, keyof RouteDefaults> &
  Partial<RouteDefaults>;

/**
 * Declares a route. The table has routes with different inputs and needs: `readRequest` parses with a route's own schemas, and `provide` checks
 * its needs, before its functions are called.
 */
export function defineRoute<Path = undefined, Query = undefined, Body = undefined, Needs extends Need = never>(
  route: RouteDeclaration<Path, Query, Body, Needs>,
): Route {
  return {
    method: 'GET',
    servedBy: 'function',
    edge: true,
    errors: [],
    rateLimit: 'network',
    cache: 'no-store',
    ...route,
  } as unknown as Route;
}

export function pageResponse(description = 'The page.'): RouteResponse {
  return { status: 200, description, content: { type: 'text/html', schema: z.string() } };
}

export function jsonResponse(description: string, schema: z.ZodType, status: RouteResponse['status'] = 200): RouteResponse {
  return { status, description, content: { type: 'application/json', schema } };
}

export function jsonOutcome(result: Result<unknown>, status: (Outcome & { readonly kind: 'json' })['status'] = 200): Result<Outcome> {
  return result.ok ? ok({ kind: 'json', status, value: result.value }) : result;
}

export function callerOf({ caller }: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): Caller {
  if (caller === undefined) throw new TypeError('an open route has no caller');
  return caller;
}

/** Whether the database must confirm the key first, as it must for every change and payment. */
export function confirmsByDatabase({ access, method }: Pick<Route, 'access' | 'method'>): boolean {
  return access !== 'open' && access !== 'read' && !(access === 'key' && method === 'GET');
}

export function errorsOf(route: Route): ErrorCode[] {
  const readsKey = route.access !== 'open' || route.acceptsKey !== undefined;
  const all: ErrorCode[] = [
    ...(route.queryParameters || route.body || route.pathParameters ? (['invalid_request'] as const) : []),
    ...(route.body ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(route.acceptsBytes ? (['payload_too_large'] as const) : []),
    ...(route.bodyTypes?.includes('application/x-www-form-urlencoded') ? (['cross_site_form'] as const) : []),
    ...(route.headers?.some(({ name }) => name === 'Idempotency-Key') ? (['invalid_idempotency_key'] as const) : []),
    ...(route.headers?.some(({ name }) => name !== 'Idempotency-Key') ? (['invalid_request'] as const) : []),
    ...(route.headers?.some(({ name }) => name === 'Challenge-Solution') ? (['challenge_invalid', 'challenge_required'] as const) : []),
    ...(route.protocol?.admissionErrors ?? []),
    ...(readsKey && route.acceptsKey !== 'for paid texts' ? (['api_key_invalid'] as const) : []),
    ...(readsKey ? (['api_key_expired', 'api_key_revoked', 'not_configured'] as const) : []),
    ...(route.access === 'open' ? [] : (['api_key_missing'] as const)),
    ...(route.access === 'open' || route.access === 'key' ? [] : (['insufficient_scope'] as const)),
    ...(confirmsByDatabase(route) ? (['state_unavailable'] as const) : []),
    ...route.errors,
    ...(route.needs ?? []).map((need) => NEEDS[need].error),
    'uri_too_long',
    'api_key_in_url',
    'rate_limited',
    'internal',
  ];
  return [...new Set(all)];
}

type RequestHeaderName =
  | 'A2A-Version'
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
  | 'Pay-With'
  | 'Challenge-Solution';

export interface RouteHeader {
  readonly name: RequestHeaderName;
  readonly description: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** A value for documents; a UUID by default. */
  readonly example?: string;
  /** Whether a request without it is refused: as invalid, or by the admission of its protocol. */
  readonly required?: true | 'by_protocol';
}

/** The header of every operation that stores something for an open caller: a solved challenge, if a budget requires one. */
export const CHALLENGE_SOLUTION: RouteHeader = {
  name: 'Challenge-Solution',
  description:
    'Token and solution of a challenge, joined by a dot. Required only while much of a budget is used; see capabilities and status. One challenge lets one request through.',
  minLength: 3,
  maxLength: LIMITS.challengeSolutionMaxLength,
  example: 'AQFpI2VrAAAAAAAAAAAAAAAAAAAAAAA.4q3',
};

/** Limits of a form for people: above those of its fields, so that a text that is too long comes back with its error and is not lost. */
export const FORM_BODY_LIMITS = { maxBytes: LIMITS.intakeBodyMaxBytes, maxStringLength: LIMITS.jsonStringMaxLength };

export const REQUEST_ID: RouteHeader = {
  name: 'Request-Id',
  description: 'Id of the request, which the response repeats.',
  minLength: 1,
  maxLength: 255,
};

/** The Idempotency-Key of an operation. With `isOwn`, a key belongs to one agent, so that no other can guess it: then any length will do. */
export function idempotencyKey(description: string, { isOwn = false, isRequired = false } = {}): RouteHeader {
  return {
    name: 'Idempotency-Key',
    description,
    minLength: isOwn ? LIMITS.ownIdempotencyKeyMinLength : LIMITS.idempotencyKeyMinLength,
    maxLength: LIMITS.idempotencyKeyMaxLength,
    ...(isRequired ? { required: true } : {}),
  };
}

/** Schemas that depend on the origins are large and only the build reads them, so they are made on demand. */
type LazySchema = z.ZodType | (() => z.ZodType);

function documentResponse(type: string, schema: LazySchema): RouteResponse {
  const content = {
    type,
    get schema() {
      return typeof schema === 'function' ? schema() : schema;
    },
  };
  return { status: 200, description: 'The document.', content };
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function documentRoute(
  name: string,
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'feature' | 'staticPath' | 'protocol'> & {
    edge?: true;
    schema: LazySchema;
    /** Media type of the document; JSON by default. */
    type?: string;
    cache: number;
    errors?: Route['errors'];
    /** Adapts the document, which must be in memory, at run time. */
    atRunTime?: (built: PublishedDocument, deps: GatewayDependencies) => Promise<PublishedDocument>;
  },
): Route {
  const { schema, type = 'application/json', atRunTime, ...declared } = route;
  return defineRoute({
    edge: false,
    ...declared,
    access: 'open',
    responses: [documentResponse(type, schema)],
    handle: async (_input, deps) => {
      const document = atRunTime === undefined ? documentNamed(name, deps) : await atRunTime(builtDocument(name, deps), deps);
      return ok({ kind: 'document', document });
    },
  });
}

/** A document that was made at build and is in memory. @throws {TypeError} If the build made none of this name, or its text is a file. */
export function builtDocument(name: string, deps: Pick<GatewayDependencies, 'documents'>): PublishedDocument {
  const document = documentNamed(name, deps);
  if (!('body' in document)) throw new TypeError(`the text of ${name} is a file`);
  return document;
}

function documentNamed(name: string, { documents }: Pick<GatewayDependencies, 'documents'>): PublishedDocument | FiledDocument {
  const document = documents[name];
  if (document === undefined) throw new TypeError(`the build made no document ${name}`);
  return document;
}

export function fileRoute(
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'feature'> & { schema: LazySchema; type?: string },
): Route {
  const { schema, type = 'application/json', ...declared } = route;
  return defineRoute({ ...declared, access: 'open', servedBy: 'file', edge: false, responses: [documentResponse(type, schema)], cache: 0 });
}
