import { describe, expect, test } from 'vitest';
import { issueChallenge } from '../../../src/gateway/agents/proof-of-work.ts';
import { ERRORS, type ErrorCode, errorEntry } from '../../../src/gateway/errors.ts';
import { TokenBuckets } from '../../../src/gateway/limits/token-bucket.ts';
import type { BudgetAccess, LocationLimiter, Quotas, QuotaTaken } from '../../../src/gateway/platform-ports.ts';
import type { Caller } from '../../../src/http/define-route.ts';
import type { GatewayDependencies } from '../../../src/http/gateway-dependencies.ts';
import { type LimitReport, type RequestContext, rateLimitHeaders, requestQuotas, takeAllowance } from '../../../src/http/rate-limits.ts';
import { problemResponse } from '../../../src/http/render-problem.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';
import { signingSecret } from '../gateway/signing.ts';

const clock = { nowMs: () => 0 };
const context = { baseUrl: 'http://127.0.0.1', requestId: 'r', path: '/p' };

function dependencies(location?: LocationLimiter): GatewayDependencies {
  const limiters = { query: new TokenBuckets({ requests: 2, windowSeconds: 60 }, 10) };
  return { clock, limiters, location } as unknown as GatewayDependencies;
}

describe('takeAllowance()', () => {
  test('asks the location only after the isolate has allowed a request, and so never for what it refuses', async () => {
    let asked = 0;
    const location: LocationLimiter = {
      enforced: new Set(),
      admits: async () => {
        asked += 1;
        return true;
      },
    };
    const deps = dependencies(location);
    const outcomes = [];
    for (let count = 0; count < 5; count += 1) outcomes.push((await takeAllowance('query', 'a', deps, new Map())).ok);
    expect(outcomes).toEqual([true, true, false, false, false]);
    expect(asked).toBe(2);
  });

  test('tells a caller whom the location refuses to wait for a whole window', async () => {
    const report: LimitReport = new Map();
    const { windowSeconds } = RATE_LIMITS.query;
    const location: LocationLimiter = { enforced: new Set(), admits: async () => false };
    const result = await takeAllowance('query', 'a', dependencies(location), report);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'rate_limited', retryAfterSeconds: windowSeconds } });
    expect(rateLimitHeaders(report)[1]).toEqual(['RateLimit', `"query";r=0;t=${windowSeconds}`]);
  });

  test('counts nothing while limits are lifted', async () => {
    const report: LimitReport = new Map();
    const deps = { ...dependencies(), limiters: undefined };
    expect(await takeAllowance('query', 'a', deps, report)).toMatchObject({ ok: true });
    expect(rateLimitHeaders(report)).toEqual([]);
  });
});

