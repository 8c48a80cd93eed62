import { describe, expect, test } from 'vitest';
import type { ChangesResponse, StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { builtBlocks, builtGenerated, putBlocks, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { refusing } from '../../support/function-routes.ts';
import { withForeignBlocks } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const gateway = useEdgeGateway({ blocks: 'none' });
const unbound = useInProcessGateway({ kv: 'unbound' });
const foreign = useInProcessGateway(async () => withForeignBlocks(Object.keys((await builtGenerated()).generation.manifest.blocks)));
const PUBLIC = '/api/v1/capsules/public';
const { count, digest } = (await builtGenerated()).generation.manifest.changes;
/** The end of the log. */
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
