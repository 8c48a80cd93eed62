import { describe, expect, test } from 'vitest';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';

const QUERY = '/api/v1/agent-gateway/query';
const gateway = useSharedGateway();
let agents = 0;
const ask = async (body: unknown, headers: Record<string, string> = {}): Promise<Response> => {
  agents += 1;
  return gateway.post(QUERY, body, { ...bearer(await makeKey({ agent: agents.toString(16).padStart(16, '0') })), ...headers });
};
const answerTo = async (body: unknown): Promise<QueryResponse> => {
  const response = await ask(body);
  expect(response.status).toBe(200);
  return (await response.json()) as QueryResponse;
};

test('a member that is null counts as one that was not sent, also within another', async () => {
  const unset = { cursor: null, queries: null, kind: null, max_results: null, explain: null, filters: { type: null, tags: null } };
  expect(await answerTo({ query: 'bm25', ...unset })).toEqual(await answerTo({ query: 'bm25' }));
});

describe('queryKnowledge 400 invalid_request', () => {
  test.each<[string, unknown, [string, string][]]>([
    ['no query', {}, [['/query', 'is missing; send a question or keywords']]],
    ['a query that is no text', { query: ['bm25'] }, [['/query', 'must be a string']]],
    ['max_results as a text', { query: 'a', max_results: '5' }, [['/max_results', 'must be a number']]],
    ['null for the query', { query: null, cursor: null }, [['/query', 'is missing; send a question or keywords']]],
    ['null in a list', { query: 'a', exclude_ids: [null] }, [['/exclude_ids/0', 'must be a string']]],
    ['filters as a list', { query: 'a', filters: [] }, [['/filters', 'must be an object; it can be left out']]],
    ['tags as a text', { query: 'a', filters: { tags: 'payments' } }, [['/filters/tags', 'must be a list']]],
    ['an unknown filter', { query: 'a', filters: { tag: 'payments' } }, [['/filters/tag', expect.stringMatching(/^is unknown/) as string]]],
  ])('with %s, every fault is pointed at in plain words', async (_name, body, faults) => {
    expect(faultsOf(await expectProblem(await ask(body), 'invalid_request'))).toEqual(faults);
  });

  test.each<[string, unknown, string]>([
    ['max_results 0', { query: 'a', max_results: 0 }, '/max_results'],
    ['a negative max_results', { query: 'a', max_results: -1 }, '/max_results'],
    ['a fraction in max_results', { query: 'a', max_results: 1.5 }, '/max_results'],
    ['max_results beyond whole numbers', { query: 'a', max_results: 2 ** 60 }, '/max_results'],
    ['token_budget 0', { query: 'a', token_budget: 0 }, '/token_budget'],
    ['an empty query', { query: '' }, '/query'],
    ['a query of white space', { query: ' \t\r\n\u00a0\u2003\u3000' }, '/query'],
    ['a query one character too long', { query: 'a'.repeat(LIMITS.queryMaxLength + 1) }, '/query'],
    ['an empty cursor', { query: 'a', cursor: '' }, '/cursor'],
    ['a cursor that is too long', { query: 'a', cursor: 'c'.repeat(513) }, '/cursor'],
    ['a version in capitals', { query: 'a', corpus_version: 'A'.repeat(64) }, '/corpus_version'],
    ['a version that is cut', { query: 'a', corpus_version: 'a'.repeat(63) }, '/corpus_version'],
    ['a type that is not known', { query: 'a', filters: { type: 'poem' } }, '/filters/type'],
    ['no tags in tags', { query: 'a', filters: { tags: [] } }, '/filters/tags'],
    [
      'too many tags',
      { query: 'a', filters: { tags: Array.from({ length: LIMITS.filterTagsMax + 1 }, (_, n) => `t${n}`) } },
      '/filters/tags',
    ],
    ['an empty tag', { query: 'a', filters: { tags: ['payments', ' '] } }, '/filters/tags/1'],
    ['an evidence level that is not known', { query: 'a', filters: { min_evidence: 'proven' } }, '/filters/min_evidence'],
    ['a day that is none', { query: 'a', filters: { updated_after: '2026-02-30' } }, '/filters/updated_after'],
    ['a time for a day', { query: 'a', filters: { updated_after: '2026-02-01T00:00:00Z' } }, '/filters/updated_after'],
    ['a state that is not known', { query: 'a', filters: { status: 'draft' } }, '/filters/status'],
    ['no tags in tags_any', { query: 'a', filters: { tags_any: [] } }, '/filters/tags_any'],
    ['a day before that is none', { query: 'a', filters: { updated_before: '2026-13-01' } }, '/filters/updated_before'],
    ['an excluded id that is none', { query: 'a', exclude_ids: ['bm25', 'BM25'] }, '/exclude_ids/1'],
    [
      'too many excluded ids',
      { query: 'a', exclude_ids: Array.from({ length: LIMITS.excludeIdsMax + 1 }, (_, n) => `c${n}`) },
      '/exclude_ids',
    ],
    ['a facet that is not known', { query: 'a', facets: ['type', 'words'] }, '/facets/1'],
    ['no facets in facets', { query: 'a', facets: [] }, '/facets'],
    ['explain as a text', { query: 'a', explain: 'yes' }, '/explain'],
    ['explain with several queries', { queries: ['a', 'b'], explain: true }, '/explain'],
    ['too many queries', { query: 'a', queries: Array.from({ length: LIMITS.queriesMax }, () => 'b') }, '/queries'],
    ['an empty text among several', { queries: ['a', ' '] }, '/queries/1'],
    ['a field that is not known', { query: 'a', fields: ['title', 'snippet'] }, '/fields/1'],
    ['no fields in fields', { query: 'a', fields: [] }, '/fields'],
    ['a quote that is too short', { query: 'a', quote_length: LIMITS.quoteMinLength - 1 }, '/quote_length'],
    ['a negative number of passages', { query: 'a', passages: -1 }, '/passages'],
    ['an order that is not known', { query: 'a', sort: 'oldest' }, '/sort'],
    ['a match that is not known', { query: 'a', min_match: 'good' }, '/min_match'],
    ['no days in updated_within_days', { query: 'a', filters: { updated_within_days: 0 } }, '/filters/updated_within_days'],
    ['a language with a wildcard', { query: 'a', filters: { language: '*' } }, '/filters/language'],
  ])('%s is pointed at', async (_name, body, pointer) => {
    expect(faultsOf(await expectProblem(await ask(body), 'invalid_request')).map(([place]) => place)).toContain(pointer);
  });

  test('a query is measured after NFC: what grows by it is refused, what shrinks is taken', async () => {
    await expectProblem(await ask({ query: '\u0958'.repeat(LIMITS.queryMaxLength) }), 'invalid_request');
    await answerTo({ query: 'e\u0301'.repeat(LIMITS.queryMaxLength) });
  });
});

describe('queryKnowledge bounds what is asked for', () => {
  test('defaults are named', async () => {
    expect((await answerTo({ query: 'agent' })).meta.applied).toEqual({
      max_results: LIMITS.maxResultsDefault,
      token_budget: LIMITS.tokenBudgetMax,
      quote_length: LIMITS.quoteUnsureLength,
      passages: 0,
      kind: ['capsule'],
      sort: 'relevance',
      min_match: 'weak',
      filters: {},
    });
  });
});

describe('queryKnowledge takes any text', () => {
  test('a decomposed query is the composed one, byte for byte', async () => {
    const [composed, decomposed] = await Promise.all(
      ['caf\u00e9 agents', 'cafe\u0301 agents'].map(async (query) => (await ask({ query })).text()),
    );
    expect(decomposed).toBe(composed);
  });
});
