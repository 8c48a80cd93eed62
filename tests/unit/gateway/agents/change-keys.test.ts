import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentStore, KeyPayload, Revocation, Rotation } from '../../../../src/gateway/agents/agent-ports.ts';
import { encodePayload, keyIdOf, minuteOf, verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { revocationOfAgent, revocationOfKey, revokeKeys, rotateKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import type { Quotas, SigningSecret } from '../../../../src/gateway/ports.ts';
import { toHex } from '../../../../src/provenance/bytes.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { signingSecret } from '../signing.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30, 12);
const DAY_MS = 86_400_000;
const SKEW_MS = 600_000;
const AGENT = '00000000000000aa';
const payload: KeyPayload = {
  secretId: 1,
  agent: AGENT,
  serial: 7,
  issuedMinute: minuteOf(NOW_MS - DAY_MS),
  ttlDays: 30,
  scopes: ['read', 'buy'],
};
const expiresAtMs = (payload.issuedMinute + 30 * 1_440) * 60_000;
const key = { payload, expiresAtMs };

/** Rotations and revocations in memory. */
class MemoryAgents {
  readonly revoked: Revocation[] = [];
  readonly rotated: unknown[] = [];
  readonly kept = new Map<string, Rotation>();
  isDown = false;
  readonly revoke = async (revocation: Revocation): Promise<void> => {
    if (this.isDown) throw new Error('the database is down');
    this.revoked.push(revocation);
  };
  readonly findRotation: AgentStore['findRotation'] = async (slot) => {
    if (this.isDown) throw new Error('the database is down');
    return this.kept.get(`${slot.agent} ${slot.keySha256}`);
  };
  readonly rotate: AgentStore['rotate'] = async (rotation, replaced, newKey, slot, nowMs) => {
    if (this.isDown) throw new Error('the database is down');
    this.rotated.push({ rotation, replaced, newKey, slot, nowMs });
    if (slot === undefined) return rotation;
    const name = `${slot.agent} ${slot.keySha256}`;
    const kept = this.kept.get(name) ?? rotation;
    this.kept.set(name, kept);
    return kept;
  };
}

let secret: SigningSecret;
let agents: MemoryAgents;
let revocations: RevocationList;
let taken: string[];
let isAllowed: boolean;
let random: Uint8Array;
beforeEach(async () => {
  secret = await signingSecret(1);
  agents = new MemoryAgents();
  revocations = new RevocationList(undefined, { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) });
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
    agents: agents as unknown as AgentStore,
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
  expect(revocationOfAgent(AGENT, NOW_MS)).toEqual({ ...expected, expiresAtMs: issuedMinute * 60_000 + 90 * DAY_MS + SKEW_MS });
  expect(revocationOfAgent(AGENT, NOW_MS, 200)).toEqual({ ...expected, expiresAtMs: issuedMinute * 60_000 + 200 * DAY_MS + SKEW_MS });
});

describe('revokeKeys()', () => {
  test.each(['this', 'all'] as const)('stores the revocation of %s, and knows it here at once', async (keys) => {
    expect(await revokeKeys({ keys }, key, dependencies())).toEqual({
      ok: true,
      value: {
        agent_id: `agt_${AGENT}`,
        key_id: keyIdOf(payload),
        revoked: keys,
        revoked_at: '2026-11-21T09:30:12Z',
        refused_everywhere_at: '2026-11-21T09:32:12Z',
      },
    });
    expect(agents.revoked).toEqual([keys === 'this' ? revocationOfKey(payload, 0) : revocationOfAgent(AGENT, NOW_MS)]);
    expect(taken).toEqual([`own_revocations ${AGENT}`]);
    expect(revocations.names(payload, NOW_MS)).toBe(true);
    expect(revocations.names({ ...payload, serial: 8 }, NOW_MS)).toBe(keys === 'all');
  });

  test('keeps the revocation of all keys as long as a key that lives longer than those of today', async () => {
    await revokeKeys({ keys: 'all' }, { ...key, payload: { ...payload, ttlDays: 400 } }, dependencies());
    expect(agents.revoked).toEqual([revocationOfAgent(AGENT, NOW_MS, 400)]);
  });

  test('says that nothing was stored, and knows nothing, where there is no quota left or no answer', async () => {
    isAllowed = false;
    expect(await revokeKeys({ keys: 'this' }, key, dependencies())).toMatchObject({ refusal: { code: 'quota_exceeded' } });
    isAllowed = true;
    agents.isDown = true;
    expect(await revokeKeys({ keys: 'this' }, key, dependencies())).toMatchObject({
      refusal: { code: 'state_unavailable', detail: 'The revocation could not be stored. Retry until it succeeds.' },
    });
    expect(agents.revoked).toEqual([]);
    expect(revocations.names(payload, NOW_MS)).toBe(false);
  });
});

