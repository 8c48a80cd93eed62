import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockKey } from '../../../src/platform/block-stores.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { builtBlocks, builtGenerated, type EdgeGateway, fileText, startEdgeGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const BROWSE = '/api/v1/capsules/public/browse?limit=100';
const LINEAGE = '/api/v1/agent-gateway/capsule/bm25/lineage';
const addressOf = (sha256: string): string => `${TEST_BASE_URL}/_location/${sha256}`;

interface TestCache {
  match(address: string): Promise<Response | undefined>;
  put(address: string, response: Response): Promise<void>;
}

async function cacheOf({ miniflare }: EdgeGateway): Promise<TestCache> {
  const caches: unknown = await miniflare.getCaches();
  return (caches as { readonly default: TestCache }).default;
}

async function namespaceOf({ miniflare }: EdgeGateway): Promise<{ delete(key: string): Promise<void> }> {
  const namespace: unknown = await miniflare.getKVNamespace('CAPSULES');
  return namespace as { delete(key: string): Promise<void> };
}

async function textOf(gateway: EdgeGateway, path: string): Promise<string> {
  const response = await gateway.fetch(path);
  expect(response.status).toBe(200);
  return response.text();
}

describe('the cache of a location, in front of KV', () => {
  let folder: string;
  let gateway: EdgeGateway;
  const answers: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'akg-location-'));
    gateway = await startEdgeGateway({ persist: folder });
    for (const path of [BROWSE, LINEAGE]) answers.push(await textOf(gateway, path));
  });
  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  it('has what was read, under its digest, and nothing else', async () => {
    const cache = await cacheOf(gateway);
    const { generation } = await builtGenerated();
    const { index, documents, lineages, texts = [], files = [] } = generation.manifest.blocks;
    const kept: string[] = [];
    for (const sha256 of (await builtBlocks()).keys()) {
      const response = await cache.match(addressOf(sha256));
      if (response === undefined) continue;
      expect(await sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(sha256);
      kept.push(sha256);
    }
    const has = (references: readonly { readonly sha256: string }[]): boolean => references.some(({ sha256 }) => kept.includes(sha256));
    expect([index, documents, lineages].map(has)).toEqual([true, true, true]);
    expect(has([...texts, ...files])).toBe(false);
  });

  it('is out of reach of requests', async () => {
    const { generation } = await builtGenerated();
    const path = `/_location/${generation.manifest.blocks.documents[0]?.sha256}`;
    const response = await gateway.fetch(path);
    // The host of files answers, which has no such file.
    expect(await response.text()).toBe(fileText(path));
  });

  it('answers a new isolate without KV, and without what somebody else put there', async () => {
    const namespace = await namespaceOf(gateway);
    for (const sha256 of (await builtBlocks()).keys()) await namespace.delete(blockKey(sha256));
    await gateway.stop();
    gateway = await startEdgeGateway({ persist: folder, blocks: 'none', state: 'unbound' });
    expect(await Promise.all([BROWSE, LINEAGE].map((path) => textOf(gateway, path)))).toEqual(answers);
    await gateway.stop();

    gateway = await startEdgeGateway({ persist: folder, blocks: 'built', state: 'unbound' });
    const cache = await cacheOf(gateway);
    for (const sha256 of (await builtBlocks()).keys())
      await cache.put(addressOf(sha256), new Response('<h1>Not found</h1>', { headers: { 'Cache-Control': 'max-age=60' } }));
    expect(await Promise.all([BROWSE, LINEAGE].map((path) => textOf(gateway, path)))).toEqual(answers);
  });
});
