import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentRecord, AgentStore, RegistrationRecord, RegistrationStore } from '../../../../src/gateway/agents/agent-ports.ts';
import { verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { issueChallenge } from '../../../../src/gateway/agents/challenge.ts';
import { AgentRegistry, type RegistrationDependencies, registerAgent } from '../../../../src/gateway/agents/register-agent.ts';
import type { Quotas } from '../../../../src/gateway/ports.ts';
import { ok } from '../../../../src/gateway/result.ts';
import { Registration, RegistrationRequest, type SolvedChallenge } from '../../../../src/schemas/agents.ts';
import { LIMITS, QUOTAS, type QuotaName } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { solveChallenge } from '../../../support/solve-challenge.ts';
import { signingSecret } from '../signing.ts';

const START_MS = Date.UTC(2026, 10, 21, 9, 30, 12, 345);
const IDEMPOTENCY_KEY = 'f3b2c1d0-9a8b-4c7d-8e6f-001122334455';
/** Fewer than any network gets, so that solving takes no time. */
const BITS = 8;
const request = RegistrationRequest.parse({ agent_name: 'Reader', platform: 'example.org', scopes: ['read', 'buy', 'metrics'] });

/** Claims that keep what JSON keeps, as a database does. */
class MemoryRegistrations implements RegistrationStore {
  readonly rows = new Map<string, string>();
  readonly agents: AgentRecord[] = [];
  readonly find = async (keySha256: string, atMs: number): Promise<RegistrationRecord | undefined> => {
    const known = this.rows.get(keySha256);
    const record = known === undefined ? undefined : (JSON.parse(known) as RegistrationRecord);
    return record && record.expiresAtMs > atMs ? record : undefined;
  };
  readonly save = async (keySha256: string, record: RegistrationRecord, agent: AgentRecord): Promise<RegistrationRecord> => {
    const known = this.rows.get(keySha256);
    if (known === undefined || (JSON.parse(known) as RegistrationRecord).expiresAtMs <= record.createdAtMs) {
      this.rows.set(keySha256, JSON.stringify(record));
      this.agents.push(agent);
    }
    return JSON.parse(this.rows.get(keySha256) ?? '') as RegistrationRecord;
  };
}

/** Quotas that count, with as many left as a test says. */
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

let registrations: MemoryRegistrations;
let quotas: CountedQuotas;
let added: AgentRecord[];
let store: Pick<AgentStore, 'add'>;
let deferred: Promise<unknown>[];
let nowMs: number;
let counter: number;
let deps: RegistrationDependencies;
beforeEach(async () => {
  registrations = new MemoryRegistrations();
  quotas = new CountedQuotas();
  added = [];
  deferred = [];
  store = { add: async (record) => void added.push(record) };
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
    registry: new AgentRegistry(store, quotas),
    network: '192.0.2.0/24',
    challengeBits: BITS,
    bindKey: async () => ok(undefined),
    defer: (work) => {
      work.catch(() => undefined);
      deferred.push(work);
    },
  };
});