describe('rotateKey()', () => {
  const rotate = (request: object = {}, idempotencyKey?: string, more: object = {}) =>
    rotateKey({ overlap_minutes: 10, ...request }, key, { idempotencyKey, sentBody: request }, dependencies(more));

  test('gives a new key with a whole life, and lets the present one work for the overlap', async () => {
    const result = await rotate();
    if (!result.ok) throw new Error(result.refusal.detail);
    const verified = await verifyKey(result.value.api_key, 'akg_live_', [secret], NOW_MS);
    const fresh = { ...payload, serial: 9, issuedMinute: minuteOf(NOW_MS), ttlDays: 90 };
    expect(verified).toMatchObject({ ok: true, value: { payload: fresh } });
    expect(result.value.previous_key).toEqual({ key_id: keyIdOf(payload), works_until: '2026-11-21T09:40:12Z' });
    const worksUntilMs = NOW_MS + 600_000;
    expect(agents.rotated).toEqual([
      {
        rotation: { bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/), keyPayload: toHex(encodePayload(fresh)), worksUntilMs },
        replaced: revocationOfKey(payload, worksUntilMs),
        newKey: { keyId: keyIdOf(fresh), expiresAtMs: minuteOf(NOW_MS) * 60_000 + 90 * DAY_MS },
        slot: undefined,
        nowMs: NOW_MS,
      },
    ]);
    expect([revocations.names(payload, worksUntilMs - 1), revocations.names(payload, worksUntilMs)]).toEqual([false, true]);
    expect(taken).toEqual(['revocations net']);
  });

  test('without an overlap refuses the present key at once, whatever a clock says', async () => {
    expect(await rotate({ overlap_minutes: 0 })).toMatchObject({ value: { previous_key: { works_until: '2026-11-21T09:30:12Z' } } });
    expect(agents.rotated).toMatchObject([{ replaced: { effectiveAtMs: 0 } }]);
    expect(revocations.names(payload, 0)).toBe(true);
  });

  test('lets no overlap outlive the present key', async () => {
    expect(await rotate({ overlap_minutes: 100 * 1_440 })).toMatchObject({
      value: { previous_key: { works_until: `${new Date(expiresAtMs).toISOString().slice(0, 19)}Z` } },
    });
  });

  test('gives the scopes that are asked for, and none that the present key has not', async () => {
    expect(await rotate({ scopes: ['read'] })).toMatchObject({ value: { scopes: ['read'] } });
    expect(await rotate({ scopes: ['read', 'submit'] })).toMatchObject({
      refusal: {
        code: 'insufficient_scope',
        detail: expect.stringMatching(
          /^The current key does not have the scope "submit", and a rotation cannot add scopes\. Request a challenge.*\(POST .*register\)\.$/,
        ) as unknown,
      },
    });
  });

  test('gives no serial number that is taken: of the present key in this minute, or of a revoked one', async () => {
    random = Uint8Array.of(0xff, 0xff);
    const issuedMinute = minuteOf(NOW_MS);
    revocations.add([revocationOfKey({ ...payload, serial: 0xffff, issuedMinute }, NOW_MS + DAY_MS)], NOW_MS);
    const present = { ...payload, serial: 0, issuedMinute };
    await rotateKey({ overlap_minutes: 0 }, { payload: present, expiresAtMs }, { idempotencyKey: undefined, sentBody: {} }, dependencies());
    expect(agents.rotated).toMatchObject([{ newKey: { keyId: keyIdOf({ ...payload, serial: 1, issuedMinute }) } }]);
    random = Uint8Array.of(0, 7);
    await rotate();
    expect(agents.rotated[1]).toMatchObject({ newKey: { keyId: keyIdOf({ ...payload, serial: 7, issuedMinute }) } });
  });

  test('under an Idempotency-Key gives the same key again, without a further quota, and refuses another request under it', async () => {
    const first = await rotate({}, 'a-key-of-22-characters');
    expect(agents.rotated).toMatchObject([{ slot: { agent: AGENT, expiresAtMs: NOW_MS + DAY_MS } }]);
    random = Uint8Array.of(1, 1);
    expect(await rotate({}, 'a-key-of-22-characters')).toEqual(first);
    expect(taken).toHaveLength(1);
    const detail =
      'This Idempotency-Key belongs to a rotation with another body, or of another key. Send that body again, or use a new key.';
    expect(await rotate({ overlap_minutes: 5 }, 'a-key-of-22-characters')).toMatchObject({
      refusal: { code: 'idempotency_conflict', detail },
    });
    const another = { payload: { ...payload, serial: 8 }, expiresAtMs };
    const idempotencyKey = 'a-key-of-22-characters';
    expect(await rotateKey({ overlap_minutes: 10 }, another, { idempotencyKey, sentBody: {} }, dependencies())).toMatchObject({
      refusal: { code: 'idempotency_conflict' },
    });
  });

  test('that came second under an Idempotency-Key gives what the first got, and revokes nothing here', async () => {
    const first = await rotate({}, 'a-key-of-22-characters');
    const [kept] = agents.kept.values();
    agents.kept.clear();
    const late = { ...agents, findRotation: async () => undefined, rotate: async () => kept };
    random = Uint8Array.of(1, 1);
    revocations = new RevocationList(undefined, { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) });
    expect(await rotate({}, 'a-key-of-22-characters', { agents: late })).toEqual(first);
    expect(revocations.names(payload, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test('says what is not known where there is no quota left or no answer', async () => {
    isAllowed = false;
    expect(await rotate()).toMatchObject({ refusal: { code: 'quota_exceeded' } });
    expect(agents.rotated).toEqual([]);
    isAllowed = true;
    agents.isDown = true;
    for (const idempotencyKey of [undefined, 'a-key-of-22-characters']) {
      const result = await rotate({}, idempotencyKey);
      expect(result).toMatchObject({ refusal: { code: 'state_unavailable' } });
      expect(JSON.stringify(result)).toContain('It is not known whether the rotation was stored.');
    }
    expect(revocations.names(payload, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
