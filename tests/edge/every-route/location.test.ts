import { describe, expect, test } from 'vitest';
import { Capabilities } from '../../../src/schemas/capabilities.ts';
import { QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { COMPANION } from '../../support/companion-worker.ts';
import { builtGenerated, type UsedGateway, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const CAPABILITIES = `${PATHS.gateway}/capabilities`;

async function rateLimits(gateway: UsedGateway): Promise<Capabilities['rate_limits']> {
  const response = await gateway.fetch(CAPABILITIES);
  expect(response.status).toBe(200);
  return Capabilities.parse(await response.json()).rate_limits;
}

const layersOf = ({ policies }: Capabilities['rate_limits']): Record<string, string> =>
  Object.fromEntries(policies.map(({ name, enforcement }) => [name, enforcement]));

const inUse = (limits: object): string[] => Object.keys(limits).filter((name) => name !== 'pay' && name !== 'payer_claims');
const QUOTA_LAYERS = Object.fromEntries(inUse(QUOTAS).map((name) => [name, 'exact']));
const ISOLATE_LAYERS = Object.fromEntries(inUse(RATE_LIMITS).map((name) => [name, 'isolate']));

describe('with the companion', () => {
  const gateway = useEdgeGateway({ limiter: { query: 4, network: 40 } });
  const query = async (key: string, network: string): Promise<Response> =>
    gateway.post(`${PATHS.gateway}/query`, { query: 'bm25' }, { ...bearer(key), 'CF-Connecting-IP': network });

  test('capabilities names the layer of every limit, under an entity tag of its own', async () => {
    const limits = await rateLimits(gateway);
    expect(limits.enforcement).toBe('location');
    expect(layersOf(limits)).toEqual({ ...ISOLATE_LAYERS, query: 'location', network: 'location', ...QUOTA_LAYERS });
    const etag = (await gateway.fetch(CAPABILITIES)).headers.get('etag') ?? '';
    expect(etag).not.toBe((await builtGenerated()).documents.capabilities.etag);
    expect((await gateway.fetch(CAPABILITIES, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  // The simulator counts in windows of real minutes: a new one may begin meanwhile, but not two.
  test('an agent that the location refuses is told to wait for a window, and another one is not', async () => {
    const key = await makeKey({ agent: '00000000000000bb' });
    let refused: Response | undefined;
    for (let count = 0; count < 9 && refused === undefined; count += 1) {
      const response = await query(key, `198.51.100.${count}`);
      if (response.status === 200) await response.arrayBuffer();
      else refused = response;
    }
    if (refused === undefined) throw new Error('nine queries were let through, where the location allows four');
    const { requests, windowSeconds } = RATE_LIMITS.query;
    expect(refused.headers.get('ratelimit')).toContain(`"query";r=0;t=${windowSeconds}`);
    expect(refused.headers.get('ratelimit-policy')).toContain(`"query";q=${requests};w=${windowSeconds}`);
    expect(await expectProblem(refused, 'rate_limited')).toMatchObject({ retry_after_seconds: windowSeconds });
    expect((await query(await makeKey({ agent: '00000000000000cc' }), '198.51.100.1')).status).toBe(200);
  });

  test('a network that the location refuses is refused before anything else, whatever it asks', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 85; count += 1) {
      const response = await gateway.fetch('/api/v1/nothing', { headers: { 'CF-Connecting-IP': `192.0.2.${count}` } });
      statuses.push(response.status);
      await response.arrayBuffer();
    }
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect(statuses.slice(0, 40)).toEqual(Array(40).fill(404));
  });

  test('its schedule removes what is no longer used', async () => {
    const { miniflare, logs } = gateway.running();
    const database = await miniflare.getD1Database('STATE', 'gateway');
    await database.prepare("INSERT INTO quotas VALUES (1, 'registry', 'long over', 1), (9999999999999, 'registry', 'lasts', 1)").run();
    const companion = await miniflare.getWorker(COMPANION);
    expect(await companion.scheduled({ cron: '*/5 * * * *', scheduledTime: new Date() })).toMatchObject({ outcome: 'ok' });
    const { results } = await database.prepare("SELECT subject FROM quotas WHERE name = 'registry'").all();
    expect(results).toEqual([{ subject: 'lasts' }]);
    await expect.poll(() => logs.join()).toContain('"quotas":{"deleted":1}');
    expect(logs.join()).not.toContain('failed');
  });

  test('it answers nothing else', async () => {
    const companion = await gateway.running().miniflare.getWorker(COMPANION);
    for (const [path, method] of [
      ['/', 'GET'],
      ['/limits/query', 'GET'],
      ['/limits/register', 'POST'],
      ['/limits/query/', 'POST'],
    ] as const) {
      const response = await companion.fetch(`https://companion${path}`, { method });
      expect([path, response.status, await response.text()]).toEqual([path, 404, '']);
    }
  });
});

describe('without it', () => {
  const gateway = useSharedGateway();

  test('capabilities is what the build made, with the levels of budgets', async () => {
    const response = await gateway.fetch(CAPABILITIES);
    const { body } = (await builtGenerated()).documents.capabilities;
    expect(await response.text()).toBe(body.replaceAll('"level":"unknown"', '"level":"open"'));
  });
});

describe('while a benchmark has lifted the limits', () => {
  let asked = 0;
  const limiterBinding = {
    fetch: async () => {
      asked += 1;
      return new Response(null, { status: 429 });
    },
  };
  const bench = async () => ({ ...(await builtGenerated()).deployment, rateLimits: 'bench' as const });
  const gateway = useInProcessGateway(async () => ({ generated: { deployment: await bench() }, limiterBinding }));

  test('the location is not asked either', async () => {
    expect((await gateway.fetch(CAPABILITIES)).status).toBe(200);
    expect(asked).toBe(0);
  });
});
