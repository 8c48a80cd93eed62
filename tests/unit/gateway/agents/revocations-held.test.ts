import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { keyExpiresAtMs, minuteOf } from '../../../../src/gateway/agents/api-key.ts';
import { revocationForGood } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList, revokes } from '../../../../src/gateway/agents/revocation-list.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { keyPayloads } from '../signing.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const KEY = { agent: '00000000000000aa', serial: 7, issuedMinute: NOW_MS / 60_000 };
const ofKey: Revocation = { ...KEY, effectiveAtMs: 0, expiresAtMs: NOW_MS + 1e9 };
const ofAgent: Revocation = { ...ofKey, serial: undefined };

let list: RevocationList;
beforeEach(() => {
  list = new RevocationList(undefined, { wait: () => ({ over: new Promise(() => undefined), cancel: () => undefined }) });
});

describe('revokes()', () => {
  test.each<[what: string, revocation: Partial<Revocation>, isMeant: boolean]>([
    ['the key itself', {}, true],
    ['another agent', { agent: '00000000000000ab' }, false],
    ['another serial number', { serial: 8 }, false],
    ['another minute', { issuedMinute: KEY.issuedMinute + 1 }, false],
    ['every key of the agent up to its minute', { serial: undefined }, true],
    ['every key of the agent up to a later minute', { serial: undefined, issuedMinute: KEY.issuedMinute + 1 }, true],
    ['every key of the agent up to the minute before', { serial: undefined, issuedMinute: KEY.issuedMinute - 1 }, false],
    ['every key of another agent', { serial: undefined, agent: '00000000000000ab' }, false],
    ['the key from now on', { effectiveAtMs: NOW_MS }, true],
    ['the key from later on', { effectiveAtMs: NOW_MS + 1 }, false],
  ])('knows whether a revocation of %s means a key', (_what, revocation, isMeant) => {
    expect(revokes({ ...ofKey, ...revocation }, KEY, NOW_MS)).toBe(isMeant);
  });
});

test('a revocation for good means every key of an agent, on any clock, and is kept a day longer than any of them can live', () => {
  fc.assert(
    fc.property(keyPayloads, fc.nat(), (payload, nowMs) => {
      expect(revokes(revocationForGood(payload.agent, NOW_MS), payload, nowMs)).toBe(true);
    }),
  );
  const { agent, expiresAtMs } = revocationForGood(KEY.agent, NOW_MS);
  expect(agent).toBe(KEY.agent);
  const fromAClockAhead = { issuedMinute: minuteOf(NOW_MS) + 5, ttlDays: LIMITS.keyTtlDays };
  expect(expiresAtMs - keyExpiresAtMs(fromAClockAhead)).toBeGreaterThanOrEqual(86_400_000);
});

describe('endOf()', () => {
  test('is not known of a key that is not revoked', () => {
    list.add([{ ...ofAgent, issuedMinute: KEY.issuedMinute - 1 }], NOW_MS);
    expect(list.endOf(KEY)).toBeUndefined();
  });

  test('is the sooner of the ends that the key and all keys of its agent have, though it is still to come', () => {
    list.add([{ ...ofKey, effectiveAtMs: NOW_MS + 2_000 }], NOW_MS);
    expect(list.endOf(KEY)).toBe(NOW_MS + 2_000);
    list.add([{ ...ofAgent, effectiveAtMs: NOW_MS + 1_000 }], NOW_MS);
    expect(list.endOf(KEY)).toBe(NOW_MS + 1_000);
    expect(list.names(KEY, NOW_MS)).toBe(false);
  });
});

describe('of several revocations, in whatever order they are learned,', () => {
  const times = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 });

  test('the soonest of a key counts', () => {
    fc.assert(
      fc.property(times, (ends) => {
        const { endOf, held } = holding(ends.map((end) => ({ ...ofKey, effectiveAtMs: NOW_MS + end })));
        expect(endOf(KEY)).toBe(NOW_MS + Math.min(...ends));
        expect(held(NOW_MS + Math.min(...ends))).toBe(true);
      }),
    );
  });

  test('the one of an agent counts that means most of its keys', () => {
    fc.assert(
      fc.property(times, fc.nat(10), (minutes, minute) => {
        const { endOf } = holding(minutes.map((last) => ({ ...ofAgent, issuedMinute: KEY.issuedMinute + last })));
        const isMeant = minute <= Math.max(...minutes);
        expect(endOf({ ...KEY, issuedMinute: KEY.issuedMinute + minute })).toBe(isMeant ? 0 : undefined);
      }),
    );
  });

  function holding(revocations: readonly Revocation[]) {
    const fresh = new RevocationList(undefined, { wait: () => ({ over: new Promise(() => undefined), cancel: () => undefined }) });
    for (const revocation of revocations) fresh.add([revocation], NOW_MS);
    return { endOf: (key: typeof KEY) => fresh.endOf(key), held: (atMs: number) => fresh.names(KEY, atMs) };
  }
});

describe('what an isolate revoked itself', () => {
  /** Revocations that an isolate holds. */
  const HELD = 25_000;
  const fill = (more: Partial<Revocation> = {}): void =>
    list.add(
      Array.from({ length: HELD - 1 }, (_, serial) => ({ ...ofKey, serial: serial + 100, ...more })),
      NOW_MS,
    );

  test('finds room as long as there is any, keys and agents together, and no more is held after that', () => {
    fill();
    list.add([{ ...ofAgent, agent: 'b' }, ofKey], NOW_MS);
    expect(list.names({ ...KEY, agent: 'b' }, NOW_MS)).toBe(true);
    expect(list.names(KEY, NOW_MS)).toBe(false);
  });

  test('takes the room of what has expired, in that very millisecond', () => {
    fill({ expiresAtMs: NOW_MS });
    list.add([{ ...ofAgent, agent: 'b', expiresAtMs: NOW_MS + 1 }, ofKey], NOW_MS);
    expect(list.names(KEY, NOW_MS)).toBe(true);
    expect(list.names({ ...KEY, agent: 'b' }, NOW_MS)).toBe(true);
    expect(list.names({ ...KEY, serial: 100 }, NOW_MS)).toBe(false);
  });

  test('of which one is held already needs no room', () => {
    fill();
    list.add([{ ...ofKey, effectiveAtMs: NOW_MS + 1 }], NOW_MS);
    list.add([ofKey], NOW_MS);
    expect(list.endOf(KEY)).toBe(0);
  });
});
