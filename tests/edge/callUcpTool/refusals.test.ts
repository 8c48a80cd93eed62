import { describe, expect, test } from 'vitest';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, type Requests } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { UCP_PROFILE, UCP_SCHEMAS, ucpCart, ucpSend } from '../../support/ucp.ts';

const gateway = useInProcessGateway();
const withoutTables = useInProcessGateway({ state: 'empty' });
const withoutSecret = useInProcessGateway({ signingSecrets: undefined });
const META = { 'ucp-agent': { profile: UCP_PROFILE } };

interface RpcError {
  readonly id: unknown;
  readonly error: { readonly code: number; readonly data: { readonly code: string; readonly [name: string]: unknown } };
}
const refused = async (
  message: unknown,
  [status, rpcCode, code]: readonly [number, number, string],
  headers: Record<string, string> = {},
  by: Requests = gateway,
): Promise<RpcError> => {
  const response = await ucpSend(by, '/mcp', message, headers);
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) as unknown });
  const body = JSON.parse(text) as RpcError;
  expect(UCP_SCHEMAS?.faults('transports/jsonrpc.json#/$defs/error_response', body) ?? []).toEqual([]);
  expect([body.error.code, body.error.data.code]).toEqual([rpcCode, code]);
  expect(response.headers.get('content-type')).toBe('application/json');
  return body;
};
const request = (method: string, params?: object): object => ({ jsonrpc: '2.0', id: 'a', method, ...(params ? { params } : {}) });
const call = (name: string, args: object, meta: unknown = META): object => request('tools/call', { name, arguments: { meta, ...args } });
const CREATE = { checkout: ucpCart(SAMPLE_OFFER.id) };

describe('callUcpTool 400 invalid_request', () => {
  test.each([
    [[], null],
    [[{ jsonrpc: '2.0', id: 1 }], null],
    ['"ping"', null],
    [{}, null],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, null],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
    [{ jsonrpc: '2.0', id: 'a', method: 'ping', params: [] }, 'a'],
    [{ jsonrpc: '2.0', id: 1, result: {} }, 1],
  ])('not a request, or a batch, with the id that can be read: %j', async (message, id) => {
    expect((await refused(message, [400, -32_600, 'invalid_request'])).id).toBe(id);
  });

  test.each([
    [call('no_such_tool', {})],
    [call('constructor', {})],
    [request('tools/call')],
    [request('tools/call', { name: 'search_catalog', arguments: [] })],
    [call('search_catalog', { catalog: {} })],
    [call('search_catalog', {})],
    [call('create_checkout', { checkout: { line_items: [] } })],
    [call('get_checkout', {})],
    [call('create_checkout', CREATE, { ...META, 'idempotency-key': 'short' })],
  ])('no good call: %j', async (message) => expect((await refused(message, [400, -32_602, 'invalid_request'])).id).toBe('a'));

  test('more ids than one lookup takes', async () => {
    const ids = Array.from({ length: LIMITS.catalogLookupMax + 1 }, (_, index) => `a-${index}`);
    await refused(call('lookup_catalog', { catalog: { ids } }), [400, -32_602, 'request_too_large']);
  });

  const MODERN = '2026-07-28';
  const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
  test.each([
    [{ 'MCP-Protocol-Version': MODERN }, { _meta }],
    [{ 'Mcp-Method': 'ping' }, { _meta }],
    [{ 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': 'ping' }, { _meta }],
    [{ 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' }, { _meta }],
    [
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_checkout' },
      { _meta, name: 'get_product' },
    ],
  ])('headers that do not fit the body: %j', async (headers, params) => {
    const method = 'name' in params ? 'tools/call' : 'ping';
    await refused(request(method, params), [400, -32_020, 'invalid_request'], headers as Record<string, string>);
  });

  test('a request of the stateless revision that does not say what its client can do', async () => {
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'ping' };
    await refused(request('ping'), [400, -32_602, 'invalid_request'], headers);
    await refused(
      request('ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }),
      [400, -32_602, 'invalid_request'],
      headers,
    );
  });
});

describe('callUcpTool 400 version_unsupported', () => {
  test('a revision that is not spoken here, with those that are', async () => {
    const { error } = await refused(request('ping'), [400, -32_022, 'version_unsupported'], { 'MCP-Protocol-Version': '1900-01-01' });
    expect(error.data).toMatchObject({
      requested: '1900-01-01',
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    });
  });

  test('a revision that only the body names, with those that have it there', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2031-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
    const { id, error } = await refused(request('tools/list', { _meta }), [400, -32_022, 'version_unsupported']);
    expect([id, error.data]).toMatchObject(['a', { requested: '2031-01-01', supported: ['2026-07-28'] }]);
  });
});

test.each([
  [null],
  [{}],
  [{ 'ucp-agent': null }],
  [{ 'ucp-agent': {} }],
  [{ 'ucp-agent': { profile: '...' } }],
  [{ 'ucp-agent': { profile: 1 } }],
])('callUcpTool 400 invalid_profile_url: %j', async (meta) => {
  const message = call('search_catalog', { catalog: { query: 'a' } }, meta);
  const { error } = await refused(message, [400, -32_001, 'invalid_profile_url'], { 'UCP-Agent': '' });
  expect(error.data['content']).not.toContain('header');
});

test('callUcpTool 400 invalid_cursor: a cursor that no answer gave', async () => {
  await refused(call('search_catalog', { catalog: { query: 'a', pagination: { cursor: 'x' } } }), [400, -32_000, 'invalid_cursor']);
});

test.each(['resources/list', 'prompts/list', 'tools/Call', 'search_catalog', '__proto__'])(
  'callUcpTool 404 rpc_method_not_found: %s',
  async (method) => expect((await refused(request(method), [404, -32_601, 'rpc_method_not_found'])).id).toBe('a'),
);

test('callUcpTool 403 cross_site_form: a page of another site, where the service runs on the reader’s own machine', async () => {
  const { id } = await refused(request('tools/list'), [403, -32_000, 'cross_site_form'], { Origin: 'https://evil.example' });
  expect(id).toBe('a');
});

describe('callUcpTool 429 quota_exceeded', () => {
  test('a network opens the published number of sessions in a day', async () => {
    const from = { 'CF-Connecting-IP': '198.51.100.9' };
    expect((await ucpSend(gateway, '/mcp', call('create_checkout', CREATE), from)).status).toBe(200);
    const database = gateway.state();
    await database.prepare("UPDATE quotas SET count = ?1 WHERE name = 'network_checkouts'").bind(QUOTAS.network_checkouts.requests).run();
    const { error } = await refused(call('create_checkout', CREATE), [429, -32_000, 'quota_exceeded'], from);
    expect(error.data['retry_after']).toBeGreaterThan(0);
  });

  test('a request over the rate limit is told so under its own id', async () => {
    const from = { 'CF-Connecting-IP': '198.51.103.9', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
    for (let left = RATE_LIMITS.buy.requests; left > 0; left -= 1)
      await (await ucpSend(gateway, '/catalog/product', { id: 'x' }, from)).arrayBuffer();
    expect((await refused(request('ping'), [429, -32_000, 'rate_limited'], from)).id).toBe('a');
  });
});

test('callUcpTool 503 state_unavailable: the database does not answer', async () => {
  await refused(call('create_checkout', CREATE), [503, -32_000, 'state_unavailable'], {}, withoutTables);
});

test('callUcpTool 503 not_configured: the deployment has no secret', async () => {
  await refused(call('create_checkout', CREATE), [503, -32_000, 'not_configured'], {}, withoutSecret);
});
