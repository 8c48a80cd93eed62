import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { registerAgent, type RegistrationDependencies } from '../../../../src/gateway/agents/register-agent.ts';
import type { RegistrationClaims, RegistrationRecord } from '../../../../src/gateway/ports.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { Registration, RegistrationRequest } from '../../../../src/schemas/registration.ts';
import { signingSecret } from '../signing.ts';

const START_MS = Date.UTC(2026, 10, 21, 9, 30, 12, 345);
const IDEMPOTENCY_KEY = 'f3b2c1d0-9a8b-4c7d-8e6f-001122334455';
const request = RegistrationRequest.parse({ agent_name: 'Reader', platform: 'example.org', scopes: ['read', 'buy', 'metrics', 'submit'] });

/** Claims that keep what JSON keeps, as a database does. */
class MemoryClaims implements RegistrationClaims {
  readonly rows = new Map<string, string>();
  readonly claim = async (keySha256: string, record: RegistrationRecord): Promise<RegistrationRecord> => {
    const known = this.rows.get(keySha256);
    if (known === undefined || (JSON.parse(known) as RegistrationRecord).expiresAtMs <= record.createdAtMs)
      this.rows.set(keySha256, JSON.stringify(record));
    return JSON.parse(this.rows.get(keySha256) ?? '') as RegistrationRecord;
  };
}

let claims: MemoryClaims;
let nowMs: number;
let counter: number;
let deps: RegistrationDependencies;
beforeEach(async () => {
  claims = new MemoryClaims();
  nowMs = START_MS;
  counter = 0;
  deps = {
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_',
    clock: { nowMs: () => nowMs },
    claims,
    randomness: { bytes: (length) => Uint8Array.from({ length }, () => ++counter % 256) },
    secrets: [await signingSecret(1), await signingSecret(2)],
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
    expect((await register({ agent_name: 'x', scopes: ['metrics', 'submit'] }, null)).scopes).toEqual(['read']);
  });

  test('reads and writes nothing without an Idempotency-Key, and gives every caller an own identity', async () => {
    const made = await Promise.all([1, 2, 3].map(() => register(request, null, { ...deps, claims: undefined })));
    expect(new Set(made.map(({ api_key }) => api_key)).size).toBe(3);
    expect(new Set(made.map(({ agent_id }) => agent_id)).size).toBe(3);
    expect(claims.rows.size).toBe(0);
  });

  test('answers a repetition with the same bytes, also hours later', async () => {
    const before = await register();
    nowMs += LIMITS.idempotencyHours * 3_600_000 - 1;
    expect(JSON.stringify(await register())).toBe(JSON.stringify(before));
    expect(claims.rows.size).toBe(1);
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
    ['scopes in another order', { ...request, scopes: ['buy', 'read', 'metrics', 'submit'] }],
  ])('the same Idempotency-Key with %s', async (_name, body) => {
    const before = await register();
    expect(await codeOf(body)).toBe('idempotency_conflict');
    expect((await register()).api_key).toBe(before.api_key);
  });

  test('an Idempotency-Key when no database is bound', async () => {
    expect(await codeOf(request, IDEMPOTENCY_KEY, { ...deps, claims: undefined })).toBe('not_configured');
  });

  test('when the database does not answer, and says when to come back', async () => {
    const down: RegistrationClaims = { claim: () => Promise.reject(new Error('D1_ERROR: internal details')) };
    const result = await registerAgent(request, IDEMPOTENCY_KEY, { ...deps, claims: down });
    expect(result).toEqual({ ok: false, refusal: expect.objectContaining({ code: 'state_unavailable', retryAfterSeconds: 30 }) });
    expect(JSON.stringify(result)).not.toContain('internal details');
  });

  test('nothing after an answer of the database was lost: the repetition finds what was stored', async () => {
    let lost = true;
    const flaky: RegistrationClaims = {
      claim: async (keySha256, record) => {
        const kept = await claims.claim(keySha256, record);
        if (lost) throw new Error('the answer was lost');
        return kept;
      },
    };
    expect(await codeOf(request, IDEMPOTENCY_KEY, { ...deps, claims: flaky })).toBe('state_unavailable');
    const stored = [...claims.rows.values()];
    lost = false;
    await register(request, IDEMPOTENCY_KEY, { ...deps, claims: flaky });
    expect([...claims.rows.values()]).toEqual(stored);
  });
});

test('the store never holds a key, a MAC or an Idempotency-Key', async () => {
  const arbitraryRequest = fc.record({
    agent_name: fc.string({ minLength: 1, maxLength: 80 }),
    scopes: fc.subarray(['read', 'buy'] as const),
  });
  await fc.assert(
    fc.asyncProperty(arbitraryRequest, fc.stringMatching(/^[\x21-\x7e]{22,60}$/), async (body, idempotencyKey) => {
      const { api_key } = await register(body, idempotencyKey);
      const stored = JSON.stringify([...claims.rows]);
      expect(stored).not.toContain(JSON.stringify(idempotencyKey).slice(1, -1));
      for (let start = 9; start + 12 <= api_key.length; start += 1) expect(stored).not.toContain(api_key.slice(start, start + 12));
      const last = JSON.parse([...claims.rows.values()].at(-1) ?? '{}') as RegistrationRecord;
      expect(last.keyPayload).toMatch(/^[0-9a-f]{40}$/);
    }),
    { numRuns: 50 },
  );
});
