import { OUTAGE_RETRY_SECONDS } from '../../gateway/next-steps.ts';
import type { Route } from '../../http/define-route.ts';
import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import type { JsonObject } from '../../schemas/json-schema.ts';
import { RATE_LIMITS } from '../../schemas/limits.ts';
import { componentRef } from './document.ts';

const NETWORK = RATE_LIMITS.network;

/** Response headers, by name. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      "Id of the request: the caller's own, if it has at most 64 letters, digits, hyphens and underscores, else a new one. Errors contain it, too.",
    schema: { type: 'string', maxLength: 64 },
    example: '9f86d081884c7d659a2feaa0',
  },
  'Gateway-Version': { description: 'Date of the interface.', schema: { type: 'string', format: 'date' }, example: GATEWAY_VERSION },
  'RateLimit-Policy': {
    description:
      'Limits and quotas that the request counts against (draft-ietf-httpapi-ratelimit-headers): q requests in w seconds. Absent if limits are lifted.',
    schema: { type: 'string' },
    example: `"network";q=${NETWORK.requests};w=${NETWORK.windowSeconds}`,
  },
  RateLimit: {
    description:
      'What remains of each limit or quota: r requests, all available again in t seconds; if none remains, the next one in t seconds.',
    schema: { type: 'string' },
    example: `"network";r=${NETWORK.requests - 1};t=1`,
  },
  ETag: {
    description: 'Digest of the body. Send it in If-None-Match to get 304 if nothing has changed.',
    schema: { type: 'string' },
    example: '"5891b5b522d5df086d0ff0b110fbd9d2"',
  },
  Location: { description: 'Address of the redirect.', schema: { type: 'string', format: 'uri' } },
  'Retry-After': {
    description: 'Seconds to wait before you send the same request again.',
    schema: { type: 'integer', minimum: 0 },
    example: OUTAGE_RETRY_SECONDS,
  },
  'WWW-Authenticate': { description: 'Bearer challenge (RFC 6750), with the address where a key is issued.', schema: { type: 'string' } },
} as const satisfies Record<string, JsonObject>;

/** Name of a header of {@link HEADERS}. */
export type HeaderName = keyof typeof HEADERS;

/** Headers of every response of a function. */
const COMMON: readonly HeaderName[] = ['X-Request-Id', 'Gateway-Version', 'RateLimit-Policy', 'RateLimit'];

/** References to the headers of a response, the common ones first. */
export function headerRefs(more: readonly HeaderName[] = []): JsonObject {
  return Object.fromEntries([...COMMON, ...more].map((name) => [name, componentRef('headers', name)]));
}

/** Whether responses of a route have an entity tag. */
export function hasEntityTag({ method, cache, servedBy }: Route): boolean {
  return method === 'GET' && cache !== 'no-store' && servedBy === 'function';
}
