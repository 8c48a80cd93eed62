import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Challenge } from '../../../src/schemas/api-keys.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';

const CHALLENGE = '/api/v1/agent-gateway/challenge';
const REGISTER = '/api/v1/agent-gateway/register';
const gateway = useInProcessGateway();
const challengeFor = async (headers: Record<string, string> = {}): Promise<Challenge> =>
  z.strictObject(Challenge.shape).parse(await (await gateway.fetch(CHALLENGE, { headers })).json());

describe('getChallenge 200 application/json', () => {
  test('has exactly the published members, must not be stored, and is another one each time', async () => {
    const response = await gateway.fetch(CHALLENGE);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expectSharedHeaders(response.headers);
    const first = z.strictObject(Challenge.shape).parse(await response.json());
    expect(first.difficulty_bits).toBe(LIMITS.challengeBitsMin);
    expect((await challengeFor()).token).not.toBe(first.token);
  });

  test('says until when it is taken', async () => {
    const now = Date.UTC(2031, 1, 3, 4, 5, 6, 789);
    expect((await challengeFor({ [NOW_HEADER]: String(now) })).expires_at).toBe('2031-02-03T04:15:06Z');
  });

  test('is harder for a network that registers beyond its limit, and for no other one', async () => {
    const headers = { 'CF-Connecting-IP': '198.51.100.7', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
    for (let count = 0; count < RATE_LIMITS.register.requests; count += 1)
      expect((await gateway.post(REGISTER, { agent_name: 'a' }, headers)).status).toBe(201);
    await expectProblem(await gateway.post(REGISTER, { agent_name: 'a' }, headers), 'rate_limited');
    const challenge = await solveChallenge(await challengeFor(headers));
    // One solution passes again and again as the same agent: what it costs is room in the limit.
    let passed = 0;
    while ((await challengeFor(headers)).difficulty_bits === LIMITS.challengeBitsMin && passed < RATE_LIMITS.register_solved.requests) {
      expect((await gateway.post(REGISTER, { agent_name: 'a', challenge }, headers)).status).toBe(201);
      passed += 1;
    }
    expect((await challengeFor(headers)).difficulty_bits).toBe(LIMITS.challengeBitsMin + 1);
    expect(passed).toBeLessThan(RATE_LIMITS.register_solved.requests / 4);
    await expectProblem(await gateway.post(REGISTER, { agent_name: 'a', challenge }, headers), 'challenge_invalid');
    expect((await challengeFor({ ...headers, 'CF-Connecting-IP': '198.51.101.7' })).difficulty_bits).toBe(LIMITS.challengeBitsMin);
  });
});

describe('getChallenge 400 invalid_request', () => {
  test.each(['15', '23', '100', '1e1', 'many', ''])('difficulty_bits=%s', async (bits) => {
    const { errors } = await expectProblem(await gateway.fetch(`${CHALLENGE}?difficulty_bits=${bits}`), 'invalid_request');
    expect(errors?.[0]?.pointer).toBe('difficulty_bits');
  });

  test('a harder challenge than the network has to solve can be asked for, and no easier one', async () => {
    const bitsOf = async (query: string): Promise<number> =>
      ((await (await gateway.fetch(CHALLENGE + query)).json()) as Challenge).difficulty_bits;
    expect([await bitsOf('?difficulty_bits=18'), await bitsOf('?difficulty_bits=22'), await bitsOf('')]).toEqual([
      18,
      22,
      LIMITS.challengeBitsMin,
    ]);
  });
});
