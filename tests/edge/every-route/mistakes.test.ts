import { describe, expect, test } from 'vitest';
import type { Registration } from '../../../src/schemas/agents.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import type { Problem } from '../../../src/schemas/problem-details.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

/** What callers get wrong, and what one response must tell them, so that the next request is right. */
const gateway = useSharedGateway();
const { deployment } = await builtGenerated();
const subjects = { a2a: { title: 'Agent2Agent (A2A)' }, discovery: { title: 'Discovery' } };
const named = useInProcessGateway({ generated: { deployment: { ...deployment, subjects } } });
const QUERY = `${PATHS.gateway}/query`;
const key = bearer(await makeKey({ scopes: ['read', 'submit', 'buy'] }));
const suggestions = ({ errors = [] }: Problem): unknown[] => errors.map(({ pointer, did_you_mean }) => [pointer, did_you_mean]);

test.each([
  ['is spelled like them', 'retrievel', ['retrieval']],
  ['is made of them', 'retrieval-http', ['retrieval', 'http']],
  ['is made of them, some twice', 'http-retrieval-http', ['http', 'retrieval']],
  [
    'is made of more than five',
    'http-agents-discovery-payments-security-reliability',
    ['http', 'agents', 'discovery', 'payments', 'security'],
  ],
])('a tag that no capsule has, but %s, is answered with tags', async (_case, tag, values) => {
  const response = await gateway.post(QUERY, { query: 'caching', filters: { tags: [tag] } }, key);
  const { meta } = (await response.json()) as QueryResponse;
  expect(meta.suggestions?.[0]).toEqual({
    kind: 'other_values',
    without: ['/filters/tags/0'],
    values: values.map((value) => expect.objectContaining({ value, count: expect.any(Number) as number }) as object),
  });
});

test('filters take the names of tags, and responses say them where an id does not', async () => {
  const idsOf = async (tag: string): Promise<string[]> => {
    const response = await named.post(QUERY, { query: 'agents', filters: { tags: [tag] }, facets: ['tags'] }, key);
    const { results, facets } = (await response.json()) as QueryResponse;
    expect(facets?.tags).toContainEqual({ value: 'a2a', name: 'Agent2Agent (A2A)', count: 1 });
    expect(facets?.tags).toContainEqual({ value: 'discovery', count: 1 });
    return results.map(({ capsule_id }) => capsule_id);
  };
  const byId = await idsOf('a2a');
  expect([byId.length > 0, await idsOf('agent2agent  (A2A)'), await idsOf('A2A')]).toEqual([true, byId, byId]);
});

test('a path above operations leads to one of them that reads and is no file', async () => {
  const stepFor = async (path: string) => (await expectProblem(await gateway.fetch(path), 'route_not_found')).next_actions[0]?.href;
  expect(await stepFor('/api/v1/capsules')).toMatch(/\/capsules\/public\/browse$/);
  expect(await stepFor('/api/v1/agent-gateway')).toMatch(/\/agent-gateway\/search$/);
  expect(await stepFor('/api/v1/commerce')).toMatch(/\/capabilities$/);
  expect(await stepFor('/api/v1/agent-gateway/keys')).toMatch(/\/keys\/self$/);
});

test.each([
  ['POST', '/api/v1/capsules/propose', 'POST', `${PATHS.publicCapsules}/intake`],
  ['POST', '/api/v1/login', 'POST', `${PATHS.gateway}/register`],
  ['POST', '/api/v1/checkout', 'GET', '/api/v1/acp/discover'],
  ['POST', '/api/v1/ask', 'POST', QUERY],
  ['GET', '/api/v1/search', 'GET', `${PATHS.gateway}/search`],
  ['GET', '/api/v1/agent-gateway/capsules/bm25', 'GET', `${PATHS.gateway}/capsule/bm25`],
])('what agents call an operation leads to it: %s %s', async (method, path, meant, target) => {
  const { next_actions: steps } = await expectProblem(await gateway.fetch(path, { method }), 'route_not_found');
  expect(steps[0]).toMatchObject({ method: meant, href: expect.stringContaining(target) as string });
});

test('a part of another path is no id', async () => {
  const { detail } = await expectProblem(await gateway.fetch('/api/v1/lineage'), 'route_not_found');
  expect(detail).toBe('There is no operation at this path.');
});

