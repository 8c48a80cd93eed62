import { expect } from 'vitest';
import { expectSharedHeaders } from './expect-problem.ts';
import { TEST_BASE_URL } from './paths.ts';
import { exchangeFaults } from './ucp-exchange.ts';
import { loadUcpSchemas } from './ucp-schemas.ts';
import type { Requests } from './use-edge-gateway.ts';

/** Profile of the platform that tests are. Nothing is there, and nothing asks for it. */
export const UCP_PROFILE = 'https://agent.example/.well-known/ucp';

/** Header of a platform. */
export const UCP_AGENT = { 'UCP-Agent': `profile="${UCP_PROFILE}"` } as const;

/** Session that requests of every route are about. */
export const PROBED_UCP_SESSION = `cs_${'0'.repeat(31)}a`;

/** Official schemas, where they are at hand. */
export const UCP_SCHEMAS = loadUcpSchemas();

/** A message of an answer. */
interface SentMessage {
  readonly type: string;
  readonly code: string;
  readonly content: string;
  readonly path?: string;
}

/** Asserts that an answer is an error in the shape of UCP, with a code, and gives its messages back. */
export async function expectUcpError(response: Response, status: number, code: string): Promise<SentMessage[]> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.stringContaining(`"code":"${code}"`) as unknown });
  const body = JSON.parse(text) as { messages: SentMessage[]; continue_url: string };
  expect(UCP_SCHEMAS?.faults('common/types/error_response.json', body) ?? []).toEqual([]);
  expect(body.messages[0]?.code).toBe(code);
  expect(body.continue_url.startsWith(`${TEST_BASE_URL}/`)).toBe(true);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expectSharedHeaders(response.headers);
  expect(response.headers.has('retry-after')).toBe(status === 429 || status === 503 || code === 'request_in_flight');
  return body.messages;
}

/**
 * Sends a request of a platform to a path under the endpoint of UCP. What is taken, and the answer to it, are held against the official
 * schemas.
 */
export async function ucpSend(
  gateway: Requests,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Response> {
  const response = await gateway.fetch(`/api/v1/ucp${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...UCP_AGENT, ...headers },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (UCP_SCHEMAS) expect(await exchangeFaults(UCP_SCHEMAS, { method, path, body }, response)).toEqual([]);
  return response;
}

/** A cart of one piece of an offer, or of more. */
export function ucpCart(id: string, quantity = 1): { readonly line_items: readonly object[] } {
  return { line_items: [{ item: { id }, quantity }] };
}
