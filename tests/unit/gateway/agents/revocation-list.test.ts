import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentStatus, NamedKey, NumberedRevocation, Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { keyExpiresAtMs, minuteOf } from '../../../../src/gateway/agents/api-key.ts';
import { revocationForGood } from '../../../../src/gateway/agents/change-keys.ts';
import { RevocationList, revokes } from '../../../../src/gateway/agents/revocation-list.ts';
import type { Timers } from '../../../../src/gateway/platform-ports.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { keyPayloads } from '../signing.ts';

const START_MS = Date.UTC(2026, 10, 22);
const MINUTE = START_MS / 60_000;
const KEY = { agent: '00000000000000aa', serial: 7, issuedMinute: MINUTE };
const OF_KEY: Revocation = { ...KEY, effectiveAtMs: 0, expiresAtMs: START_MS + 1e9 };

class MemoryRevocations {
  readonly rows: NumberedRevocation[] = [];
  readonly asked: number[] = [];
  state: 'well' | 'failing' | 'silent' = 'well';
  answer: () => void = () => undefined;

  add(revocation: Partial<Revocation> = {}): void {
    this.rows.push({
      ...KEY,
      effectiveAtMs: 0,
      expiresAtMs: START_MS + 90 * 86_400_000,
      ...revocation,
      sequence: (this.rows.at(-1)?.sequence ?? 0) + 1,
    });
  }

  readonly revocationsAfter = async (sequence: number, nowMs: number, limit: number): Promise<NumberedRevocation[]> => {
    this.asked.push(sequence);
    await this.#speak();
    return this.rows.filter((row) => row.sequence > sequence && row.expiresAtMs > nowMs).slice(0, limit);
  };

  readonly status = async ({ agent }: NamedKey): Promise<AgentStatus> => {
    await this.#speak();
    return { revocations: this.rows.filter((row) => row.agent === agent), record: undefined };
  };

  async #speak(): Promise<void> {
    if (this.state === 'failing') throw new Error('the database is down');
    if (this.state === 'silent') await new Promise<void>((resolve) => (this.answer = resolve));
  }
}