test('a registration names the members that it ignored, and what they may mean', async () => {
  const response = await gateway.post(`${PATHS.gateway}/register`, { agent_name: 'probe', email: 'a@b.example', colour: 'red' });
  const { ignored } = (await response.json()) as Registration;
  expect([response.status, ignored]).toEqual([201, [{ pointer: '/email', did_you_mean: 'contact' }, { pointer: '/colour' }]]);
  const wrong = await expectProblem(await gateway.post(`${PATHS.gateway}/register`, { agentName: 'probe' }), 'invalid_request');
  expect(wrong.errors).toEqual([{ pointer: '/agent_name', message: 'is missing; it may be what "agentName" was meant to be' }]);
});

test('a member of the body in the URL is refused, not ignored, and what marks a link changes nothing', async () => {
  expect((await gateway.post(`${QUERY}?utm_source=a`, { query: 'a' }, key)).status).toBe(200);
  expect((await gateway.post(`${PATHS.gateway}/register?ref=a`, { agent_name: 'probe' })).status).toBe(201);
  const { errors } = await expectProblem(await gateway.post(`${QUERY}?max_results=1`, { query: 'a' }, key), 'invalid_request');
  expect(errors).toEqual([{ pointer: 'max_results', message: 'is not read from the URL; this operation reads its body' }]);
  expect(await (await gateway.post(`${PATHS.ask}?query=a`, { query: { text: 'a' } })).json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', message: 'The parameter "query" is not read from the URL; this operation reads its body.' },
  });
  const unknown = await expectProblem(await gateway.fetch(`${PATHS.gateway}/challenge?bits=18`), 'invalid_request');
  expect(unknown.errors?.[0]?.pointer).toBe('bits');
});

test('a parameter that another search takes leads to it', async () => {
  const firstStep = async (path: string) => (await expectProblem(await gateway.fetch(path), 'invalid_request')).next_actions[0];
  expect(await firstStep(`${PATHS.gateway}/search?q=a&tags=b`)).toMatchObject({
    description: 'Send a query, whose body takes "filters.tags".',
    method: 'POST',
    href: expect.stringMatching(/\/query$/) as string,
  });
  const browse = `${PATHS.publicCapsules}/browse`;
  expect(await firstStep(`${browse}?q=a`)).toMatchObject({ method: 'GET', href: expect.stringMatching(/\/search$/) as string });
  expect((await firstStep(`${browse}?tags=a`))?.description).toMatch(/^Correct/);
  expect(await firstStep(`${PATHS.publicCapsules}/changes?since=2026-11-29`)).toMatchObject({
    description: 'List the capsules, which takes "updated_after".',
    href: expect.stringMatching(/\/browse$/) as string,
  });
});

test('what models write around a request and its values is told apart from the request', async () => {
  const detailOf = async (body: unknown, path: string = QUERY) =>
    (await expectProblem(await gateway.post(path, body, key), 'invalid_request')).detail;
  const fenced = await gateway.fetch(QUERY, {
    method: 'POST',
    body: '```json\n{"query":"a"}\n```',
    headers: { ...key, 'Content-Type': 'application/json' },
  });
  expect((await expectProblem(fenced, 'invalid_json')).detail).toMatch(/; send the JSON without the fence of a code block\.$/);
  expect(await detailOf({ query: 'a', corpus_version: 'latest' })).toMatch(/; it can be left out\.$/);
  expect(await detailOf({ query: 'a', kind: [] })).toMatch(/; it can be left out\.$/);
  expect(await detailOf({ query: 'a', facets: '' })).toMatch(/ \/facets must be a list; it can be left out\.$/);
  expect(await detailOf({ query: 'a', sort: 'latest' })).not.toContain('left out');
  expect(await detailOf({ query: 'a', exclude_ids: 'capsule:bm25, capsule:ndcg' })).not.toContain('["ndcg"]');
  const empty = await gateway.fetch(`${PATHS.gateway}/search?q=a&prefer_language=`);
  expect((await expectProblem(empty, 'invalid_request')).detail).toMatch(/; it can be left out\.$/);
  expect(await detailOf({ agent_name: 'a', scopes: 'read submit' }, `${PATHS.gateway}/register`)).toContain(
    'Did you mean ["read","submit"]?',
  );
  const fetchPath = '/api/v1/capsules/fetch';
  expect(await detailOf({ ids: ['bm25@1.0.0'] }, fetchPath)).toContain(
    'with a version: {"capsule_id": "http-caching", "version": "1.0.0"}',
  );
  expect(await detailOf({ ids: ['capsule:bm25'] }, fetchPath)).toContain('Did you mean "bm25"?');
  const basic = await gateway.post(QUERY, { query: 'a' }, { Authorization: 'Basic YTpi' });
  expect((await expectProblem(basic, 'api_key_invalid')).next_actions[0]?.description).toBe(
    'Send the key as "Authorization: Bearer <api_key>".',
  );
  const misspelt = await gateway.fetch(`${PATHS.gateway}/capsule/bm26@1.0.0`);
  expect((await expectProblem(misspelt, 'capsule_not_found')).next_actions[0]?.href).toMatch(/\/capsule\/bm25\?version=1\.0\.0$/);
  for (const id of ['bm26:1.0.0', 'bm26:latest', 'bm26:', 'bm26%23', 'urn:capsule:bm26', 'capsule:bm26:v1.0'])
    expect((await expectProblem(await gateway.fetch(`${PATHS.gateway}/capsule/${id}`), 'capsule_not_found')).next_actions[0]?.href).toMatch(
      /\/capsule\/bm25$/,
    );
});

