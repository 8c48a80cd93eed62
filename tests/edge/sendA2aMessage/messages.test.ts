import { describe, expect, test } from 'vitest';
import { A2aFailure, A2aMessage, A2aResponse } from '../../../src/protocols/a2a/a2a-schemas.ts';
import type { QuoteCheck } from '../../../src/schemas/knowledge/quote-check.ts';
import type { SearchResponse } from '../../../src/schemas/knowledge/search.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_CAPSULE, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { readEvents } from '../../support/server-sent-events.ts';

const gateway = useSharedGateway();
const empty = useInProcessGateway({ blocks: 'none' });
const NEW = { 'A2A-Version': '1.0' };
const rpc = (method: string, params?: object, id: unknown = 'a'): object => ({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
const send = (message: unknown, headers: Record<string, string> = NEW, by: Requests = gateway, path = '/a2a'): Promise<Response> =>
  by.post(path, message, headers);
const asking = (...parts: object[]): object => ({ message: { messageId: 'm-1', role: 'ROLE_USER', parts } });
const ask = (...parts: object[]): object => rpc('SendMessage', asking(...parts));

const resultOf = async (message: object, headers = NEW): Promise<Readonly<Record<string, unknown>>> => {
  const response = await send(message, headers);
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status: 200, text: expect.any(String) as unknown });
  const { id, result } = A2aResponse.parse(JSON.parse(text));
  expect(id).toBe('a');
  return result;
};
const messageOf = async (...parts: object[]): Promise<A2aMessage> => A2aMessage.parse((await resultOf(ask(...parts)))['message']);
const refused = async (
  message: unknown,
  [status, code, reason]: readonly [number, number, string],
  headers: Record<string, string> = NEW,
  by: Requests = gateway,
): Promise<ReturnType<typeof A2aFailure.parse>> => {
  const response = await send(message, headers, by);
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) as unknown });
  const failure = A2aFailure.parse(JSON.parse(text));
  expect([failure.error.code, failure.error.data[0]?.['reason']]).toEqual([code, reason]);
  return failure;
};

