import { describe, expect, test } from 'vitest';
import type { ChangesResponse, StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtBlocks, builtGenerated, putBlocks, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';

const gateway = useEdgeGateway({ blocks: 'none' });
const PUBLIC = '/api/v1/capsules/public';
const { count, digest } = (await builtGenerated()).generation.manifest.changes;
/** The end of the log. */
const CURSOR = `${PUBLIC}/changes?cursor=${count}.${digest?.slice('sha256:'.length)}`;

/** Requests that are answered from the blocks. */
const READING: Readonly<Record<string, () => Promise<Response>>> = {
  browseCapsules: () => gateway.fetch(`${PUBLIC}/browse`),
  fetchCapsules: () => gateway.post('/api/v1/capsules/fetch', { ids: [SAMPLE_CAPSULE, { capsule_id: 'ucp-permalink', version: '1.0.0' }] }),
  getRelatedCapsules: () => gateway.fetch(`/api/v1/agent-gateway/capsule/${SAMPLE_CAPSULE}/related`),
  verifyQuote: () => gateway.fetch(`/api/v1/agent-gateway/capsule/${SAMPLE_CAPSULE}/quote?text=the`),
  listChanges: () => gateway.fetch(`${PUBLIC}/changes`),
  'listChanges at its end': () => gateway.fetch(CURSOR),
  searchKnowledge: () => gateway.fetch('/api/v1/agent-gateway/search?q=agents'),
  queryKnowledge: async () => gateway.post('/api/v1/agent-gateway/query', { query: 'agents' }, bearer(await makeKey())),
};

async function status(): Promise<{ readonly status: string; readonly failing: readonly string[] }> {
  const response = await gateway.fetch(`${PUBLIC}/status`);
  expect(response.status).toBe(200);
  const text = await response.text();
  const { status, checks } = JSON.parse(text) as StatusResponse;
  expect(JSON.stringify(checks)).not.toMatch(/[0-9a-f]{64}|Error|SQLITE|D1_/);
  return { status, failing: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
}

const changesOf = async (response: Response): Promise<ChangesResponse['changes']> => ((await response.json()) as ChangesResponse).changes;

describe('an empty store', () => {
  test.each(Object.keys(READING))('%s answers 503 and when to come back', async (name) => {
    const problem = await expectProblem((await READING[name]?.()) ?? new Response(), 'index_unavailable');
    expect(problem.retry_after_seconds).toBeGreaterThan(0);
  });

  test('is what the status says', async () => {
    expect(await status()).toEqual({ status: 'degraded', failing: ['query', 'capsule', 'index'] });
  });

  test('is no longer one as soon as the blocks are there: no failure is remembered', async () => {
    await putBlocks(gateway.running().miniflare, await builtBlocks());
    for (const [name, ask] of Object.entries(READING)) expect([name, (await ask()).status]).toEqual([name, 200]);
    expect((await changesOf(await gateway.fetch(`${PUBLIC}/changes`))).length).toBeGreaterThan(0);
    expect(await changesOf(await gateway.fetch(CURSOR))).toEqual([]);
    expect(await status()).toEqual({ status: 'ok', failing: [] });
  });
});
