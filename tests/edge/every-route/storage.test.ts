import { describe, expect, test } from 'vitest';
import { routesFile } from '../../../src/documents/headers-and-redirects.ts';
import { blockPath } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import {
  builtBlocks,
  builtGenerated,
  type EdgeOptions,
  type Requests,
  useEdgeGateway,
  useSharedGateway,
} from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, SAMPLE_CAPSULE, TABLE } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

/** The built service, told that blocks are files of the deploy, with no KV at all. */
async function overAssets(files: EdgeOptions['files']): Promise<Pick<EdgeOptions, 'kv' | 'generated' | 'files'>> {
  const { deployment } = await builtGenerated();
  return { kv: 'unbound', generated: { deployment: { ...deployment, storage: 'assets' } }, ...(files ? { files } : {}) };
}

const asked: string[] = [];
const kv = useSharedGateway();
const assets = useEdgeGateway(async () => {
  const blocks = await builtBlocks();
  return overAssets((request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const bytes = blocks.get(pathname.slice(blockPath('').length));
    return bytes === undefined ? new Response('no such file', { status: 404 }) : new Response(bytes as Uint8Array<ArrayBuffer>);
  });
});
const missing = useInProcessGateway(() => overAssets(() => new Response('no such file', { status: 404 })));

const QUERIES = [
  { query: 'How does a client know that a cached answer is still fresh?' },
  { query: 'x402 payment header', max_results: 50 },
  { query: 'bm25', filters: { status: 'current' }, max_results: 3 },
  { query: 'idempotncy key' },
  { query: 'nothing holds zzzzqqqq' },
];

async function answers(gateway: Requests): Promise<string[]> {
  const headers = bearer(await makeKey());
  const posted = QUERIES.map((query) => gateway.post('/api/v1/agent-gateway/query', query, headers));
  const read = [`/api/v1/agent-gateway/capsule/${SAMPLE_CAPSULE}`, `/api/v1/agent-gateway/capsule/${SAMPLE_CAPSULE}/lineage`].map((path) =>
    gateway.fetch(path),
  );
  return Promise.all([...posted, ...read].map(async (response) => `${(await response).status} ${await (await response).text()}`));
}

describe('the storage of blocks', () => {
  test('changes no byte of an answer', async () => {
    const [overKv, overFiles] = [await answers(kv), await answers(assets)];
    expect(overFiles).toEqual(overKv);
    expect(overKv.every((answer) => answer.startsWith('200 '))).toBe(true);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size, 'each block is read once').toBe(asked.length);
    for (const path of asked) expect(path).toMatch(/^\/_blocks\/[0-9a-f]{64}$/);
  });

  test('among files: blocks that are not there make the index unavailable', async () => {
    const query = missing.post('/api/v1/agent-gateway/query', { query: 'bm25' }, bearer(await makeKey()));
    await expectProblem(await query, 'index_unavailable');
  });

  test('among files: no function answers for them', () => {
    const { include } = JSON.parse(routesFile(TABLE)) as { include: string[] };
    for (const pattern of include)
      expect(new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(blockPath('a'.repeat(64)))).toBe(false);
    expect(FUNCTION_ROUTES.some(({ path }) => path.startsWith('/_blocks'))).toBe(false);
  });
});
