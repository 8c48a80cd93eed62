import type * as z from 'zod';
import type { AgentStore } from '../gateway/agents/agent-ports.ts';
import type { AgentRegistry } from '../gateway/agents/agent-registry.ts';
import type { VerifiedKey } from '../gateway/agents/api-key.ts';
import type { RevocationList } from '../gateway/agents/revocation-list.ts';
import type { Corpus } from '../gateway/knowledge/corpus.ts';
import type { DatabaseCheck } from '../gateway/knowledge/report-status.ts';
import type { PaymentDependencies } from '../gateway/commerce/payments/pay-for.ts';
import type { PaymentScheme, ReadHeader } from '../gateway/commerce/payments/payment-scheme.ts';
import type { CommerceDependencies } from '../gateway/commerce/commerce-dependencies.ts';
import type { IntakeQueue } from '../gateway/intake/intake-queue.ts';
import type { KeyBindings, KeyScope } from '../gateway/idempotency/bind-key.ts';
import type { Submissions } from '../gateway/intake/intake-ports.ts';
import type { ErrorCode } from '../gateway/errors.ts';
import type { BudgetLevels } from '../gateway/limits/budget-levels.ts';
import type { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type { Clock, LocationLimiter, Quotas, Randomness, RegistrationClaims, SigningSecrets } from '../gateway/ports.ts';
import type { Refusal, Result } from '../gateway/result.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { RateLimitName } from '../schemas/limits.ts';
import type { Scope } from '../schemas/agents/registration.ts';

/** A document that was made at build, ready to be sent. */
export interface PublishedDocument {
  readonly contentType: string;
  readonly body: string;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** Documents that functions answer with, by name: those of every deployment, and those of its protocols. */
export type FunctionDocuments<Document = PublishedDocument> = Readonly<
  Record<'capabilities' | 'intake' | 'openApi' | 'corpusManifest', Document> & Record<string, Document>
>;

/** What handlers work with. One object serves an isolate; nothing in it belongs to a request. */
export interface GatewayDependencies {
  readonly deployment: Deployment;
  readonly documents: FunctionDocuments;
  readonly corpus: Corpus;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Signing secrets, or why there are none. */
  readonly secrets: SigningSecrets | { readonly missing: string };
  readonly claims: RegistrationClaims | undefined;
  /** Agents and revocations; `undefined` when no database is bound. */
  readonly agents: AgentStore | undefined;
  readonly revocations: RevocationList;
  readonly registry: AgentRegistry;
  /** Proposals; `undefined` when no database is bound. */
  readonly submissions: Submissions | undefined;
  readonly intakeQueue: IntakeQueue;
  /** Idempotency keys; `undefined` when no database is bound. */
  readonly keys: KeyBindings | undefined;
  readonly checkDatabase: DatabaseCheck;
  readonly commerce: CommerceDependencies;
  /** Schemes in which a payment may come. */
  readonly paymentSchemes: readonly PaymentScheme[];
  /** How capsules are sold, or why they cannot be; `undefined` while payments are off. */
  readonly payments: PaymentDependencies | { readonly missing: string } | undefined;
  /** Quotas that the database counts; what a request takes of them is told in its headers. `undefined` without database or secret. */
  readonly quotas: Quotas | undefined;
  readonly budgets: BudgetLevels;
  /** Limiters by name, or `undefined` while a benchmark has lifted them. */
  readonly limiters: Readonly<Record<RateLimitName, TokenBuckets>> | undefined;
  /** Limits that are counted for the whole location, where a limiter is bound. */
  readonly location: LocationLimiter | undefined;
  /**
   * The static file at the address of the request.
   *
   * @throws If the host of the files does not answer.
   */
  readonly serveFile: (request: Request) => Promise<Response>;
}

/** Who sent a request, by a key that was checked. */
export interface Caller {
  readonly key: VerifiedKey;
  /** Scopes of the key, and those that the publisher granted to the agent where the registry was asked. */
  readonly scopes: readonly Scope[];
}

/** What an answer was made without; named in the header `Gateway-Degraded`. */
export type Degradation = 'revocations' | 'index' | 'registry';

/** A request after every check: plain values, no HTTP. */
export interface RouteInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly idempotencyKey: string | undefined;
  /** Path and query of the address as they were sent, with what is percent-encoded in them. */
  readonly sentAddress: { readonly path: string; readonly query: string };
  /** Whether the caller wants the headers of the answer alone, so that nothing is sold. */
  readonly isHead: boolean;
  /** Any header that was sent, for payments: which headers hold one is up to the payment schemes. */
  readonly sentHeader: ReadHeader;
  /** Headers that the route declares and the request has, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body as it was sent, before its schema read it; `undefined` on a route without one. */
  readonly sentBody: unknown;
  /** The bytes of the body, on a route with {@link Route.takesBytes}; empty elsewhere. */
  readonly bytes: Uint8Array;
  /** Whether the body came as a form, which a browser sends. */
  readonly isForm: boolean;
  /** Of the media types that the route answers with, the one that the caller weighs most; the first if none fits. */
  readonly preferredType: string | undefined;
  /** All query parameters as they came, for routes that pass some of them on. */
  readonly rawQuery: URLSearchParams;
  /** The caller; `undefined` on open routes. */
  readonly caller: Caller | undefined;
  /** Network that the request comes from, as `networkOf` writes it. */
  readonly network: string;
  /** Why the rate limit refuses the request, on a route that looks at such requests; see {@link Route.looksOverLimit}. */
  readonly overLimit: Refusal | undefined;
  /** Counts the request against a further limit of its network. */
  readonly take: (name: RateLimitName) => Promise<Result<undefined>>;
  /**
   * Binds the Idempotency-Key to the body, for an operation that keeps its results elsewhere than under the key. Without a key it does
   * nothing.
   *
   * @returns The conflict, if the key belongs to another body.
   * @throws If the database cannot be reached.
   */
  readonly bindKey: () => Promise<Result<undefined>>;
  /** Takes a solved challenge from the body, for a protocol without headers: the value that `Challenge-Solution` would have. */
  readonly solveWith: (solution: string) => void;
  /** Notes that the answer is made without something. */
  readonly degrade: (what: Degradation) => void;
  /** Work that goes on after the answer; what it throws is logged. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** What a handler answers with. */
export type Outcome =
  | {
      readonly kind: 'json';
      readonly status: 200 | 201 | 202;
      readonly value: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'text';
      /** 200 without one. */
      readonly status?: 200 | 201 | 404 | 409;
      readonly contentType: string;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Why nothing was done, where a protocol answers a refusal with a status of success. */
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
      /** 204 without one. */
      readonly status?: 202 | 204;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'document'; readonly document: PublishedDocument }
  | { readonly kind: 'redirect'; readonly status: 302 | 303; readonly location: string }
  | ({ readonly kind: 'file' } & WantedFile);

/** A file of the site. */
export type WantedFile =
  /** Address of a page that the build has made: a host that does not find it is at fault. */
  | { readonly page: string }
  /** Whatever file is at the address of the request; why there is none, for callers that prefer problem documents to pages. */
  | { readonly missing: Refusal };

/** A page that a function filled. */
export interface FilledPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a page can say of a request that was refused. */
export interface RefusedRequest {
  readonly query: URLSearchParams;
  /** Fields of the form that was sent; none if it could not be read. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A form in which a route answers when all is well. */
export interface RouteAnswer {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303;
  readonly description: string;
  /** Media type and schema of the body; absent for a redirect and for an empty answer. */
  readonly content?: { readonly type: string; readonly schema: z.ZodType };
}

/** Headers that routes read besides those that every route has. */
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

/** How a protocol with an error shape of its own is spoken at its edge. Its errors come from the same table as all others. */
export interface Protocol {
  readonly name: string;
  /** Beginning of the paths below which every error has its shape, with or without an operation; the longest one counts. */
  readonly prefix: string;
  /** Schema of the body of an error. */
  readonly errorSchema: z.ZodType;
  /** Status of an error of the table. */
  readonly statusOf: (code: ErrorCode) => number;
  /** Body of an error. */
  readonly errorBody: (refusal: Refusal, context: { readonly baseUrl: string; readonly requestId: string }) => unknown;
  /** Whether a request may be looked at, by the headers that its route declares: the version of the protocol, above all. */
  readonly admit: (headers: Readonly<Record<string, string>>, deps: GatewayDependencies) => Result<undefined>;
  /** Errors that `admit` gives. */
  readonly admissionErrors: readonly ErrorCode[];
  /** Headers of a request that every answer repeats, if they hold at most 255 printable ASCII characters. */
  readonly echoed: readonly HeaderName[];
}

/** A header that a route reads. */
export interface RouteHeader {
  readonly name: HeaderName;
  readonly description: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** A value for documents; a UUID without one. */
  readonly example?: string;
  /** Whether a request without it is refused: as not valid, or by its protocol, in words of its own. */
  readonly required?: true | 'by_protocol';
}

/** Everything that is known about one operation; documents, pages and the HTTP layer are made from it. */
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
  /** Scope that the caller's key must have; `key` takes every valid key, `open` needs none. */
  readonly access: 'open' | 'key' | Scope;
  /** `function` runs code; `file` is served as it was built and has no handler. */
  readonly servedBy: 'function' | 'file';
  /** True for what only functions can do: left out of a frontend-only deployment and of its documents. */
  readonly edge: boolean;
  /** Where a frontend-only deployment keeps the same document as a file; without it the path itself is the file. */
  readonly staticPath?: string;
  readonly pathParameters?: z.ZodType<Path>;
  /** Query parameters. All of them need a function, so documents of a frontend-only deployment leave them out. */
  readonly queryParameters?: z.ZodType<Query>;
  /** Whether parameters that the schema does not name are passed on to where the answer leads; they may be there twice. */
  readonly passesParametersOn?: true;
  readonly headers?: readonly RouteHeader[];
  /**
   * Whose an Idempotency-Key is, and the endpoint that it counts for. Every route with that header has it, but one whose requests may
   * carry the key elsewhere: it looks after its keys itself.
   */
  readonly keyScope?: (input: Pick<RouteInput<Path, Query, unknown>, 'path' | 'headers' | 'caller'>) => KeyScope | Promise<KeyScope>;
  /** Protocol with an error shape of its own that the operation belongs to. */
  readonly protocol?: Protocol;
  /** Whether the handler gets the bytes of the body, which no schema reads: a signature covers them as they are. */
  readonly takesBytes?: true;
  readonly body?: z.ZodType<Body>;
  /** Media types that the body may have; JSON alone without it. A form has one text for each of its names. */
  readonly bodyTypes?: readonly ('application/json' | 'application/x-www-form-urlencoded')[];
  /** Whether a request without a body stands for an empty object. */
  readonly bodyOptional?: true;
  /** Bounds of the body where they are not the usual ones. */
  readonly bodyLimits?: { readonly maxBytes: number; readonly maxStringLength: number };
  readonly answers: readonly RouteAnswer[];
  /** Errors of this operation besides those that follow from its other members; see {@link errorsOf}. */
  readonly errors: readonly ErrorCode[];
  /** Whether a page that the build made is among the answers: it has an entity tag, so that 304 can answer instead. */
  readonly sendsBuiltPage?: true;
  /** What a caller is told whose input is not valid, where that is not the first thing to say. */
  readonly onInvalid?: (rawPath: Readonly<Record<string, string>>, refusal: Refusal, deps: GatewayDependencies) => Promise<Refusal>;
  /** Turns the fields of a form into the members that the body has in JSON; without it they are taken as they are. */
  readonly readForm?: (fields: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** The page that a browser gets in the place of a problem document, with the status of the error. */
  readonly refusalPage?: (refusal: Refusal, request: RefusedRequest, deps: GatewayDependencies) => Promise<Result<FilledPage>>;
  readonly rateLimit: RateLimitName;
  /** Whether a request over the limit comes to the handler, which finds the refusal in its input and may let it through. */
  readonly looksOverLimit?: true;
  /** How long an answer may be reused without asking, in seconds. */
  readonly cache: 'no-store' | number;
  readonly handle?: (input: RouteInput<Path, Query, Body>, deps: GatewayDependencies) => Promise<Result<Outcome>>;
}

/**
 * Declares a route; the handler's input has the types of its schemas. The table forgets these types: `readInput` parses with
 * the same schemas before it calls the handler, which the compiler cannot see.
 */
export function defineRoute<Path = undefined, Query = undefined, Body = undefined>(route: Route<Path, Query, Body>): Route {
  return route as unknown as Route;
}

/** The caller of a route that is not open. */
export function callerOf({ caller }: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): Caller {
  if (caller === undefined) throw new TypeError('an open route has no caller');
  return caller;
}

/** Whether a route may be used only after the database was asked if the key still holds: all that changes something or costs money. */
export function asksDatabase({ access, method }: Pick<Route, 'access' | 'method'>): boolean {
  return access !== 'open' && access !== 'read' && !(access === 'key' && method === 'GET');
}

/** Errors that every route of one kind can answer with, and its own, in the order of their statuses. */
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
    ...(asksDatabase(route) ? (['state_unavailable'] as const) : []),
    ...route.errors,
    'uri_too_long',
    'rate_limited',
    'internal',
  ];
  return [...new Set(all)];
}
