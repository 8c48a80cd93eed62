import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RegistrationStore } from '../../../../src/gateway/agents/agent-ports.ts';
import { issueChallenge } from '../../../../src/gateway/agents/proof-of-work.ts';
import { AgentRegistry, type RegistrationDependencies, registerAgent } from '../../../../src/gateway/agents/register-agent.ts';
import type { Quotas } from '../../../../src/gateway/platform-ports.ts';
import { expectValue, ok } from '../../../../src/gateway/result.ts';
import { registrationStore } from '../../../../src/platform/d1/agent-store.ts';
import { type Registration, RegistrationRequest } from '../../../../src/schemas/agents.ts';
import type { SolvedChallenge } from '../../../../src/schemas/api-keys.ts';
import { LIMITS, QUOTAS, type QuotaName } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { solveChallenge } from '../../../support/solve-challenge.ts';
import { signingSecret } from '../signing.ts';

const START_MS = Date.UTC(2026, 10, 21, 9, 30, 12, 345);
const IDEMPOTENCY_KEY = 'f3b2c1d0-9a8b-4c7d-8e6f-001122334455';
/** Fewer than any network gets, so that solving takes no time. */
const BITS = 8;
const request = RegistrationRequest.parse({ agent_name: 'Reader', platform: 'example.org', scopes: ['read', 'buy', 'metrics'] });

class CountedQuotas implements Quotas {
  readonly left: Partial<Record<QuotaName, number>> = {};
  readonly taken: [QuotaName, string][] = [];
  isDown = false;
  readonly take: Quotas['take'] = async (name, subject, atMs) => {
    if (this.isDown) throw new Error('the database is down');
    this.taken.push([name, subject]);
    const left = this.left[name] ?? QUOTAS[name].requests;
    this.left[name] = Math.max(0, left - 1);
    const taken = { remaining: Math.max(0, left - 1), endsAtMs: atMs + 60_000 };
    return left > 0 ? { ...taken, allowed: true } : { ...taken, allowed: false, refusedBy: 'quota' };
  };
}

const database = useDatabase(START_MS);
let registrations: RegistrationStore;
let quotas: CountedQuotas;
let deferred: Promise<unknown>[];
let nowMs: number;
let counter: number;
let deps: RegistrationDependencies;
const rows = (): unknown[] => database.look('SELECT * FROM registrations');
beforeEach(async () => {
  registrations = registrationStore(database.binding());
  quotas = new CountedQuotas();
  deferred = [];
  nowMs = START_MS;
  counter = 0;
  deps = {
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_',
    features: ALL_FEATURES,
    clock: { nowMs: () => nowMs },
    registrations,
    randomness: { bytes: (length) => Uint8Array.from({ length }, () => ++counter % 256) },
    secrets: [await signingSecret(1), await signingSecret(2)],
    intake: 'open',
    quotas,
    registry: new AgentRegistry({ add: async () => undefined }, quotas),
    network: '192.0.2.0/24',
    challengeBits: BITS,
    bindKey: async () => ok(undefined),
    defer: (work) => {
      work.catch(() => undefined);
      deferred.push(work);
    },
  };
});

const register = async (body = request, given = deps): Promise<Registration> =>
  expectValue(await registerAgent(body, IDEMPOTENCY_KEY, given));
const codeOf = async (body = request, idempotencyKey: string | null = IDEMPOTENCY_KEY, given = deps): Promise<string> => {
  const result = await registerAgent(body, idempotencyKey ?? undefined, given);
  return result.ok ? 'registered' : result.refusal.code;
};

test('registerAgent() refuses nothing after an answer of the database was lost: the repetition finds what was stored', async () => {
  let lost = true;
  const flaky: RegistrationStore = {
    ...registrations,
    save: async (keySha256, record, agent) => {
      const kept = await registrations.save(keySha256, record, agent);
      if (lost) throw new Error('the answer was lost');
      return kept;
    },
  };
  expect(await codeOf(request, IDEMPOTENCY_KEY, { ...deps, registrations: flaky })).toBe('state_unavailable');
  const stored = rows();
  expect(stored).toHaveLength(1);
  lost = false;
  await register(request, { ...deps, registrations: flaky });
  expect(rows()).toEqual(stored);
});

const solved = async (): Promise<SolvedChallenge> => solveChallenge(await issueChallenge(BITS, deps.secrets, nowMs, deps.randomness));

