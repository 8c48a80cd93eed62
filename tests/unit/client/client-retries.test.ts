import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClientModule, importClient } from '../../support/bundled-client.ts';
import { close, listen } from '../../support/listen.ts';

/** What the server sends next; the last answer is repeated. A status of 0 closes the connection. */
interface Planned {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const ANSWER: Planned = { status: 200, body: { results: [], page: { next_cursor: null } } };
const PROBLEM = {
  type: 'https://x.example/problems/rate_limited',
  status: 429,
  code: 'rate_limited',
  detail: 'Too many.',
  next_actions: [{ description: 'Wait.' }],
};

describe('retries of the client', () => {
  let module: ClientModule;
  let server: Server;
  let origin: string;
  let plan: Planned[];
  let requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
  let waits: number[];
  const client = (options = {}) => module.gateway(origin, { sleep: async (ms: number) => waits.push(ms), ...options });

  beforeAll(async () => {
    module = await importClient();
    server = createServer((request, response) => {
      requests.push(request);
      const { status, headers = {}, body = PROBLEM } = (plan.length > 1 ? plan.shift() : plan[0]) ?? ANSWER;
      if (status === 0) request.socket.destroy();
      else
        response
          .writeHead(status, { 'Content-Type': 'application/json', ...headers })
          .end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    origin = await listen(server);
  });
  afterAll(() => close(server));
  beforeEach(() => {
    [plan, requests, waits] = [[ANSWER], [], []];
  });

  it('sends nothing after its signal, not even while it waits', async () => {
    plan = [{ status: 429, headers: { 'Retry-After': '7' } }, ANSWER];
    const stop = new AbortController();
    const sleep = async () => stop.abort(new Error('stopped'));
    await expect(client({ signal: stop.signal, sleep }).search({ q: 'a' })).rejects.toThrow('stopped');
    await expect(client({ signal: stop.signal }).search({ q: 'a' })).rejects.toThrow('stopped');
    expect([requests.length, waits]).toEqual([1, []]);
  });

  it('waits as long as Retry-After says after 429 and 503, then sends the same request', async () => {
    plan = [{ status: 429, headers: { 'Retry-After': '7' } }, { status: 503, headers: { 'Retry-After': '2' } }, ANSWER];
    expect(await client().search({ q: 'chains' })).toEqual(ANSWER.body);
    expect(waits).toEqual([7_000, 2_000]);
    expect(new Set(requests.map(({ url }) => url)).size).toBe(1);
    expect(requests).toHaveLength(3);
  });

  it('reads Retry-After as a date', async () => {
    plan = [{ status: 503, headers: { 'Retry-After': 'Sat, 28 Nov 2026 10:00:05 GMT' } }, ANSWER];
    await client({ nowMs: () => Date.UTC(2026, 10, 28, 10) }).search({ q: 'chains' });
    expect(waits).toEqual([5_000]);
  });

  it('throws the problem after as many retries as allowed, and at once if the wait is too long or unknown', async () => {
    plan = [{ status: 429, headers: { 'Retry-After': '1' } }];
    await expect(client({ retriesMax: 2 }).search({ q: 'chains' })).rejects.toMatchObject({
      name: 'GatewayError',
      message: 'Too many.',
      code: 'rate_limited',
      status: 429,
      next_actions: [{ description: 'Wait.' }],
    });
    expect([requests.length, waits]).toEqual([3, [1_000, 1_000]]);
    for (const headers of [{ 'Retry-After': '3600' }, { 'Retry-After': 'soon' }, {}]) {
      [plan, requests, waits] = [[{ status: 503, headers: headers as Record<string, string> }], [], []];
      await expect(client().search({ q: 'chains' })).rejects.toBeInstanceOf(module.GatewayError);
      expect([requests.length, waits]).toEqual([1, []]);
    }
  });

  it('never repeats another refusal', async () => {
    plan = [{ status: 400, headers: { 'Retry-After': '1' } }];
    await expect(client().search({ q: 'chains' })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(requests).toHaveLength(1);
  });

  it('repeats a request whose connection was lost', async () => {
    plan = [{ status: 0 }, ANSWER];
    expect(await client().search({ q: 'chains' })).toEqual(ANSWER.body);
    expect(waits).toEqual([500]);
    plan = [{ status: 0 }];
    await expect(client({ retriesMax: 1 }).search({ q: 'chains' })).rejects.toThrow('fetch failed');
  });

  it('registers once for queries that begin together, with one idempotency key for each try', async () => {
    plan = [{ status: 503, headers: { 'Retry-After': '1' } }, { status: 201, body: { api_key: 'akg_test_1' } }, ANSWER];
    const one = client({ agentName: 'Reader' });
    await Promise.all([one.query({ query: 'chains' }), one.query({ query: 'tyres' })]);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], undefined, undefined]);
    expect(requests.slice(2).map(({ headers }) => headers.authorization)).toEqual(['Bearer akg_test_1', 'Bearer akg_test_1']);
  });

  it('registers again after a registration was refused', async () => {
    plan = [{ status: 403 }, { status: 201, body: { api_key: 'akg_test_2' } }, ANSWER];
    const one = client();
    await expect(one.query({ query: 'chains' })).rejects.toBeInstanceOf(module.GatewayError);
    expect(await one.query({ query: 'chains' })).toEqual(ANSWER.body);
  });

  it('says of a response that is no problem document what it knows', async () => {
    plan = [{ status: 502, body: '<h1>Bad gateway</h1>' }];
    await expect(client().capsule('a')).rejects.toMatchObject({ type: 'about:blank', status: 502, code: '', next_actions: [] });
  });

  it('ends a list at an empty page, whose cursor would repeat it', async () => {
    plan = [{ status: 200, body: { items: [], page: { next_cursor: 'again' } } }];
    const items = [];
    for await (const item of client().capsules({ limit: 2 })) items.push(item);
    expect([items, requests.map(({ url }) => url?.split('?')[1])]).toEqual([[], ['limit=2']]);
  });
});
