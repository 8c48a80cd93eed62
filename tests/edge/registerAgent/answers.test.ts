import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Registration } from '../../../src/schemas/agents.ts';
import { KEY_PATTERN } from '../../../src/schemas/api-keys.ts';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const REGISTER = '/api/v1/agent-gateway/register';
const QUERY = '/api/v1/agent-gateway/query';
const gateway = useInProcessGateway();
const register = async (body: unknown, headers: Record<string, string> = {}): Promise<Registration> => {
  const response = await gateway.post(REGISTER, body, headers);
  expect(response.status).toBe(201);
  return z.strictObject(Registration.shape).parse(await response.json());
};

describe('registerAgent 201 application/json', () => {
  test('the answer has exactly the published members, and must not be stored', async () => {
    const response = await gateway.post(REGISTER, { agent_name: 'probe' });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expectSharedHeaders(response.headers);
    const answer = z.strictObject(Registration.shape).parse(await response.json());
    expect(answer.api_key).toMatch(new RegExp(KEY_PATTERN));
    expect(answer.api_key.startsWith('akg_test_')).toBe(true);
    expect(answer).toMatchObject({ credential: answer.api_key, registration_id: answer.agent_id, scopes: ['read'] });
    expect(answer.links).toEqual({
      query: `${TEST_BASE_URL}${QUERY}`,
      capabilities: `${TEST_BASE_URL}/api/v1/agent-gateway/capabilities`,
      openapi: `${TEST_BASE_URL}/openapi.json`,
    });
    expect(answer.rate_limits.map(({ name, requests }) => [name, requests])).toEqual(
      Object.entries({ ...RATE_LIMITS, ...QUOTAS })
        .filter(([name]) => name !== 'pay' && name !== 'payer_claims')
        .map(([name, { requests }]) => [name, requests]),
    );
  });

  test('the key expires after exactly the published life, counted from the minute of issue', async () => {
    const now = Date.UTC(2031, 1, 3, 4, 5, 59, 999);
    const answer = await register({ agent_name: 'probe' }, { [NOW_HEADER]: String(now) });
    expect(answer.issued_at).toBe('2031-02-03T04:05:00Z');
    expect(Date.parse(answer.expires_at) - Date.parse(answer.issued_at)).toBe(LIMITS.keyTtlDays * 86_400_000);
  });

  test('a key for one day expires after a day, and so does the one that replaces it', async () => {
    const answer = await register({ agent_name: 'probe', ttl_days: 1 });
    const response = await gateway.fetch('/api/v1/agent-gateway/keys/rotate', { method: 'POST', headers: bearer(answer.api_key) });
    for (const key of [answer, (await response.json()) as Registration])
      expect(Date.parse(key.expires_at) - Date.parse(key.issued_at)).toBe(86_400_000);
    for (const ttl_days of [0, 91, 1.5, '1']) {
      const refused = await gateway.post(REGISTER, { agent_name: 'probe', ttl_days });
      expect((await expectProblem(refused, 'invalid_request')).errors?.[0]?.pointer).toBe('/ttl_days');
    }
  });

  test('another type or kind of credential is ignored, and the response says so', async () => {
    const wishes = { type: 'oauth', requested_credential_type: 'jwt' };
    const { credential_type, ignored } = await register({ agent_name: 'probe', ...wishes });
    expect(credential_type).toBe('api_key');
    expect(ignored).toEqual([
      { pointer: '/type', did_you_mean: 'anonymous' },
      { pointer: '/requested_credential_type', did_you_mean: 'api_key' },
    ]);
    const supported = { type: 'anonymous', requested_credential_type: 'api_key' };
    expect((await register({ agent_name: 'probe', ...supported })).ignored).toBeUndefined();
  });

  test.each([
    ['no wish', undefined, ['read']],
    ['an empty wish', [], ['read']],
    ['buy', ['buy'], ['read', 'buy']],
    ['buy twice', ['buy', 'buy'], ['read', 'buy']],
    ['everything but submit', ['metrics', 'buy', 'read'], ['read', 'buy']],
    ['what only the publisher grants', ['metrics'], ['read']],
  ])('with %s in scopes, what is granted is said', async (_name, scopes, granted) => {
    expect((await register({ agent_name: 'probe', scopes })).scopes).toEqual(granted);
  });

  test('every registration is an agent of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => register({ agent_name: 'probe' })));
    expect(new Set(answers.map(({ agent_id }) => agent_id)).size).toBe(8);
    expect(new Set(answers.map(({ api_key }) => api_key)).size).toBe(8);
  });
});
