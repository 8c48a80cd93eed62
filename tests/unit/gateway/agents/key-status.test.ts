import { describe, expect, test } from 'vitest';
import type { AgentRecord, AgentStore, KeyPayload, Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { revocationOfKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import { confirmByDatabase, confirmByList, type KeyStatusDependencies } from '../../../../src/gateway/agents/scopes.ts';
import type { Scope } from '../../../../src/schemas/agents.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const payload: KeyPayload = {
  secretId: 1,
  agent: '00000000000000aa',
  serial: 7,
  issuedMinute: NOW_MS / 60_000,
  ttlDays: 90,
  scopes: ['read', 'submit'],
};
const other = { ...payload, serial: 8 };
const REVOKED = {
  ok: false,
  refusal: {
    code: 'api_key_revoked',
    detail: `The key key_00000000000000aa_0007_${payload.issuedMinute.toString(16).padStart(8, '0')} was revoked.`,
  },
};
const timers = { wait: () => ({ over: new Promise<void>(() => undefined), cancel: () => undefined }) };

/** A database that holds revocations, and what the publisher granted. */
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

describe('confirmByList()', () => {
  const confirm = async (deps: KeyStatusDependencies) => {
    const degraded: string[] = [];
    const result = await confirmByList(payload, NOW_MS, deps, { degrade: (what) => void degraded.push(what), defer: () => undefined });
    return { result, degraded };
  };

  test('gives the scopes of a key that nobody revoked', async () => {
    expect(await confirm(databaseOf([revocationOfKey(other, 0)]).deps)).toEqual({
      result: { ok: true, value: ['read', 'submit'] },
      degraded: [],
    });
  });

  test('refuses a key that was revoked', async () => {
    expect(await confirm(databaseOf([revocationOfKey(payload, 0)]).deps)).toMatchObject({ result: REVOKED, degraded: [] });
  });

  test('goes on without a database, and says what it could not read', async () => {
    for (const agents of [undefined, broken])
      expect(await confirm({ agents, revocations: new RevocationList(agents, timers) })).toEqual({
        result: { ok: true, value: ['read', 'submit'] },
        degraded: ['revocations'],
      });
  });
});

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
