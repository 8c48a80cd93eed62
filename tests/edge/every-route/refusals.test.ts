import { describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtGenerated, NOW_HEADER, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, isUnknownThing, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { withoutBlocks } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useEdgeGateway();

describe.each(FUNCTION_ROUTES)('$id 414 uri_too_long', (each) => {
  const { path, init, route } = each;
  const ofLength = (length: number): string => `${path}?${'x'.repeat(length - TEST_BASE_URL.length - path.length - 1)}`;

  test('one character too many is refused, whatever else is right', async () => {
    const { text } = await expectRefusal(await gateway.fetch(ofLength(LIMITS.requestUrlMaxLength + 1), init), 'uri_too_long', route);
    expect(text).toContain(String(LIMITS.requestUrlMaxLength));
  });

  test('the longest address is not too long', async () => {
    const response = await gateway.fetch(ofLength(LIMITS.requestUrlMaxLength), init);
    expect([200, 201, 202, 303, 400, ...(isUnknownThing(each, response.status) ? [404] : [])]).toContain(response.status);
    await response.arrayBuffer();
  });

  test('a very long one does no harm', async () => await expectRefusal(await gateway.fetch(ofLength(12_000), init), 'uri_too_long', route));
});

describe.each(FUNCTION_ROUTES)('$id 429 rate_limited', ({ path, init, route }) => {
  const { requests, windowSeconds } = RATE_LIMITS.network;
  const now = Date.UTC(2031, 0, 1);
  const fromNetwork = (last: number, atMs = now): Record<string, string> => ({
    'CF-Connecting-IP': `203.0.113.${last}`,
    [NOW_HEADER]: String(atMs),
  });
  const send = (headers: Record<string, string>): Promise<Response> =>
    gateway.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });

  // One network is exhausted once, by the first of these tests, and stays so: the clock stands still.
  test('a network that has used up its limit is refused here, told when to come back, and let in then', async () => {
    for (let count = 0; count < requests; count += 1) {
      const response = await gateway.fetch('/api/v1/nothing', { method: 'OPTIONS', headers: fromNetwork(count % 250) });
      await response.arrayBuffer();
      if (response.status === 429) break;
    }
    const response = await send(fromNetwork(77));
    expect(response.headers.get('ratelimit')).toBe('"network";r=0;t=1');
    expect(response.headers.get('ratelimit-policy')).toBe(`"network";q=${requests};w=${windowSeconds}`);
    const { text, retryAfterSeconds } = await expectRefusal(response, 'rate_limited', route);
    expect(retryAfterSeconds).toBe(1);
    expect(text).toMatch(/\\?"network\\?"/);
    expect((await send({ ...fromNetwork(77), 'CF-Connecting-IP': '203.0.114.77' })).status).not.toBe(429);
  });
});

test('the limit of a network is exactly the published one, and comes back evenly', async () => {
  const { requests, windowSeconds } = RATE_LIMITS.network;
  const at = Date.UTC(2032, 0, 1);
  const send = (atMs: number, method = 'GET'): Promise<Response> =>
    gateway.fetch('/.well-known/x402', { method, headers: { 'CF-Connecting-IP': '192.0.2.1', [NOW_HEADER]: String(atMs) } });
  for (let left = requests - 1; left >= 0; left -= 1) {
    const response = await send(at, left % 2 ? 'HEAD' : 'OPTIONS');
    if (!response.headers.get('ratelimit')?.startsWith(`"network";r=${left};`))
      throw new Error(`${left} should be left, but RateLimit is ${response.headers.get('ratelimit')}`);
  }
  const step = (windowSeconds * 1_000) / requests;
  await expectProblem(await send(at), 'rate_limited');
  expect((await send(at + step)).status).toBe(200);
  await expectProblem(await send(at + step), 'rate_limited');
  await expectProblem(await send(at - 3_600_000), 'rate_limited');
});

