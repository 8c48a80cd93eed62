import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { builtBlocks, builtGenerated, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const STATUS = '/api/v1/capsules/public/status';
const gateway = useSharedGateway();
const statusOf = async (service: Requests): Promise<StatusResponse> => {
  const response = await service.fetch(STATUS);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return z.strictObject(StatusResponse.shape).parse(await response.json());
};
const HEALTH = '/api/v1/capsules/public/health';
const failing = ({ checks }: StatusResponse): string[] => checks.filter(({ ok }) => !ok).map(({ name }) => name);

describe('getStatus 200 application/json', () => {
  const unbound = useInProcessGateway({ kv: 'unbound' });
  const noSecret = useInProcessGateway({ signingSecrets: undefined });
  const noTables = useInProcessGateway({ state: 'empty' });
  const noDatabase = useInProcessGateway({ state: 'unbound' });
  const nothing = useInProcessGateway({ kv: 'unbound', state: 'unbound', signingSecrets: undefined });
  const damagedIndex = useInProcessGateway(async () => {
    const index = new Set((await builtGenerated()).generation.manifest.blocks.index.map(({ sha256 }) => sha256));
    return { blocks: new Map([...(await builtBlocks())].map(([name, bytes]) => [name, index.has(name) ? bytes.slice(1) : bytes])) };
  });
  const noTexts = useInProcessGateway(async () => {
    const pages = new Set((await builtGenerated()).generation.manifest.blocks.documents.map(({ sha256 }) => sha256));
    return { blocks: new Map([...(await builtBlocks())].filter(([name]) => !pages.has(name))) };
  });

  test('a whole service says ok, tells the facts of its generation, and is never cached', async () => {
    const { generation } = await builtGenerated();
    const status = await statusOf(gateway);
    expect(failing(status)).toEqual([]);
    expect(status).toMatchObject({ status: 'ok', deployment: 'live' });
    expect(status.corpus).toEqual({
      corpus_version: generation.version,
      corpus_digest: generation.manifest.corpus_digest,
      updated: generation.manifest.updated,
      ...generation.manifest.counts,
      generations: [generation.version, ...generation.manifest.previous],
    });
    expect(status.checks.map(({ name }) => name)).toEqual(['query', 'capsule', 'index', 'keys', 'database']);
    const response = await gateway.fetch(STATUS);
    expectSharedHeaders(response.headers);
    expect(response.headers.get('etag')).toBeNull();
  });

  test.each<[string, Requests, string[]]>([
    ['no store bound', unbound, ['query', 'capsule', 'index']],
    ['a damaged index', damagedIndex, ['query', 'index']],
    ['no texts', noTexts, ['query', 'capsule', 'index']],
    ['no signing secret', noSecret, ['keys']],
    ['a database without tables', noTables, ['database']],
    ['no database bound', noDatabase, ['database']],
    ['nothing at all', nothing, ['query', 'capsule', 'index', 'keys', 'database']],
  ])('with %s it answers 200 all the same, says degraded, and names what fails', async (_name, service, names) => {
    const status = await statusOf(service);
    expect(status.status).toBe('degraded');
    expect(failing(status)).toEqual(names);
    expect(JSON.stringify(status.checks)).not.toMatch(/[0-9a-f]{64}|Error|SQLITE|D1_/);
  });

  test('validators are of no use to it: it is tried anew every time', async () => {
    expect((await gateway.fetch(STATUS, { headers: { 'If-None-Match': '*' } })).status).toBe(200);
  });

  test('parameters that it does not have make no difference', async () => {
    expect((await gateway.fetch(`${STATUS}?_=1&_=2`)).status).toBe(200);
  });
});

test('getHealth 200 text/plain: a whole service is healthy', async () => {
  const response = await gateway.fetch(HEALTH);
  expect([response.status, await response.text(), response.headers.get('cache-control')]).toEqual([200, 'ok', 'no-store']);
});

describe.each([
  ['index_unavailable', { kv: 'unbound' }, 'query: '],
  ['not_configured', { signingSecrets: undefined }, 'keys: '],
  ['state_unavailable', { state: 'unbound' }, 'database: '],
] as const)('getHealth 503 %s', (code, options, detail) => {
  const service = useSharedGateway(options);
  test('it names what fails', async () => {
    const response = await service.fetch(HEALTH);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code, detail: expect.stringContaining(detail) });
  });
});
