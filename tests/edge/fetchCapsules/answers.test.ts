import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sha256Hex } from '../../../src/provenance/bytes.ts';
import { Capsule } from '../../../src/schemas/knowledge/capsule.ts';
import type { BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { FetchedItem, FetchResponse } from '../../../src/schemas/knowledge/fetch.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';

const FETCH = '/api/v1/capsules/fetch';
const CAPSULE = '/api/v1/agent-gateway/capsule';
/** The published form and nothing besides it. */
const ExactAnswer = z.strictObject({
  ...FetchResponse.shape,
  items: z.array(z.strictObject({ ...FetchedItem.shape, capsule: z.strictObject(Capsule.shape).optional() })),
  meta: z.strictObject(FetchResponse.shape.meta.shape),
});

const gateway = useSharedGateway();
const fetchAll = async (body: object): Promise<FetchResponse> => {
  const response = await gateway.post(FETCH, body);
  expect(response.status).toBe(200);
  return ExactAnswer.parse(await response.json());
};
const read = async (id: string): Promise<Capsule> => (await (await gateway.fetch(`${CAPSULE}/${id}`)).json()) as Capsule;
const allCapsules = async (): Promise<BrowseResponse['items']> =>
  ((await (await gateway.fetch('/api/v1/capsules/public/browse?limit=100')).json()) as BrowseResponse).items;
/** The bytes of a document, divided by 4, rounded up. */
const costOf = (document: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(document), 'utf8') / 4);

describe('fetchCapsules 200 application/json', () => {
  test('the answer needs no key, must not be stored and is no subject of validators', async () => {
    const response = await gateway.post(FETCH, { ids: ['bm25'] }, { 'If-None-Match': '*', Accept: 'text/markdown' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expectSharedHeaders(response.headers);
  });

  test('every capsule is the document that it is alone, with a text that fits its digest', async () => {
    const ids = (await allCapsules()).map(({ capsule_id }) => capsule_id);
    expect(ids.length).toBeGreaterThan(LIMITS.fetchItemsMax);
    for (let start = 0; start < ids.length; start += LIMITS.fetchItemsMax) {
      const asked = ids.slice(start, start + LIMITS.fetchItemsMax);
      const { items, corpus_version, meta } = await fetchAll({ ids: asked });
      expect(corpus_version).toBe((await builtGenerated()).generation.version);
      expect(items.map(({ capsule_id }) => capsule_id)).toEqual(asked);
      for (const { capsule_id, capsule, outcome, tokens } of items) {
        const alone = await read(capsule_id);
        expect(capsule).toEqual(alone);
        expect(await sha256Hex(capsule?.markdown ?? '')).toBe(alone.content_sha256);
        expect([outcome, tokens]).toEqual([alone.status === 'current' ? 'ok' : alone.status, costOf(alone)]);
      }
      expect(meta.tokens_used).toBe(items.reduce((sum, { tokens = 0 }) => sum + tokens, 0));
    }
  });

  test('each entry is answered in its place, and what is not found keeps nothing back', async () => {
    const fallen = (await allCapsules()).filter(({ status }) => status !== 'current');
    const retracted = fallen.find(({ status }) => status === 'retracted')?.capsule_id ?? '';
    const superseded = fallen.find(({ status }) => status === 'superseded')?.capsule_id ?? '';
    const { items } = await fetchAll({
      ids: [
        'bm25',
        'no-such-capsule',
        { capsule_id: 'ucp-permalink', version: '1.0.0' },
        { capsule_id: 'ucp-permalink', version: '9.9.9' },
        { capsule_id: 'no-such-capsule', version: '1.0.0' },
        retracted,
        { capsule_id: superseded },
        'bm25',
      ],
    });
    expect(items.map(({ capsule_id, version, outcome }) => [capsule_id, version, outcome])).toEqual([
      ['bm25', undefined, 'ok'],
      ['no-such-capsule', undefined, 'not_found'],
      ['ucp-permalink', '1.0.0', 'ok'],
      ['ucp-permalink', '9.9.9', 'version_not_found'],
      ['no-such-capsule', '1.0.0', 'not_found'],
      [retracted, undefined, 'retracted'],
      [superseded, undefined, 'superseded'],
      ['bm25', undefined, 'ok'],
    ]);
    expect(items[2]?.capsule).toEqual(await (await gateway.fetch(`${CAPSULE}/ucp-permalink?version=1.0.0`)).json());
    for (const { version } of (await read('ucp-permalink')).versions) expect(items[3]?.detail).toContain(version);
    for (const at of [5, 6]) {
      expect(items[at]?.capsule?.capsule_id).toBe(items[at]?.capsule_id);
      expect(items[at]?.capsule?.status_reason).toBeTruthy();
    }
    expect(items[7]).toEqual(items[0]);
    for (const { capsule, detail } of items) expect(capsule === undefined).toBe(detail !== undefined);
  });

  test('ids that are names of prototypes are ids like others', async () => {
    const ids = ['constructor', 'tostring', 'valueof', 'a', 'z'.repeat(LIMITS.idMaxLength)];
    expect((await fetchAll({ ids })).items.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'not_found'));
  });

  test('a token budget is kept, counted as published, and filled in order by what fits', async () => {
    const ids = ['ucp-permalink', 'bm25', 'ucp-profile'];
    const whole = await fetchAll({ ids });
    const [first = 0, second = 0, third = 0] = whole.items.map(({ tokens }) => tokens);
    expect(whole.meta).toMatchObject({ tokens_used: first + second + third, token_estimator: 'utf8-bytes/4' });
    for (const [token_budget, given] of [
      [first + second + third, [true, true, true]],
      [first + second + third - 1, [true, true, false]],
      [first, [true, false, false]],
      [1, [false, false, false]],
    ] as const) {
      const { items, meta } = await fetchAll({ ids, token_budget });
      expect(items.map(({ capsule }) => capsule !== undefined)).toEqual(given);
      expect(items.map(({ tokens }) => tokens)).toEqual([first, second, third]);
      expect(items.filter(({ capsule }) => capsule === undefined).every(({ outcome }) => outcome === 'over_budget')).toBe(true);
      expect(meta.token_budget).toBe(token_budget);
      expect(meta.tokens_used).toBe(items.reduce((sum, { capsule }) => sum + (capsule ? costOf(capsule) : 0), 0));
      expect(meta.tokens_used).toBeLessThanOrEqual(token_budget);
    }
    const large = Math.max(first, second);
    const order = first > second ? ids : ['bm25', 'ucp-permalink', 'ucp-profile'];
    expect((await fetchAll({ ids: order, token_budget: large - 1 })).items.slice(0, 2).map(({ outcome }) => outcome)).toEqual([
      'over_budget',
      'ok',
    ]);
  });

  test('a budget above the bound is lowered, and the answer says so', async () => {
    const { meta } = await fetchAll({ ids: ['bm25'], token_budget: 1_000_000 });
    expect(meta.token_budget).toBe(LIMITS.tokenBudgetMax);
    expect(meta.clamped).toEqual([{ pointer: '/token_budget', requested: 1_000_000, applied: LIMITS.tokenBudgetMax }]);
    expect((await fetchAll({ ids: ['bm25'] })).meta.clamped).toEqual([]);
  });

  test('the same request gives the same bytes', async () => {
    const body = { ids: ['bm25', 'no-such-capsule', 'ucp-permalink'], token_budget: 3_000 };
    const [first, again] = await Promise.all([gateway.post(FETCH, body), gateway.post(FETCH, body)]);
    expect(await again.text()).toBe(await first.text());
  });
});