describe('while a benchmark has lifted the limits', () => {
  const bench = useInProcessGateway(async () => ({
    generated: { deployment: { ...(await builtGenerated()).deployment, rateLimits: 'bench' as const } },
  }));

  test('no limit is counted and none is promised', async () => {
    for (let count = 0; count < RATE_LIMITS.register.requests + 5; count += 1) {
      const response = await bench.post('/api/v1/agent-gateway/register', { agent_name: 'a' }, { 'CF-Connecting-IP': '192.0.2.1' });
      expect([response.status, response.headers.get('ratelimit'), response.headers.get('ratelimit-policy')]).toEqual([201, null, null]);
    }
  });
});

const failing = useInProcessGateway({
  changeRoute: (route) => ({
    ...route,
    handle: () => Promise.reject(new TypeError("Cannot read properties of undefined (reading 'akg_test_secret')")),
  }),
});

describe.each(FUNCTION_ROUTES)('$id 500 internal', ({ path, init, route }) => {
  test('an unexpected error is told apart from an outage, carries the request id, and shows nothing of the inside', async () => {
    const headers = new Headers(init.headers);
    headers.set('X-Request-Id', 'find-me-in-the-log');
    const { text, requestId } = await expectRefusal(await failing.fetch(path, { ...init, headers }), 'internal', route);
    expect(requestId).toBe('find-me-in-the-log');
    // JSON-RPC sends the id null to a request that it cannot name (JSON-RPC 2.0, section 5).
    expect(text.replace('"id":null', '')).not.toMatch(/undefined|null|JSON|token|secret/);
  });
});

describe('an unexpected error in the compiled functions', () => {
  const broken = useEdgeGateway(async () => {
    const { deployment } = await builtGenerated();
    // The offer that is asked for comes after one that is none, so that looking for it fails, and starting does not.
    const offers = deployment.offers.filter(({ id }) => id !== SAMPLE_OFFER.id).slice(0, 1);
    return { generated: { deployment: { ...deployment, offers: [...offers, null as never], keyPrefix: null as never } } };
  });

  test.each(['registerAgent', 'createUcpCheckout', 'callUcpTool', 'buyOffer'])('has the shape that %s answers in', async (id) => {
    const sent = FUNCTION_ROUTES.find((route) => route.id === id);
    if (sent === undefined) throw new Error(`there is no ${id}`);
    const response = await broken.fetch(sent.path + (id === 'buyOffer' ? '?go' : ''), sent.init);
    const { text } = await expectRefusal(response, 'internal', sent.route);
    expect(text).toContain('It was logged under the request id.');
  });

  test('is not told to a client of MCP, whose library would send the text of any error', async () => {
    const mcp = FUNCTION_ROUTES.find((route) => route.id === 'callMcp');
    if (mcp === undefined) throw new Error('no tools');
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'checkout', arguments: { items: [{ id: SAMPLE_OFFER.id }] } },
    };
    const { text } = await expectRefusal(await broken.fetch(mcp.path, { ...mcp.init, body: JSON.stringify(call) }), 'internal', mcp.route);
    expect(text).toContain('It was logged under the request id.');
  });
});

describe('the log', () => {
  const broken = useEdgeGateway(withoutBlocks);

  test('tells a mistake of ours under the id of its request, and holds no key, no question and no address', async () => {
    const key = await makeKey();
    const headers = { ...bearer(key), 'X-Request-Id': 'logged-request', 'Idempotency-Key': 'an-idempotency-key-0001' };
    await expectProblem(await broken.post('/api/v1/agent-gateway/query', { query: 'a private question' }, headers), 'internal');
    await expectProblem(
      await broken.post(`/api/v1/agent-gateway/query?token=${key}`, { query: 'a private question' }, headers),
      'api_key_in_url',
    );
    await expectProblem(await broken.post('/api/v1/agent-gateway/query', { query: '' }, headers), 'invalid_request');
    const { logs } = broken.running();
    await expect.poll(() => logs.join()).toContain('logged-request');
    expect(logs).toHaveLength(1);
    for (const secret of ['akg_', key.slice(20, 32), 'a private question', 'an-idempotency-key', 'a-caller'])
      expect(logs.join()).not.toContain(secret);
  });
});
