import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER, type Requests } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { revokeElsewhere } from '../../support/revoke-elsewhere.ts';

const QUERY = '/api/v1/agent-gateway/query';
const BODY = { query: 'bm25', max_results: 1 };
const gateway = useInProcessGateway();
const key = await makeKey();
const ask = (headers: Record<string, string>, search = ''): Promise<Response> => gateway.post(QUERY + search, BODY, headers);
const REGISTER_ACTION = expect.objectContaining({ method: 'POST', href: `${TEST_BASE_URL}/api/v1/agent-gateway/register` }) as unknown;

/** The key with one character replaced by the next one of its alphabet. */
const altered = (text: string, at: number): string => text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);

describe('queryKnowledge 401 api_key_missing', () => {
  test.each([
    ['no header', {}],
    ['white space', { Authorization: '  ' }],
  ])('with %s, the answer says how to register, and names no error (RFC 6750 section 3)', async (_name, headers) => {
    const response = await ask(headers as Record<string, string>);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="agent-gateway", registration="${TEST_BASE_URL}/api/v1/agent-gateway/register", resource_metadata="${TEST_BASE_URL}/.well-known/oauth-protected-resource"`,
    );
    expect((await expectProblem(response, 'api_key_missing')).next_actions).toContainEqual(REGISTER_ACTION);
  });

  test('what it says to send registers an agent', async () => {
    const { next_actions } = await expectProblem(await ask({}), 'api_key_missing');
    const [body = ''] = /\{.*\}/.exec(next_actions[0]?.description ?? '') ?? [];
    const registered = await gateway.post(new URL(next_actions[0]?.href ?? '').pathname, body.replace('<name>', 'a test'));
    expect(registered.status).toBe(201);
  });

  test('it comes before faults of the body, so that strangers learn nothing', async () => {
    await expectProblem(await gateway.post(QUERY, '{', {}), 'api_key_missing');
  });
});

test('queryKnowledge 401 api_key_invalid: neither key nor a part of it is repeated when the checksum does not fit', async () => {
  const text = await (await ask(bearer(altered(key, 40)))).text();
  for (let at = 'akg_test_'.length; at + 8 <= key.length; at += 1) expect(text).not.toContain(key.slice(at, at + 8));
});

describe('queryKnowledge 401 api_key_revoked', () => {
  const start = Date.UTC(2035, 0, 1);
  const issuedMinute = minuteOf(start);
  const askAt = (text: string, afterMs: number, service: Requests = gateway): Promise<Response> =>
    service.post(QUERY, BODY, { ...bearer(text), [NOW_HEADER]: String(start + afterMs) });

  test('a key that was revoked elsewhere is refused within half a minute, others go on', async () => {
    const [revoked, other] = [await makeKey({ agent: '00000000000000c8', issuedMinute }), await makeKey({ issuedMinute })];
    expect((await askAt(revoked, 0)).status).toBe(200);
    await revokeElsewhere(gateway, { agent: '00000000000000c8', serial: 7, issuedMinute });
    await expectProblem(await askAt(revoked, 30_001), 'api_key_revoked');
    const response = await askAt(other, 30_001);
    expect([response.status, response.headers.get('gateway-degraded')]).toEqual([200, null]);
  });
});

describe('queryKnowledge 429 rate_limited', () => {
  const { requests, windowSeconds } = RATE_LIMITS.query;
  const now = Date.now();
  const send = async (agent: string, atMs = now): Promise<Response> =>
    gateway.post(QUERY, '{}', { ...bearer(await makeKey({ agent })), [NOW_HEADER]: String(atMs) });

  test('exactly the published number of queries of one agent is let through, from whatever network, then it waits', async () => {
    const agent = '00000000000000b1';
    for (let left = requests - 1; left >= 0; left -= 1)
      expect((await send(agent)).headers.get('ratelimit')).toMatch(new RegExp(`"query";r=${left};t=\\d+`));
    const response = await send(agent);
    expect(response.headers.get('ratelimit')).toContain('"query";r=0;t=1');
    expect(response.headers.get('ratelimit-policy')).toContain(`"query";q=${requests};w=${windowSeconds}`);
    const { retry_after_seconds, next_actions } = await expectProblem(response, 'rate_limited');
    expect(retry_after_seconds).toBe(1);
    // A new registration would only evade the limit.
    expect(JSON.stringify(next_actions)).not.toMatch(/challenge|register/i);
    expect((await send('00000000000000b2')).status).toBe(400);
    expect((await send(agent, now + (windowSeconds * 1_000) / requests)).status).toBe(400);
  });

  test('a second key of the same agent draws on the same limit', async () => {
    const agent = '00000000000000b3';
    for (let count = 0; count < requests; count += 1) await send(agent);
    const other = await makeKey({ agent, serial: 8 });
    await expectProblem(await gateway.post(QUERY, BODY, { ...bearer(other), [NOW_HEADER]: String(now) }), 'rate_limited');
  });
});
