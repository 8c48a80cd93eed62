import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentStore } from '../../../../src/gateway/agents/agent-ports.ts';
import { minuteOf, type VerifiedKey, verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { rotateKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import type { Quotas, SigningSecret } from '../../../../src/gateway/ports.ts';
import { agentStore } from '../../../../src/platform/d1/agent-store.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';
import { signingSecret } from '../signing.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 9, 30, 12);
const AGENT = '00000000000000aa';
const NAME = 'a-key-of-22-characters';
const key: VerifiedKey = {
  payload: { secretId: 1, agent: AGENT, serial: 7, issuedMinute: minuteOf(NOW_MS) - 1_440, ttlDays: 90, scopes: ['read', 'buy'] },
  expiresAtMs: NOW_MS + 89 * 86_400_000,
};
const quotas: Quotas = {
  take: async () => {
    taken += 1;
    return { allowed: true, remaining: 1, endsAtMs: NOW_MS };
  },
};

let taken: number;
let database: SimulatedDatabase;
let secret: SigningSecret;
let serial: number;
const details: string[] = [];
beforeEach(async () => {
  database = simulatedDatabase(new SimulatedTime(NOW_MS));
  secret = await signingSecret(1);
  serial = 8;
  taken = 0;
});

/** A machine that knows of no revocation but those that it stores itself. */
function machine(agents: AgentStore = agentStore(database.binding())) {
  const revocations = new RevocationList(undefined, { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) });
  const deps = {
    clock: { nowMs: () => NOW_MS },
    agents,
    quotas,
    revocations,
    network: 'net',
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_' as const,
    intake: 'open' as const,
    features: ALL_FEATURES,
    secrets: [secret] as const,
    randomness: {
      bytes: () => {
        serial += 1;
        return Uint8Array.of(0, serial);
      },
    },
  };
  return async (idempotencyKey?: string, overlapMinutes = 10, rotated = key): Promise<string> => {
    const result = await rotateKey({ overlap_minutes: overlapMinutes }, rotated, { idempotencyKey, sentBody: { overlapMinutes } }, deps);
    if (!result.ok) details.push(result.refusal.detail);
    return result.ok ? result.value.api_key : result.refusal.code;
  };
}

const revoked = (): unknown[] => database.look('SELECT agent FROM revocations');
const kept = (): unknown[] => database.look('SELECT key_sha256 FROM idempotency');

describe.each([
  ['without an Idempotency-Key', undefined],
  ['under another Idempotency-Key', 'another-key-of-22-chars'],
])('a key that was rotated, %s', (_name, second) => {
  test.each([undefined, NAME])('is rotated no second time, neither here nor on another machine (first under %s)', async (first) => {
    const here = machine();
    expect(await here(first)).toMatch(/^akg_live_/);
    for (const elsewhere of [here, machine()])
      for (const overlap of [0, 10, 1_440]) expect(await elsewhere(second, overlap)).toBe('api_key_replaced');
    expect(revoked()).toHaveLength(1);
    expect(kept()).toHaveLength(first === undefined ? 0 : 1);
  });

  test('has one successor of many that are asked for at once, on machines that know nothing of each other', async () => {
    const names = Array.from({ length: 8 }, (_, index) => (second === undefined ? undefined : `${second}-${index}`));
    const answers = await Promise.all(names.map((name) => machine()(name)));
    expect(answers.filter((answer) => answer.startsWith('akg_live_'))).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'api_key_replaced')).toHaveLength(7);
    expect(revoked()).toHaveLength(1);
  });

  test('changes nothing in the registry by a rotation that is refused', async () => {
    database.look(`INSERT INTO agents (agent, name, key_id, created_at_ms, expires_at_ms) VALUES ('${AGENT}', 'n', 'k', 0, 0)`);
    await machine()(NAME);
    const after = database.look('SELECT * FROM agents');
    expect(after).not.toMatchObject([{ key_id: 'k' }]);
    expect(await machine()(second)).toBe('api_key_replaced');
    expect(database.look('SELECT * FROM agents')).toEqual(after);
  });
});

test('the same rotation under its Idempotency-Key is answered again, on any machine', async () => {
  const first = await machine()(NAME);
  expect(await machine()(NAME)).toBe(first);
  expect(await machine()(NAME, 5)).toBe('idempotency_conflict');
});

test('the same rotation under its Idempotency-Key is answered alike when it is sent twice at once to one machine', async () => {
  const store = agentStore(database.binding());
  let hasLooked = (): void => undefined;
  const looked = new Promise<void>((resolve) => {
    hasLooked = resolve;
  });
  let first: Promise<string> | undefined;
  // The second request is told what there was before the first was stored, and goes on after it.
  const here = machine({
    ...store,
    findRotation: async () => {
      hasLooked();
      await first;
      return undefined;
    },
  });
  const one = here(NAME);
  await looked;
  first = one;
  expect(await here(NAME)).toBe(await one);
  expect(revoked()).toHaveLength(1);
});

describe('when it is not known whether a rotation was stored', () => {
  const silent = (): AgentStore => ({ ...agentStore(database.binding()), rotate: () => Promise.reject(new Error('no answer')) });
  const detailOf = async (idempotencyKey: string | undefined, overlapMinutes: number): Promise<string> => {
    await machine(silent())(idempotencyKey, overlapMinutes);
    return details.at(-1) ?? '';
  };

  test('a caller with an Idempotency-Key is told to repeat under it', async () => {
    expect(await detailOf(NAME, 10)).toMatch(/works at least until the overlap ends\. Retry with the same Idempotency-Key\./);
  });

  test('one without is told what to do if the new key is lost, and nothing of an overlap that is none', async () => {
    expect(await detailOf(undefined, 10)).toMatch(/works at least until the overlap ends.*revoke all keys/);
    const none = await detailOf(undefined, 0);
    expect(none).toContain('api_key_replaced');
    expect(none).not.toContain('overlap');
  });
});

test('a rotation that is known to be the second takes nothing of the quota', async () => {
  const here = machine();
  await here();
  expect(await here()).toBe('api_key_replaced');
  expect(taken).toBe(1);
});

test('the new key can be rotated, and another agent has the same numbers for itself', async () => {
  const next = await verifyKey(await machine()(), 'akg_live_', [secret], NOW_MS);
  if (!next.ok) throw new Error(next.refusal.detail);
  expect(await machine()(undefined, 10, next.value)).toMatch(/^akg_live_/);
  const other = { ...key, payload: { ...key.payload, agent: '00000000000000bb' } };
  expect(await machine()(undefined, 10, other)).toMatch(/^akg_live_/);
});

test('without an Idempotency-Key the registry names the new key', async () => {
  database.look(`INSERT INTO agents (agent, name, key_id, created_at_ms, expires_at_ms) VALUES ('${AGENT}', 'n', 'k', 0, 0)`);
  await machine()();
  expect(database.look('SELECT key_id, rotated_at_ms FROM agents')).toEqual([
    { key_id: `key_${AGENT}_0009_${minuteOf(NOW_MS).toString(16).padStart(8, '0')}`, rotated_at_ms: NOW_MS },
  ]);
});
