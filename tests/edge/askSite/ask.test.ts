import { describe, expect, test } from 'vitest';
import { AskFailure, AskResponse } from '../../../src/protocols/nlweb/nlweb.ts';
import type { SearchResponse } from '../../../src/schemas/knowledge/search.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { readEvents } from '../../support/server-sent-events.ts';

const gateway = useSharedGateway();
const ask = (parameters: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.fetch(`/ask?${new URLSearchParams(parameters)}`, { headers });
const answerTo = async (parameters: Readonly<Record<string, string>>): Promise<AskResponse> => {
  const response = await ask(parameters);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  return AskResponse.parse(await response.json());
};

describe('askSite 200 application/json', () => {
  test('has the results of the search, in their order', async () => {
    const query = 'what does a readiness review cost';
    const found = (await (await gateway.fetch(`/api/v1/agent-gateway/search?q=${query.replaceAll(' ', '+')}`)).json()) as SearchResponse;
    const { _meta, site, results, corpus_version } = await answerTo({ query });
    expect(_meta).toEqual({ response_type: 'answer', response_format: 'conversational_search', version: '0.55', mode: 'list' });
    expect(site).toBe(new URL(TEST_BASE_URL).hostname);
    expect(corpus_version).toBe(found.corpus_version);
    expect(results.map(({ url, kind, quote }) => ({ url, kind, quote }))).toEqual(
      found.results.map(({ url, kind, quote }) => ({ url, kind, quote })),
    );
    expect(results[0]?.schema_object).toMatchObject({ '@type': 'Offer', price: 480, priceCurrency: 'USD' });
  });

  test.each(['list', 'summarize', 'generate'])('the mode %s is answered with a list, which the answer says', async (mode) => {
    const { _meta, results } = await answerTo({ query: 'bm25', mode });
    expect([_meta.mode, results.length > 0]).toEqual(['list', true]);
    expect(results.filter(({ description, quote }) => !description.endsWith(quote.text))).toEqual([]);
  });

  test('the question that its context completes is answered, and parameters of other servers are named as ignored', async () => {
    const given = {
      query: 'and what does it cost?',
      decontextualized_query: 'what does a readiness review cost',
      prev: 'a, b',
      site: 'all',
    };
    const { query, results, ignored } = await answerTo({ ...given, scorer: 'nlwebscorer', max_result: '3' });
    expect([query, results[0]?.kind]).toEqual([given.decontextualized_query, 'offer']);
    expect(ignored).toEqual([{ pointer: 'scorer' }, { pointer: 'max_result', did_you_mean: 'max_results' }]);
    expect(await answerTo(given)).not.toHaveProperty('ignored');
  });

  test('the id of a question is repeated, and otherwise the same for the same question', async () => {
    expect((await answerTo({ query: 'bm25', query_id: 'mine' })).query_id).toBe('mine');
    const [one, two, other] = await Promise.all(['bm25', 'bm25', 'keys'].map((query) => answerTo({ query })));
    expect(one?.query_id).toBe(two?.query_id);
    expect(one?.query_id).not.toBe(other?.query_id);
  });

  test('a question that nothing matches is a failure without results', async () => {
    const { _meta, results, error } = await answerTo({ query: 'zzzxqv' });
    expect([_meta.response_type, results, error?.code]).toEqual(['failure', [], 'NO_RESULTS']);
  });
});

test.each([
  [{ query: 'bm25', max_results: '2', streaming: 'true' }, {}],
  [{ query: 'bm25', max_results: '2' }, { Accept: 'text/event-stream' }],
] as const)('askSite 200 text/event-stream: %j is the answer in events', async (parameters, headers) => {
  const response = await ask(parameters, headers);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const events = readEvents(await response.text());
  expect(events.map(({ event }) => event)).toEqual(['start', 'result', 'result', 'complete']);
  const { results } = await answerTo({ query: 'bm25', max_results: '2' });
  expect(events.slice(1, 3).map(({ data }) => data)).toEqual(results.map((item, index) => ({ index, item })));
  expect(events.at(-1)?.data).toMatchObject({ total_items: 2, _meta: { response_type: 'answer' } });
});

test.each([
  ['', 'query'],
  ['query=', 'query'],
  ['q=bm25', 'query'],
  ['query=a&query=b', 'query'],
  ['query=a&mode=poem', 'mode'],
  ['query=a&streaming=maybe', 'streaming'],
  ['query=a&max_results=0', 'max_results'],
  [`query=${'a'.repeat(LIMITS.queryMaxLength + 1)}`, 'query'],
])('askSite 400 invalid_request: ?%s is a failure that names the parameter', async (search, name) => {
  const response = await gateway.fetch(`/ask?${search}`);
  expect(response.status).toBe(400);
  const { error } = AskFailure.parse(await response.json());
  expect([error.code, error.details?.map(({ pointer }) => pointer)]).toEqual(['INVALID_REQUEST', expect.arrayContaining([name])]);
});

test('questions use the limit of the keyless search', async () => {
  const { headers } = await ask({ query: 'bm25' });
  expect(headers.get('ratelimit-policy')).toContain(`"search";q=${RATE_LIMITS.search.requests}`);
});

const QUESTION = {
  query: { text: 'what is a facilitator', site: 'all', max_results: 2, num_results: 50 },
  context: { '@type': 'ConversationalContext', prev: ['what is x402'] },
  prefer: { streaming: false, response_format: 'conversational_search', mode: 'summarize' },
  meta: { version: '0.55' },
};

test('askSiteByPost 200 application/json: has the answer to the same question in a URL', async () => {
  const response = await gateway.post('/ask', QUESTION);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { ignored, ...answer } = AskResponse.parse(await response.json());
  expect(ignored).toEqual([{ pointer: '/query/num_results' }, { pointer: '/prefer/response_format' }]);
  expect(answer.results[0]?.schema_object['identifier']).toBe('facilitators');
  expect(answer).toEqual(await (await gateway.fetch('/ask?query=what+is+a+facilitator&max_results=2')).json());
  const nulls = { ...QUESTION, prefer: null, context: null };
  expect(await (await gateway.post('/ask', nulls)).json()).toMatchObject(answer);
});

test('askSiteByPost 200 text/event-stream: streams the answer if the request prefers it', async () => {
  const response = await gateway.post('/ask', { ...QUESTION, prefer: { streaming: true } });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(readEvents(await response.text()).map(({ event }) => event)).toEqual(['start', 'result', 'result', 'complete']);
});

test.each([{ query: 'bm25' }, {}])('askSiteByPost 400 invalid_request: %j is told the form of a question', async (body) => {
  const { error } = AskFailure.parse(await (await gateway.post('/ask', body)).json());
  expect(error.message).toContain('send {"query":{"text":"how do agents register"}}');
});

test.each([
  [{}, '/query'],
  [{ query: 'a' }, '/query'],
  [{ query: null }, '/query'],
  [{ query: {} }, '/query/text'],
  [{ query: { text: '' } }, '/query/text'],
  [{ query: { text: 'a' }, prefer: { mode: 'poem' } }, '/prefer/mode'],
  [{ query: { text: 'a' }, prefer: { streaming: 'yes' } }, '/prefer/streaming'],
])('askSiteByPost 400 invalid_request: %j is a failure that names the member', async (body, pointer) => {
  const response = await gateway.post('/ask', body);
  expect(response.status).toBe(400);
  const { error } = AskFailure.parse(await response.json());
  expect([error.code, error.details?.map((each) => each.pointer)]).toEqual(['INVALID_REQUEST', [pointer]]);
});