describe('registerAgent() with the scope submit', () => {
  const wish: RegistrationRequest = { agent_name: 'Author', scopes: ['submit'] };

  test('refuses it when the quota cannot be counted, and says so', async () => {
    const challenge = await solved();
    expect(await codeOf({ ...wish, challenge }, null, { ...deps, quotas: undefined })).toBe('not_configured');
    quotas.isDown = true;
    expect(await codeOf({ ...wish, challenge }, null)).toBe('state_unavailable');
  });

  test('a repetition under an Idempotency-Key takes nothing of the quota, also after the challenge has expired', async () => {
    const body = { ...wish, challenge: await solved() };
    const first = await register(body);
    const counted = quotas.taken.length;
    nowMs += 2 * LIMITS.challengeMinutes * 60_000;
    expect(await register(body)).toEqual(first);
    expect(quotas.taken.length).toBe(counted);
  });
});

describe('registerAgent() of a network that has used up its registrations', () => {
  const refusal = { code: 'rate_limited', detail: 'The limit is reached.', retryAfterSeconds: 180 } as const;

  test('refuses a challenge that is too easy by now, or not solved, before it counts it', async () => {
    const takeSolved = vi.fn(async () => ok(undefined));
    const over = { ...deps, overLimit: { refusal, takeSolved } };
    const challenge = await solved();
    expect(await codeOf({ agent_name: 'x', challenge }, null, { ...over, challengeBits: BITS + 1 })).toBe('challenge_invalid');
    expect(await codeOf({ agent_name: 'x', challenge: { ...challenge, solution: '-' } }, null, over)).toBe('challenge_invalid');
    expect(takeSolved).not.toHaveBeenCalled();
  });
});

describe('the registry of agents', () => {
  test('is written in the background: a database that fails, or never answers, holds nothing up', async () => {
    quotas.isDown = true;
    expect(await codeOf({ agent_name: 'x' }, null)).toBe('registered');
    expect((await Promise.allSettled(deferred)).map(({ status }) => status)).toEqual(['rejected']);
    const silent = new AgentRegistry({ add: () => new Promise(() => undefined) }, undefined);
    expect(await codeOf({ agent_name: 'x' }, null, { ...deps, registry: silent })).toBe('registered');
  });

  test('gets the row in one step with the registration under an Idempotency-Key', async () => {
    const { agent_id } = await register();
    expect(database.look('SELECT agent FROM agents')).toEqual([{ agent: agent_id.slice('agt_'.length) }]);
    expect(deferred).toEqual([]);
  });

  test('without room for another row a registration under an Idempotency-Key is refused, and one without is made', async () => {
    quotas.left.registry = 0;
    const result = await registerAgent(request, IDEMPOTENCY_KEY, deps);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'quota_exceeded', retryAfterSeconds: 60 } });
    expect(rows()).toEqual([]);
    expect(await codeOf(request, null)).toBe('registered');
  });
});

test('a registration for which the registry has no room gets no key with the scope submit either, and takes nothing of its quota', async () => {
  quotas.left.registry = 0;
  expect(await codeOf({ agent_name: 'x', scopes: ['submit' as const], challenge: await solved() })).toBe('quota_exceeded');
  expect(quotas.taken.map(([name]) => name)).toEqual(['registry']);
});

test.each<[what: string, given: () => Promise<Awaited<ReturnType<typeof registerAgent>>>, detail: string]>([
  ['no database', () => registerAgent(request, IDEMPOTENCY_KEY, { ...deps, registrations: undefined }), 'Omit it.'],
  ['no challenge', () => registerAgent({ agent_name: 'x', scopes: ['submit'] }, undefined, deps), 'Send one, or omit the scope.'],
  [
    'nothing that counts',
    async () =>
      registerAgent({ agent_name: 'x', scopes: ['submit'], challenge: await solved() }, undefined, { ...deps, quotas: undefined }),
    'cannot be counted.',
  ],
  [
    'another body',
    async () => {
      await register();
      return registerAgent({ ...request, agent_name: 'Another' }, IDEMPOTENCY_KEY, deps);
    },
    'belongs to a request with another body. Send that body again, or use a new key.',
  ],
])('a refusal for %s says what to do', async (_what, given, detail) => {
  expect(await given()).toMatchObject({ ok: false, refusal: { detail: expect.stringContaining(detail) as string } });
});
