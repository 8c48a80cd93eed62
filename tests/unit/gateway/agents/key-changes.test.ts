import { beforeEach, describe, expect, test } from 'vitest';
import type {
  AgentRecord,
  AgentStanding,
  AgentStore,
  Revocation,
  Rotation,
  RotationSlot,
} from '../../../../src/gateway/agents/agent-ports.ts';
import { type KeyPayload, keyExpiresAtMs, keyIdOf, minuteOf, type VerifiedKey, verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { confirmByDatabase, confirmByList, type ReadKeyDependencies, readKey } from '../../../../src/gateway/agents/key-standing.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import { revokeKeys } from '../../../../src/gateway/agents/revoke-keys.ts';
import { rotateKey } from '../../../../src/gateway/agents/rotate-key.ts';
import type { Quotas, SigningSecrets, Timers } from '../../../../src/gateway/ports.ts';
import { KeyDetails, RevokedKeys, RotatedKey, RotateRequest } from '../../../../src/schemas/agents/agent-keys.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { signingSecret } from '../signing.ts';

const NOW = Date.UTC(2026, 10, 22, 9, 30, 15);
const DAY_MS = 86_400_000;
const SKEW_MS = 600_000;
const NAME = 'rotation-0000000000000001';
const PAYLOAD: KeyPayload = {
  secretId: 1,
  agent: '00000000000000aa',
  serial: 7,
  issuedMinute: minuteOf(NOW) - 1_000,
  ttlDays: LIMITS.keyTtlDays,
  scopes: ['read', 'buy'],
};
const KEY: VerifiedKey = { payload: PAYLOAD, expiresAtMs: keyExpiresAtMs(PAYLOAD) };
const RECORD: AgentRecord = {
  agent: PAYLOAD.agent,
  name: 'Reader',
  platform: undefined,
  contact: 'c',
  keyId: keyIdOf(PAYLOAD),
  createdAtMs: NOW - DAY_MS,
  rotatedAtMs: undefined,
  granted: ['submit', 'read'],
  expiresAtMs: NOW + DAY_MS,
};
const timers: Timers = { wait: () => ({ over: new Promise(() => undefined), cancel: () => undefined }) };

/** A database in memory that can be down. */
class MemoryAgents implements AgentStore {
  readonly revocations: Revocation[] = [];
  readonly rotations = new Map<string, Rotation>();
  readonly newKeys: { keyId: string; expiresAtMs: number }[] = [];
  record: AgentRecord | undefined = RECORD;
  isDown = false;

  readonly revocationsAfter: AgentStore['revocationsAfter'] = async (sequence) =>
    this.#well(this.revocations.map((revocation, at) => ({ ...revocation, sequence: at + 1 })).slice(sequence));
  readonly standing = async (): Promise<AgentStanding> => this.#well({ revocations: this.revocations, record: this.record });
  readonly add = async (): Promise<void> => this.#well(undefined);
  readonly revoke = async (revocation: Revocation): Promise<void> => void this.#well(this.revocations.push(revocation));
  readonly findRotation = async ({ agent, keySha256 }: RotationSlot): Promise<Rotation | undefined> =>
    this.#well(this.rotations.get(agent + keySha256));
  readonly rotate: AgentStore['rotate'] = async (rotation, replaced, newKey, slot) => {
    const known = slot && this.rotations.get(slot.agent + slot.keySha256);
    if (known) return this.#well(known);
    this.#well(this.revocations.push(replaced));
    this.newKeys.push(newKey);
    if (slot) this.rotations.set(slot.agent + slot.keySha256, rotation);
    return rotation;
  };

  #well<T>(value: T): T {
    if (this.isDown) throw new Error('D1_ERROR: internal details');
    return value;
  }
}

let agents: MemoryAgents;
let revocations: RevocationList;
let taken: [string, string][];
let left: number;
let serials: number[];
let deps: Parameters<typeof rotateKey>[3] & { agents: MemoryAgents };
let secrets: SigningSecrets;
beforeEach(async () => {
  agents = new MemoryAgents();
  revocations = new RevocationList(agents, timers);
  taken = [];
  left = 100;
  serials = [0x1234];
  secrets = [await signingSecret(1)];
  const quotas: Quotas = {
    take: async (name, subject, nowMs) => {
      taken.push([name, subject]);
      return { allowed: left-- > 0, remaining: left, endsAtMs: nowMs + 90_000 };
    },
  };
  deps = {
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_',
    secrets,
    clock: { nowMs: () => NOW },
    randomness: { bytes: () => new Uint8Array(new Uint16Array([serials.shift() ?? 0x4321]).buffer).reverse() },
    agents,
    quotas,
    revocations,
    network: '192.0.2.0/24',
  };
});
const rotate = (body: object = {}, name: string | undefined = undefined, given: Partial<typeof deps> = {}, key = KEY) =>
  rotateKey(RotateRequest.parse(body), key, { idempotencyKey: name, sentBody: body }, { ...deps, ...given });
