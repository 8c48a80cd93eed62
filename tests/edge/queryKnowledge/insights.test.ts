import { expect, test } from 'vitest';
import { readInsights } from '../../../src/platform/d1/insight-counts.ts';
import { NOW_HEADER, uncountedGenerated } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const QUERY = '/api/v1/agent-gateway/search?q=';
const gateway = useInProcessGateway();
const off = useInProcessGateway(async () => ({ generated: await uncountedGenerated() }));
const AGENT = { 'User-Agent': 'Mozilla/5.0 (compatible; ChatGPT-User/1.0)' };

test('what is asked is counted after the response: surface, client and capsule, and the words that no text has', async () => {
  const start = Date.now();
  const ask = (path: string, second: number, headers: Record<string, string> = AGENT) =>
    gateway.fetch(path, { headers: { ...headers, [NOW_HEADER]: String(start + second * 1_000) } });
  expect((await ask('/api/v1/agent-gateway/capsule/retry-after', 0)).status).toBe(200);
  // A question that is repeated is counted again, though its answer is kept from the second time on.
  for (let time = 0; time < 3; time += 1)
    expect((await ask(`${QUERY}${encodeURIComponent('Zeppelin mooring 4711 for jane@example.com')}`, 1)).status).toBe(200);
  expect((await ask(`${QUERY}Retry-After`, 2)).status).toBe(200);
  expect((await ask('/api/v1/nothing', 3, { 'User-Agent': 'Mozilla/5.0 Firefox/130' })).status).toBe(404);
  await ask('/api/v1/capsules/public/status', 60);
  const { counts } = await readInsights(gateway.state(), 1, start + 60_000);
  const of = (kind: string) => counts.filter((count) => count.kind === kind).map(({ name, count }) => `${name}: ${count}`);
  expect(of('request')).toEqual(['API|ChatGPT|200: 6', 'API|browsers|404: 1']);
  expect(of('capsule')).toEqual(['retry-after agents: 1']);
  expect(of('gap')).toEqual(['mooring zeppelin: 3']);
  expect(of('term')).toContain('zeppelin: 3');
  expect(JSON.stringify(counts)).not.toMatch(/4711|@|example/);
});

test('clients of MCP are counted by family, tools and offers by their own names, whatever strangers write', async () => {
  const start = Date.now() + 3_600_000;
  let second = 0;
  const ask = (path: string, body?: object) => {
    second += 10;
    return gateway.fetch(path, {
      headers: { [NOW_HEADER]: String(start + second * 1_000), 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  };
  const message = (method: string, params: object) => ask('/mcp', { jsonrpc: '2.0', id: 1, method, params });
  const hostile = `jane@example.com <script>\u202e\u0000${'x'.repeat(5_000)}`;
  for (const name of ['claude-ai', 'Visual Studio Code', hostile, 7, null])
    await message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } });
  await message('tools/list', { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'openai-mcp', version: '1' } } });
  for (const name of ['search', hostile, '__proto__', 'search']) await message('tools/call', { name, arguments: { query: 'retry' } });
  await ask(`/checkout?items=${SAMPLE_OFFER.id}:1`);
  await ask(`/checkout?items=${encodeURIComponent(hostile)}:1`);
  await ask(`/buy/${SAMPLE_OFFER.id}?go`);
  second += 7_200;
  await ask('/api/v1/capsules/public/status');
  // Two days, because midnight may lie between.
  const { counts } = await readInsights(gateway.state(), 2, start + second * 1_000);
  const of = (kind: string) => counts.filter((count) => count.kind === kind).map(({ name, count }) => `${name}: ${count}`);
  expect(of('client').sort()).toEqual(['ChatGPT: 1', 'Claude: 1', 'coding agents: 1', 'programs: 1']);
  expect(of('tool')).toEqual(['search: 2']);
  expect(of('cart')).toEqual([`${SAMPLE_OFFER.id}: 2`]);
  expect(JSON.stringify(counts)).not.toMatch(/jane|script|xxx|proto/);
});

test('nothing is counted where the publisher switched it off', async () => {
  expect((await off.fetch('/api/v1/agent-gateway/capsule/retry-after', { headers: AGENT })).status).toBe(200);
  expect((await readInsights(off.state(), 1, Date.now())).counts).toEqual([]);
});
