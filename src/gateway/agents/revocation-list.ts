import type { Timers } from '../ports.ts';
import type { AgentStore, NamedKey, NumberedRevocation, Revocation } from './agent-ports.ts';

/** How old a list may be that keys are judged by, in milliseconds. A revoked key is refused everywhere this long after, and a read. */
const MAX_AGE_MS = 30_000;
/** How long after a failed reading none is tried. */
const BACK_OFF_MS = 5_000;
/** Longest time that a request waits for a reading; it may have been begun by another one. */
const MAX_WAIT_MS = 1_000;
/** After this long a reading is given up, and another one is begun: the isolate may have lost the one that began it. */
const GIVEN_UP_MS = 10_000;
/** Revocations that are read at a time. */
const PAGE_ROWS = 2_000;
/** Revocations that an isolate reads, in about 5 MB. With more, keys that the list does not name are asked for one by one. */
const MAX_READ = 20_000;
/** Revocations that an isolate holds: those that it made itself find room when no more are read. */
const MAX_HELD = 25_000;

/** Whether a revocation means a key and is in force. */
export function revokes(revocation: Revocation, key: NamedKey, nowMs: number): boolean {
  if (revocation.agent !== key.agent || revocation.effectiveAtMs > nowMs) return false;
  return revocation.serial === undefined
    ? key.issuedMinute <= revocation.issuedMinute
    : revocation.serial === key.serial && revocation.issuedMinute === key.issuedMinute;
}

/**
 * The revocations that an isolate knows of. A list is read from the database when the one at hand is older than
 * {@link MAX_AGE_MS}: only what was added since, because the numbers of revocations rise in the order in which they were stored.
 * Requests that come meanwhile wait for the same reading. What was revoked here is known at once.
 */
export class RevocationList {
  readonly #store: Pick<AgentStore, 'revocationsAfter' | 'standing'> | undefined;
  readonly #timers: Timers;
  /** By agent, serial number and minute: one agent may have many, and each is found at once. */
  readonly #held = new Map<string, Revocation>();
  /** Of all keys of an agent, by agent. */
  readonly #ofAgents = new Map<string, Revocation>();
  /** Highest number that was read. */
  #last = 0;
  /** Whether all revocations fit. */
  #complete = true;
  /** When the reading began that the list is as new as. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #reading: { readonly over: Promise<void>; readonly sinceMs: number } | undefined;

  /** @param store `undefined` where no database is bound: then only what was revoked here is known. */
  constructor(store: Pick<AgentStore, 'revocationsAfter' | 'standing'> | undefined, timers: Timers) {
    this.#store = store;
    this.#timers = timers;
  }