async function register(body = request, idempotencyKey: string | null = IDEMPOTENCY_KEY, given = deps): Promise<Registration> {
  const result = await registerAgent(body, idempotencyKey ?? undefined, given);
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.detail}`);
  return result.value;
}
const codeOf = async (body = request, idempotencyKey: string | null = IDEMPOTENCY_KEY, given = deps): Promise<string> => {
  const result = await registerAgent(body, idempotencyKey ?? undefined, given);
  return result.ok ? 'registered' : result.refusal.code;
};

describe('registerAgent()', () => {
  test('answers in the published form, with a key that works at once', async () => {
    const registration = await register();
    expect(Registration.parse(registration)).toEqual(registration);
    const verified = await verifyKey(registration.api_key, 'akg_live_', deps.secrets, nowMs);
    expect(verified.ok && `agt_${verified.value.payload.agent}`).toBe(registration.agent_id);
    expect([registration.issued_at, registration.expires_at]).toEqual(['2026-11-21T09:30:00Z', '2027-02-19T09:30:00Z']);
    expect(registration.credential).toBe(registration.api_key);
  });

  test('gives read always, buy on request, and never what only the publisher grants', async () => {
    expect((await register()).scopes).toEqual(['read', 'buy']);
    expect((await register({ agent_name: 'x' }, null)).scopes).toEqual(['read']);
    expect((await register({ agent_name: 'x', scopes: ['metrics'] }, null)).scopes).toEqual(['read']);
  });

  test('reads and writes nothing without an Idempotency-Key, and gives every caller an own identity', async () => {
    const made = await Promise.all([1, 2, 3].map(() => register(request, null, { ...deps, registrations: undefined })));
    expect(new Set(made.map(({ api_key }) => api_key)).size).toBe(3);
    expect(new Set(made.map(({ agent_id }) => agent_id)).size).toBe(3);
    expect(registrations.rows.size).toBe(0);
  });

  test('answers a repetition with the same bytes, also hours later', async () => {
    const before = await register();
    nowMs += LIMITS.idempotencyHours * 3_600_000 - 1;
    expect(JSON.stringify(await register())).toBe(JSON.stringify(before));
    expect(registrations.rows.size).toBe(1);
  });

  test('answers a repetition with the same key after another secret began to sign', async () => {
    const before = await register();
    expect((await register(request, IDEMPOTENCY_KEY, { ...deps, secrets: [await signingSecret(3), ...deps.secrets] })).api_key).toBe(
      before.api_key,
    );
  });

  test('answers a repetition with a key that works after the secret of the first was withdrawn', async () => {
    await register();
    const secrets = [await signingSecret(3)] as const;
    const again = await register(request, IDEMPOTENCY_KEY, { ...deps, secrets });
    expect((await verifyKey(again.api_key, 'akg_live_', secrets, nowMs)).ok).toBe(true);
  });

  test('gives an own key again once a day has passed', async () => {
    const before = await register();
    nowMs += LIMITS.idempotencyHours * 3_600_000;
    expect((await register()).api_key).not.toBe(before.api_key);
  });

  test('gives requests that race each other one key', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => register()));
    expect(new Set(made.map(({ api_key }) => api_key)).size).toBe(1);
  });

  test('takes members in any order for the same request', async () => {
    const before = await register();
    expect((await register({ scopes: request.scopes, platform: 'example.org', agent_name: 'Reader' } as RegistrationRequest)).api_key).toBe(
      before.api_key,
    );
  });
});

describe('registerAgent() refuses', () => {
  test.each<[name: string, body: RegistrationRequest]>([
    ['another name', { ...request, agent_name: 'Reader 2' }],
    ['a member more', { ...request, contact: 'https://example.org' }],
    ['a member less', { agent_name: 'Reader', platform: 'example.org' }],
    ['scopes in another order', { ...request, scopes: ['buy', 'read', 'metrics'] }],
  ])('the same Idempotency-Key with %s', async (_name, body) => {
    const before = await register();
    expect(await codeOf(body)).toBe('idempotency_conflict');
    expect((await register()).api_key).toBe(before.api_key);
  });

  test('when the database does not answer, and says when to come back', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('D1_ERROR: internal details'));
    for (const down of [
      { find: fail, save: registrations.save },
      { find: registrations.find, save: fail },
    ]) {
      const result = await registerAgent(request, IDEMPOTENCY_KEY, { ...deps, registrations: down });
      expect(result).toEqual({ ok: false, refusal: expect.objectContaining({ code: 'state_unavailable', retryAfterSeconds: 30 }) });
      expect(JSON.stringify(result)).not.toContain('internal details');
    }
    expect(registrations.rows.size).toBe(0);
  });

  test('nothing after an answer of the database was lost: the repetition finds what was stored', async () => {
    let lost = true;
    const flaky: RegistrationStore = {
      find: registrations.find,
      save: async (keySha256, record, agent) => {
        const kept = await registrations.save(keySha256, record, agent);
        if (lost) throw new Error('the answer was lost');
        return kept;
      },
    };
    expect(await codeOf(request, IDEMPOTENCY_KEY, { ...deps, registrations: flaky })).toBe('state_unavailable');
    const stored = [...registrations.rows.values()];
    lost = false;
    await register(request, IDEMPOTENCY_KEY, { ...deps, registrations: flaky });
    expect([...registrations.rows.values()]).toEqual(stored);
  });
});

const solved = async (): Promise<SolvedChallenge> => solveChallenge(await issueChallenge(BITS, deps.secrets, nowMs, deps.randomness));

describe('registerAgent() with the scope submit', () => {
  const wish: RegistrationRequest = { agent_name: 'Author', scopes: ['submit'] };

  test('gives it for a solved challenge, and counts it for the network', async () => {
    expect((await register({ ...wish, challenge: await solved() }, null)).scopes).toEqual(['read', 'submit']);
    expect(quotas.taken).toContainEqual(['submit_keys', '192.0.2.0/24']);
  });

  test('refuses it without one, with a wrong one, and when the quota is used up', async () => {
    expect(await codeOf(wish, null)).toBe('challenge_required');
    const challenge = await solved();
    expect(await codeOf({ ...wish, challenge: { ...challenge, solution: `${challenge.solution}x` } }, null)).toBe('challenge_invalid');
    quotas.left.submit_keys = 0;
    const result = await registerAgent({ ...wish, challenge }, undefined, deps);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'quota_exceeded', retryAfterSeconds: 60 } });
  });

  test('refuses it when the quota cannot be counted, and says so', async () => {
    const challenge = await solved();
    expect(await codeOf({ ...wish, challenge }, null, { ...deps, quotas: undefined })).toBe('not_configured');
    quotas.isDown = true;
    expect(await codeOf({ ...wish, challenge }, null)).toBe('state_unavailable');
  });

  test.each(['granted', 'closed'] as const)('leaves it out where intake is %s, without a challenge and without a count', async (intake) => {
    expect((await register(wish, null, { ...deps, intake })).scopes).toEqual(['read']);
    expect(quotas.taken.filter(([name]) => name === 'submit_keys')).toEqual([]);
  });

  test('a repetition under an Idempotency-Key takes nothing of the quota, also after the challenge has expired', async () => {
    const body = { ...wish, challenge: await solved() };
    const first = await register(body);
    const counted = quotas.taken.length;
    nowMs += 2 * LIMITS.challengeMinutes * 60_000;
    expect(await register(body)).toEqual(first);
    expect(quotas.taken.length).toBe(counted);
  });

  test('one challenge leads to one agent and one key, however often it is sent', async () => {
    const challenge = await solved();
    const made = await Promise.all([1, 2, 3, 4].map(() => register({ ...wish, challenge }, null)));
    expect(new Set(made.map(({ api_key }) => api_key)).size).toBe(1);
    nowMs += 5 * 60_000;
    expect((await register({ agent_name: 'Another', challenge }, null)).agent_id).toBe(made[0]?.agent_id);
  });
});

describe('registerAgent() of a network that has used up its registrations', () => {
  const refusal = { code: 'rate_limited', detail: 'The limit is reached.', retryAfterSeconds: 180 } as const;
  let passed: number;
  const over = (): RegistrationDependencies => ({
    ...deps,
    overLimit: { refusal, takeSolved: async () => (++passed > 1 ? { ok: false, refusal } : { ok: true, value: undefined }) },
  });
  beforeEach(() => {
    passed = 0;
  });

  test('refuses what has no challenge, and tells of challenges', async () => {
    const result = await registerAgent({ agent_name: 'x' }, undefined, over());
    expect(result).toMatchObject({ ok: false, refusal: { code: 'rate_limited', retryAfterSeconds: 180 } });
    expect(result.ok ? '' : result.refusal.detail).toContain('solved challenge');
    expect(await codeOf(request, IDEMPOTENCY_KEY, over())).toBe('rate_limited');
    expect(passed).toBe(0);
  });

  test('lets a solved challenge through, as often as its own limit says', async () => {
    const given = over();
    expect(await codeOf({ agent_name: 'x', challenge: await solved() }, null, given)).toBe('registered');
    expect(await codeOf({ agent_name: 'x', challenge: await solved() }, null, given)).toBe('rate_limited');
  });

  test('refuses a challenge that is too easy by now, or not solved, before it counts it', async () => {
    const challenge = await solved();
    expect(await codeOf({ agent_name: 'x', challenge }, null, { ...over(), challengeBits: BITS + 1 })).toBe('challenge_invalid');
    expect(await codeOf({ agent_name: 'x', challenge: { ...challenge, solution: '-' } }, null, over())).toBe('challenge_invalid');
    expect(passed).toBe(0);
  });
});

describe('the registry of agents', () => {
  const settled = (): Promise<unknown> => Promise.allSettled(deferred);

  test('gets a row after the answer, with what the agent said and never the key', async () => {
    const { agent_id, key_id, api_key } = await register({ agent_name: 'Reader', platform: 'p', contact: 'c' }, null);
    await settled();
    expect(added).toEqual([
      {
        agent: agent_id.slice(4),
        name: 'Reader',
        platform: 'p',
        contact: 'c',
        keyId: key_id,
        createdAtMs: nowMs,
        rotatedAtMs: undefined,
        granted: [],
        expiresAtMs: Date.UTC(2027, 1, 19, 9, 30),
      },
    ]);
    expect(JSON.stringify(added)).not.toContain(api_key.slice(9, 30));
  });

  test('gets as many rows of a network as the quota allows, and the isolate remembers when there are none left', async () => {
    quotas.left.registry = 2;
    for (let count = 0; count < 10; count += 1) {
      await register({ agent_name: 'x' }, null);
      await settled();
    }
    expect(added).toHaveLength(2);
    expect(quotas.taken).toHaveLength(3);
    nowMs += 60_000;
    quotas.left.registry = 1;
    await register({ agent_name: 'x' }, null);
    await settled();
    expect(added).toHaveLength(3);
  });

  test('is written in the background: a database that fails, or never answers, holds nothing up', async () => {
    quotas.isDown = true;
    expect(await codeOf({ agent_name: 'x' }, null)).toBe('registered');
    expect((await Promise.allSettled(deferred)).map(({ status }) => status)).toEqual(['rejected']);
    const silent = new AgentRegistry({ add: () => new Promise(() => undefined) }, undefined);
    expect(await codeOf({ agent_name: 'x' }, null, { ...deps, registry: silent })).toBe('registered');
  });

  test('gets the row in one step with the registration under an Idempotency-Key', async () => {
    const { agent_id } = await register();
    expect(registrations.agents.map(({ agent }) => `agt_${agent}`)).toEqual([agent_id]);
    expect(deferred).toEqual([]);
  });

  test('without room for another row a registration under an Idempotency-Key is refused, and one without is made', async () => {
    quotas.left.registry = 0;
    const result = await registerAgent(request, IDEMPOTENCY_KEY, deps);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'quota_exceeded', retryAfterSeconds: 60 } });
    expect(registrations.rows.size).toBe(0);
    expect(await codeOf(request, null)).toBe('registered');
  });
});

test('a registration for which the registry has no room gets no key with the scope submit either, and takes nothing of its quota', async () => {
  quotas.left.registry = 0;
  const body = { agent_name: 'x', scopes: ['submit' as const], challenge: await solved() };
  expect(await codeOf(body)).toBe('quota_exceeded');
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

test('the store never holds a key, a MAC or an Idempotency-Key', async () => {
  const arbitraryRequest = fc.record({
    agent_name: fc.string({ minLength: 1, maxLength: 80 }),
    scopes: fc.subarray(['read', 'buy'] as const),
  });
  quotas.left.registry = 1_000;
  await fc.assert(
    fc.asyncProperty(arbitraryRequest, fc.stringMatching(/^[\x21-\x7e]{22,60}$/), async (body, idempotencyKey) => {
      const { api_key } = await register(body, idempotencyKey);
      const stored = JSON.stringify([...registrations.rows]);
      expect(stored).not.toContain(JSON.stringify(idempotencyKey).slice(1, -1));
      for (let start = 9; start + 12 <= api_key.length; start += 1) expect(stored).not.toContain(api_key.slice(start, start + 12));
      const last = JSON.parse([...registrations.rows.values()].at(-1) ?? '{}') as RegistrationRecord;
      expect(last.keyPayload).toMatch(/^[0-9a-f]{40}$/);
    }),
    { numRuns: 50 },
  );
});
