import { describe, expect, test } from 'vitest';
import { RESULT_KINDS } from '../../../src/schemas/knowledge/kinds-and-levels.ts';
import { SearchResponse } from '../../../src/schemas/knowledge/search.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { makeTwoGenerations } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const SEARCH = '/api/v1/agent-gateway/search';
const gateway = useSharedGateway();
const { older, newer, blocks } = await makeTwoGenerations();
const updated = useInProcessGateway({ generated: { generation: newer }, blocks });

async function answerTo(parameters: Readonly<Record<string, string>>, service: Requests = gateway): Promise<SearchResponse> {
  const response = await service.fetch(`${SEARCH}?${new URLSearchParams(parameters)}`);
  expect(response.status).toBe(200);
  return SearchResponse.parse(await response.json());
}

const nameOf = (result: SearchResponse['results'][number] | undefined): string | undefined =>
  result?.kind === 'capsule' ? result.capsule_id : result?.id;

describe('searchKnowledge 200 application/json', () => {
  test.each([
    ['what does a readiness review cost', 'offer', 'readiness-review'],
    ['how do I get a key here', 'guide', 'docs/agent-keys'],
    ['what does error rate_limited mean', 'error', 'rate_limited'],
    ['refund policy', 'guide', 'refunds'],
    ['what is a facilitator', 'capsule', 'facilitators'],
  ])('"%s" finds the %s %s first', async (q, kind, name) => {
    const [first] = (await answerTo({ q })).results;
    expect([first?.kind, nameOf(first)]).toEqual([kind, name]);
  });

  test('is counted for the network, and the limit is published', async () => {
    const { search } = RATE_LIMITS;
    const response = await gateway.fetch(`${SEARCH}?q=bm25`);
    expect(response.headers.get('ratelimit-policy')).toContain(`"search";q=${search.requests};w=${search.windowSeconds}`);
    expect(search.requests / search.windowSeconds).toBeLessThan(RATE_LIMITS.query.requests / RATE_LIMITS.query.windowSeconds);
  });

  test('a pinned response never expires, unless it may contain a price', async () => {
    const { corpus_version } = await answerTo({ q: 'review' });
    const cacheOf = async (kind: string): Promise<string | null> =>
      (await gateway.fetch(`${SEARCH}?${new URLSearchParams({ q: 'review', corpus_version, kind })}`)).headers.get('cache-control');
    expect(await cacheOf('capsule,guide,error')).toContain('immutable');
    expect(await cacheOf('capsule,offer')).toBe('public, max-age=300');
  });

  test('has the response of a query for the same kinds', async () => {
    const key = await makeKey();
    for (const kind of ['capsule', 'offer', 'guide,error']) {
      const query = { query: 'how are reviews paid', kind: kind.split(','), max_results: 3, quote_length: 200 };
      const response = await gateway.post('/api/v1/agent-gateway/query', query, bearer(key));
      expect(await answerTo({ q: 'how are reviews paid', kind, max_results: '3', quote_length: '200' })).toEqual(await response.json());
    }
  });

  test('refuses a number below the least as a query does, and lowers one above the most', async () => {
    const answerOf = (name: string, value: number) => gateway.fetch(`${SEARCH}?q=review&${name}=${value}`);
    for (const [name, least] of Object.entries({ max_results: 1, quote_length: LIMITS.quoteMinLength, token_budget: 1 })) {
      const problem = await expectProblem(await answerOf(name, least - 1), 'invalid_request');
      expect(faultsOf(problem).map(([pointer]) => pointer)).toEqual([name]);
      expect((await answerOf(name, least)).status).toBe(200);
    }
    const { meta } = await answerTo({ q: 'review', quote_length: '9000' });
    expect(meta.clamped).toEqual([{ pointer: '/quote_length', requested: 9_000, applied: LIMITS.quoteMaxLength }]);
  });
});

test('searchKnowledge 200 text/markdown: has the same results as text for a prompt, with the price of an offer', async () => {
  const response = await gateway.fetch(`${SEARCH}?q=what+does+a+readiness+review+cost`, { headers: { Accept: 'text/markdown' } });
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(response.headers.get('vary')).toContain('Accept');
  expect(response.headers.get('etag')).not.toBeNull();
  const text = await response.text();
  expect(text).toContain('## Agent-readiness review');
  expect(text).toContain('Price of Agent-readiness review: $480 once.');
  expect(text).toContain(`${TEST_BASE_URL}/texts/offers/readiness-review.md`);
});

describe('searchKnowledge 400 invalid_request', () => {
  test.each([
    ['', 'q'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    ['query=bm25', 'query'],
    ['q=a&kind=poem', 'kind'],
    ['q=a&kind=offer,', 'kind'],
    ['q=a&max_results=0', 'max_results'],
    ['q=a&max_results=ten', 'max_results'],
    ['q=a&min_match=good', 'min_match'],
    ['q=a&corpus_version=1', 'corpus_version'],
    ['q=a&q=b', 'q'],
    [`q=${'a'.repeat(LIMITS.queryMaxLength + 1)}`, 'q'],
    ['q=%E0%A4%A', 'q'],
    ['kind=guide&q=caf%E9', 'q'],
    ['%71=%ff', 'q'],
  ])('?%s is refused, and the parameter is named', async (search, name) => {
    const problem = await expectProblem(await gateway.fetch(`${SEARCH}?${search}`), 'invalid_request');
    expect(faultsOf(problem).map(([place]) => place)).toContain(name);
  });

  test('bytes that are not UTF-8 are named as such, unlike a percent sign that encodes nothing', async () => {
    const { detail } = await expectProblem(await gateway.fetch(`${SEARCH}?q=caf%E9`), 'invalid_request');
    expect(detail).toBe('The parameter "q" is not UTF-8.');
    for (const q of ['100%', 'caf%C3%A9', '%zz+agents']) expect((await gateway.fetch(`${SEARCH}?q=${q}`)).status, q).toBe(200);
  });

  test('a missing question is named with an example', async () => {
    const problem = await expectProblem(await gateway.fetch(SEARCH), 'invalid_request');
    expect(faultsOf(problem)).toEqual([['q', 'is missing; send the question in the URL: ?q=how+do+agents+register']]);
  });
});

describe('searchKnowledge 400 invalid_cursor', () => {
  test('a cursor of another question or of other kinds is refused', async () => {
    const { next_cursor } = (await answerTo({ q: 'agents', max_results: '1' })).page;
    for (const search of [`q=keys&cursor=${next_cursor}`, `q=agents&kind=capsule&cursor=${next_cursor}`])
      await expectProblem(await gateway.fetch(`${SEARCH}?${search}`), 'invalid_cursor');
  });

  test('a query that gets the cursor of a search is told that they search other kinds, which both responses name', async () => {
    const { page, meta } = await answerTo({ q: 'agents', max_results: '1' });
    expect(meta.applied.kind).toEqual(RESULT_KINDS);
    const query = { query: 'agents', cursor: page.next_cursor };
    const response = await gateway.post('/api/v1/agent-gateway/query', query, bearer(await makeKey()));
    const { detail } = await expectProblem(response, 'invalid_cursor');
    expect(detail).toContain('with the same query, queries, kind (capsule by default, in searches all), filters');
  });
});

test('searchKnowledge 409 corpus_superseded: a corpus version that is no longer served is refused, and one that is still listed responds', async () => {
  await expectProblem(await updated.fetch(`${SEARCH}?q=agents&corpus_version=${'0'.repeat(64)}`), 'corpus_superseded');
  expect((await answerTo({ q: 'agents', corpus_version: older.version }, updated)).corpus_version).toBe(older.version);
});
