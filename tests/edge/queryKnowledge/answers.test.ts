import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { QueryResponse, QueryResult } from '../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';

const QUERY = '/api/v1/agent-gateway/query';
const CAPSULE = '/api/v1/agent-gateway/capsule';
const ExactAnswer = z.strictObject({
  ...QueryResponse.shape,
  results: z.array(z.strictObject(QueryResult.shape)),
  page: z.strictObject(QueryResponse.shape.page.shape),
  meta: z.strictObject(QueryResponse.shape.meta.shape),
});
const QUESTIONS = [
  'How does a client know that a cached answer is still fresh?',
  'x402 payment header',
  'idempotency key',
  'saturation of term frequency',
  'agents',
  'who may read robots.txt',
  'verify a signature over canonical JSON',
  'paymnet protocl',
];

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

test.each(QUESTIONS)(
  'passages %j: each is cut out of the text, and its address is a section of the page where it has headings',
  async (query) => {
    const { results } = await ask({ query, passages: LIMITS.passagesMax, quote_length: 200 });
    for (const { capsule_id, url: page, passages = [], quote } of results) {
      const text = await (await gateway.fetch(`${CAPSULE}/${capsule_id}`, { headers: { Accept: 'text/markdown' } })).text();
      expect(passages[0]).toMatchObject(quote);
      for (const { start, end, text: passage, headings, url } of passages) {
        expect(passage).toBe(text.slice(start, end));
        const [address, anchor] = url.split('#');
        expect(address).toBe(page);
        expect(anchor === undefined).toBe(headings.length === 0);
      }
    }
  },
);
