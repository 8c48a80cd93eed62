import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { keyIdOf, minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { RevokedKeys } from '../../../src/schemas/agents.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const REVOKE = '/api/v1/agent-gateway/keys/revoke';
const SELF = '/api/v1/agent-gateway/keys/self';
const QUERY = '/api/v1/agent-gateway/query';
const gateway = useInProcessGateway();
const issuedMinute = minuteOf(Date.now());

describe('revokeKey 200 application/json', () => {
  test('revokes the key that is sent: it is refused here at once, everywhere', async () => {
    const agent = '00000000000001a1';
    const key = await makeKey({ agent, issuedMinute });
    const other = await makeKey({ agent, issuedMinute, serial: 8 });
    expect((await gateway.post(QUERY, { query: 'bm25' }, bearer(key))).status).toBe(200);
    const now = Date.now();
    const response = await gateway.fetch(REVOKE, { method: 'POST', headers: { ...bearer(key), [NOW_HEADER]: String(now) } });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const answer = z.strictObject(RevokedKeys.shape).parse(await response.json());
    expect(answer).toMatchObject({ agent_id: `agt_${agent}`, key_id: keyIdOf({ agent, serial: 7, issuedMinute }), revoked: 'this' });
    expect(Date.parse(answer.refused_everywhere_at) - Date.parse(answer.revoked_at)).toBe(LIMITS.revocationMaxSeconds * 1_000);
    await expectProblem(await gateway.post(QUERY, { query: 'bm25' }, bearer(key)), 'api_key_revoked');
    await expectProblem(await gateway.fetch(SELF, { headers: bearer(key) }), 'api_key_revoked');
    await expectProblem(await gateway.fetch(REVOKE, { method: 'POST', headers: bearer(key) }), 'api_key_revoked');
    expect((await gateway.post(QUERY, { query: 'bm25' }, bearer(other))).status).toBe(200);
  });

  test('revokes all keys of the agent, those too that a clock ahead of this one has just issued, and of no other agent', async () => {
    const agent = '00000000000001a2';
    const key = await makeKey({ agent, issuedMinute });
    const ahead = await makeKey({ agent, issuedMinute: issuedMinute + 4, serial: 8 });
    expect((await gateway.post(REVOKE, { keys: 'all' }, bearer(key))).status).toBe(200);
    for (const revoked of [key, ahead, await makeKey({ agent, issuedMinute: issuedMinute - 100_000, serial: 9 })])
      await expectProblem(await gateway.fetch(SELF, { headers: bearer(revoked) }), 'api_key_revoked');
    expect((await gateway.fetch(SELF, { headers: bearer(await makeKey({ agent: '00000000000001a3' })) })).status).toBe(200);
  });
});

test.each<[string, unknown, [string, string][]]>([
  ['a word that is not known', { keys: 'others' }, [['/keys', 'must be one of this, all']]],
  ['another agent', { agent: 'agt_00000000000001a1' }, [['/agent', 'is unknown; known names: keys']]],
])('revokeKey 400 invalid_request: %s', async (_name, body, faults) => {
  const response = await gateway.post(REVOKE, body, bearer(await makeKey({ agent: '00000000000001a7' })));
  expect(faultsOf(await expectProblem(response, 'invalid_request'))).toEqual(faults);
});

describe('revokeKey 429 quota_exceeded', () => {
  const counted = useInProcessGateway();

  test('exactly as many of an agent and its network are taken as is published; another agent of the network still has its own', async () => {
    const now = Date.UTC(2036, 0, 1);
    const revoke = async (serial: number, agent = '000000000000e000'): Promise<Response> =>
      counted.post(
        REVOKE,
        {},
        {
          ...bearer(await makeKey({ agent, serial, issuedMinute: minuteOf(now) })),
          'CF-Connecting-IP': '192.0.2.8',
          [NOW_HEADER]: String(now),
        },
      );
    const taken = QUOTAS.own_revocations.requests + QUOTAS.revocations.requests;
    for (let count = 0; count < taken; count += 1) expect((await revoke(count)).status).toBe(200);
    const problem = await expectProblem(await revoke(1_000), 'quota_exceeded');
    expect(problem.retry_after_seconds).toBe(QUOTAS.revocations.windowSeconds);
    expect((await revoke(0, '000000000000e001')).status).toBe(200);
  });
});