describe('requestQuotas()', async () => {
  const secrets = [await signingSecret(1)] as const;
  const { token, solution } = await solveChallenge(
    await issueChallenge(LIMITS.budgetChallengeBits, secrets, 0, { bytes: (length) => new Uint8Array(length) }),
  );
  const taken = { allowed: false, remaining: 0, endsAtMs: 1_000, refusedBy: 'challenge' } as const;
  const requested = (counting: Quotas, context: Partial<RequestContext>): Quotas => {
    const request = new Request('http://127.0.0.1/');
    const deps = { clock, secrets } as unknown as GatewayDependencies;
    return requestQuotas(counting, { request, network: 'n', ...context } as RequestContext, deps);
  };
  const take = async (given: Partial<RequestContext> & { header?: string }, outcome: QuotaTaken = taken, own?: BudgetAccess) => {
    const { header, ...more } = given;
    const request = new Request('http://127.0.0.1/', { headers: header === undefined ? {} : { 'Challenge-Solution': header } });
    let access: BudgetAccess | undefined;
    const counting: Quotas = {
      take: async (_name, _subject, _nowMs, given) => {
        access = given;
        return outcome;
      },
    };
    const result = await requested(counting, { request, limits: new Map(), ...more }).take('proposals', 'a', 0, own);
    return { access, result };
  };
  const SOLVED = { id: expect.any(String) as string, endsAtMs: expect.any(Number) as number };

  test('gives a caller without a challenge no access', async () => {
    expect(await take({})).toEqual({ access: { isKnown: false, solvedChallenge: undefined }, result: taken });
  });

  test('takes a solved challenge of the header or of the body, spaces around it aside', async () => {
    for (const given of [
      { header: `${token}.${solution}` },
      { header: `${token} . ${solution}` },
      { challengeSolution: `${token}.${solution}` },
    ])
      expect(await take(given)).toEqual({ access: { isKnown: false, solvedChallenge: SOLVED }, result: taken });
  });

  test.each([`${token}.${solution}x`, `${token}${solution}`, 'x.y', '.'])(
    'says what is wrong with %j only where one is required',
    async (header) => {
      const { access, result } = await take({ header });
      expect(access).toEqual({ isKnown: false, solvedChallenge: undefined });
      expect(result).toEqual({ ...taken, challengeError: expect.stringMatching(/\.$/) as string });
      const allowed = { allowed: true, remaining: 1, endsAtMs: 1_000 };
      expect((await take({ header }, allowed)).result).toEqual(allowed);
    },
  );

  test('counts an agent with a granted scope as known, and lets the operation say more', async () => {
    const caller = { key: { payload: { scopes: ['read'] } }, scopes: ['read', 'metrics'] } as unknown as Caller;
    expect((await take({ caller })).access).toMatchObject({ isKnown: true });
    expect((await take({ caller }, taken, { isKnown: false })).access).toMatchObject({ isKnown: false });
  });

  test('reports what is left of a quota and the seconds until its window ends, and nothing of a budget or an outage', async () => {
    const limits: LimitReport = new Map([['network', { allowed: true, remaining: 5, resetSeconds: 1 }]]);
    const window = { remaining: 3, endsAtMs: 30_500 };
    await take({ limits }, { ...window, allowed: true });
    expect(rateLimitHeaders(limits)).toEqual([
      [
        'RateLimit-Policy',
        `"network";q=${RATE_LIMITS.network.requests};w=60, "proposals";q=${QUOTAS.proposals.requests};w=${QUOTAS.proposals.windowSeconds}`,
      ],
      ['RateLimit', '"network";r=5;t=1, "proposals";r=3;t=31'],
    ]);
    limits.clear();
    await take({ limits }, { ...window, allowed: false, refusedBy: 'budget' });
    const down = requested({ take: () => Promise.reject(new Error('down')) }, { limits });
    await expect(down.take('proposals', 'a', 0)).rejects.toThrow('down');
    expect(limits.size).toBe(0);
    await take({ limits }, { ...window, allowed: false, refusedBy: 'quota' });
    expect(limits.get('proposals')).toMatchObject({ allowed: false, resetSeconds: 31 });
  });
});

const CODES = Object.keys(ERRORS) as ErrorCode[];
/** Conflicts with something that is under way are over soon. */
const asksToWait = (code: ErrorCode): boolean =>
  [429, 503].includes(errorEntry(code).status) || code === 'request_in_flight' || code === 'payment_settling';

test.each(CODES.filter(asksToWait))('%s always says when to come back', async (code) => {
  const response = problemResponse({ code, detail: 'd' }, context);
  const problem = (await response.json()) as { retry_after_seconds: number };
  expect(problem.retry_after_seconds).toBeGreaterThan(0);
  expect(response.headers.get('Retry-After')).toBe(String(problem.retry_after_seconds));
  expect(problemResponse({ code, detail: 'd', retryAfterSeconds: 7 }, context).headers.get('Retry-After')).toBe('7');
});

test('all other errors say when to come back only where a refusal does', () => {
  for (const code of CODES.filter((other) => !asksToWait(other)))
    expect(problemResponse({ code, detail: 'd' }, context).headers.get('Retry-After')).toBeNull();
});

test('every operation that takes a key is counted for the key, but for revoking it, besides the count for the network', () => {
  const withKey = routeTable({ baseUrl: 'https://site.example', checkoutHost: 'https://checkout.example' }).filter(
    ({ access, id }) => access !== 'open' && id !== 'revokeKey',
  );
  expect(withKey.length).toBeGreaterThan(0);
  for (const { id, rateLimit } of withKey) expect([id, RATE_LIMITS[rateLimit].per]).toEqual([id, 'key']);
});
