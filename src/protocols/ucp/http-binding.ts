import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import type { RouteHeader } from '../../http/define-route.ts';
import type { Protocol } from '../../http/protocol.ts';
import { CHALLENGE_SOLUTION } from '../../http/rate-limits.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ucpError } from './messages.ts';
import { UCP_VERSION, UcpError } from './schemas/metadata.ts';

/** Code of JSON-RPC for what is wrong with a platform's profile or version (UCP overview, "Error Codes"). */
const DISCOVERY_FAILED = -32_001;

/** Longest address of a profile, in characters. */
const PROFILE_MAX_LENGTH = 2_048;

/** A member of a dictionary, or a parameter of one: its name, its text if it has one, and what ends it. Each begins where the last ended. */
const MEMBER = /([a-z*][a-z0-9_.*-]*)(?:="((?:[^"\\]|\\["\\])*)"|=[^\s",;]*)?[ \t]*(?:[,;][ \t]*|$)/gy;

/**
 * Address of a platform's profile, if it is one that a profile could be at. It is compared and never asked for anything: nobody makes
 * this service send requests to an address of their choice.
 */
export function platformProfile(address: string | undefined): Result<string> {
  if (address === undefined)
    return refused('The request does not name the profile of its platform. Send the header UCP-Agent: profile="https://…".');
  if (address.length > PROFILE_MAX_LENGTH || !URL.canParse(address)) return refused('The profile of the platform is no address.');
  const { protocol, hostname, username, password } = new URL(address);
  const isLoopback = protocol === 'http:' && (hostname === '127.0.0.1' || hostname === 'localhost');
  if ((protocol !== 'https:' && !isLoopback) || username !== '' || password !== '')
    return refused('The profile of the platform must be at an https address without a user name.');
  return ok(address);
}

/**
 * Address of the profile in a `UCP-Agent` header: member `profile` of a dictionary (RFC 8941 section 3.2). A `version` beside it, as
 * platforms of UCP 2026-01-11 send it, must be the one that is spoken here. Other members and parameters are not looked at.
 */
export function profileOfHeader(header: string | undefined): Result<string> {
  if (header === undefined) return platformProfile(undefined);
  const members = [...header.matchAll(MEMBER)];
  const textOf = (wanted: string): string | undefined => members.find(([, name, text]) => name === wanted && text !== undefined)?.[2];
  const profile = textOf('profile');
  if (profile === undefined) return refused('The header UCP-Agent does not have the form profile="https://…".');
  const address = platformProfile(profile.replaceAll(/\\(["\\])/g, '$1'));
  return address.ok ? spokenVersion(textOf('version'), address) : address;
}

/**
 * Refuses a platform that says of itself that it speaks another version (UCP overview, "Request-Time Validation"). The version in its
 * profile is not known, because the profile is not fetched.
 *
 * @param address Answer to a platform whose version is spoken, or that names none.
 */
function spokenVersion(version: string | undefined, address: Result<string>): Result<string> {
  if (version === undefined || version === UCP_VERSION) return address;
  return refuse('version_unsupported', `The header UCP-Agent names another version of UCP; this service supports ${UCP_VERSION}.`, {
    members: { rpcCode: DISCOVERY_FAILED },
  });
}

function refused(detail: string): Result<never> {
  return refuse('invalid_profile_url', detail);
}

/** Statuses of UCP where they differ from those of the table (overview, "Error Codes"). */
const STATUSES: Partial<Record<ErrorCode, number>> = { idempotency_conflict: 409, version_unsupported: 422 };

/** Universal Commerce Protocol over HTTP (ucp.dev, version 2026-08-25). */
export const UCP_BINDING: Protocol = {
  name: 'ucp',
  prefix: PATHS.ucp,
  errorSchema: UcpError,
  statusOf: (code) => STATUSES[code] ?? errorEntry(code).status,
  errorBody: (refusal, { baseUrl }) => ucpError(refusal, baseUrl),
  admit: (headers) => {
    const profile = profileOfHeader(headers['ucp-agent']);
    return profile.ok ? ok(undefined) : profile;
  },
  admissionErrors: ['invalid_profile_url', 'version_unsupported'],
  echoedHeaders: ['Request-Id', 'Idempotency-Key'],
};

/** Headers of every operation of UCP. */
export const UCP_HEADERS: readonly RouteHeader[] = [
  {
    name: 'UCP-Agent',
    description: 'Profile of the calling platform, as profile="https://…" (RFC 8941). The profile is not fetched.',
    minLength: 1,
    maxLength: LIMITS.urlMaxLength + 100,
    example: 'profile="https://agent.example/.well-known/ucp"',
    required: 'by_protocol',
  },
  { name: 'Request-Id', description: 'Id of the request, which the response repeats.', minLength: 1, maxLength: 255 },
];

/** Headers of the operations of UCP that change something. */
export const UCP_CHANGE_HEADERS: readonly RouteHeader[] = [
  ...UCP_HEADERS,
  CHALLENGE_SOLUTION,
  {
    name: 'Idempotency-Key',
    description:
      'A UUID. The same request with the same key has one effect and gets the same response for 24 hours; without a key, a repeated request takes effect again.',
    minLength: LIMITS.idempotencyKeyMinLength,
    maxLength: LIMITS.idempotencyKeyMaxLength,
  },
];
