import { expect } from 'vitest';
import type { Requests } from './edge-gateway.ts';
import { expectSharedHeaders } from './expect-problem.ts';
import { loadUcpSchemas, type UcpOperation, type UcpSchemas } from './official-schemas.ts';
import { TEST_BASE_URL } from './paths.ts';

/** Profile of the platform that tests are. Nothing is there, and nothing asks for it. */
export const UCP_PROFILE = 'https://agent.example/.well-known/ucp';

export const UCP_AGENT = { 'UCP-Agent': `profile="${UCP_PROFILE}"` } as const;
export const PROBED_UCP_SESSION = `cs_${'0'.repeat(31)}a`;
export const UCP_SCHEMAS = loadUcpSchemas();

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

export function ucpCart(id: string, quantity = 1): { readonly line_items: readonly object[] } {
  return { line_items: [{ item: { id }, quantity }] };
}

/** What the official schemas say of one operation: the form of its request, if it has one, and of its answer. */
interface Form {
  readonly request?: readonly [operation: UcpOperation, id: string];
  readonly answer: string;
}

const CATALOG = 'shopping/catalog_lookup.json#/$defs';
const CHECKOUT = 'shopping/checkout.json';
const FORMS = {
  search_catalog: {
    request: ['search', 'shopping/catalog_search.json#/$defs/search_request'],
    answer: 'shopping/catalog_search.json#/$defs/search_response',
  },
  lookup_catalog: { request: ['lookup', `${CATALOG}/lookup_request`], answer: `${CATALOG}/lookup_response` },
  get_product: { request: ['lookup', `${CATALOG}/get_product_request`], answer: `${CATALOG}/get_product_response` },
  create_checkout: { request: ['create', CHECKOUT], answer: CHECKOUT },
  get_checkout: { answer: CHECKOUT },
  update_checkout: { request: ['update', CHECKOUT], answer: CHECKOUT },
  complete_checkout: { request: ['complete', CHECKOUT], answer: CHECKOUT },
  cancel_checkout: { answer: CHECKOUT },
} as const satisfies Record<string, Form>;
type Tool = keyof typeof FORMS;

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

async function exchangeFaults(schemas: UcpSchemas, sent: SentRequest, response: Response): Promise<string[]> {
  if (response.status !== 200 && response.status !== 201) return [];
  const answer = (await response.clone().json()) as Record<string, unknown>;
  const body: unknown = typeof sent.body === 'string' ? JSON.parse(sent.body || '{}') : sent.body;
  if (sent.path !== '/mcp') return formFaults(schemas, toolAt(sent), body, answer);
  // A batch, of early revisions, is checked message by message; those that were refused have the shape of an error.
  const answers: readonly RpcAnswer[] = [answer].flat();
  return ([body].flat() as RpcMessage[]).flatMap((message) => {
    const own = answers.find(({ id, result }) => id === message.id && result !== undefined);
    return own === undefined ? [] : messageFaults(schemas, message, own);
  });
}

interface RpcMessage {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly name: Tool; readonly arguments: Record<string, unknown> };
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
}

function messageFaults(schemas: UcpSchemas, message: RpcMessage, answer: RpcAnswer): string[] {
  const { method, params } = message;
  const result = answer.result as { structuredContent: Record<string, unknown> };
  const rpc = [
    ...schemas.faults('transports/jsonrpc.json#/$defs/request', message),
    ...schemas.faults('transports/jsonrpc.json#/$defs/success_response', answer),
  ];
  if (method !== 'tools/call' || params === undefined) return rpc;
  const { catalog, checkout } = params.arguments;
  return [
    ...rpc,
    ...schemas.faults('transports/mcp_tool_call.json#/$defs/response', answer),
    ...formFaults(schemas, params.name, catalog ?? checkout, result.structuredContent),
  ];
}

function toolAt({ method, path }: SentRequest): Tool {
  const end = /\/(search|lookup|product|complete|cancel)$/.exec(path)?.[1];
  if (end === 'search' || end === 'lookup') return `${end}_catalog`;
  if (end === 'product') return 'get_product';
  if (end === 'complete' || end === 'cancel') return `${end}_checkout`;
  return method === 'PUT' ? 'update_checkout' : method === 'GET' ? 'get_checkout' : 'create_checkout';
}

function formFaults(schemas: UcpSchemas, tool: Tool, body: unknown, answer: Record<string, unknown>): string[] {
  const { request, answer: good }: Form = FORMS[tool];
  // An update that cannot be sold is answered with the session as it was, and the status error.
  const isError = (answer['ucp'] as { status?: string }).status === 'error' && !Object.hasOwn(answer, 'id');
  const faults = schemas.faults(isError ? 'common/types/error_response.json' : good, answer);
  // A request to complete is taken without a payment, which the schema asks for, because none is used.
  if (request === undefined || (tool === 'complete_checkout' && !Object.hasOwn(body ?? {}, 'payment'))) return faults;
  return [...schemas.requestFaults(...request, body).map((fault) => `request ${fault}`), ...faults];
}
