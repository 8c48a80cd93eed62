import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentStore } from '../../../../src/gateway/agents/agent-ports.ts';
import { keyIdOf, minuteOf, type VerifiedKey, verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { revocationOfAgent, revocationOfKey, revokeKeys, rotateKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import type { Quotas, SigningSecret } from '../../../../src/gateway/platform-ports.ts';
import { agentStore } from '../../../../src/platform/d1/agent-store.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { keyPayload, signingSecret } from '../signing.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30, 12);
const DAY_MS = 86_400_000;
const SKEW_MS = 600_000;
const AGENT = '00000000000000aa';
const payload = keyPayload(NOW_MS - DAY_MS, { agent: AGENT, ttlDays: 30, scopes: ['read', 'buy'] });
const expiresAtMs = (payload.issuedMinute + 30 * 1_440) * 60_000;
const key: VerifiedKey = { payload, expiresAtMs };
const NAME = 'a-key-of-22-characters';
const emptyList = () => new RevocationList(undefined, { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) });

const database = useDatabase(NOW_MS);
const rowsOf = (table: 'revocations' | 'idempotency' | 'agents'): unknown[] => database.look(`SELECT * FROM ${table}`);
let secret: SigningSecret;
let revocations: RevocationList;
let taken: string[];
let isAllowed: boolean;
let random: Uint8Array;
beforeEach(async () => {
  secret = await signingSecret(1);
  revocations = emptyList();
  taken = [];
  isAllowed = true;
  random = Uint8Array.of(0, 9);
});
const dependencies = (more: object = {}) => {
  const quotas: Quotas = {
    take: async (name, subject) => {
      taken.push(`${name} ${subject}`);
      return { allowed: isAllowed, remaining: 0, endsAtMs: NOW_MS + 60_000 };
    },
  };
  return {
    clock: { nowMs: () => NOW_MS },
    agents: agentStore(database.binding()),
    quotas,
    revocations,
    network: 'net',
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_' as const,
    intake: 'open' as const,
    features: ALL_FEATURES,
    secrets: [secret] as const,
    randomness: { bytes: () => random },
    ...more,
  };
};

test('a revocation of a key means that key, and is kept until no clock takes it any more', () => {
  expect(revocationOfKey(payload, 5)).toEqual({
    agent: AGENT,
    serial: 7,
    issuedMinute: payload.issuedMinute,
    effectiveAtMs: 5,
    expiresAtMs: expiresAtMs + SKEW_MS,
  });
});

test('a revocation of an agent means every key until now, at once, and is kept as long as the longest of them', () => {
  const issuedMinute = minuteOf(NOW_MS) + 5;
  const expected = { agent: AGENT, serial: undefined, issuedMinute, effectiveAtMs: 0 };
  expect(revocationOfAgent(AGENT, NOW_MS, 90)).toEqual({ ...expected, expiresAtMs: issuedMinute * 60_000 + 90 * DAY_MS + SKEW_MS });
  expect(revocationOfAgent(AGENT, NOW_MS, 200)).toEqual({ ...expected, expiresAtMs: issuedMinute * 60_000 + 200 * DAY_MS + SKEW_MS });
});

test('revokeKeys() says that a revocation is not stored, so that nobody relies on it', async () => {
  const agents = { ...agentStore(database.binding()), revoke: () => Promise.reject(new Error('unreachable')) };
  expect(await revokeKeys({ keys: 'this' }, key, dependencies({ agents }))).toMatchObject({
    ok: false,
    refusal: { code: 'state_unavailable' },
  });
});

test('revokeKeys() refuses a key at once, whatever a clock says', async () => {
  await revokeKeys({ keys: 'this' }, key, dependencies());
  expect(rowsOf('revocations')).toMatchObject([{ serial: 7, issued_minute: payload.issuedMinute, effective_at_ms: 0 }]);
});

test('revokeKeys() keeps the revocation of all keys as long as a key that lives longer than those of today', async () => {
  await revokeKeys({ keys: 'all' }, { ...key, payload: { ...payload, ttlDays: 400 } }, dependencies());
  const { issuedMinute, expiresAtMs } = revocationOfAgent(AGENT, NOW_MS, 400);
  expect(rowsOf('revocations')).toMatchObject([{ serial: null, issued_minute: issuedMinute, expires_at_ms: expiresAtMs }]);
});

