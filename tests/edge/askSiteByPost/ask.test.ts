import { describe, expect, test } from 'vitest';
import { AskFailure, AskResponse } from '../../../src/protocols/nlweb/protocol.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { readEvents } from '../../support/server-sent-events.ts';

const gateway = useSharedGateway();
const empty = useSharedGateway({ blocks: 'none' });
const QUESTION = {
  query: { text: 'what is a facilitator', site: 'all', max_results: 2, num_results: 50 },
  context: { '@type': 'ConversationalContext', prev: ['what is x402'] },
  prefer: { streaming: false, response_format: 'conversational_search', mode: 'summarize' },
  meta: { version: '0.55' },
};

describe('askSiteByPost 200 application/json', () => {
  test('has the answer to the same question in a URL', async () => {
    const response = await gateway.post('/ask', QUESTION);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const answer = AskResponse.parse(await response.json());
    expect(answer.results[0]?.schema_object['identifier']).toBe('facilitators');
    expect(answer).toEqual(await (await gateway.fetch('/ask?query=what+is+a+facilitator&max_results=2')).json());
  });
});

describe('askSiteByPost 200 text/event-stream', () => {
  test('streams the answer if the request prefers it', async () => {
    const response = await gateway.post('/ask', { ...QUESTION, prefer: { streaming: true } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(readEvents(await response.text()).map(({ event }) => event)).toEqual(['start', 'result', 'result', 'complete']);
  });
});

describe('askSiteByPost 400 invalid_request', () => {
  test.each([
    [{}, '/query'],
    [{ query: 'bm25' }, '/query'],
    [{ query: {} }, '/query/text'],
    [{ query: { text: '' } }, '/query/text'],
    [{ query: { text: 'a' }, prefer: { mode: 'poem' } }, '/prefer/mode'],
    [{ query: { text: 'a' }, prefer: { streaming: 'yes' } }, '/prefer/streaming'],
  ])('%j is a failure that names the member', async (body, pointer) => {
    const response = await gateway.post('/ask', body);
    expect(response.status).toBe(400);
    const { error } = AskFailure.parse(await response.json());
    expect([error.code, error.details?.map((each) => each.pointer)]).toEqual(['INVALID_REQUEST', [pointer]]);
  });
});

describe('askSiteByPost 503 index_unavailable', () => {
  test('without blocks it says when to come back', async () => {
    const response = await empty.post('/ask', QUESTION);
    expect([response.status, AskFailure.parse(await response.json()).error.code]).toEqual([503, 'INDEX_UNAVAILABLE']);
  });
});
