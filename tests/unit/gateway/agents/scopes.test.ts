import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentRecord, AgentStore, Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { revocationOfKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import {
  confirmByDatabase,
  joinedScopes,
  type KeyStatusDependencies,
  offeredScopes,
  readKey,
} from '../../../../src/gateway/agents/scopes.ts';
import type { Scope } from '../../../../src/schemas/api-keys.ts';
import { keyPayload } from '../signing.ts';

const some = fc.subarray<Scope>(['read', 'submit', 'buy', 'metrics']);
const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const payload = keyPayload(NOW_MS, { agent: '00000000000000aa', scopes: ['read', 'submit'] });
const KEY_ID = `key_00000000000000aa_0007_${payload.issuedMinute.toString(16).padStart(8, '0')}`;
const timers = { wait: () => ({ over: new Promise<void>(() => undefined), cancel: () => undefined }) };

describe('offeredScopes()', () => {
  test.each([
    ['open', { read: 'by_default', buy: 'on_request', submit: 'on_request', metrics: 'by_publisher' }],
    ['granted', { read: 'by_default', buy: 'on_request', submit: 'by_publisher', metrics: 'by_publisher' }],
    ['closed', { read: 'by_default', buy: 'on_request', metrics: 'by_publisher' }],
  ] as const)('are given, where proposals are "%s", in these ways', (intake, ways) => {
    const offered = offeredScopes(intake, { intake: intake !== 'closed', checkoutSessions: true });
    expect(Object.fromEntries(offered.map(({ scope, granted }) => [scope, granted]))).toEqual(ways);
    for (const { description } of offered) expect(description).toMatch(/^[A-Z].+\.$/);
  });

  test('do not include buying where no checkout can be opened', () => {
    const offered = offeredScopes('open', { intake: true, checkoutSessions: false });
    expect(offered.map(({ scope }) => scope)).toEqual(['read', 'submit', 'metrics']);
  });
});

describe('joinedScopes()', () => {
  test('are those of the key and those that the publisher granted, each once', () => {
    fc.assert(
      fc.property(some, some, fc.constantFrom('open' as const, 'closed' as const), (ofKey, granted, intake) => {
        const joined = joinedScopes(ofKey, granted, intake);
        expect([...joined].sort()).toEqual([...new Set([...ofKey, ...granted])].sort());
      }),
    );
  });

  test('have submit, where proposals are taken from agents by name, exactly if the publisher granted it', () => {
    fc.assert(
      fc.property(some, some, (ofKey, granted) => {
        const joined = joinedScopes(ofKey, granted, 'granted');
        expect(joined.includes('submit')).toBe(granted.includes('submit'));
        expect(joined.filter((scope) => scope !== 'submit')).toEqual(
          joinedScopes(ofKey, granted, 'open').filter((scope) => scope !== 'submit'),
        );
      }),
    );
  });
});

describe('readKey()', () => {
  const key = { payload, expiresAtMs: NOW_MS + 86_400_000 };
  const record: AgentRecord = {
    agent: payload.agent,
    name: 'Reader',
    platform: undefined,
    contact: undefined,
    keyId: 'key',
    createdAtMs: NOW_MS - 60_000,
    rotatedAtMs: undefined,
    granted: [],
    expiresAtMs: 0,
  };
  const facts = {
    agent_id: 'agt_00000000000000aa',
    key_id: KEY_ID,
    scopes: ['read', 'submit'],
    issued_at: '2026-11-21T09:30:00Z',
    expires_at: '2026-11-22T09:30:00Z',
  };

  /** What is told of the key with a registry that holds this, and what the answer is made without. */
  async function told(held: AgentRecord | undefined, agents?: Pick<AgentStore, 'status'> | 'none', endMs?: number) {
    const degraded: string[] = [];
    const store = agents ?? { status: async () => ({ revocations: [], record: held }) };
    const result = await readKey(
      key,
      {
        agents: store === 'none' ? undefined : store,
        clock: { nowMs: () => NOW_MS },
        deployment: { intake: 'open' },
        revocations: { add: () => undefined, endOf: () => endMs, names: () => false },
      },
      (what) => degraded.push(what),
    );
    return { value: result.ok ? result.value : result.refusal.code, degraded };
  }

  test('a key is told with what the registry holds of its agent, and no more than that', async () => {
    const agent = { name: 'Reader', registered_at: '2026-11-21T09:29:00Z' };
    expect(await told(record)).toEqual({ value: { ...facts, agent }, degraded: [] });
    const whole = { ...record, platform: 'p', contact: 'c', rotatedAtMs: NOW_MS, granted: ['metrics', 'read'] as const };
    expect(await told(whole)).toEqual({
      value: {
        ...facts,
        scopes: ['read', 'submit', 'metrics'],
        agent: { ...agent, platform: 'p', contact: 'c', rotated_at: '2026-11-21T09:30:00Z' },
      },
      degraded: [],
    });
  });

  test('an agent that the registry does not hold is told without it; so is one whose registry cannot be read, with a note', async () => {
    expect(await told(undefined)).toEqual({ value: { ...facts, agent: null }, degraded: [] });
    expect(await told(undefined, 'none')).toEqual({ value: { ...facts, agent: null }, degraded: ['registry'] });
    const failing = { status: () => Promise.reject(new Error('down')) };
    expect(await told(undefined, failing)).toEqual({ value: { ...facts, agent: null }, degraded: ['registry'] });
  });

  test('a key that only the database knows to be revoked is refused', async () => {
    const revocations = new RevocationList(undefined, timers);
    const status = async () => ({ revocations: [revocationOfKey(payload, 0)], record });
    const deps = { agents: { status }, clock: { nowMs: () => NOW_MS }, deployment: { intake: 'open' }, revocations } as const;
    expect(await readKey(key, deps, () => undefined)).toMatchObject({ refusal: { code: 'api_key_revoked' } });
  });

  test('a key ends with its life or its overlap, whichever is sooner', async () => {
    expect(await told(undefined, undefined, NOW_MS + 60_000)).toMatchObject({ value: { expires_at: '2026-11-21T09:31:00Z' } });
    expect(await told(undefined, undefined, NOW_MS + 2 * 86_400_000)).toMatchObject({ value: { expires_at: facts.expires_at } });
  });
});

describe('the status of a key', () => {
  const other = { ...payload, serial: 8 };
  const REVOKED = { ok: false, refusal: { code: 'api_key_revoked', detail: `The key ${KEY_ID} was revoked.` } };

  function databaseOf(revocations: readonly Revocation[], granted?: readonly Scope[]) {
    let questions = 0;
    const agents = {
      status: async () => {
        questions += 1;
        return { revocations, record: granted && ({ granted } as AgentRecord) };
      },
      revocationsAfter: async (after: number) =>
        revocations.map((one, at) => ({ ...one, sequence: at + 1 })).filter(({ sequence }) => sequence > after),
    } as unknown as AgentStore;
    const deps: KeyStatusDependencies = { agents, revocations: new RevocationList(agents, timers) };
    return { deps, questions: () => questions };
  }
  const broken = {
    status: () => Promise.reject(new Error('down')),
    revocationsAfter: () => Promise.reject(new Error('down')),
  } as unknown as AgentStore;

  describe('confirmByDatabase()', () => {
    const confirm = (deps: KeyStatusDependencies, intake: 'open' | 'granted' = 'open') => confirmByDatabase(payload, NOW_MS, intake, deps);

    test('refuses a key of which it is known here that it was revoked, without asking', async () => {
      const { deps, questions } = databaseOf([]);
      deps.revocations.add([revocationOfKey(payload, 0)], NOW_MS);
      expect(await confirm(deps)).toMatchObject(REVOKED);
      expect(questions()).toBe(0);
    });

    test('refuses a key that was revoked elsewhere, among others that were not, and knows it from then on', async () => {
      const { deps, questions } = databaseOf([revocationOfKey(payload, 0), revocationOfKey(other, NOW_MS + 1)]);
      expect(await confirm(deps)).toMatchObject(REVOKED);
      expect(await confirm(deps)).toMatchObject(REVOKED);
      expect(questions()).toBe(1);
    });

    test('takes a key that is revoked from later on', async () => {
      expect(await confirm(databaseOf([revocationOfKey(payload, NOW_MS + 1)]).deps)).toEqual({ ok: true, value: ['read', 'submit'] });
    });

    test('joins what the publisher granted, and leaves out submit that he has to grant', async () => {
      expect(await confirm(databaseOf([], ['metrics']).deps)).toEqual({ ok: true, value: ['read', 'submit', 'metrics'] });
      expect(await confirm(databaseOf([], ['metrics']).deps, 'granted')).toEqual({ ok: true, value: ['read', 'metrics'] });
      expect(await confirm(databaseOf([]).deps)).toEqual({ ok: true, value: ['read', 'submit'] });
    });

    test.each([
      ['not_configured', undefined, 'No database is bound'],
      ['state_unavailable', broken, 'nothing was done'],
    ] as const)('lets nobody through without the database: %s', async (code, agents, detail) => {
      const result = await confirm({ agents, revocations: new RevocationList(agents, timers) });
      expect(result).toMatchObject({ ok: false, refusal: { code, detail: expect.stringContaining(detail) as string } });
    });
  });
});
