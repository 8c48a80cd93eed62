import { errorEntry } from '../gateway/errors.ts';
import { problemMarkdown } from '../gateway/problem-markdown.ts';
import type { FieldError, Refusal } from '../gateway/result.ts';
import { withoutKeys } from '../schemas/api-keys.ts';
import { operationSlicePath, PATHS, problemPath } from '../schemas/paths.ts';
import type { Problem } from '../schemas/problem-details.ts';
import { NEGOTIATION_HEADERS, varyBy } from './content-negotiation.ts';
import { type Protocol, statusOf } from './define-route.ts';

export interface ProblemContext {
  readonly baseUrl: string;
  readonly requestId: string;
  readonly path: string;
  /** Operation that refused the request, if a description of it alone is published. */
  readonly operationId?: string | undefined;
  /** Whether the problem is written as markdown, for a language model; else it is JSON. */
  readonly isMarkdown?: boolean;
}

/** A longer path is cut: its sender knows it. */
const INSTANCE_MAX_LENGTH = 256;

/** Characters that a path has only percent-encoded (RFC 3986 section 3.3). */
const NOT_IN_PATH = /[^\x21-\x7e]|["#<>?[\\\]^`{|}]/gu;

export function problemDocument(refusal: Refusal, context: ProblemContext): Problem {
  const entry = errorEntry(refusal.code);
  const retryAfterSeconds = retryAfterOf(refusal);
  const path = withoutKeys(context.path)?.replaceAll(NOT_IN_PATH, encodeURIComponent) ?? context.path;
  const problem = {
    ...(refusal.continueUrl === undefined ? {} : { continue_url: refusal.continueUrl }),
    type: context.baseUrl + problemPath(refusal.code),
    title: entry.title,
    status: entry.status,
    detail: refusal.detail,
    instance: path.length > INSTANCE_MAX_LENGTH ? path.slice(0, INSTANCE_MAX_LENGTH).replace(/%.?$/, '') : path,
    code: refusal.code,
    request_id: context.requestId,
    ...(refusal.errors ? { errors: refusal.errors.map(publishedFieldError) } : {}),
    next_actions: (refusal.nextActions ?? entry.nextActions).map(({ description, method, path }) => ({
      description,
      ...(method === undefined ? {} : { method }),
      ...(path === undefined ? {} : { href: context.baseUrl + (path === PATHS.openApi ? descriptionPath(context) : path) }),
    })),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
  };
  // The problem comes first, before the long terms of a payment; no other member can replace one of its own.
  return { ...problem, ...refusal.members, ...problem };
}

function descriptionPath({ operationId }: ProblemContext): string {
  return operationId === undefined ? PATHS.openApi : operationSlicePath(operationId);
}

export function publishedFieldError({ didYouMean, code: _, ...error }: FieldError): NonNullable<Problem['errors']>[number] {
  if (didYouMean === undefined) return error;
  return { ...error, did_you_mean: typeof didYouMean === 'object' ? [...didYouMean] : didYouMean };
}

export function retryAfterOf({ code, retryAfterSeconds }: Refusal): number | undefined {
  return retryAfterSeconds ?? errorEntry(code).retryAfterSeconds;
}

/** The headers of a refusal with a status, in any shape: RFC 6750 section 3.1, RFC 9728 section 5.1. */
function refusalHeaders(status: number, contentType: string, refusal: Refusal, baseUrl: string, metadataPath?: string): Headers {
  const headers = new Headers({ 'Content-Type': contentType, 'Cache-Control': 'no-store', ...refusal.headers });
  const retryAfterSeconds = retryAfterOf(refusal);
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
  if (status === 401) headers.set('WWW-Authenticate', missingKeyChallenge(refusal, baseUrl, metadataPath));
  if (status === 403) {
    const scopeError = refusal.code === 'insufficient_scope' ? ', error="insufficient_scope"' : '';
    headers.set('WWW-Authenticate', `Bearer realm="agent-gateway"${scopeError}`);
  }
  return headers;
}

export function problemResponse(refusal: Refusal, context: ProblemContext): Response {
  const { status } = errorEntry(refusal.code);
  const headers = refusalHeaders(status, 'application/problem+json', refusal, context.baseUrl);
  headers.set('Link', `<${context.baseUrl}${descriptionPath(context)}>; rel="service-desc"`);
  const problem = problemDocument(refusal, context);
  if (context.isMarkdown !== true) return new Response(JSON.stringify(problem), { status, headers });
  headers.set('Content-Type', 'text/markdown; charset=utf-8');
  varyBy(headers, NEGOTIATION_HEADERS);
  return new Response(problemMarkdown(problem), { status, headers });
}

/** A request without credentials gets no error code (RFC 6750 section 3). */
function missingKeyChallenge(refusal: Refusal, baseUrl: string, metadataPath: string = PATHS.protectedResource): string {
  const register = `registration="${baseUrl}${PATHS.gateway}/register"`;
  const error =
    refusal.code === 'api_key_missing' ? '' : `, error="invalid_token", error_description="${refusal.detail.replaceAll('"', "'")}"`;
  const metadata = `resource_metadata="${baseUrl}${metadataPath}"`;
  return `Bearer realm="agent-gateway", ${register}, ${metadata}${error}`;
}

export function protocolError(protocol: Protocol, refusal: Refusal, context: { readonly baseUrl: string }): Response {
  const status = statusOf(refusal.code, protocol);
  const headers = refusalHeaders(status, 'application/json', refusal, context.baseUrl, protocol.metadataPath);
  return new Response(JSON.stringify(protocol.errorBody(refusal, context.baseUrl)), { status, headers });
}

export function echoHeaders(response: Response, { echoedHeaders }: Protocol, sent: Headers): Response {
  for (const name of echoedHeaders) {
    const value = sent.get(name)?.trim() ?? '';
    if (/^[\x20-\x7e]{1,255}$/.test(value)) response.headers.set(name, value);
  }
  return response;
}
