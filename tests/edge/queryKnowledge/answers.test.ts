import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sha256Hex } from '../../../src/provenance/bytes.ts';
import type { BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { type QueryFilters, QueryResponse, QueryResult } from '../../../src/schemas/knowledge/query.ts';
import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/vocabulary.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';

const QUERY = '/api/v1/agent-gateway/query';
const CAPSULE = '/api/v1/agent-gateway/capsule';
/** The published form and nothing besides it. */
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

describe('queryKnowledge 200 application/json', () => {
  test('the answer must not be stored and is no subject of validators', async () => {
    const response = await gateway.post(QUERY, { query: 'bm25' }, { ...bearer(key), 'If-None-Match': '*' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expectSharedHeaders(response.headers);
  });

  test.each(QUESTIONS)(
    '%j: every quote is cut exactly out of the text whose digest is named, and highlights lie inside of it',
    async (query) => {
      const { results } = await ask({ query });
      expect(results.length).toBeGreaterThan(0);
      for (const { capsule_id, content_sha256, quote, highlights, version } of results) {
        const text = await (
          await gateway.fetch(`${CAPSULE}/${capsule_id}?version=${version}`, { headers: { Accept: 'text/markdown' } })
        ).text();
        expect(await sha256Hex(text)).toBe(content_sha256);
        expect(quote.text).toBe(text.slice(quote.start, quote.end));
        expect(quote.text.length).toBeGreaterThan(0);
        expect(quote.text.length).toBeLessThanOrEqual(LIMITS.quoteDefaultLength);
        expect(quote.text).toBe(quote.text.trim());
        let last = 0;
        for (const { start, end } of highlights) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(quote.text.length);
      }
    },
  );

  test.each(QUESTIONS)('%j: results stand in order of state, then score, each once', async (query) => {
    const { results, page } = await ask({ query, max_results: LIMITS.maxResultsMax });
    // What has been replaced loses a part of its score instead.
    const rank = { current: 0, superseded: 0, retracted: 1 };
    const sorted = [...results].sort((a, b) => rank[a.status] - rank[b.status] || b.score - a.score);
    expect(results.map(({ capsule_id }) => capsule_id)).toEqual(sorted.map(({ capsule_id }) => capsule_id));
    expect(new Set(results.map(({ capsule_id }) => capsule_id)).size).toBe(results.length);
    expect(page.total).toBeGreaterThanOrEqual(results.length);
  });

  test('what a result says of a capsule is what the list of capsules says', async () => {
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

  test.each<[string, QueryFilters, (capsule: BrowseResponse['items'][number]) => boolean]>([
    ['a type', { type: 'protocol' }, ({ type }) => type === 'protocol'],
    ['a tag', { tags: ['payments'] }, ({ tags }) => tags.includes('payments')],
    ['two tags, both needed', { tags: ['payments', 'discovery'] }, ({ tags }) => tags.includes('payments') && tags.includes('discovery')],
    [
      'an evidence level and those above',
      { min_evidence: 'specified' },
      ({ evidence }) => EVIDENCE_LEVELS.indexOf(evidence) >= EVIDENCE_LEVELS.indexOf('specified'),
    ],
    ['a language', { language: 'en' }, ({ language }) => language === 'en'],
    ['a language that nothing is written in', { language: 'de' }, () => false],
    ['a licence', { license: 'CC-BY-4.0' }, ({ license }) => license === 'CC-BY-4.0'],
    ['a state', { status: 'superseded' }, ({ status }) => status === 'superseded'],
    ['a day', { updated_after: '2026-11-20' }, ({ updated }) => updated > '2026-11-20'],
    ['a day before which', { updated_before: '2026-11-20' }, ({ updated }) => updated < '2026-11-20'],
    ['any of two tags', { tags_any: ['payments', 'discovery'] }, ({ tags }) => tags.includes('payments') || tags.includes('discovery')],
    ['a day that is the newest change itself', { updated_after: '2999-01-01' }, () => false],
    [
      'two conditions',
      { type: 'protocol', min_evidence: 'documented' },
      ({ type, evidence }) => type === 'protocol' && EVIDENCE_LEVELS.indexOf(evidence) >= 2,
    ],
  ])('a filter on %s takes out what does not meet it, changes no score, and keeps the total honest', async (_name, filters, meets) => {
    const everything = await ask({ query: 'payment header signature', max_results: LIMITS.maxResultsMax });
    const filtered = await ask({ query: 'payment header signature', max_results: LIMITS.maxResultsMax, filters });
    const wanted = new Set((await allCapsules()).filter(meets).map(({ capsule_id }) => capsule_id));
    const expected = everything.results.filter(({ capsule_id }) => wanted.has(capsule_id));
    expect(filtered.results.slice(0, expected.length).map(({ capsule_id, score }) => [capsule_id, score])).toEqual(
      expected.map(({ capsule_id, score }) => [capsule_id, score]),
    );
    expect(filtered.results.every(({ capsule_id }) => wanted.has(capsule_id))).toBe(true);
    expect(filtered.page.total).toBe(filtered.results.length);
    expect(filtered.meta.applied.filters).toEqual(filters);
  });
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

describe('passages', () => {
  test.each(QUESTIONS)('%j: each is cut out of the text, and its address is a section of the page where it has headings', async (query) => {
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
  });
});
