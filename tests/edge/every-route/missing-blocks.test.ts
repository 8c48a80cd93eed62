import { describe, expect, test } from 'vitest';
import type { ChangesResponse, StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { PATHS, relatedApiPath } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtBlocks, builtGenerated, putBlocks, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { refusing } from '../../support/function-routes.ts';
import { makeTwoGenerations, withForeignBlocks } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const gateway = useEdgeGateway({ blocks: 'none' });
const unbound = useInProcessGateway({ kv: 'unbound' });
const foreign = useInProcessGateway(async () => withForeignBlocks(Object.keys((await builtGenerated()).generation.manifest.blocks)));
const PUBLIC = '/api/v1/capsules/public';
const { count, digest } = (await builtGenerated()).generation.manifest.changes;
const CURSOR = `${PUBLIC}/changes?cursor=${count}.${digest?.slice('sha256:'.length)}`;

/** Operations that are answered from the blocks; what an order delivers needs an order, which has a test of its own. */
const READING = refusing('index_unavailable', 'getDelivery');

async function status(): Promise<{ readonly status: string; readonly failing: readonly string[] }> {
  const response = await gateway.fetch(`${PUBLIC}/status`);
  expect(response.status).toBe(200);
  const text = await response.text();
  const { status, checks } = JSON.parse(text) as StatusResponse;
  expect(JSON.stringify(checks)).not.toMatch(/[0-9a-f]{64}|Error|SQLITE|D1_/);
  return { status, failing: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
}

const changesOf = async (response: Response): Promise<ChangesResponse['changes']> => ((await response.json()) as ChangesResponse).changes;

describe.each(refusing('index_unavailable', 'getDelivery'))('$id index_unavailable', ({ path, init, route }) => {
  test.each([
    ['an empty store', gateway],
    ['no namespace bound', unbound],
    ['whole blocks that hold something else', foreign],
  ])('with %s the answer says when to come back', async (_name, service) => {
    const { retryAfterSeconds } = await expectRefusal(await service.fetch(path, init), 'index_unavailable', route);
    expect(retryAfterSeconds).toBeGreaterThan(0);
  });
});

describe('an empty store', () => {
  test('is what the status says', async () => {
    expect(await status()).toEqual({ status: 'degraded', failing: ['query', 'capsule', 'index'] });
  });

  test('is no longer one as soon as the blocks are there: no failure is remembered', async () => {
    await putBlocks(gateway.running().miniflare, await builtBlocks());
    for (const { id, path, init } of READING) expect([id, (await gateway.fetch(path, init)).status < 400]).toEqual([id, true]);
    expect((await changesOf(await gateway.fetch(`${PUBLIC}/changes`))).length).toBeGreaterThan(0);
    expect(await changesOf(await gateway.fetch(CURSOR))).toEqual([]);
    expect(await status()).toEqual({ status: 'ok', failing: [] });
  });
});

const { older, newer, blocks } = await makeTwoGenerations();
const key = await makeKey();
const KNOWN = 'http-freshness';
const BROWSE = `${PATHS.publicCapsules}/browse`;
const QUERY = `${PATHS.gateway}/query`;

/** The newest generation without its index, and the one before as it was when it was the newest. */
const broken = useInProcessGateway({
  generated: { generation: newer },
  blocks: new Map([...blocks].filter(([name]) => !newer.manifest.blocks.index.some(({ sha256 }) => sha256 === name))),
});
const before = useInProcessGateway({ generated: { generation: older }, blocks });

describe('a generation whose index is missing in the store', () => {
  const requests: [name: string, path: string, body?: object][] = [
    ['query', QUERY, { query: 'cache freshness', max_results: 5 }],
    ['browse', BROWSE],
    ['related', relatedApiPath(KNOWN)],
  ];
  test.each(requests)('%s: the one before answers, says so, and is kept by nobody', async (_name, path, body) => {
    const ask = (service: typeof broken, headers: Record<string, string> = {}): Promise<Response> =>
      body ? service.post(path, body, { ...bearer(key), ...headers }) : service.fetch(path, { headers });
    const whole = await ask(before);
    const answer = await ask(broken);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('gateway-degraded')).toBe('index');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).toBeNull();
    expect(whole.headers.get('gateway-degraded')).toBeNull();
    const text = await answer.text();
    expect(text).toBe(await whole.text());
    expect(text).toContain(older.version);
    expect((await ask(broken, { 'If-None-Match': whole.headers.get('etag') ?? '*' })).status).toBe(200);
  });
});
