import { createServer, type Server } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltGeneration, buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { GenerationStore } from '../../../src/build/corpus-blocks/generation-store.ts';
import { findLiveVersion } from '../../../src/build/kv/plan-garbage-collection.ts';
import { restoreFromSite } from '../../../src/build/kv/restore-generations.ts';
import { corpusStats } from '../../../src/gateway/knowledge/report-status.ts';
import { logOf } from '../../support/generations.ts';
import { close, listen } from '../../support/listen.ts';
import { realCapsules } from '../gateway/real-generation.ts';
import { temporaryFolder } from '../publication/content-world.ts';
import { edition } from './published-corpus.ts';

/** A deployed site whose blocks are files, as far as restoring looks at it. */
let server: Server;
let baseUrl: string;
let generations: BuiltGeneration[];
let files: Map<string, Uint8Array>;
let folder: string;

beforeAll(async () => {
  const capsules = await realCapsules();
  const first = await buildGeneration(edition(capsules, 1), []);
  generations = [await buildGeneration(edition(capsules, 2), [first]), first];
});
beforeEach(async () => {
  folder = await temporaryFolder();
  files = new Map(generations.flatMap(({ blocks }) => [...blocks].map(([sha256, bytes]) => [`/_blocks/${sha256}`, bytes] as const)));
  const [newest] = generations;
  if (newest === undefined) throw new Error('nothing was built');
  const status = { status: 'ok', deployment: 'live', corpus: corpusStats(newest.version, newest.manifest), checks: [] };
  files.set('/api/v1/capsules/public/status', new TextEncoder().encode(JSON.stringify(status)));
  server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    response.writeHead(body ? 200 : 404).end(body ?? 'no such page');
  });
  baseUrl = await listen(server);
});
afterEach(() => close(server));

describe('restoreFromSite()', () => {
  it('fetches the deployed generation and those it lists, with every block', async () => {
    const store = new GenerationStore(folder);
    expect(await restoreFromSite(baseUrl, await findLiveVersion(baseUrl), store)).toBe(2);
    expect((await store.wholeHistory()).map(({ version }) => version)).toEqual(generations.map(({ version }) => version));
    expect(await store.changes()).toEqual(logOf(generations[0] as BuiltGeneration));
    for (const [sha256, bytes] of generations.flatMap(({ blocks }) => [...blocks])) expect(await store.block(sha256)).toEqual(bytes);
  });

  it('leaves out a generation with a missing or damaged block', async () => {
    const [newest, first] = generations;
    const [only] = [...(first?.blocks.keys() ?? [])].filter((sha256) => !newest?.blocks.has(sha256) && sha256 !== first?.version);
    files.set(`/_blocks/${only}`, new TextEncoder().encode('something else'));
    const store = new GenerationStore(folder);
    expect(await restoreFromSite(baseUrl, await findLiveVersion(baseUrl), store)).toBe(1);
    expect((await store.history()).map(({ version }) => version)).toEqual([newest?.version]);
  });

  it('fails when the site does not say what is live, and keeps the history', async () => {
    files.delete('/api/v1/capsules/public/status');
    const live = await findLiveVersion(baseUrl);
    expect(live).toEqual({ unknown: `${baseUrl}/api/v1/capsules/public/status responded with 404` });
    await expect(restoreFromSite(baseUrl, live, new GenerationStore(folder))).rejects.toThrow('responded with 404');
    expect(await restoreFromSite(baseUrl, 'none', new GenerationStore(folder))).toBe(0);
  });
});

it('findLiveVersion() rejects another document, and no response', async () => {
  files.set('/api/v1/capsules/public/status', new TextEncoder().encode('{"corpus":{}}'));
  expect(await findLiveVersion(baseUrl)).toHaveProperty('unknown');
  expect(await findLiveVersion('http://127.0.0.1:1')).toHaveProperty('unknown');
});