  /**
   * Judges a key by a list that is new enough, reading it first if need be.
   *
   * @returns `unknown` if there is no such list within a second: the key is not revoked as far as is known here.
   */
  async judge(key: NamedKey, nowMs: number, defer: (work: Promise<unknown>) => void): Promise<'revoked' | 'valid' | 'unknown'> {
    if (this.names(key, nowMs)) return 'revoked';
    if (this.#store === undefined) return 'unknown';
    if (!this.#isNew(nowMs)) await this.#renewed(this.#store, nowMs, defer);
    if (this.names(key, nowMs)) return 'revoked';
    if (!this.#isNew(nowMs)) return 'unknown';
    return this.#complete ? 'valid' : this.#ask(this.#store, key, nowMs);
  }

  /** Whether the list at hand holds a revocation of the key that is in force. */
  names(key: NamedKey, nowMs: number): boolean {
    return this.#about(key).some((revocation) => revokes(revocation, key, nowMs));
  }

  /** When a key stops working as far as is known here, in milliseconds since the epoch; `undefined` if it is not revoked. */
  endOf(key: NamedKey): number | undefined {
    const ends = this.#about(key).flatMap((revocation) =>
      revokes(revocation, key, Number.POSITIVE_INFINITY) ? [revocation.effectiveAtMs] : [],
    );
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  #about(key: NamedKey): Revocation[] {
    return [this.#held.get(nameOf(key)), this.#ofAgents.get(key.agent)].flatMap((revocation) => revocation ?? []);
  }

  /** Takes revocations into the list without reading it. */
  add(revocations: readonly Revocation[], nowMs: number): void {
    for (const revocation of revocations) this.#hold(revocation, nowMs, MAX_HELD);
  }

  #isNew(nowMs: number): boolean {
    return Math.abs(nowMs - this.#asOfMs) <= MAX_AGE_MS;
  }

  async #renewed(store: Pick<AgentStore, 'revocationsAfter'>, nowMs: number, defer: (work: Promise<unknown>) => void): Promise<void> {
    const underWay = this.#reading !== undefined && Math.abs(nowMs - this.#reading.sinceMs) < GIVEN_UP_MS ? this.#reading : undefined;
    if (underWay === undefined && Math.abs(nowMs - this.#failedAtMs) < BACK_OFF_MS) return;
    // Whoever began it waited already; nobody else waits for longer than that.
    if (underWay !== undefined && Math.abs(nowMs - underWay.sinceMs) >= MAX_WAIT_MS) return;
    const { over } = underWay ?? this.#begin(store, nowMs, defer);
    const waiting = this.#timers.wait(MAX_WAIT_MS);
    await Promise.race([over, waiting.over]);
    waiting.cancel();
  }

  /** Begins a reading. It goes on after the answer of the request that began it, and never fails: a failure is noted. */
  #begin(
    store: Pick<AgentStore, 'revocationsAfter'>,
    nowMs: number,
    defer: (work: Promise<unknown>) => void,
  ): { readonly over: Promise<void> } {
    const read = this.#read(store, nowMs);
    defer(read);
    const over = read.then(
      () => {
        this.#asOfMs = nowMs;
      },
      () => {
        this.#failedAtMs = nowMs;
      },
    );
    const reading = { over, sinceMs: nowMs };
    this.#reading = reading;
    void over.then(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  async #read(store: Pick<AgentStore, 'revocationsAfter'>, nowMs: number): Promise<void> {
    for (;;) {
      const rows: readonly NumberedRevocation[] = await store.revocationsAfter(this.#last, nowMs, PAGE_ROWS);
      for (const row of rows) {
        this.#complete = this.#hold(row, nowMs, MAX_READ);
        if (!this.#complete) return;
        this.#last = Math.max(this.#last, row.sequence);
      }
      this.#complete = true;
      if (rows.length < PAGE_ROWS) return;
    }
  }

  /** Asks for one key: the list does not hold all revocations. */
  async #ask(store: Pick<AgentStore, 'standing'>, key: NamedKey, nowMs: number): Promise<'revoked' | 'valid' | 'unknown'> {
    const waiting = this.#timers.wait(MAX_WAIT_MS);
    const answered = store.standing(key).then(
      ({ revocations }) => (revocations.some((revocation) => revokes(revocation, key, nowMs)) ? 'revoked' : 'valid'),
      () => 'unknown' as const,
    );
    const judgement = await Promise.race([answered, waiting.over.then(() => 'unknown' as const)]);
    waiting.cancel();
    return judgement;
  }

  /** Whether there was room for it. Of two for the same keys, the one that refuses more of them, or sooner, is held. */
  #hold(revocation: Revocation, nowMs: number, max: number): boolean {
    const { agent, serial, issuedMinute, effectiveAtMs } = revocation;
    const [map, name] = serial === undefined ? [this.#ofAgents, agent] : [this.#held, nameOf({ agent, serial, issuedMinute })];
    const known = map.get(name);
    if (known !== undefined) {
      if (issuedMinute > known.issuedMinute || effectiveAtMs < known.effectiveAtMs) map.set(name, revocation);
      return true;
    }
    if (this.#size >= max) this.#forgetExpired(nowMs);
    if (this.#size >= max) return false;
    map.set(name, revocation);
    return true;
  }

  get #size(): number {
    return this.#held.size + this.#ofAgents.size;
  }

  #forgetExpired(nowMs: number): void {
    for (const map of [this.#held, this.#ofAgents]) for (const [name, { expiresAtMs }] of map) if (expiresAtMs <= nowMs) map.delete(name);
  }
}

function nameOf({ agent, serial, issuedMinute }: NamedKey): string {
  return `${agent}/${serial}/${issuedMinute}`;
}
