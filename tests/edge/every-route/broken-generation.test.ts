import { describe, expect, test } from 'vitest';
import type { StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { PATHS, relatedApiPath } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { ADDED, makeTwoGenerations } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

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
    const again = await ask(broken, { 'If-None-Match': whole.headers.get('etag') ?? '*' });
    expect(again.status).toBe(200);
  });

  test('what is bound to the newest is refused', async () => {
    const pinned = { query: 'cache', corpus_version: newer.version };
    await expectProblem(await broken.post(QUERY, pinned, bearer(key)), 'index_unavailable');
    await expectProblem(await broken.fetch(relatedApiPath(ADDED[0] ?? '')), 'index_unavailable');
  });

  test('the status tells', async () => {
    const { status, checks, corpus } = (await (await broken.fetch(`${PATHS.publicCapsules}/status`)).json()) as StatusResponse;
    expect([status, corpus.corpus_version]).toEqual(['degraded', newer.version]);
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      {
        name: 'index',
        ok: false,
        detail: expect.stringMatching(/^generation [0-9a-f]{12} is served .* lacks a block of the index$/) as unknown,
      },
    ]);
  });
});