describe('rotateKey()', () => {
  const rotate = (request: object = {}, idempotencyKey?: string, more: object = {}) =>
    rotateKey({ overlap_minutes: 10, ...request }, key, { idempotencyKey, sentBody: request }, dependencies(more));

  test('without an overlap refuses the present key at once, whatever a clock says', async () => {
    expect(await rotate({ overlap_minutes: 0 })).toMatchObject({ value: { previous_key: { works_until: '2026-11-21T09:30:12Z' } } });
    expect(rowsOf('revocations')).toMatchObject([{ effective_at_ms: 1 }]);
    expect(revocations.names(payload, 1)).toBe(true);
  });

  test('gives no serial number that is taken: of the present key in this minute, or of a revoked one', async () => {
    random = Uint8Array.of(0xff, 0xff);
    const issuedMinute = minuteOf(NOW_MS);
    revocations.add([revocationOfKey({ ...payload, serial: 0xffff, issuedMinute }, NOW_MS + DAY_MS)], NOW_MS);
    const present = { ...payload, serial: 0, issuedMinute };
    const sent = { idempotencyKey: undefined, sentBody: {} };
    const next = await rotateKey({ overlap_minutes: 0 }, { payload: present, expiresAtMs }, sent, dependencies());
    expect(next).toMatchObject({ value: { key_id: keyIdOf({ ...payload, serial: 1, issuedMinute }) } });
    random = Uint8Array.of(0, 7);
    expect(await rotate()).toMatchObject({ value: { key_id: keyIdOf({ ...payload, serial: 7, issuedMinute }) } });
  });

  test('that came second under an Idempotency-Key gives what the first got, and revokes nothing here', async () => {
    const first = await rotate({}, NAME);
    const late = { ...agentStore(database.binding()), findRotation: async () => undefined };
    random = Uint8Array.of(1, 1);
    revocations = emptyList();
    expect(await rotate({}, NAME, { agents: late })).toEqual(first);
    expect(revocations.names(payload, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test('says what is not known where there is no quota left or no answer', async () => {
    isAllowed = false;
    expect(await rotate()).toMatchObject({ refusal: { code: 'quota_exceeded' } });
    expect(rowsOf('revocations')).toEqual([]);
    isAllowed = true;
    const down = { agents: agentStore(database.binding({ fault: () => 'refused' })) };
    for (const idempotencyKey of [undefined, NAME]) {
      const result = await rotate({}, idempotencyKey, down);
      expect(result).toMatchObject({ refusal: { code: 'state_unavailable' } });
      expect(JSON.stringify(result)).toContain('It is not known whether the rotation was stored.');
    }
    expect(revocations.names(payload, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe('rotations under an Idempotency-Key', () => {
  let serial: number;
  const details: string[] = [];
  beforeEach(() => {
    serial = 8;
  });

  function machine(agents: AgentStore = agentStore(database.binding())) {
    const bytes = (): Uint8Array => {
      serial += 1;
      return Uint8Array.of(0, serial);
    };
    const deps = dependencies({ agents, revocations: emptyList(), randomness: { bytes } });
    return async (idempotencyKey?: string, overlapMinutes = 10, rotated = key): Promise<string> => {
      const result = await rotateKey({ overlap_minutes: overlapMinutes }, rotated, { idempotencyKey, sentBody: { overlapMinutes } }, deps);
      if (!result.ok) details.push(result.refusal.detail);
      return result.ok ? result.value.api_key : result.refusal.code;
    };
  }

  describe.each([
    ['without an Idempotency-Key', undefined],
    ['under another Idempotency-Key', 'another-key-of-22-chars'],
  ])('a key that was rotated, %s', (_name, second) => {
    test.each([undefined, NAME])('is rotated no second time, neither here nor on another machine (first under %s)', async (first) => {
      const here = machine();
      expect(await here(first)).toMatch(/^akg_live_/);
      for (const elsewhere of [here, machine()])
        for (const overlap of [0, 10, 1_440]) expect(await elsewhere(second, overlap)).toBe('api_key_replaced');
      expect(rowsOf('revocations')).toHaveLength(1);
      expect(rowsOf('idempotency')).toHaveLength(first === undefined ? 0 : 1);
    });

    test('has one successor of many that are asked for at once, on machines that know nothing of each other', async () => {
      const names = Array.from({ length: 8 }, (_, index) => (second === undefined ? undefined : `${second}-${index}`));
      const answers = await Promise.all(names.map((name) => machine()(name)));
      expect(answers.filter((answer) => answer.startsWith('akg_live_'))).toHaveLength(1);
      expect(answers.filter((answer) => answer === 'api_key_replaced')).toHaveLength(7);
      expect(rowsOf('revocations')).toHaveLength(1);
    });

    test('changes nothing in the registry by a rotation that is refused', async () => {
      database.look(`INSERT INTO agents (agent, name, key_id, created_at_ms, expires_at_ms) VALUES ('${AGENT}', 'n', 'k', 0, 0)`);
      await machine()(NAME);
      const after = rowsOf('agents');
      expect(after).not.toMatchObject([{ key_id: 'k' }]);
      expect(after).toMatchObject([{ key_scopes: expect.stringMatching(/^read\b/) as string }]);
      expect(await machine()(second)).toBe('api_key_replaced');
      expect(rowsOf('agents')).toEqual(after);
    });
  });

  test('the same rotation under its Idempotency-Key is answered alike when it is sent twice at once to one machine', async () => {
    const store = agentStore(database.binding());
    const looked = Promise.withResolvers<void>();
    let first: Promise<string> | undefined;
    // The second request is told what there was before the first was stored, and goes on after it.
    const here = machine({
      ...store,
      findRotation: async () => {
        looked.resolve();
        await first;
        return undefined;
      },
    });
    const one = here(NAME);
    await looked.promise;
    first = one;
    expect(await here(NAME)).toBe(await one);
    expect(rowsOf('revocations')).toHaveLength(1);
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
    expect(taken).toHaveLength(1);
  });

  test('the new key can be rotated, and another agent has the same numbers for itself', async () => {
    const next = await verifyKey(await machine()(), 'akg_live_', [secret], NOW_MS);
    if (!next.ok) throw new Error(next.refusal.detail);
    expect(await machine()(undefined, 10, next.value)).toMatch(/^akg_live_/);
    const other = { ...key, payload: { ...key.payload, agent: '00000000000000bb' } };
    expect(await machine()(undefined, 10, other)).toMatch(/^akg_live_/);
  });
});
