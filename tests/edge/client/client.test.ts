import { beforeAll, describe, expect, test } from 'vitest';
import type { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { capsuleVersionPath, lineageApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { type ClientModule, importClient } from '../../support/bundled-client.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const service = useSharedGateway({ files: 'built' });
let module: ClientModule;
let asked: string[] = [];

function clientOf(replaced: (path: string, body: string) => string = (_path, body) => body) {
  return module.gateway(TEST_BASE_URL, {
    agentName: 'Test of the client',
    fetch: async ({ pathname, search }, init) => {
      asked.push(pathname);
      const response = await service.fetch(pathname + search, init);
      return new Response(replaced(pathname, await response.text()), response);
    },
  });
}

const failed = ({ checks }: { readonly checks: readonly { check: string; ok: boolean }[] }): string[] =>
  checks.filter(({ ok }) => !ok).map(({ check }) => check);

beforeAll(async () => {
  module = await importClient();
});

describe('the client', () => {
  test('searches without a key and verifies what it found, of every kind', async () => {
    const client = clientOf();
    asked = [];
    const answer = await client.search({ q: 'how do I get an API key', kind: 'capsule,guide', max_results: 8 });
    expect(new Set(answer.results.map(({ kind }) => kind))).toEqual(new Set(['capsule', 'guide']));
    expect(asked).toEqual([`${PATHS.gateway}/search`]);
    const { exit, checks } = await client.verify(answer);
    expect([exit, checks.map(({ check }) => check)]).toEqual([0, expect.arrayContaining(['text', 'fields', 'quote', 'chain'])]);
  });

  test('gets a key with its first query, and walks through all results once', async () => {
    const client = clientOf();
    asked = [];
    const ids: string[] = [];
    for await (const { capsule_id } of client.results({ query: 'signature', max_results: 4 })) ids.push(capsule_id);
    const { page } = await client.query({ query: 'signature', max_results: 1 });
    expect(ids.length).toBeGreaterThan(8);
    expect([ids.length, new Set(ids).size]).toEqual([page.total, page.total]);
    expect(asked.filter((path) => path.endsWith('/register'))).toHaveLength(1);
  });

  test('walks through all capsules', async () => {
    const client = clientOf();
    const ids: string[] = [];
    for await (const { capsule_id } of client.capsules({ limit: 7 })) ids.push(capsule_id);
    const { items, page } = await client.browse({ limit: 3 });
    expect(items.map(({ capsule_id }) => capsule_id)).toEqual(ids.slice(0, 3));
    expect(new Set(ids).size).toBe(page.total);
  });

  test('verifies a capsule against its lineage, and a lineage by itself', async () => {
    const client = clientOf();
    const capsule = await client.capsule(SAMPLE_CAPSULE);
    expect(await client.verify(capsule)).toMatchObject({ kind: 'capsule', exit: 0 });
    expect(await client.verify(await client.lineage(SAMPLE_CAPSULE), { id: SAMPLE_CAPSULE })).toMatchObject({ kind: 'lineage', exit: 0 });
    expect(failed(await client.verify({ ...capsule, markdown: `${capsule.markdown} ` }))).toEqual(['text']);
    expect((await client.capsule(SAMPLE_CAPSULE, capsule.version)).content_sha256).toBe(capsule.content_sha256);
  });

  test('requests nothing to verify an answer whose evidence it is given', async () => {
    const client = clientOf();
    const answer = await client.query({ query: SAMPLE_CAPSULE, max_results: 1 });
    const [{ capsule_id, version }] = answer.results as [QueryResponse['results'][number]];
    const lineage = JSON.stringify(await client.lineage(capsule_id));
    const path = capsuleVersionPath(capsule_id, version);
    const text = await (await service.fetch(path)).text();
    asked = [];
    expect(await client.verify(answer, { lineages: { [capsule_id]: lineage }, texts: { [path]: text } })).toMatchObject({ exit: 0 });
    expect(asked).toEqual([]);
  });

  test('sees a changed quote, a changed text, a changed lineage and a lineage that leads elsewhere', async () => {
    const client = clientOf();
    const answer = await client.query({ query: SAMPLE_CAPSULE, max_results: 1 });
    const [result] = answer.results as [QueryResponse['results'][number]];
    const changed = { ...answer, results: [{ ...result, quote: { ...result.quote, text: `${result.quote.text}!` } }] };
    expect(failed(await client.verify(changed))).toEqual(['quote']);
    const moved = { ...answer, results: [{ ...result, quote: { ...result.quote, start: result.quote.start + 1 } }] };
    expect(failed(await client.verify(moved))).toEqual(['quote']);
    const renamed = { ...answer, results: [{ ...result, title: 'Another title' }] };
    expect(failed(await client.verify(renamed))).toEqual(['fields']);

    const textPath = capsuleVersionPath(result.capsule_id, result.version);
    const ofText = clientOf((path, body) => (path === textPath ? `${body}More.` : body));
    expect(failed(await ofText.verify(answer))).toEqual(['text']);

    const lineagePath = lineageApiPath(result.capsule_id);
    const ofLineage = clientOf((path, body) => (path === lineagePath ? body.replaceAll('"title":"', '"title":"No ') : body));
    expect(failed(await ofLineage.verify(answer))).toEqual(expect.arrayContaining(['records', 'fields']));
    const elsewhere = clientOf((path, body) => {
      if (path !== lineagePath) return body;
      const lineage = JSON.parse(body) as Lineage;
      for (const { record } of lineage.versions) record.canonical = `//elsewhere.example${record.canonical}`;
      return JSON.stringify(lineage);
    });
    await expect(elsewhere.verify(answer)).rejects.toThrow('leads to another site');
  });

  test('throws what the service refuses, with its code and its next actions', async () => {
    const client = clientOf();
    const refused = await client.capsule('no-such-capsule').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(module.GatewayError);
    expect(refused).toMatchObject({ status: 404, code: 'capsule_not_found', next_actions: expect.any(Array) });
    await expect(client.query({ query: '' })).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/query' }] });
    const forged = module.gateway(TEST_BASE_URL, { apiKey: 'akg_test_wrong', fetch: (url, init) => service.fetch(url.pathname, init) });
    await expect(forged.query({ query: 'chains' })).rejects.toMatchObject({ status: 401 });
  });

  test('registers an agent by name', async () => {
    const { agent_id, api_key } = await clientOf().register({ agent_name: 'Named' });
    expect([agent_id, api_key]).toEqual([expect.stringMatching(/^agt_/), expect.stringMatching(/^akg_/)]);
  });
});