class ManualTimers implements Timers {
  readonly #waiting = new Set<() => void>();
  readonly wait: Timers['wait'] = () => {
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#waiting.add(end);
    return { over, cancel: () => void this.#waiting.delete(end) };
  };
  runOut(): void {
    for (const end of this.#waiting) end();
  }
  get count(): number {
    return this.#waiting.size;
  }
}

let store: MemoryRevocations;
let timers: ManualTimers;
let list: RevocationList;
let deferred: Promise<unknown>[];
beforeEach(() => {
  store = new MemoryRevocations();
  timers = new ManualTimers();
  list = new RevocationList(store, timers);
  deferred = [];
});
const judge = (afterMs = 0, key = KEY): Promise<string> =>
  list.judge(key, START_MS + afterMs, (work) => void deferred.push(work.catch(() => 0)));
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('RevocationList', () => {
  test('lets a key through that no revocation means, and refuses one that is meant', async () => {
    store.add();
    expect(await judge()).toBe('revoked');
    expect(await judge(0, { ...KEY, serial: 8 })).toBe('valid');
    expect(await judge(0, { ...KEY, issuedMinute: MINUTE + 1 })).toBe('valid');
    expect(await judge(0, { ...KEY, agent: '00000000000000ab' })).toBe('valid');
  });

  test('reads once in half a minute, and only what came after', async () => {
    store.add({ serial: 1 });
    for (const after of [0, 1, 15_000, 30_000]) expect(await judge(after)).toBe('valid');
    expect(store.asked).toEqual([0]);
    store.add();
    expect(await judge(30_000)).toBe('valid');
    expect(await judge(30_001)).toBe('revoked');
    expect(store.asked).toEqual([0, 1]);
    expect(30_001 / 1_000).toBeLessThan(LIMITS.revocationMaxSeconds);
  });

  test('reads anew after the clock went back', async () => {
    await judge();
    store.add();
    expect(await judge(-30_001)).toBe('revoked');
  });

  test('reads many revocations in pages', async () => {
    for (let serial = 0; serial < 4_500; serial += 1) store.add({ serial: serial + 100 });
    store.add();
    expect(await judge()).toBe('revoked');
    expect(store.asked).toEqual([0, 2_000, 4_000]);
  });

  test('reads on after one that it knows already', async () => {
    const { revocationsAfter } = store;
    list = new RevocationList({ revocationsAfter, status: () => Promise.reject(new Error('the list is whole')) }, timers);
    list.add([OF_KEY], START_MS);
    store.add();
    store.add({ serial: 8 });
    expect(await judge(0, { ...KEY, serial: 8 })).toBe('revoked');
    expect(await judge(0, { ...KEY, serial: 9 })).toBe('valid');
  });

  test('reads once for requests that come at the same time', async () => {
    store.state = 'silent';
    const judged = Array.from({ length: 20 }, () => judge());
    store.add();
    store.answer();
    expect(new Set(await Promise.all(judged))).toEqual(new Set(['revoked']));
    expect(store.asked).toEqual([0]);
    expect(deferred).toHaveLength(1);
    expect(timers.count).toBe(0);
  });

  test('knows at once what was revoked here, and goes on knowing it', async () => {
    await judge();
    list.add([OF_KEY], START_MS);
    expect(await judge(1)).toBe('revoked');
    store.state = 'failing';
    expect(await judge(3_600_000)).toBe('revoked');
  });
});

describe('RevocationList without an answer of the database', () => {
  test('says that it does not know, refuses what it knows, and asks again after some seconds', async () => {
    store.add();
    await judge();
    store.state = 'failing';
    const other = { ...KEY, serial: 8 };
    expect(await judge(31_000)).toBe('revoked');
    expect(await judge(31_000, other)).toBe('unknown');
    expect(await judge(35_999, other)).toBe('unknown');
    expect(store.asked).toHaveLength(2);
    expect(await judge(36_000, other)).toBe('unknown');
    expect(store.asked).toHaveLength(3);
    store.state = 'well';
    expect(await judge(41_000, other)).toBe('valid');
  });

  test('calls no key valid by a list of which it read a part, refuses those of that part, and reads on from there', async () => {
    for (let serial = 0; serial < 2_001; serial += 1) store.add({ serial: serial + 100 });
    const isLost = (sequence: number): boolean => store.state === 'failing' && sequence > 0;
    const revocationsAfter: typeof store.revocationsAfter = async (sequence, nowMs, limit) => {
      if (isLost(sequence)) throw new Error('the database is down');
      const { state } = store;
      store.state = 'well';
      const rows = await store.revocationsAfter(sequence, nowMs, limit);
      store.state = state;
      return rows;
    };
    list = new RevocationList({ ...store, revocationsAfter }, timers);
    store.state = 'failing';
    expect(await judge(0, { ...KEY, serial: 100 })).toBe('revoked');
    expect(await judge(1, { ...KEY, serial: 2_100 })).toBe('unknown');
    store.state = 'well';
    expect(await judge(5_000, { ...KEY, serial: 2_100 })).toBe('revoked');
    expect(await judge(5_000)).toBe('valid');
    expect(store.asked).toEqual([0, 2_000]);
  });

  test('waits a second at most, and nobody waits for what others waited for', async () => {
    store.state = 'silent';
    const first = judge();
    await settle();
    expect(timers.count).toBe(1);
    timers.runOut();
    expect(await first).toBe('unknown');
    expect(await judge(1_000)).toBe('unknown');
    expect(store.asked).toHaveLength(1);
    store.answer();
    await settle();
    expect(await judge(1_500)).toBe('valid');
  });

  test('begins another reading when one never ends', async () => {
    store.state = 'silent';
    const first = judge();
    await settle();
    timers.runOut();
    await first;
    store.state = 'well';
    expect(await judge(9_999)).toBe('unknown');
    expect(await judge(10_000)).toBe('valid');
  });

  test('waits for the newer of two readings, whenever the one before it ends', async () => {
    store.state = 'silent';
    const first = judge();
    await settle();
    const answerFirst = store.answer;
    timers.runOut();
    await first;
    const second = judge(31_000);
    await settle();
    answerFirst();
    await settle();
    const third = judge(31_500);
    await settle();
    expect(store.asked).toHaveLength(2);
    store.answer();
    expect(await Promise.all([second, third])).toEqual(['valid', 'valid']);
  });

  test('without a database it knows only what was revoked here', async () => {
    list = new RevocationList(undefined, timers);
    expect(await judge()).toBe('unknown');
    expect(deferred).toEqual([]);
    list.add([OF_KEY], START_MS);
    expect(await judge()).toBe('revoked');
  });
});

describe('RevocationList of more revocations than an isolate holds', () => {
  const agentOf = (index: number): string => index.toString(16).padStart(16, '0');

  test('asks for keys that it does not name, and says that it does not know when nobody answers', async () => {
    for (let index = 0; index < 20_001; index += 1) store.add({ agent: agentOf(index) });
    expect(await judge(0, { ...KEY, agent: agentOf(3) })).toBe('revoked');
    expect(await judge(0, { ...KEY, agent: agentOf(20_000) })).toBe('revoked');
    expect(await judge(0, { ...KEY, agent: 'ffffffffffffffff' })).toBe('valid');
    store.state = 'failing';
    expect(await judge(1, { ...KEY, agent: 'ffffffffffffffff' })).toBe('unknown');
    store.state = 'silent';
    const judged = judge(2, { ...KEY, agent: 'ffffffffffffffff' });
    await settle();
    timers.runOut();
    expect(await judged).toBe('unknown');
    expect(timers.count).toBe(0);
  });

  test('is whole again when enough of them have expired', async () => {
    for (let index = 0; index < 20_000; index += 1) store.add({ agent: agentOf(index), expiresAtMs: START_MS + 60_000 });
    store.add({ agent: agentOf(20_000) });
    await judge();
    expect(await judge(61_000, { ...KEY, agent: 'ffffffffffffffff' })).toBe('valid');
    store.state = 'failing';
    expect(await judge(62_000, { ...KEY, agent: agentOf(20_000) })).toBe('revoked');
    expect(await judge(62_000, { ...KEY, agent: 'ffffffffffffffff' })).toBe('valid');
  });
});

describe('revocations that an isolate holds', () => {
  const NOW_MS = START_MS;
  const ofAgent: Revocation = { ...OF_KEY, serial: undefined };
  beforeEach(() => {
    list = new RevocationList(undefined, timers);
  });

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
  ])('revokes() knows whether a revocation of %s means a key', (_what, revocation, isMeant) => {
    expect(revokes({ ...OF_KEY, ...revocation }, KEY, NOW_MS)).toBe(isMeant);
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
      list.add([{ ...OF_KEY, effectiveAtMs: NOW_MS + 2_000 }], NOW_MS);
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
          const { endOf, held } = holding(ends.map((end) => ({ ...OF_KEY, effectiveAtMs: NOW_MS + end })));
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
      const fresh = new RevocationList(undefined, timers);
      for (const revocation of revocations) fresh.add([revocation], NOW_MS);
      return { endOf: (key: typeof KEY) => fresh.endOf(key), held: (atMs: number) => fresh.names(KEY, atMs) };
    }
  });

