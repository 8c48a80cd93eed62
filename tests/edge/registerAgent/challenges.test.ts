import { describe, expect, test } from 'vitest';
import type { Registration } from '../../../src/schemas/agents.ts';
import { Challenge } from '../../../src/schemas/api-keys.ts';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer } from '../../support/agent-keys.ts';
import { builtGenerated, NOW_HEADER, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';

const CHALLENGE = '/api/v1/agent-gateway/challenge';
const REGISTER = '/api/v1/agent-gateway/register';
const gateway = useInProcessGateway();
const solve = async (headers: Record<string, string> = {}, service: Requests = gateway): Promise<{ token: string; solution: string }> =>
  solveChallenge(Challenge.parse(await (await service.fetch(CHALLENGE, { headers })).json()));
const rowsOf = async (table: string): Promise<number> =>
  (await gateway.state().prepare(`SELECT count(*) AS count FROM ${table}`).first<number>('count')) ?? 0;

describe('registerAgent with a solved challenge', () => {
  test('gives submit, and the key opens what needs no scope at once', async () => {
    const response = await gateway.post(REGISTER, { agent_name: 'author', scopes: ['submit'], challenge: await solve() });
    expect(response.status).toBe(201);
    const { scopes, api_key } = (await response.json()) as Registration;
    expect(scopes).toEqual(['read', 'submit']);
    expect((await gateway.fetch('/api/v1/agent-gateway/keys/self', { headers: bearer(api_key) })).status).toBe(200);
  });

  test('a challenge of one isolate is taken by another with the same secret, and leads to the same agent', async () => {
    const body = { agent_name: 'author', challenge: await solve() };
    const [here, there] = await Promise.all(
      [gateway, other].map(async (service) => (await (await service.post(REGISTER, body)).json()) as Registration),
    );
    expect(there?.agent_id).toBe(here?.agent_id);
    expect(there?.api_key).toBe(here?.api_key);
  });
  const other = useSharedGateway();

  test('without a challenge, where intake is granted, leaves submit out', async () => {
    const response = await granted.post(REGISTER, { agent_name: 'author', scopes: ['submit', 'buy'] });
    expect(((await response.json()) as Registration).scopes).toEqual(['read', 'buy']);
  });

  test('refuses a scope of something that is switched off as unknown, and lists those that there are', async () => {
    const problem = await expectProblem(
      await closed.post(REGISTER, { agent_name: 'author', scopes: ['read', 'submit'] }),
      'invalid_request',
    );
    expect(problem.errors).toEqual([{ pointer: '/scopes/1', message: 'must be one of read, buy, metrics' }]);
  });
  const withIntake = (intake: 'granted' | 'closed'): Requests =>
    useInProcessGateway(async () => ({ generated: { deployment: { ...(await builtGenerated()).deployment, intake } } }));
  const granted = withIntake('granted');
  const closed = withIntake('closed');
});

test('registerAgent 403 challenge_required: the scope submit needs one, and the answer says where it is', async () => {
  const problem = await expectProblem(await gateway.post(REGISTER, { agent_name: 'a', scopes: ['submit'] }), 'challenge_required');
  expect(problem.next_actions[0]?.href).toMatch(/\/challenge$/);
});

test('registerAgent 400 challenge_invalid: a solution that does not fit, a foreign token and an old one are refused, whatever is asked for', async () => {
  const challenge = await solve();
  const send = (given: object, headers = {}): Promise<Response> => gateway.post(REGISTER, { agent_name: 'a', challenge: given }, headers);
  await expectProblem(await send({ ...challenge, solution: `${challenge.solution}0` }), 'challenge_invalid');
  await expectProblem(await send({ ...challenge, token: 'A'.repeat(60) }), 'challenge_invalid');
  const later = String(Date.now() + LIMITS.challengeMinutes * 60_000);
  await expectProblem(await send(challenge, { [NOW_HEADER]: later }), 'challenge_invalid');
  expect((await send(challenge)).status).toBe(201);
});

describe('registerAgent 429 quota_exceeded', () => {
  const day = (count: number): string => String(Date.UTC(2033, 0, 1 + count));
  const register = async (network: string, at: string): Promise<Response> => {
    const headers = { 'CF-Connecting-IP': network, [NOW_HEADER]: at };
    return gateway.post(REGISTER, { agent_name: 'author', scopes: ['submit'], challenge: await solve(headers) }, headers);
  };

  test('exactly as many keys with submit are given to a network in a day as is published', async () => {
    const { requests, windowSeconds } = QUOTAS.submit_keys;
    for (let left = requests - 1; left >= 0; left -= 1) {
      const response = await register('203.0.113.9', day(0));
      expect(response.status).toBe(201);
      expect(response.headers.get('ratelimit')).toContain(`"submit_keys";r=${left};t=${windowSeconds}`);
    }
    const problem = await expectProblem(await register('203.0.113.200', day(0)), 'quota_exceeded');
    expect(problem.retry_after_seconds).toBe(windowSeconds);
    // The same request would come with a challenge that is too old by then.
    expect(problem.next_actions.map(({ method, href }) => [method, href?.split('/').at(-1)])).toEqual([
      ['POST', 'register'],
      ['GET', 'challenge'],
      ['GET', 'capabilities'],
    ]);
    expect((await register('203.0.114.9', day(0))).status).toBe(201);
    expect((await register('203.0.113.9', day(1))).status).toBe(201);
  });

  test('a flood of one network leaves no more rows than its quota, with an Idempotency-Key or without one', async () => {
    const { requests } = QUOTAS.registry;
    const before = await rowsOf('agents');
    const headers = { 'CF-Connecting-IP': '192.0.2.77', [NOW_HEADER]: day(9) };
    let registered = 0;
    for (let count = 0; count < 5 * requests; count += 1) {
      const named = count % 2 ? headers : { ...headers, 'Idempotency-Key': `flood-of-a-network-${count + 1_000}` };
      registered += Number((await gateway.post(REGISTER, { agent_name: `flood ${count}` }, named)).status === 201);
    }
    expect(registered).toBe(RATE_LIMITS.register.requests);
    expect((await rowsOf('agents')) - before).toBe(requests);
    const challenge = await solve(headers);
    const problem = await expectProblem(
      await gateway.post(REGISTER, { agent_name: 'flood', challenge }, { ...headers, 'Idempotency-Key': 'flood-of-a-network-at-its-end' }),
      'quota_exceeded',
    );
    expect(problem.detail).toContain(`"registry" of ${requests}`);
    expect(problem.next_actions[0]?.description).toContain('without an Idempotency-Key');
    expect((await gateway.post(REGISTER, { agent_name: 'flood', challenge }, headers)).status).toBe(201);
    expect((await rowsOf('agents')) - before).toBe(requests);
  });
});

test('the quota of rows that a registration leaves is told in the headers where the answer waits for the row, and nowhere else', async () => {
  const { requests, windowSeconds } = QUOTAS.registry;
  const headers = { 'CF-Connecting-IP': '192.0.2.88', [NOW_HEADER]: String(Date.UTC(2033, 1, 1)) };
  const told = async (name?: string): Promise<string> => {
    const named = name === undefined ? {} : { 'Idempotency-Key': name };
    const response = await gateway.post(REGISTER, { agent_name: 'a' }, { ...headers, ...named });
    expect(response.status).toBe(201);
    return response.headers.get('ratelimit') ?? '';
  };
  expect(await told('a-row-of-the-registry-01')).toContain(`"registry";r=${requests - 1};t=${windowSeconds}`);
  expect(await told('a-row-of-the-registry-02')).toContain(`"registry";r=${requests - 2};t=${windowSeconds}`);
  for (const name of ['a-row-of-the-registry-02', undefined]) expect(await told(name)).not.toContain('registry');
});

describe('registerAgent beyond the limit of a network', () => {
  const headers = { 'CF-Connecting-IP': '192.0.2.99', [NOW_HEADER]: String(Date.UTC(2034, 0, 1)) };

  test('is let through with a solved challenge, under a limit of its own', async () => {
    for (let count = 0; count < RATE_LIMITS.register.requests; count += 1) await gateway.post(REGISTER, '{}', headers);
    const refused = await gateway.post(REGISTER, { agent_name: 'a' }, headers);
    const problem = await expectProblem(refused, 'rate_limited');
    expect(problem.detail).toContain('solved challenge');
    expect(problem.next_actions.some(({ href }) => href?.endsWith('/challenge'))).toBe(true);
    const response = await gateway.post(REGISTER, { agent_name: 'a', challenge: await solve(headers) }, headers);
    expect(response.status).toBe(201);
    expect(response.headers.get('ratelimit')).toContain(`"register_solved";r=${RATE_LIMITS.register_solved.requests - 1}`);
  });

  test('a request with a fault stays refused by the limit', async () => {
    await expectProblem(await gateway.post(REGISTER, '{}', headers), 'rate_limited');
    await expectProblem(await gateway.post(REGISTER, '{', headers), 'rate_limited');
  });
});
