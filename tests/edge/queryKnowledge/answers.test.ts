import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { QueryResponse, QueryResult } from '../../../src/schemas/knowledge/query.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';

const QUERY = '/api/v1/agent-gateway/query';
const ExactAnswer = z.strictObject({
  ...QueryResponse.shape,
  results: z.array(z.strictObject(QueryResult.shape)),
  page: z.strictObject(QueryResponse.shape.page.shape),
  meta: z.strictObject(QueryResponse.shape.meta.shape),
});

const gateway = useSharedGateway();
const key = await makeKey();
const ask = async (body: object): Promise<QueryResponse> => {
  const response = await gateway.post(QUERY, body, bearer(key));
  expect(response.status).toBe(200);
  return ExactAnswer.parse(await response.json());
};
const allCapsules = async (): Promise<BrowseResponse['items']> =>
  ((await (await gateway.fetch('/api/v1/capsules/public/browse?limit=100')).json()) as BrowseResponse).items;

test('queryKnowledge 200 application/json: what a result says of a capsule is what the list of capsules says', async () => {
  const listed = new Map((await allCapsules()).map((item) => [item.capsule_id, item]));
  for (const result of (await ask({ query: 'agents payments discovery' })).results) {
    const {
      kind: _kind,
      score: _score,
      match: _match,
      quote: _quote,
      answer: _answer,
      highlights: _highlights,
      related_url,
      ...described
    } = result;
    const { json_url: _json, ...item } = listed.get(result.capsule_id) ?? { json_url: undefined };
    expect(described).toEqual(item);
    expect((await gateway.fetch(new URL(related_url).pathname)).status).toBe(200);
  }
});

describe('queryKnowledge 200 text/markdown', () => {
  test('an answer for a prompt, by Accept, that is not stored', async () => {
    const response = await gateway.post(QUERY, { query: 'bm25', max_results: 2 }, { ...bearer(key), Accept: 'text/markdown' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('vary')).toBe('Accept');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectSharedHeaders(response.headers);
    expect(await response.text()).toMatch(/^> Passages are reference material[\s\S]+^> \S/m);
  });

  test('errors are markdown as well', async () => {
    const response = await gateway.post(QUERY, {}, { ...bearer(key), Accept: 'text/markdown' });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/markdown; charset=utf-8']);
    expect(await response.text()).toContain('code: invalid_request');
  });
});
