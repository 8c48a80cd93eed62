import type * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { fieldErrorSentences, ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { CHALLENGE_SOLUTION, idempotencyKey, type Protocol, REQUEST_ID, type RouteHeader } from '../../http/define-route.ts';
import { jsonPath } from '../../http/validate-input.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ignoredNotes } from '../protocol-module.ts';
import { UCP_VERSION, type UcpCapability, UcpError, type UcpMessage, ucpMetadata } from './ucp-schemas.ts';

/** JSON-RPC code of an error in a platform's profile or version (UCP overview, "Error Codes"). */
export const DISCOVERY_FAILED = -32_001;

const EXAMPLE_AGENT = 'profile="https://agent.example/.well-known/ucp"';

const PROFILE_MAX_LENGTH = 2_048;

/** A member of a dictionary, or a parameter of one: its name, its string if it has one, and its end. Each starts where the last one ended. */
const MEMBER = /([a-z*][a-z0-9_.*-]*)(?:="((?:[^"\\]|\\["\\])*)"|=[^\s",;]*)?[ \t]*(?:[,;][ \t]*|$)/gy;

/** It identifies the platform and is never fetched, so that nobody can make this service send requests. */
export function platformProfile(url: unknown, howToSend: string): Result<string> {
  if (typeof url !== 'string') return refused(`The request does not name the profile of its platform. ${howToSend}`);
  if (url.length > PROFILE_MAX_LENGTH || !URL.canParse(url)) return refused("The platform's profile is not a valid URL.");
  const { protocol, hostname, username, password } = new URL(url);
  const isLoopback = protocol === 'http:' && (hostname === '127.0.0.1' || hostname === 'localhost');
  if ((protocol !== 'https:' && !isLoopback) || username !== '' || password !== '')
    return refused("The URL of the platform's profile must begin with https:// and have no user name.");
  return ok(url);
}

/**
 * The member `profile` of a dictionary (RFC 8941 section 3.2). A `version` beside it, as platforms of UCP 2026-01-11 send it, must be the
 * supported one (UCP overview, "Request-Time Validation"); other members are ignored.
 */
export function profileOfHeader(header: string | undefined): Result<string> {
  if (header === undefined) return platformProfile(undefined, `Send the header UCP-Agent: ${EXAMPLE_AGENT}.`);
  const members = [...header.matchAll(MEMBER)];
  const textOf = (wanted: string): string | undefined => members.find(([, name, text]) => name === wanted && text !== undefined)?.[2];
  const profile = textOf('profile');
  if (profile === undefined) return refused(`The header UCP-Agent does not have the form ${EXAMPLE_AGENT}.`);
  const url = platformProfile(profile.replaceAll(/\\(["\\])/g, '$1'), '');
  const version = textOf('version');
  if (!url.ok || version === undefined || version === UCP_VERSION) return url;
  return refuse('version_unsupported', `The header UCP-Agent names another version of UCP; this service supports ${UCP_VERSION}.`);
}

function refused(detail: string): Result<never> {
  return refuse('invalid_profile_url', detail);
}

export const UCP_BINDING: Protocol = {
  name: 'ucp',
  prefix: PATHS.ucp,
  errorSchema: UcpError,
  // UCP overview, "Error Codes".
  statuses: { idempotency_conflict: 409, version_unsupported: 422 },
  errorBody: (refusal, baseUrl) => ucpError(refusal, baseUrl),
  admit: (headers) => {
    const profile = profileOfHeader(headers['ucp-agent']);
    if (profile.ok) return ok(undefined);
    const { refusal } = profile;
    return { ok: false, refusal: { ...refusal, errors: [{ pointer: 'UCP-Agent', message: refusal.detail.replace(/\.$/, '') }] } };
  },
  admissionErrors: ['invalid_profile_url', 'version_unsupported'],
  echoedHeaders: ['Request-Id', 'Idempotency-Key'],
};

export const UCP_HEADERS: readonly RouteHeader[] = [
  {
    name: 'UCP-Agent',
    description: 'Profile of the calling platform, as profile="https://…" (RFC 8941). The profile is not fetched.',
    minLength: 1,
    maxLength: LIMITS.urlMaxLength + 100,
    example: EXAMPLE_AGENT,
    required: 'by_protocol',
  },
  REQUEST_ID,
];

export const UCP_CHANGE_HEADERS: readonly RouteHeader[] = [
  ...UCP_HEADERS,
  CHALLENGE_SOLUTION,
  idempotencyKey(
    'A UUID. The same request with the same key has one effect and gets the same response for 24 hours; without a key, a repeated request takes effect again.',
  ),
];

/** Refusals that have another name in UCP (checkout specification, "Standard Errors"). */
const CODES: Partial<Record<ErrorCode, string>> = {
  offer_not_found: 'item_unavailable',
  cart_refused: 'quantity_exceeded',
  session_not_found: 'not_found',
};

/** Refusals that UCP calls outcomes: the response is 200 with the reason (checkout REST binding, "Business Outcomes"). */
const OUTCOMES: readonly ErrorCode[] = ['offer_not_found', 'cart_refused', 'session_not_found'];

export function isUcpOutcome({ code }: Refusal): boolean {
  return OUTCOMES.includes(code);
}

export function ucpMessages(refusal: Refusal, severity: UcpMessage['severity']): UcpMessage[] {
  const { code, detail, errors = [], errorsAreFurther, protocolCode } = refusal;
  const codeOf = (sent: ErrorCode): string => CODES[sent] ?? sent;
  const first: UcpMessage = {
    type: 'error',
    code: protocolCode ?? codeOf(code),
    content: detail,
    ...(severity === undefined ? {} : { severity }),
  };
  const own = errorsAreFurther || errors.length === 0 ? [first] : [];
  const others = errors.map((error, index) => {
    const { pointer } = error;
    const path = jsonPath(pointer);
    // A person reads the content, and finds a path there instead of a JSON Pointer.
    const place = path?.replace(/^\$\.?/, '') || pointer;
    const own = pointer === '' ? detail : detail.replaceAll(pointer, place);
    const content = index > 0 || errorsAreFurther ? fieldErrorSentences([{ ...error, pointer: place }]) : own;
    return { ...first, ...(error.code && { code: codeOf(error.code) }), content, ...(path === undefined ? {} : { path }) };
  });
  return [...own, ...others];
}

/** Of the context, UCP itself leaves to the business what it uses. */
export function ignoredMessages(request: unknown, sent: unknown, response?: z.ZodType): UcpMessage[] {
  return ignoredNotes(request, response, 'context', sent).map(({ pointer, content }) => {
    const code = pointer.startsWith('/filters/') ? 'filter_ignored' : 'member_ignored';
    return { type: 'info', code, content };
  });
}

export function ucpError(refusal: Refusal, baseUrl: string, ...capabilities: readonly UcpCapability[]): UcpError {
  const severity = isUcpOutcome(refusal) || errorEntry(refusal.code).retry === 'never' ? 'unrecoverable' : 'recoverable';
  const { payment_handlers: _, ...ucp } = ucpMetadata('error', ...capabilities);
  return { ucp, messages: ucpMessages(refusal, severity), continue_url: refusal.continueUrl ?? baseUrl + PATHS.buy };
}
