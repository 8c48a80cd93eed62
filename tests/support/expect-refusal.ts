import { expect } from 'vitest';
import { type ErrorCode, errorEntry } from '../../src/gateway/errors.ts';
import type { Route } from '../../src/http/define-route.ts';
import type { Protocol } from '../../src/http/protocol.ts';
import { expectProblem, expectSharedHeaders } from './expect-problem.ts';
import { TEST_BASE_URL } from './paths.ts';

/** What no error of a protocol may show: traces, names of files, classes and statements of ours, digests, keys. */
const INTERIOR = /\n\s+at |\.[cm]?[jt]s:\d|node_modules|[0-9a-f]{64}|\b\w*(Error|Exception)\b|D1_|SQLITE|akg_(live|test)_[0-9A-Za-z]{8}/;

/** What tests of all routes look at, whatever the shape of an error. */
export interface SeenRefusal {
  /** What is said to the caller. */
  readonly text: string;
  readonly requestId: string;
  readonly retryAfterSeconds: number | undefined;
}

/** Status that a route answers a code with. */
export function statusOf({ protocol }: Pick<Route, 'protocol'>, code: ErrorCode): number {
  return protocol?.statusOf(code) ?? errorEntry(code).status;
}

/** Asserts that a route answers with a code: as a problem document, or as an error of its protocol. */
export async function expectRefusal(response: Response, code: ErrorCode, { protocol }: Pick<Route, 'protocol'>): Promise<SeenRefusal> {
  if (protocol) return expectProtocolError(response, code, protocol);
  const { detail, request_id, retry_after_seconds } = await expectProblem(response, code);
  return { text: detail, requestId: request_id, retryAfterSeconds: retry_after_seconds };
}

async function expectProtocolError(response: Response, code: ErrorCode, protocol: Protocol): Promise<SeenRefusal> {
  const text = await response.text();
  const status = protocol.statusOf(code);
  expect({ status: response.status, body: text }).toEqual({ status, body: expect.any(String) as unknown });
  const body = JSON.parse(text) as unknown;
  expect(protocol.errorSchema.safeParse(body).error).toBeUndefined();
  const { headers } = response;
  const requestId = headers.get('x-request-id') ?? '';
  const made = protocol.errorBody({ code, detail: '' }, { baseUrl: TEST_BASE_URL, requestId });
  for (const name of wordsOf(made)) expect(wordsOf(body)).toContain(name);
  expect(text).not.toMatch(INTERIOR);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('etag')).toBeNull();
  expectSharedHeaders(headers);
  expect(headers.get('www-authenticate')).toEqual(
    status === 401 || status === 403 ? expect.stringMatching(/^Bearer realm="agent-gateway"[\x20-\x7e]*$/) : null,
  );
  const retryAfter = headers.get('retry-after');
  return { text, requestId, retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter) };
}

/** Codes and kinds in an error: single words among its values. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return /^[a-z0-9_]+$/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : [];
}
