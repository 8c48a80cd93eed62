import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { keyIdOf, minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { KeyDetails, type Registration, RotatedKey } from '../../../src/schemas/agents.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const ROTATE = '/api/v1/agent-gateway/keys/rotate';
const SELF = '/api/v1/agent-gateway/keys/self';
const gateway = useInProcessGateway({ blocks: 'none' });
const NOW = Date.UTC(2035, 5, 1, 12, 0, 30);
const issuedMinute = minuteOf(NOW);
const at = (key: string, afterMs = 0): Record<string, string> => ({ ...bearer(key), [NOW_HEADER]: String(NOW + afterMs) });
const rotate = async (key: string, body: object = {}, more: Record<string, string> = {}): Promise<RotatedKey> => {
  const response = await gateway.post(ROTATE, body, { ...at(key), ...more });
  expect(response.status).toBe(201);
  return z.strictObject(RotatedKey.shape).parse(await response.json());
};
const statusOf = async (key: string, afterMs = 0): Promise<number> => (await gateway.fetch(SELF, { headers: at(key, afterMs) })).status;
const rows = async (sql: string) => (await gateway.state().prepare(sql).all<Record<string, unknown>>()).results;
const unchanged = await makeKey({ agent: '0000000000000201' });

describe('rotateKey 201 application/json', () => {
  test('gives a new key of the same agent with a whole life, which works at once', async () => {
    const agent = '00000000000000f1';
    const key = await makeKey({ agent, issuedMinute: issuedMinute - 50_000, scopes: ['read', 'buy'] });
    const response = await gateway.fetch(ROTATE, { method: 'POST', headers: at(key) });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectSharedHeaders(response.headers);
    const answer = z.strictObject(RotatedKey.shape).parse(await response.json());
    expect(answer).toMatchObject({ agent_id: `agt_${agent}`, scopes: ['read', 'buy'], issued_at: '2035-06-01T12:00:00Z' });
    expect(Date.parse(answer.expires_at) - Date.parse(answer.issued_at)).toBe(LIMITS.keyTtlDays * 86_400_000);
    expect(answer.previous_key).toEqual({
      key_id: keyIdOf({ agent, serial: 7, issuedMinute: issuedMinute - 50_000 }),
      works_until: '2035-06-01T12:10:30Z',
    });
    expect(await statusOf(answer.api_key)).toBe(200);
  });

  test('lets the old key work for the overlap and not a moment longer', async () => {
    const key = await makeKey({ agent: '00000000000000f2', issuedMinute });
    const { api_key } = await rotate(key, { overlap_minutes: 3 });
    expect([await statusOf(key), await statusOf(key, 180_000 - 1), await statusOf(key, 180_000)]).toEqual([200, 200, 401]);
    expect(await statusOf(api_key, 180_000)).toBe(200);
  });

  test('without an overlap the old key is refused at once', async () => {
    const key = await makeKey({ agent: '00000000000000f3', issuedMinute });
    const { api_key, previous_key } = await rotate(key, { overlap_minutes: 0 });
    expect(previous_key.works_until).toBe('2035-06-01T12:00:30Z');
    expect([await statusOf(key), await statusOf(api_key)]).toEqual([401, 200]);
    const { detail, next_actions } = await expectProblem(await gateway.post(ROTATE, {}, at(key)), 'api_key_revoked');
    expect([detail, next_actions[0]?.description]).toEqual([
      expect.stringContaining('was replaced by a rotation'),
      'Use the key that the rotation returned.',
    ]);
  });

  test('a later revocation ends an overlap early', async () => {
    const key = await makeKey({ agent: '00000000000000f4', issuedMinute });
    await rotate(key, { overlap_minutes: 60 });
    expect((await gateway.post('/api/v1/agent-gateway/keys/revoke', {}, at(key))).status).toBe(200);
    expect(await statusOf(key)).toBe(401);
    const { detail, next_actions } = await expectProblem(await gateway.post(ROTATE, {}, at(key)), 'api_key_revoked');
    expect([detail, JSON.stringify(next_actions)]).toEqual([
      expect.stringContaining('was revoked'),
      expect.stringContaining('agent_name') as unknown,
    ]);
  });

  test('an overlap ends with the life of the old key', async () => {
    const key = await makeKey({ agent: '00000000000000f5', issuedMinute: issuedMinute - LIMITS.keyTtlDays * 1_440 + 5 });
    expect((await rotate(key, { overlap_minutes: LIMITS.keyOverlapMinutesMax })).previous_key.works_until).toBe('2035-06-01T12:05:00Z');
  });

  test('gives fewer scopes where they are named', async () => {
    const key = await makeKey({ agent: '00000000000000f6', issuedMinute, scopes: ['read', 'buy', 'submit'] });
    expect((await rotate(key, { scopes: ['submit', 'read'] })).scopes).toEqual(['read', 'submit']);
  });

  test('notes in the registry when and to which key', async () => {
    const now = { [NOW_HEADER]: String(NOW) };
    const { api_key, agent_id } = (await (
      await gateway.post(
        '/api/v1/agent-gateway/register',
        { agent_name: 'probe' },
        { ...now, 'Idempotency-Key': 'registered-and-rotated-01' },
      )
    ).json()) as Registration;
    const { key_id, expires_at } = await rotate(api_key);
    const [row] = await rows(`SELECT key_id, expires_at_ms FROM agents WHERE agent = '${agent_id.slice(4)}'`);
    expect(row).toEqual({ key_id, expires_at_ms: Date.parse(expires_at) });
    const facts = KeyDetails.parse(await (await gateway.fetch(SELF, { headers: at(api_key) })).json());
    expect(facts.agent?.rotated_at).toBe('2035-06-01T12:00:30Z');
  });
});

describe('rotateKey under an Idempotency-Key', () => {
  const named = (name: string): Record<string, string> => ({ 'Idempotency-Key': name });

  test('a repetition gets the same bytes, and the key is stored nowhere', async () => {
    const key = await makeKey({ agent: '0000000000000101', issuedMinute });
    const send = (): Promise<Response> =>
      gateway.post(ROTATE, { overlap_minutes: 30 }, { ...at(key), ...named('rotation-repeated-00001') });
    const first = await (await send()).text();
    expect(await (await send()).text()).toBe(first);
    const { api_key } = RotatedKey.parse(JSON.parse(first));
    const stored = JSON.stringify([...(await rows('SELECT * FROM idempotency')), ...(await rows('SELECT * FROM revocations'))]);
    expect(stored).not.toContain('rotation-repeated-00001');
    for (let from = 'akg_test_'.length; from + 12 <= api_key.length; from += 1)
      expect(stored).not.toContain(api_key.slice(from, from + 12));
  });

  test('a repetition gets the same new key though the rotation ended the key at once', async () => {
    const key = await makeKey({ agent: '0000000000000109', issuedMinute });
    const send = (by: string, body: object = { overlap_minutes: 0 }, name = 'rotation-without-overlap'): Promise<Response> =>
      gateway.post(ROTATE, body, { ...at(by), ...named(name) });
    const first = await (await send(key)).text();
    const again = await send(key);
    expect([again.status, await again.text()]).toEqual([201, first]);
    await expectProblem(await send(key, { overlap_minutes: 0 }, 'another-rotation-000001'), 'api_key_revoked');
    await expectProblem(await send(key, {}), 'api_key_revoked');
    await expectProblem(await gateway.post(ROTATE, { overlap_minutes: 0 }, at(key)), 'api_key_revoked');
    expect(await statusOf(key)).toBe(401);
    const { api_key } = RotatedKey.parse(JSON.parse(first));
    expect((await gateway.post('/api/v1/agent-gateway/keys/revoke', { keys: 'all' }, at(api_key))).status).toBe(200);
    await expectProblem(await send(key), 'api_key_revoked');
  });
});

test('rotateKey 422 idempotency_conflict: the same name with another body, or with the new key, is refused', async () => {
  const key = await makeKey({ agent: '0000000000000105', issuedMinute });
  const name = { 'Idempotency-Key': 'rotation-with-a-conflict' };
  const { api_key } = await rotate(key, {}, name);
  await expectProblem(await gateway.post(ROTATE, { overlap_minutes: 1 }, { ...at(key), ...name }), 'idempotency_conflict');
  await expectProblem(await gateway.post(ROTATE, {}, { ...at(api_key), ...name }), 'idempotency_conflict');
});

test.each<[string, unknown, string[]]>([
  ['no scope at all', { scopes: [] }, ['/scopes']],
  ['a scope that is not known', { scopes: ['admin'] }, ['/scopes/0']],
  ['an overlap that is too long', { overlap_minutes: LIMITS.keyOverlapMinutesMax + 1 }, ['/overlap_minutes']],
  ['a negative overlap', { overlap_minutes: -1 }, ['/overlap_minutes']],
  ['half a minute', { overlap_minutes: 0.5 }, ['/overlap_minutes']],
  ['a life of its own', { ttl_days: 9_999 }, ['/ttl_days']],
])('rotateKey 400 invalid_request: %s', async (_name, body, pointers) => {
  const problem = await expectProblem(await gateway.post(ROTATE, body, bearer(unchanged)), 'invalid_request');
  expect(faultsOf(problem).map(([pointer]) => pointer)).toEqual(pointers);
});

test('rotateKey 403 insufficient_scope: a scope that the present key does not have is not added, not even one that the publisher granted', async () => {
  await gateway
    .state()
    .prepare(
      "INSERT INTO agents (agent, name, key_id, created_at_ms, granted_scopes, expires_at_ms) VALUES ('0000000000000203', 'n', 'k', 0, 'submit', 9e15)",
    )
    .run();
  for (const scope of ['buy', 'submit', 'metrics']) {
    const response = await gateway.post(ROTATE, { scopes: ['read', scope] }, bearer(await makeKey({ agent: '0000000000000203' })));
    expect((await expectProblem(response, 'insufficient_scope')).detail).toContain(`"${scope}"`);
  }
});

test('rotateKey 409 api_key_replaced: a key that works for its overlap only leads to no second new key, whatever is asked for', async () => {
  const replaced = await makeKey({ agent: '0000000000000204' });
  const rotate = (body: object, more: Record<string, string> = {}): Promise<Response> =>
    gateway.post(ROTATE, body, { ...bearer(replaced), ...more });
  expect((await rotate({}, { 'Idempotency-Key': 'the-first-rotation-0001' })).status).toBe(201);
  for (const answer of [
    await rotate({}),
    await rotate({ overlap_minutes: 0 }),
    await rotate({ scopes: ['read'] }, { 'Idempotency-Key': 'the-second-rotation-001' }),
  ])
    await expectProblem(answer, 'api_key_replaced');
  expect((await gateway.fetch('/api/v1/agent-gateway/keys/self', { headers: bearer(replaced) })).status).toBe(200);
  expect((await rotate({}, { 'Idempotency-Key': 'the-first-rotation-0001' })).status).toBe(201);
});

describe('rotateKey 429 quota_exceeded', () => {
  const counted = useInProcessGateway();

  test('rotations count as revocations of a network; a repetition counts nothing', async () => {
    const now = Date.UTC(2036, 0, 1);
    const rotate = async (count: number): Promise<Response> =>
      counted.post(
        ROTATE,
        {},
        {
          ...bearer(await makeKey({ agent: (0xa000 + count).toString(16).padStart(16, '0'), issuedMinute: minuteOf(now) })),
          'CF-Connecting-IP': '192.0.2.9',
          'Idempotency-Key': 'one-name-for-all-agents-1',
          [NOW_HEADER]: String(now),
        },
      );
    for (let count = 0; count < QUOTAS.revocations.requests; count += 1) expect((await rotate(count)).status).toBe(201);
    await expectProblem(await rotate(1_000), 'quota_exceeded');
    expect((await rotate(0)).status).toBe(201);
  });
});
