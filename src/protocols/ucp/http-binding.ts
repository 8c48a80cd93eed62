import { profileOfHeader } from './platform-profile.ts';
import { ucpError } from './messages.ts';
import { errorEntry, type ErrorCode } from '../../gateway/errors.ts';
import { ok } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { UcpError } from './schemas/metadata.ts';
import type { RouteHeader } from '../../http/define-route.ts';
import type { Protocol } from '../../http/protocol.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';

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
    description: 'Profile of the platform that asks, as profile="https://…" (RFC 8941). The profile is not fetched.',
    minLength: 1,
    maxLength: LIMITS.urlMaxLength + 100,
    example: 'profile="https://agent.example/.well-known/ucp"',
    required: 'by_protocol',
  },
  { name: 'Request-Id', description: 'Id of the request, which the answer repeats.', minLength: 1, maxLength: 255 },
];

/** Headers of the operations of UCP that change something. */
export const UCP_CHANGE_HEADERS: readonly RouteHeader[] = [
  ...UCP_HEADERS,
  CHALLENGE_SOLUTION,
  {
    name: 'Idempotency-Key',
    description:
      'A UUID. The same request with the same key has one effect and gets the same answer for 24 hours; without one, a repetition has an effect of its own.',
    minLength: LIMITS.idempotencyKeyMinLength,
    maxLength: LIMITS.idempotencyKeyMaxLength,
  },
];
