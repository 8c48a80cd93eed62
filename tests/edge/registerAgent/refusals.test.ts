import { describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const REGISTER = '/api/v1/agent-gateway/register';
const IDEMPOTENT = { 'Idempotency-Key': 'a-key-of-enough-length-1' };
const gateway = useInProcessGateway();

describe('registerAgent 400 invalid_request', () => {
  test.each(['\u202eeman', 'a\u0000b', 'line\nbreak', 'zero\u200bwidth'])(
    'a name with hidden characters is refused (%#)',
    async (agent_name) => {
      const problem = await expectProblem(await gateway.post(REGISTER, { agent_name }), 'invalid_request');
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/agent_name']);
    },
  );

  test.each<[string, unknown, [string, string][]]>([
    ['no name', {}, [['/agent_name', 'is missing']]],
    ['a null', { agent_name: null, platform: null }, [['/agent_name', 'is missing']]],
    ['a number', { agent_name: 7 }, [['/agent_name', 'must be a string']]],
    ['a list', { agent_name: ['a'] }, [['/agent_name', 'must be a string']]],
    ['an object', { agent_name: { toString: 'a' } }, [['/agent_name', 'must be a string']]],
    ['a platform that is no text', { agent_name: 'a', platform: false }, [['/platform', 'must be a string']]],
    ['scopes that are a text', { agent_name: 'a', scopes: 'read' }, [['/scopes', 'must be a list']]],
    [
      'two faults at once',
      { contact: 1 },
      [
        ['/agent_name', 'is missing'],
        ['/contact', 'must be a string'],
      ],
    ],
  ])('with %s, every fault is pointed at', async (_name, body, faults) => {
    expect(faultsOf(await expectProblem(await gateway.post(REGISTER, body), 'invalid_request'))).toEqual(faults);
  });

  test.each<[string, unknown, string]>([
    ['an empty name', { agent_name: '' }, '/agent_name'],
    ['a name of white space', { agent_name: ' \t\n\u00a0\u3000' }, '/agent_name'],
    ['a name that is too long', { agent_name: 'n'.repeat(LIMITS.agentNameMaxLength + 1) }, '/agent_name'],
    ['a platform that is too long', { agent_name: 'a', platform: 'p'.repeat(LIMITS.shortTextMaxLength + 1) }, '/platform'],
    ['an empty contact', { agent_name: 'a', contact: '' }, '/contact'],
    ['a scope that is not known', { agent_name: 'a', scopes: ['read', 'admin'] }, '/scopes/1'],
    ['too many scopes', { agent_name: 'a', scopes: ['read', 'read', 'read', 'read', 'read'] }, '/scopes'],
    ['a type that is too long', { agent_name: 'a', type: 't'.repeat(201) }, '/type'],
    ['a credential type that is no text', { agent_name: 'a', requested_credential_type: {} }, '/requested_credential_type'],
  ])('%s is pointed at', async (_name, body, pointer) => {
    const problem = await expectProblem(await gateway.post(REGISTER, body), 'invalid_request');
    expect(faultsOf(problem).map(([place]) => place)).toEqual([pointer]);
  });
});

describe('registerAgent 503 not_configured', () => {
  const noDatabase = useInProcessGateway({ state: 'unbound' });

  test('without a database an Idempotency-Key is refused, and a request without one is answered', async () => {
    const problem = await expectProblem(await noDatabase.post(REGISTER, { agent_name: 'a' }, IDEMPOTENT), 'not_configured');
    expect(problem.detail).toContain('Omit it.');
    expect((await noDatabase.post(REGISTER, { agent_name: 'a' })).status).toBe(201);
  });
});

describe('registerAgent 503 state_unavailable', () => {
  const broken = useInProcessGateway({ state: 'empty' });

  test('with a database that fails, the answer says when to come back, and a request without the header is answered', async () => {
    const problem = await expectProblem(await broken.post(REGISTER, { agent_name: 'a' }, IDEMPOTENT), 'state_unavailable');
    expect(problem.retry_after_seconds).toBeGreaterThan(0);
    expect((await broken.post(REGISTER, { agent_name: 'a' })).status).toBe(201);
  });
});

describe('registerAgent 429 rate_limited', () => {
  const { requests, windowSeconds } = RATE_LIMITS.register;
  const now = Date.UTC(2031, 0, 1);
  const from = (network: string, atMs: number): Record<string, string> => ({ 'CF-Connecting-IP': network, [NOW_HEADER]: String(atMs) });
  const register = (network: string, atMs = now): Promise<Response> => gateway.post(REGISTER, { agent_name: 'a' }, from(network, atMs));

  test('exactly the published number of registrations is let through, then a network waits', async () => {
    for (let left = requests - 1; left >= 0; left -= 1) {
      const response = await register(`198.51.100.${left + 1}`);
      expect(response.status).toBe(201);
      expect(response.headers.get('ratelimit')).toMatch(new RegExp(`"register";r=${left};t=\\d+`));
      expect(response.headers.get('ratelimit-policy')).toBe(
        `"network";q=${RATE_LIMITS.network.requests};w=${RATE_LIMITS.network.windowSeconds}, "register";q=${requests};w=${windowSeconds}`,
      );
    }
    const response = await register('198.51.100.200');
    const wait = windowSeconds / requests;
    expect(response.headers.get('ratelimit')).toContain(`"register";r=0;t=${wait}`);
    const problem = await expectProblem(response, 'rate_limited');
    expect(problem).toMatchObject({ retry_after_seconds: wait });
    expect(problem.detail).toContain('"register"');
    await expectProblem(await register('198.51.100.9', now + wait * 1_000 - 1), 'rate_limited');
    expect((await register('198.51.100.9', now + wait * 1_000)).status).toBe(201);
    expect((await register('198.51.101.1')).status).toBe(201);
  });
});
