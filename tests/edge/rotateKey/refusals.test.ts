import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { revokeElsewhere } from '../../support/revoke-elsewhere.ts';

const ROTATE = '/api/v1/agent-gateway/keys/rotate';
const gateway = useEdgeGateway();
const send = (headers: Record<string, string>): Promise<Response> => gateway.post(ROTATE, {}, headers);
const key = await makeKey({ agent: '0000000000000201' });

describe('rotateKey 401 api_key_revoked', () => {
  test('a key that was revoked elsewhere becomes no new key, at once', async () => {
    const issuedMinute = minuteOf(Date.now());
    const revoked = await makeKey({ agent: '0000000000000202', issuedMinute });
    expect((await gateway.fetch('/api/v1/agent-gateway/keys/self', { headers: bearer(revoked) })).status).toBe(200);
    await revokeElsewhere(gateway, { agent: '0000000000000202', serial: null, issuedMinute });
    await expectProblem(await send(bearer(revoked)), 'api_key_revoked');
  });
});

describe('rotateKey 400 invalid_request', () => {
  test.each<[string, unknown, string[]]>([
    ['no scope at all', { scopes: [] }, ['/scopes']],
    ['a scope that is not known', { scopes: ['admin'] }, ['/scopes/0']],
    ['an overlap that is too long', { overlap_minutes: LIMITS.keyOverlapMinutesMax + 1 }, ['/overlap_minutes']],
    ['a negative overlap', { overlap_minutes: -1 }, ['/overlap_minutes']],
    ['half a minute', { overlap_minutes: 0.5 }, ['/overlap_minutes']],
    ['a life of its own', { ttl_days: 9_999 }, ['/ttl_days']],
  ])('%s', async (_name, body, pointers) => {
    const problem = await expectProblem(await gateway.post(ROTATE, body, bearer(key)), 'invalid_request');
    expect(faultsOf(problem).map(([pointer]) => pointer)).toEqual(pointers);
  });
});

describe('rotateKey 403 insufficient_scope', () => {
  test('a scope that the present key does not have is not added, not even one that the publisher granted', async () => {
    const database = await gateway.running().miniflare.getD1Database('STATE');
    await database
      .prepare(
        "INSERT INTO agents (agent, name, key_id, created_at_ms, granted_scopes, expires_at_ms) VALUES ('0000000000000203', 'n', 'k', 0, 'submit', 9e15)",
      )
      .run();
    for (const scope of ['buy', 'submit', 'metrics']) {
      const response = await gateway.post(ROTATE, { scopes: ['read', scope] }, bearer(await makeKey({ agent: '0000000000000203' })));
      expect((await expectProblem(response, 'insufficient_scope')).detail).toContain(`"${scope}"`);
    }
  });
});

describe('rotateKey 409 api_key_replaced', () => {
  test('a key that works for its overlap only leads to no second new key, whatever is asked for', async () => {
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