  describe('what an isolate revoked itself', () => {
    const HELD = 25_000;
    const fill = (more: Partial<Revocation> = {}): void =>
      list.add(
        Array.from({ length: HELD - 1 }, (_, serial) => ({ ...OF_KEY, serial: serial + 100, ...more })),
        NOW_MS,
      );

    test('finds room as long as there is any, keys and agents together, and no more is held after that', () => {
      fill();
      list.add([{ ...ofAgent, agent: 'b' }, OF_KEY], NOW_MS);
      expect(list.names({ ...KEY, agent: 'b' }, NOW_MS)).toBe(true);
      expect(list.names(KEY, NOW_MS)).toBe(false);
    });

    test('takes the room of what has expired, in that very millisecond', () => {
      fill({ expiresAtMs: NOW_MS });
      list.add([{ ...ofAgent, agent: 'b', expiresAtMs: NOW_MS + 1 }, OF_KEY], NOW_MS);
      expect(list.names(KEY, NOW_MS)).toBe(true);
      expect(list.names({ ...KEY, agent: 'b' }, NOW_MS)).toBe(true);
      expect(list.names({ ...KEY, serial: 100 }, NOW_MS)).toBe(false);
    });

    test('of which one is held already needs no room', () => {
      fill();
      list.add([{ ...OF_KEY, effectiveAtMs: NOW_MS + 1 }], NOW_MS);
      list.add([OF_KEY], NOW_MS);
      expect(list.endOf(KEY)).toBe(0);
    });
  });
});
