import { expect, test } from 'vitest';
import { readInsights } from '../../../src/platform/d1/insight-counts.ts';
import { NOW_HEADER, uncountedGenerated } from '../../support/edge-gateway.ts';
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
  expect((await ask(`${QUERY}${encodeURIComponent('Zeppelin mooring 4711 for jane@example.com')}`, 1)).status).toBe(200);
  expect((await ask(`${QUERY}Retry-After`, 2)).status).toBe(200);
  expect((await ask('/api/v1/nothing', 3, { 'User-Agent': 'Mozilla/5.0 Firefox/130' })).status).toBe(404);
  await ask('/api/v1/capsules/public/status', 60);
  const { counts } = await readInsights(gateway.state(), 1, start + 60_000);
  const of = (kind: string) => counts.filter((count) => count.kind === kind).map(({ name, count }) => `${name}: ${count}`);
  expect(of('request')).toEqual(['API|ChatGPT|200: 4', 'API|browsers|404: 1']);
  expect(of('capsule')).toEqual(['retry-after agents: 1']);
  expect(of('gap')).toEqual(['mooring zeppelin: 1']);
  expect(of('term')).toContain('zeppelin: 1');
  expect(JSON.stringify(counts)).not.toMatch(/4711|@|example/);
});

test('nothing is counted where the publisher switched it off', async () => {
  expect((await off.fetch('/api/v1/agent-gateway/capsule/retry-after', { headers: AGENT })).status).toBe(200);
  expect((await readInsights(off.state(), 1, Date.now())).counts).toEqual([]);
});