const rotated = async (...call: Parameters<typeof rotate>): Promise<RotatedKey> => {
  const result = await rotate(...call);
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.detail}`);
  return result.value;
};
const codeOf = (result: { ok: boolean; refusal?: { code: string } }): string => result.refusal?.code ?? 'done';

describe('rotateKey()', () => {
  test('gives a key that works, with a whole life, and stores when the old one ends', async () => {
    const answer = await rotated();
    expect(RotatedKey.parse(answer)).toEqual(answer);
    const verified = await verifyKey(answer.api_key, 'akg_live_', secrets, NOW);
    const fresh = { ...PAYLOAD, serial: 0x1234, issuedMinute: minuteOf(NOW) };
    expect(verified).toEqual({ ok: true, value: { payload: fresh, expiresAtMs: keyExpiresAtMs(fresh) } });
    const end = NOW + LIMITS.keyOverlapMinutesDefault * 60_000;
    expect(answer.previous_key).toEqual({ key_id: keyIdOf(PAYLOAD), works_until: '2026-11-22T09:40:15Z' });
    const { agent, serial, issuedMinute } = PAYLOAD;
    expect(agents.revocations).toEqual([{ agent, serial, issuedMinute, effectiveAtMs: end, expiresAtMs: KEY.expiresAtMs + SKEW_MS }]);
    expect(agents.newKeys).toEqual([{ keyId: answer.key_id, expiresAtMs: keyExpiresAtMs(fresh) }]);
    expect(taken).toEqual([['revocations', '192.0.2.0/24']]);
    expect([revocations.names(PAYLOAD, end - 1), revocations.names(PAYLOAD, end)]).toEqual([false, true]);
  });

  test('without an overlap ends the old key at once, on every clock', async () => {
    expect((await rotated({ overlap_minutes: 0 })).previous_key.works_until).toBe('2026-11-22T09:30:15Z');
    expect(agents.revocations[0]?.effectiveAtMs).toBe(0);
    expect(revocations.names(PAYLOAD, 0)).toBe(true);
  });

  test('an overlap ends no later than the life of the old key', async () => {
    const payload = { ...PAYLOAD, issuedMinute: minuteOf(NOW) - LIMITS.keyTtlDays * 1_440 + 3 };
    const key = { payload, expiresAtMs: keyExpiresAtMs(payload) };
    expect((await rotated({}, undefined, {}, key)).previous_key.works_until).toBe('2026-11-22T09:33:00Z');
  });

  test('never gives the new key the name of the old one, or of one that is revoked', async () => {
    const payload = { ...PAYLOAD, serial: 0xffff, issuedMinute: minuteOf(NOW) };
    revocations.add([{ ...payload, serial: 0, effectiveAtMs: NOW + DAY_MS, expiresAtMs: NOW + DAY_MS }], NOW);
    serials = [0xffff];
    const { key_id } = await rotated({}, undefined, {}, { payload, expiresAtMs: keyExpiresAtMs(payload) });
    expect(key_id).toBe(keyIdOf({ ...payload, serial: 1 }));
    serials = [PAYLOAD.serial];
    expect((await rotated()).key_id).toBe(keyIdOf({ ...PAYLOAD, issuedMinute: minuteOf(NOW) }));
  });

  test('gives the scopes that are named, and none that the key does not have', async () => {
    expect((await rotated({ scopes: ['buy'] })).scopes).toEqual(['buy']);
    expect(codeOf(await rotate({ scopes: ['read', 'submit'] }))).toBe('insufficient_scope');
  });

  test('repeats an answer without counting or storing anything', async () => {
    const first = await rotated({}, NAME);
    expect(await rotated({}, NAME)).toEqual(first);
    expect([taken.length, agents.revocations.length]).toEqual([1, 1]);
    expect(JSON.stringify([...agents.rotations.values()])).not.toContain(first.api_key.slice(20, 30));
  });

  test('of two at the same time under one name the second takes over what the first stored', async () => {
    const first = await rotated({}, NAME);
    const late = { ...agents, findRotation: async () => undefined, rotate: agents.rotate } as unknown as MemoryAgents;
    revocations = new RevocationList(agents, timers);
    expect(await rotated({}, NAME, { agents: late, revocations })).toEqual(first);
    expect(revocations.names(PAYLOAD, Number.POSITIVE_INFINITY)).toBe(false);
  });

  test('refuses a name that belongs to another body or another key', async () => {
    await rotated({}, NAME);
    expect(codeOf(await rotate({ overlap_minutes: 1 }, NAME))).toBe('idempotency_conflict');
    const payload = { ...PAYLOAD, serial: 8 };
    expect(codeOf(await rotate({}, NAME, {}, { payload, expiresAtMs: keyExpiresAtMs(payload) }))).toBe('idempotency_conflict');
  });

  test('refuses without a database, beyond the quota, and while the database is down', async () => {
    expect(codeOf(await rotate({}, undefined, { agents: undefined } as never))).toBe('not_configured');
    expect(codeOf(await rotate({}, undefined, { quotas: undefined }))).toBe('not_configured');
    left = 0;
    expect(await rotate()).toMatchObject({ refusal: { code: 'quota_exceeded', retryAfterSeconds: 90 } });
    left = 1;
    agents.isDown = true;
    for (const name of [undefined, NAME]) {
      const result = await rotate({}, name);
      expect(codeOf(result)).toBe('state_unavailable');
      expect(JSON.stringify(result)).not.toContain('internal details');
    }
    expect(revocations.names(PAYLOAD, Number.POSITIVE_INFINITY)).toBe(false);
  });
});

describe('revokeKeys()', () => {
  test('revokes one key at once', async () => {
    const result = await revokeKeys({ keys: 'this' }, KEY, deps);
    expect(result.ok && RevokedKeys.parse(result.value)).toEqual({
      agent_id: 'agt_00000000000000aa',
      key_id: keyIdOf(PAYLOAD),
      revoked: 'this',
      revoked_at: '2026-11-22T09:30:15Z',
      refused_everywhere_at: '2026-11-22T09:32:15Z',
    });
    const { agent, serial, issuedMinute } = PAYLOAD;
    expect(agents.revocations).toEqual([{ agent, serial, issuedMinute, effectiveAtMs: 0, expiresAtMs: KEY.expiresAtMs + SKEW_MS }]);
    expect(revocations.names(PAYLOAD, 0)).toBe(true);
    expect(revocations.names({ ...PAYLOAD, serial: 8 }, NOW)).toBe(false);
  });

  test('revokes all keys, those of clocks ahead too, for as long as any of them can live', async () => {
    const long = { ...PAYLOAD, ttlDays: 400 };
    await revokeKeys({ keys: 'all' }, { payload: long, expiresAtMs: keyExpiresAtMs(long) }, deps);
    const issuedMinute = minuteOf(NOW) + 5;
    expect(agents.revocations).toEqual([
      {
        agent: PAYLOAD.agent,
        serial: undefined,
        issuedMinute,
        effectiveAtMs: 0,
        expiresAtMs: issuedMinute * 60_000 + 400 * DAY_MS + SKEW_MS,
      },
    ]);
    expect(revocations.names({ ...PAYLOAD, serial: 9, issuedMinute }, NOW)).toBe(true);
    expect(revocations.names({ ...PAYLOAD, serial: 9, issuedMinute: issuedMinute + 1 }, NOW)).toBe(false);
  });

  test('refuses without a database, beyond the quota, and while the database is down; then the key works here too', async () => {
    expect(codeOf(await revokeKeys({ keys: 'this' }, KEY, { ...deps, agents: undefined }))).toBe('not_configured');
    expect(codeOf(await revokeKeys({ keys: 'this' }, KEY, { ...deps, quotas: undefined }))).toBe('not_configured');
    left = 0;
    expect(codeOf(await revokeKeys({ keys: 'this' }, KEY, deps))).toBe('quota_exceeded');
    left = 1;
    agents.isDown = true;
    expect(codeOf(await revokeKeys({ keys: 'this' }, KEY, deps))).toBe('state_unavailable');
    expect(revocations.names(PAYLOAD, NOW)).toBe(false);
  });
});

describe('confirmByDatabase()', () => {
  const revocation: Revocation = { ...PAYLOAD, effectiveAtMs: 0, expiresAtMs: NOW + DAY_MS };

  test('gives the scopes of the key with those that were granted, each once', async () => {
    expect(await confirmByDatabase(PAYLOAD, NOW, 'open', deps)).toEqual({ ok: true, value: ['read', 'buy', 'submit'] });
    agents.record = undefined;
    expect(await confirmByDatabase(PAYLOAD, NOW, 'open', deps)).toEqual({ ok: true, value: ['read', 'buy'] });
  });

  test('refuses what is revoked, there or here, and keeps it for the list', async () => {
    agents.revocations.push(revocation);
    const result = await confirmByDatabase(PAYLOAD, NOW, 'open', deps);
    expect(result).toMatchObject({ refusal: { code: 'api_key_revoked', detail: expect.stringContaining(keyIdOf(PAYLOAD)) as string } });
    agents.isDown = true;
    expect(codeOf(await confirmByDatabase(PAYLOAD, NOW, 'open', deps))).toBe('api_key_revoked');
  });

  test('where proposals are taken by name, submit counts only if the publisher granted it', async () => {
    const key = { ...PAYLOAD, scopes: ['read', 'submit'] as const };
    agents.record = undefined;
    expect(await confirmByDatabase(key, NOW, 'granted', deps)).toEqual({ ok: true, value: ['read'] });
    expect(await confirmByDatabase(key, NOW, 'open', deps)).toEqual({ ok: true, value: ['read', 'submit'] });
    agents.record = { ...RECORD, granted: ['submit'] };
    expect(await confirmByDatabase(key, NOW, 'granted', deps)).toEqual({ ok: true, value: ['read', 'submit'] });
  });

  test('refuses everything while the database is down, or not bound', async () => {
    agents.isDown = true;
    expect(codeOf(await confirmByDatabase(PAYLOAD, NOW, 'open', deps))).toBe('state_unavailable');
    expect(codeOf(await confirmByDatabase(PAYLOAD, NOW, 'open', { agents: undefined, revocations }))).toBe('not_configured');
  });
});

describe('confirmByList()', () => {
  const confirm = async (): Promise<[unknown, string[]]> => {
    const degraded: string[] = [];
    const result = await confirmByList(PAYLOAD, NOW, deps, {
      degrade: (what) => degraded.push(what),
      defer: (work) => void work.catch(() => undefined),
    });
    return [result.ok ? result.value : result.refusal.code, degraded];
  };

  test('gives the scopes of the key alone', async () => {
    expect(await confirm()).toEqual([['read', 'buy'], []]);
  });

  test('refuses a revoked key', async () => {
    agents.revocations.push({ ...PAYLOAD, effectiveAtMs: 0, expiresAtMs: NOW + DAY_MS });
    expect(await confirm()).toEqual(['api_key_revoked', []]);
  });

  test('takes the key while the database is down, and notes it', async () => {
    agents.isDown = true;
    expect(await confirm()).toEqual([['read', 'buy'], ['revocations']]);
  });
});

describe('readKey()', () => {
  const readDeps = (store: AgentStore | undefined): ReadKeyDependencies => ({
    agents: store,
    clock: { nowMs: () => NOW },
    deployment: { intake: 'open' },
    revocations,
  });
  const read = async (store: AgentStore | undefined = agents): Promise<[KeyDetails, string[]]> => {
    const degraded: string[] = [];
    const result = await readKey(KEY, readDeps(store), (what) => degraded.push(what));
    if (!result.ok) throw new Error(result.refusal.code);
    return [result.value, degraded];
  };

  test('tells what key and registry hold', async () => {
    agents.record = { ...RECORD, platform: 'p', rotatedAtMs: NOW };
    const [facts, degraded] = await read();
    expect(KeyDetails.parse(facts)).toEqual({
      agent_id: 'agt_00000000000000aa',
      key_id: keyIdOf(PAYLOAD),
      scopes: ['read', 'buy', 'submit'],
      issued_at: '2026-11-21T16:50:00Z',
      expires_at: '2027-02-19T16:50:00Z',
      agent: { name: 'Reader', platform: 'p', contact: 'c', registered_at: '2026-11-21T09:30:15Z', rotated_at: '2026-11-22T09:30:15Z' },
    });
    expect(degraded).toEqual([]);
  });

  test('refuses a key that the database knows to be revoked, although the list of the isolate does not', async () => {
    agents.revocations.push({ ...PAYLOAD, effectiveAtMs: 0, expiresAtMs: NOW + DAY_MS });
    expect(codeOf(await readKey(KEY, readDeps(agents), () => undefined))).toBe('api_key_revoked');
  });

  test('leaves out what the agent did not say', async () => {
    expect((await read())[0].agent).toEqual({ name: 'Reader', contact: 'c', registered_at: '2026-11-21T09:30:15Z' });
  });

  test('goes on without the registry, and notes it', async () => {
    agents.record = undefined;
    expect(await read()).toMatchObject([{ agent: null, scopes: ['read', 'buy'] }, []]);
    agents.isDown = true;
    expect(await read()).toMatchObject([{ agent: null }, ['registry']]);
    const degraded: string[] = [];
    expect(await readKey(KEY, readDeps(undefined), (what) => degraded.push(what))).toMatchObject({ value: { agent: null } });
    expect(degraded).toEqual(['registry']);
  });
});
