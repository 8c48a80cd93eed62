import { beforeAll, expect, test } from 'vitest';
import { startRanking } from '../../../src/gateway/knowledge/corpus.ts';
import type { Gateway } from '../../../src/http/mount.ts';
import { blockKey } from '../../../src/platform/block-stores.ts';
import { systemRuntime } from '../../../src/platform/runtime.ts';
import type { GenerationManifest } from '../../../src/schemas/knowledge/generation.ts';
import { ACP_SESSIONS, acpHeaders } from '../../support/acp.ts';
import { compiledKernel } from '../../support/compiled-kernel.ts';
import { builtBlocks, builtGenerated, fileText } from '../../support/edge-gateway.ts';
import { FUNCTION_ROUTES, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../support/simulated/database.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

let gateway: Gateway;
let database: SimulatedDatabase;
let networks = 0;
beforeAll(async () => {
  const time = new SimulatedTime(Date.now());
  database = simulatedDatabase(time);
  const keyValue = simulatedKeyValue(time);
  keyValue.fill([...(await builtBlocks())].map(([name, bytes]) => [blockKey(name), bytes] as const));
  const generated = await builtGenerated();
  const { documents } = (generated.generation.manifest as GenerationManifest).index;
  gateway = await simulatedGateway({
    generated,
    ranking: startRanking(compiledKernel(), documents),
    world: systemRuntime,
    assets: { fetch: async (input) => new Response(fileText(new URL(input instanceof Request ? input.url : input).pathname)) },
    keyValue: keyValue.binding('here'),
    database: database.binding(),
  });
});

/** Sends a request, waits for all work that goes on after its response, and gives its status and the rows that it changed. */
async function changes(path: string, init: RequestInit = {}): Promise<{ readonly status: number; readonly changed: number }> {
  const count = (): number => Number(database.look('SELECT total_changes() AS n')[0]?.['n']);
  networks += 1;
  const request = new Request(TEST_BASE_URL + path, init);
  request.headers.set('CF-Connecting-IP', `10.0.${networks}.1`);
  const before = count();
  const work: Promise<unknown>[] = [];
  const response = await gateway(request, (deferred) => work.push(deferred));
  await response.arrayBuffer();
  await Promise.all(work);
  return { status: response.status, changed: count() - before };
}

const READS = FUNCTION_ROUTES.filter(({ route }) => route.method === 'GET');

test.each(READS)('$id writes nothing, by GET and by HEAD', async ({ path, init }) => {
  for (const method of ['GET', 'HEAD']) expect(await changes(path, { ...init, method })).toMatchObject({ changed: 0 });
});

test.each([
  `/buy/${SAMPLE_OFFER.id}?go`,
  `/buy/${SAMPLE_OFFER.alias}?go`,
  `/buy/${SAMPLE_OFFER.id}:1`,
  `/buy/${SAMPLE_OFFER.id}:2,team-licence:1`,
  `/checkout?items=${SAMPLE_OFFER.id}:2`,
  `/invoice?items=${SAMPLE_OFFER.id}:2`,
])('%s leads on and writes nothing', async (path) => {
  const { status, changed } = await changes(path);
  expect([200, 303]).toContain(status);
  expect(changed).toBe(0);
});

test('a write is seen, so that none of the tests before has passed in vain', async () => {
  const body = JSON.stringify({ line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} });
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...(await acpHeaders()) }, body };
  const { status, changed } = await changes(ACP_SESSIONS, init);
  expect(status).toBe(201);
  expect(changed).toBeGreaterThan(3);
});
