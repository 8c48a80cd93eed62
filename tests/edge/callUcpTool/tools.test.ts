import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { UCP_PROFILE, UCP_SCHEMAS, ucpCart, ucpSend } from '../../support/ucp.ts';
import { words } from '../../support/words.ts';

const gateway = useSharedGateway();
const META = { 'ucp-agent': { profile: UCP_PROFILE } };
const MODERN = '2026-07-28';

interface Tool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
}
interface Result {
  readonly [name: string]: unknown;
  readonly structuredContent: { readonly id: string; readonly ucp: { readonly status: string }; readonly [name: string]: unknown };
  readonly content: { readonly text: string }[];
  readonly isError: boolean;
  readonly tools: Tool[];
}
const rpc = async (method: string, params?: object, headers: Record<string, string> = {}): Promise<Result> => {
  const response = await ucpSend(
    gateway,
    '/mcp',
    { jsonrpc: '2.0', id: 7, method, ...(params ? { params } : {}) },
    { 'UCP-Agent': '', ...headers },
  );
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status: 200, text: expect.any(String) as unknown });
  const message = JSON.parse(text) as { id: number; result: Result };
  expect(UCP_SCHEMAS?.faults('transports/jsonrpc.json#/$defs/success_response', message) ?? []).toEqual([]);
  expect(message.id).toBe(7);
  expect(response.headers.get('content-type')).toBe('application/json');
  return message.result;
};
const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
let tools: Tool[] | undefined;
/** Calls a tool with arguments that its own schema allows, and gives its structured content, which is the text again. */
const call = async (name: string, args: object, schema: string): Promise<Result['structuredContent']> => {
  tools ??= (await rpc('tools/list')).tools;
  const tool = tools.find((one) => one.name === name);
  expect(ajv.validate(tool?.inputSchema ?? false, { meta: META, ...args }), ajv.errorsText()).toBe(true);
  const result = await rpc('tools/call', { name, arguments: { meta: META, ...args } });
  expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
  expect(ajv.validate(tool?.outputSchema ?? false, result.structuredContent)).toBe(true);
  expect(result.isError).toBe(result.structuredContent.ucp.status === 'error');
  expect(UCP_SCHEMAS?.faults('transports/mcp_tool_call.json#/$defs/response', { jsonrpc: '2.0', id: 7, result }) ?? []).toEqual([]);
  expect(UCP_SCHEMAS?.faults(schema, result.structuredContent) ?? []).toEqual([]);
  return result.structuredContent;
};
const CHECKOUT = 'shopping/checkout.json';
const ERROR = 'common/types/error_response.json';

describe('callUcpTool 200 application/json', () => {
  test('every tool of the service is listed, with schemas of what it takes', async () => {
    expect((await rpc('tools/list')).tools.map(({ name }) => name)).toEqual(
      words`search_catalog lookup_catalog get_product create_checkout get_checkout update_checkout complete_checkout cancel_checkout`,
    );
  });

  test('the catalog answers as over HTTP', async () => {
    const search = await call(
      'search_catalog',
      { catalog: { query: 'evidence review' } },
      'shopping/catalog_search.json#/$defs/search_response',
    );
    const http = await ucpSend(gateway, '/catalog/search', { query: 'evidence review' });
    expect(search).toEqual(await http.json());
    const lookup = await call(
      'lookup_catalog',
      { catalog: { ids: [SAMPLE_OFFER.id] } },
      'shopping/catalog_lookup.json#/$defs/lookup_response',
    );
    expect(lookup).toMatchObject({ products: [{ id: SAMPLE_OFFER.id }] });
    const product = await call(
      'get_product',
      { catalog: { id: SAMPLE_OFFER.id } },
      'shopping/catalog_lookup.json#/$defs/get_product_response',
    );
    expect(product).toMatchObject({ product: { id: SAMPLE_OFFER.id } });
    expect(await call('get_product', { catalog: { id: 'x' } }, ERROR)).toMatchObject({ messages: [{ code: 'not_found' }] });
  });

  test('a checkout is opened, changed, left to a person, and canceled', async () => {
    const { id } = await call('create_checkout', { checkout: ucpCart(SAMPLE_OFFER.id) }, CHECKOUT);
    expect(await call('get_checkout', { id }, CHECKOUT)).toMatchObject({ id, status: 'requires_escalation' });
    expect(await call('update_checkout', { id, checkout: ucpCart('readiness-review') }, CHECKOUT)).toMatchObject({
      line_items: [{ item: { id: 'readiness-review' } }],
    });
    expect(await call('update_checkout', { id, checkout: ucpCart('no-such-offer') }, CHECKOUT)).toMatchObject({
      ucp: { status: 'error' },
      line_items: [{ item: { id: 'readiness-review' } }],
    });
    expect(await call('complete_checkout', { id, checkout: { payment: { instruments: [] } } }, CHECKOUT)).toMatchObject({
      status: 'requires_escalation',
      messages: [{ code: 'payment_unsupported' }, {}, {}],
    });
    expect(await call('cancel_checkout', { id }, CHECKOUT)).toMatchObject({ status: 'canceled' });
    expect(await call('cancel_checkout', { id }, ERROR)).toMatchObject({
      ucp: { status: 'error' },
      messages: [{ code: 'session_closed' }],
    });
    expect(await call('create_checkout', { checkout: ucpCart(SAMPLE_OFFER.id, 2) }, ERROR)).toMatchObject({
      messages: [{ code: 'quantity_exceeded' }],
    });
  });

  test('an idempotency key has one effect, in meta and in the header', async () => {
    const key = randomUUID();
    const open = async (meta: object, headers = {}): Promise<string> => {
      const params = { name: 'create_checkout', arguments: { meta: { ...META, ...meta }, checkout: ucpCart(SAMPLE_OFFER.id) } };
      return (await rpc('tools/call', params, headers)).structuredContent.id;
    };
    const id = await open({ 'idempotency-key': key });
    expect([await open({ 'idempotency-key': key }), await open({}, { 'Idempotency-Key': key })]).toEqual([id, id]);
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    [MODERN, '2025-11-25'],
  ])('a client that begins with initialize and asks for %s gets %s', async (asked, given) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect(await rpc('initialize', params)).toMatchObject({
      protocolVersion: given,
      capabilities: { tools: {} },
      serverInfo: { name: 'Signpost' },
    });
    expect(await rpc('ping', undefined, { 'MCP-Protocol-Version': given })).toEqual({});
  });

  test('a client of the stateless revision gets results that say what they are', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = (method: string): Record<string, string> => ({ 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method });
    expect(await rpc('server/discover', { _meta }, headers('server/discover'))).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      cacheScope: 'public',
      ttlMs: expect.any(Number) as unknown,
    });
    expect(await rpc('tools/list', { _meta }, headers('tools/list'))).toMatchObject({ resultType: 'complete', cacheScope: 'public' });
    const params = { _meta, name: 'get_product', arguments: { meta: META, catalog: { id: SAMPLE_OFFER.id } } };
    for (const name of ['get_product', `=?base64?${Buffer.from('get_product').toString('base64')}?=`])
      expect(await rpc('tools/call', params, { ...headers('tools/call'), 'Mcp-Name': name })).toMatchObject({
        resultType: 'complete',
        structuredContent: { product: { id: SAMPLE_OFFER.id } },
      });
  });
});

test('callUcpTool 202: a notification has no answer', async () => {
  for (const method of ['notifications/initialized', 'notifications/cancelled']) {
    const response = await ucpSend(gateway, '/mcp', { jsonrpc: '2.0', method });
    expect([response.status, await response.text()]).toEqual([202, '']);
  }
});
