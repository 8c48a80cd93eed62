import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentStatus, NamedKey, NumberedRevocation, Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { RevocationList } from '../../../../src/gateway/agents/revocation-list.ts';
import type { Timers } from '../../../../src/gateway/ports.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';

const START_MS = Date.UTC(2026, 10, 22);
const MINUTE = START_MS / 60_000;
const KEY = { agent: '00000000000000aa', serial: 7, issuedMinute: MINUTE };

/** A store in memory that can fail, or give no answer. */
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

/** Timers that run out when a test says so. */
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

  test('refuses every key of an agent up to a minute, and none of a later one', async () => {
    store.add({ serial: undefined, issuedMinute: MINUTE });
    expect(await judge(0, { ...KEY, serial: 99, issuedMinute: MINUTE - 50_000 })).toBe('revoked');
    expect(await judge(0, { ...KEY, serial: 99 })).toBe('revoked');
    expect(await judge(0, { ...KEY, issuedMinute: MINUTE + 1 })).toBe('valid');
  });

  test('refuses from the time on that a revocation names, and at once where it names none, however late the clock is', async () => {
    store.add({ effectiveAtMs: START_MS + 10_000 });
    expect(await judge(9_999)).toBe('valid');
    expect(await judge(10_000)).toBe('revoked');
    store.add({ serial: 8, effectiveAtMs: 0 });
    expect(await judge(-600_000, { ...KEY, serial: 8 })).toBe('revoked');
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
    list.add([{ ...KEY, effectiveAtMs: 0, expiresAtMs: START_MS + 1e9 }], START_MS);
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
    list.add([{ ...KEY, effectiveAtMs: 0, expiresAtMs: START_MS + 1e9 }], START_MS);
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
    list.add([{ ...KEY, effectiveAtMs: 0, expiresAtMs: START_MS + 1e9 }], START_MS);
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