describe('sendA2aMessage 200 application/json', () => {
  test('a question is answered with quotations, as text and as the data of the search', async () => {
    const { role, parts, contextId } = await messageOf({ text: 'what is a facilitator' });
    expect([role, parts.map(({ mediaType }) => mediaType), contextId.length > 0]).toEqual([
      'ROLE_AGENT',
      ['text/markdown', 'application/json'],
      true,
    ]);
    const [{ text = '' } = {}, { data } = {}] = parts;
    const found = await (await gateway.fetch('/api/v1/agent-gateway/search?q=what+is+a+facilitator&max_results=5')).json();
    expect(data).toEqual(found);
    const [first] = (data as SearchResponse).results;
    expect(text).toContain(first?.url);
    expect(text).toContain(`> ${first?.quote.text.split(/[\n[]/)[0]}`);
  });

  test('quotations have absolute links and no marks of footnotes', async () => {
    const shown: string[] = [];
    for (const query of ['what is a facilitator', 'bm25 saturation', 'idempotency key', 'json canonicalization']) {
      const [{ text = '' } = {}, { data } = {}] = (await messageOf({ text: query })).parts;
      shown.push(text);
      expect(text).not.toMatch(/\]\(\/|\[\^/);
      expect((data as SearchResponse).results.length).toBeGreaterThan(0);
    }
    expect(shown.join('\n')).toMatch(/^> .*\]\(https?:/m);
  });

  test('the context of a request is repeated, and every answer has an id of its own', async () => {
    const params = { message: { ...(asking({ text: 'bm25' }) as { message: object }).message, contextId: 'ctx-1' } };
    const answers = [await resultOf(rpc('SendMessage', params)), await resultOf(rpc('SendMessage', params))].map(
      ({ message }) => message as A2aMessage,
    );
    expect(answers.map(({ contextId }) => contextId)).toEqual(['ctx-1', 'ctx-1']);
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test.each([
    [['application/json'], ['application/json']],
    [['text/plain'], ['text/plain']],
    [['text/*'], ['text/markdown']],
    [['*/*'], ['text/markdown', 'application/json']],
    [[], ['text/markdown', 'application/json']],
  ])('a client that accepts %j gets %j', async (acceptedOutputModes, modes) => {
    const { message } = await resultOf(rpc('SendMessage', { ...asking({ text: 'bm25' }), configuration: { acceptedOutputModes } }));
    expect((message as A2aMessage).parts.map(({ mediaType }) => mediaType)).toEqual(modes);
  });

  test('a quotation is verified', async () => {
    const [, { data } = {}] = (await messageOf({ data: { skill: 'ask', query: SAMPLE_CAPSULE, max_results: 1 } })).parts;
    const [result] = (data as SearchResponse).results;
    if (result?.kind !== 'capsule') throw new Error('no capsule was found');
    const { capsule_id, quote, content_sha256 } = result;
    const verdictOf = async (text: string): Promise<QuoteCheck> => {
      const [, part] = (await messageOf({ data: { skill: 'verify_quote', capsule_id, quote: text, version: null } })).parts;
      const [, same] = (await messageOf({ data: { skill: 'verify_quote', id: capsule_id, quote: text } })).parts;
      expect(same).toEqual(part);
      return part?.data as QuoteCheck;
    };
    expect(await verdictOf(quote.text)).toMatchObject({
      verdict: 'exact',
      content_sha256,
      ranges: expect.arrayContaining([{ start: quote.start, end: quote.end }]) as unknown,
    });
    expect((await verdictOf(quote.text.replace(' ', '\n '))).verdict).toBe('white_space_differs');
    expect((await verdictOf(`${quote.text} (.*)+`)).verdict).toBe('not_found');
  });

  test('an offer is found with its price', async () => {
    const { parts } = await messageOf({ data: { skill: 'find_offer', query: 'evidence review' } });
    const results = parts.flatMap(({ data }) => (data as SearchResponse | undefined)?.results ?? []);
    expect(results[0]).toMatchObject({ kind: 'offer', id: SAMPLE_OFFER.id });
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['offer']));
    expect(parts[0]?.text).toMatch(/Price of [^:]+: \$120 once\. Delivery: /);
  });

  test('the version may be a parameter, or absent; a slash at the end is accepted', async () => {
    for (const path of ['/a2a?A2A-Version=1.0', '/a2a', '/a2a/']) {
      expect([path, (await send(ask({ text: 'bm25' }), {}, gateway, path)).status]).toEqual([path, 200]);
    }
  });

  test('there are no tasks to list', async () => {
    expect(await resultOf(rpc('ListTasks', {}))).toEqual({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 });
  });
});

test('sendA2aMessage 200 text/event-stream: a streaming method is answered with one event', async () => {
  const response = await send(rpc('SendStreamingMessage', asking({ text: 'bm25' })));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = readEvents(await response.text()).map(({ data }) => data as { id: string; result: { message: unknown } });
  expect(events.map(({ id, result }) => [id, A2aMessage.safeParse(result.message).success])).toEqual([['a', true]]);
});

describe('sendA2aMessage 400 invalid_request', () => {
  test.each([
    [[], null],
    [[rpc('GetTask')], null],
    [{}, null],
    [{ jsonrpc: '2.0', method: 'GetTask' }, null],
    [{ jsonrpc: '1.0', id: 1, method: 'GetTask' }, 1],
    [{ jsonrpc: '2.0', id: 'a', method: 'GetTask', params: [] }, 'a'],
  ])('not a request, with the id that can be read: %j', async (message, id) => {
    expect((await refused(message, [400, -32_600, 'INVALID_REQUEST'])).id).toBe(id);
  });

  test.each([
    [rpc('SendMessage')],
    [rpc('SendMessage', { message: {} })],
    [rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a' }] } })],
    [ask()],
    [ask({ text: '' })],
    [ask({ text: 'a'.repeat(LIMITS.queryMaxLength + 1) })],
    [ask({ data: { skill: 'poem' } })],
    [ask({ data: { skill: 'verify_quote', quote: 'a' } })],
    [ask({ data: 1 })],
    [ask({ data: { skill: 'ask', query: 'a' } }, { data: { skill: 'ask', query: 'b' } })],
    [rpc('GetTask', {})],
  ])('parameters that are wrong: %j', async (message) => {
    expect((await refused(message, [400, -32_602, 'INVALID_REQUEST'])).id).toBe('a');
  });

  test.each([
    [{ data: { skill: 'verify_quote', id: 5, quote: 'a' } }, '/data/id'],
    [{ data: { skill: 'verify_quote', capsule_id: 5, quote: 'a' } }, '/data/capsule_id'],
    [{ data: { skill: 'ask', query: 'a', max_result: 5 } }, '/data/max_result'],
    [{ data: { skill: 'find_offer', query: 'a', currency: 'USD' } }, '/data/currency'],
    [{ text: '' }, '/text'],
  ])('what was sent in a part is named by its place: %j', async (part, place) => {
    const { message, data } = (await refused(ask(part), [400, -32_602, 'INVALID_REQUEST'])).error;
    expect(message).toContain(`/message/parts/0${place} `);
    expect(data[1]).toMatchObject({ fieldViolations: [{ field: `/message/parts/0${place}` }] });
  });

  test('a name that is nearly known is suggested', async () => {
    const { error } = await refused(ask({ data: { skill: 'ask', query: 'a', max_result: 5 } }), [400, -32_602, 'INVALID_REQUEST']);
    expect(JSON.stringify(error.data)).toContain('Did you mean \\"max_results\\"?');
    const skill = await refused(ask({ data: { skill: 'verify-quote', quote: 'a' } }), [400, -32_602, 'INVALID_REQUEST']);
    expect(skill.error.message).toContain('Did you mean "verify_quote"?');
    const unknown = await refused(ask({ data: { skill: 'verify_quote', id: 'bm26', quote: 'a' } }), [404, -32_000, 'CAPSULE_NOT_FOUND']);
    expect(unknown.error.message).toContain('Did you mean "bm25"?');
    expect(unknown.error.data[1]).toMatchObject({ fieldViolations: [{ field: '/message/parts/0/data/id' }] });
  });

  test.each([
    [rpc('GetTask', { id: 't' }), -32_001, 'TASK_NOT_FOUND'],
    [rpc('CancelTask', { id: 't' }), -32_001, 'TASK_NOT_FOUND'],
    [rpc('SubscribeToTask', { id: 't' }), -32_001, 'TASK_NOT_FOUND'],
    [
      rpc('SendMessage', { message: { messageId: 'm', taskId: 't', role: 'ROLE_USER', parts: [{ text: 'a' }] } }),
      -32_001,
      'TASK_NOT_FOUND',
    ],
    [rpc('CreateTaskPushNotificationConfig', {}), -32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    [rpc('ListTaskPushNotificationConfigs', {}), -32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    [
      rpc('SendMessage', { ...asking({ text: 'a' }), configuration: { taskPushNotificationConfig: { url: 'https://a.example' } } }),
      -32_003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ],
    [rpc('GetExtendedAgentCard'), -32_004, 'UNSUPPORTED_OPERATION'],
    [ask({ url: 'https://a.example/a.pdf', mediaType: 'application/pdf' }), -32_005, 'CONTENT_TYPE_NOT_SUPPORTED'],
    [ask({ raw: 'AAAA' }), -32_005, 'CONTENT_TYPE_NOT_SUPPORTED'],
    [ask({ text: 'a', mediaType: 'text/html' }), -32_005, 'CONTENT_TYPE_NOT_SUPPORTED'],
    [
      rpc('SendMessage', { ...asking({ text: 'a' }), configuration: { acceptedOutputModes: ['image/png'] } }),
      -32_005,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ],
  ] as const)('what A2A has an error for: %j', async (message, code, reason) => {
    expect((await refused(message, [400, code, reason])).id).toBe('a');
  });
});

describe('sendA2aMessage 400 version_unsupported', () => {
  test.each(['0.3', '2.0', '1', 'latest', '10.0'])('version %s', async (version) => {
    await refused(ask({ text: 'a' }), [400, -32_009, 'VERSION_NOT_SUPPORTED'], { 'A2A-Version': version });
  });

  test.each(['message/send', 'message/stream', 'tasks/get', 'agent/getAuthenticatedExtendedCard'])(
    '%s, a method of 0.3, which a request without a version means (section 3.6.2)',
    async (method) => {
      await refused(rpc(method, {}), [400, -32_009, 'VERSION_NOT_SUPPORTED'], {});
    },
  );
});

test.each([
  ['SendMessages', NEW],
  ['message/send', NEW],
  ['constructor', NEW],
  ['tools/list', {}],
])('sendA2aMessage 404 rpc_method_not_found: %s with %j', async (method, headers) => {
  await refused(rpc(method, {}), [404, -32_601, 'RPC_METHOD_NOT_FOUND'], headers as Record<string, string>);
});

test('sendA2aMessage 404 capsule_not_found: a quotation of a capsule or a version that does not exist', async () => {
  for (const reference of [{ capsule_id: 'no-such-capsule' }, { capsule_id: SAMPLE_CAPSULE, version: '99.0.0' }])
    await refused(ask({ data: { skill: 'verify_quote', quote: 'a', ...reference } }), [404, -32_000, 'CAPSULE_NOT_FOUND']);
});

test('a request over the rate limit is refused under its own id', async () => {
  const from = { ...NEW, 'CF-Connecting-IP': '198.51.105.9', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
  for (let left = RATE_LIMITS.search.requests; left > 0; left -= 1) await (await send(rpc('ListTasks', {}), from, empty)).arrayBuffer();
  expect((await refused(ask({ text: 'a' }), [429, -32_000, 'RATE_LIMITED'], from, empty)).id).toBe('a');
});
