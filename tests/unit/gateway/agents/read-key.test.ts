import { expect, test } from 'vitest';
import type { AgentRecord, AgentStore, KeyPayload } from '../../../../src/gateway/agents/agent-ports.ts';
import { revocationOfKey } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import { readKey } from '../../../../src/gateway/agents/scopes.ts';

const ISSUED_MS = Date.UTC(2026, 10, 21, 9, 30);
const payload: KeyPayload = {
  secretId: 1,
  agent: '00000000000000aa',
  serial: 7,
  issuedMinute: ISSUED_MS / 60_000,
  ttlDays: 90,
  scopes: ['read'],
};
const record: AgentRecord = {
  agent: payload.agent,
  name: 'Reader',
  platform: undefined,
  contact: undefined,
  keyId: 'key',
  createdAtMs: ISSUED_MS - 60_000,
  rotatedAtMs: undefined,
  granted: [],
  expiresAtMs: 0,
};
const facts = {
  agent_id: 'agt_00000000000000aa',
  key_id: `key_00000000000000aa_0007_${payload.issuedMinute.toString(16).padStart(8, '0')}`,
  scopes: ['read'],
  issued_at: '2026-11-21T09:30:00Z',
  expires_at: '2026-11-22T09:30:00Z',
};

/** What is told of the key with a registry that holds this, and what the answer is made without. */
async function told(held: AgentRecord | undefined, agents?: Pick<AgentStore, 'status'> | 'none', endMs?: number) {
  const degraded: string[] = [];
  const store = agents ?? { status: async () => ({ revocations: [], record: held }) };
  const key = { payload, expiresAtMs: ISSUED_MS + 86_400_000 };
  const result = await readKey(
    key,
    {
      agents: store === 'none' ? undefined : store,
      clock: { nowMs: () => ISSUED_MS },
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
  const whole = { ...record, platform: 'p', contact: 'c', rotatedAtMs: ISSUED_MS, granted: ['submit', 'read'] as const };
  expect(await told(whole)).toEqual({
    value: {
      ...facts,
      scopes: ['read', 'submit'],
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

test('what an agent did not say is left out', async () => {
  const { value } = await told(record);
  expect(typeof value === 'string' ? value : Object.keys(value.agent ?? {})).toEqual(['name', 'registered_at']);
});

test('a key that only the database knows to be revoked is refused', async () => {
  const revocations = new RevocationList(undefined, { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) });
  const status = async () => ({ revocations: [revocationOfKey(payload, 0)], record });
  const deps = { agents: { status }, clock: { nowMs: () => ISSUED_MS }, deployment: { intake: 'open' }, revocations } as const;
  const result = await readKey({ payload, expiresAtMs: ISSUED_MS + 86_400_000 }, deps, () => undefined);
  expect(result).toMatchObject({ refusal: { code: 'api_key_revoked' } });
});

test('a key ends with its life or its overlap, whichever is sooner', async () => {
  expect(await told(undefined, undefined, ISSUED_MS + 60_000)).toMatchObject({ value: { expires_at: '2026-11-21T09:31:00Z' } });
  expect(await told(undefined, undefined, ISSUED_MS + 2 * 86_400_000)).toMatchObject({ value: { expires_at: facts.expires_at } });
});
