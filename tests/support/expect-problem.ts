import { expect } from 'vitest';
import * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../src/gateway/errors.ts';
import { statusOf as errorStatus, type Protocol, type Route } from '../../src/http/define-route.ts';
import { GATEWAY_VERSION } from '../../src/schemas/limits.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { Problem } from '../../src/schemas/problem-details.ts';
import { TEST_BASE_URL } from './paths.ts';

const ExactProblem = z.strictObject(Problem.shape);
const CORPUS_VERSION = /\b(corpus version|the newest is) [0-9a-f]{64}/g;

/** What no body may show: traces, file names, names of blocks, classes and statements of ours, keys. */
const INTERIOR =
  /\n\s+at |\.[cm]?[jt]s:\d|node_modules|[0-9a-f]{64}|\b\w+(Error|Exception)\b|\b(Error|Exception):|D1_|SQLITE|akg_(live|test)_[0-9A-Za-z]{8}/i;

/** The description of the operation alone, or of the whole interface where no operation refused the request. */
const DESCRIPTION_LINK = new RegExp(String.raw`^<${TEST_BASE_URL}${PATHS.openApiSlices}(?:/[A-Za-z0-9]+)?\.json>; rel="service-desc"$`);

/** Asserts that responses are one problem, byte for byte, except the id of the request and its path: they do not tell their causes apart. */
export async function expectSameProblem(responses: readonly Promise<Response>[], code: ErrorCode): Promise<void> {
  const bodies = await Promise.all(
    responses.map(async (response) => {
      const { request_id: _id, instance: _path, ...members } = await expectProblem(await response, code);
      return JSON.stringify(members);
    }),
  );
  expect(new Set(bodies).size).toBe(1);
}

export async function expectProblem(response: Response, code: ErrorCode): Promise<Problem> {
  const text = await response.text();
  const { status, title } = errorEntry(code);
  expect({ status: response.status, body: text }).toEqual({ status, body: expect.stringContaining(`"code":"${code}"`) as unknown });
  const problem = ExactProblem.parse(JSON.parse(text));
  expect(problem).toMatchObject({ type: `${TEST_BASE_URL}/problems/${code}`, title, status, code });
  expect(text.replaceAll(/"(request_id|instance)":"[^"]*"/g, '').replaceAll(CORPUS_VERSION, '')).not.toMatch(INTERIOR);
  expect(problem.detail).not.toBe('');
  expect(problem.next_actions.length).toBeGreaterThan(0);
  for (const { href } of problem.next_actions) if (href !== undefined) expect(href.startsWith(`${TEST_BASE_URL}/`)).toBe(true);
  const { headers } = response;
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toBe(problem.request_id);
  expect(headers.get('link')).toMatch(DESCRIPTION_LINK);
  expect(headers.get('etag')).toBeNull();
  expectSharedHeaders(headers);
  expect(headers.get('retry-after')).toBe(problem.retry_after_seconds === undefined ? null : String(problem.retry_after_seconds));
  expect(headers.get('www-authenticate')).toEqual(
    status === 401 || status === 403 ? expect.stringMatching(/^Bearer realm="agent-gateway"[\x20-\x7e]*$/) : null,
  );
  return problem;
}

export function expectSharedHeaders(headers: Headers): void {
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(headers.get('gateway-version')).toBe(GATEWAY_VERSION);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

export function faultsOf({ errors = [] }: Problem): [pointer: string, message: string][] {
  return errors.map(({ pointer, message }) => [pointer, message]);
}

/** What no error of a protocol may show: traces, names of files, classes and statements of ours, digests, keys. */
const PROTOCOL_INTERIOR =
  /\n\s+at |\.[cm]?[jt]s:\d|node_modules|[0-9a-f]{64}|\b\w*(Error|Exception)\b|D1_|SQLITE|akg_(live|test)_[0-9A-Za-z]{8}/;

export interface SeenRefusal {
  readonly text: string;
  readonly requestId: string;
  readonly retryAfterSeconds: number | undefined;
}

export function statusOf({ protocol }: Pick<Route, 'protocol'>, code: ErrorCode): number {
  return errorStatus(code, protocol);
}

export async function expectRefusal(response: Response, code: ErrorCode, { protocol }: Pick<Route, 'protocol'>): Promise<SeenRefusal> {
  if (protocol) return expectProtocolError(response, code, protocol);
  const { detail, request_id, retry_after_seconds } = await expectProblem(response, code);
  return { text: detail, requestId: request_id, retryAfterSeconds: retry_after_seconds };
}

async function expectProtocolError(response: Response, code: ErrorCode, protocol: Protocol): Promise<SeenRefusal> {
  const text = await response.text();
  const status = errorStatus(code, protocol);
  expect({ status: response.status, body: text }).toEqual({ status, body: expect.any(String) as unknown });
  const body = JSON.parse(text) as unknown;
  expect(protocol.errorSchema.safeParse(body).error).toBeUndefined();
  const { headers } = response;
  const requestId = headers.get('x-request-id') ?? '';
  const made = protocol.errorBody({ code, detail: '' }, TEST_BASE_URL);
  for (const name of wordsOf(made)) expect(wordsOf(body)).toContain(name);
  expect(text).not.toMatch(PROTOCOL_INTERIOR);
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

/** Codes and kinds in an error: codes of JSON-RPC, and single words among its values, except times to wait. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'number' && value < 0) return [String(value)];
  if (typeof value === 'string') return /^(?!\d+s$)[a-z0-9_]+$/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : [];
}