test('the other method of a search leads to the search that has it, with the question', async () => {
  const steps = async (path: string, method: string) =>
    (await expectProblem(await gateway.fetch(path, { method }), 'method_not_allowed')).next_actions.map(
      (step) => `${step.method} ${step.href?.replace(/^.*agent-gateway/, '')}`,
    );
  expect((await steps(`${QUERY}?query=a+b&max_results=2`, 'GET')).slice(0, 2)).toEqual(['GET /search?q=a+b&max_results=2', 'POST /query']);
  expect((await steps(`${PATHS.gateway}/search?q=a`, 'POST')).slice(0, 2)).toEqual(['GET /search?q=a', 'POST /query']);
});

describe('a request with several mistakes', () => {
  test('without a key: the body is read too', async () => {
    const problem = await expectProblem(await gateway.post(QUERY, { query: 'a', limit: 3 }), 'api_key_missing');
    expect(suggestions(problem)).toEqual([
      ['Authorization', undefined],
      ['/limit', 'max_results'],
    ]);
  });

  test('in ACP: version, key, idempotency key and body in one message', async () => {
    const response = await gateway.post(`${PATHS.acp}/checkout_sessions`, { line_items: [{ quantity: 0 }] });
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect([response.status, code]).toEqual([400, 'missing_api_version']);
    for (const part of [
      'Send API-Version: 2026-04-17',
      'Idempotency-Key is missing; send for example "Idempotency-Key: ',
      'Authorization is missing',
      '/currency is missing',
      '/capabilities is missing',
      '/line_items/0',
    ])
      expect(message).toContain(part);
  });

  test('in ACP: currency, price, address for events and offer in one message', async () => {
    const body = {
      currency: 'xxx',
      capabilities: {},
      line_items: [{ id: 'evidence-revie', quantity: 1 }],
      metadata: { order_webhook_url: 'ftp://a' },
    };
    const headers = { ...key, 'API-Version': '2026-04-17', 'Idempotency-Key': crypto.randomUUID() };
    const response = await gateway.post(`${PATHS.acp}/checkout_sessions`, body, headers);
    const { code, message, param } = (await response.json()) as { code: string; message: string; param: string };
    expect([response.status, code, param]).toEqual([400, 'invalid_request', '$.currency']);
    for (const part of [
      'The currency must be',
      '/metadata/order_webhook_url must be',
      '/line_items/0 names "evidence-revie", which is not an offer',
      '"evidence-review"',
    ])
      expect(message).toContain(part);
  });

  test('in UCP: a message for the missing header with an example, and one for each fault of the body', async () => {
    const response = await gateway.post(`${PATHS.ucp}/checkout-sessions`, { line_items: [{ item: {}, quantity: 0 }] });
    const { messages } = (await response.json()) as { messages: { content: string; path?: string }[] };
    expect(response.status).toBe(400);
    expect(messages[0]?.content).toContain('UCP-Agent: profile="https://agent.example/.well-known/ucp"');
    expect(messages.map(({ path }) => path)).toEqual([undefined, '$.line_items[0].item.id', '$.line_items[0].quantity']);
  });
});
