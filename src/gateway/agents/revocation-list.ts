import type { Timers } from '../platform-ports.ts';
import type { AgentStore, NamedKey, NumberedRevocation, Revocation } from './agent-ports.ts';

/** Maximum age of a usable list, in milliseconds: every isolate refuses a revoked key after this time plus one read. */
const MAX_AGE_MS = 30_000;
const BACK_OFF_MS = 5_000;
/** Longest time that a request waits for a read, which another request may have started. */
const MAX_WAIT_MS = 1_000;
/** Age at which a read is abandoned: the isolate may have lost the request that started it. */
const GIVEN_UP_MS = 10_000;
const PAGE_ROWS = 2_000;
/** Most revocations that an isolate reads, about 5 MB. If there are more, keys that are not on the list are looked up one by one. */
const MAX_READ = 20_000;
/** Most revocations that an isolate holds: includes room for those that it made itself. */
const MAX_HELD = 25_000;

/** When a key ends that a rotation replaced without an overlap: long ago, but after 0, the end of keys that their owner or the publisher revoked. */
export const REPLACED_AT_ONCE_MS = 1;

export function revokes(revocation: Revocation, key: NamedKey, nowMs: number): boolean {
  if (revocation.agent !== key.agent || revocation.effectiveAtMs > nowMs) return false;
  return revocation.serial === undefined
    ? key.issuedMinute <= revocation.issuedMinute
    : revocation.serial === key.serial && revocation.issuedMinute === key.issuedMinute;
}

type RevocationStore = Pick<AgentStore, 'revocationsAfter' | 'status'>;

/**
 * The revocations that an isolate knows, renewed incrementally by their ascending numbers. Concurrent requests share one read, and revocations
 * made here count immediately.
 */
export class RevocationList {
  readonly #store: RevocationStore | undefined;
  readonly #timers: Timers;
  readonly #held = new Map<string, Revocation>();
  readonly #ofAgents = new Map<string, Revocation>();
  #last = 0;
  #complete = true;
  #asOfMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #reading: { readonly over: Promise<void>; readonly sinceMs: number } | undefined;

  /** @param store `undefined` where no database is bound: only revocations made here are known. */
  constructor(store: RevocationStore | undefined, timers: Timers) {
    this.#store = store;
    this.#timers = timers;
  }

  /** Checks a key with a list that is fresh within a second, else `unknown`: the key is not known to be revoked. */
  async judge(key: NamedKey, nowMs: number, defer: (work: Promise<unknown>) => void): Promise<'revoked' | 'valid' | 'unknown'> {
    if (this.names(key, nowMs)) return 'revoked';
    if (this.#store === undefined) return 'unknown';
    if (!this.#isNew(nowMs)) await this.#renewed(this.#store, nowMs, defer);
    if (this.names(key, nowMs)) return 'revoked';
    if (!this.#isNew(nowMs)) return 'unknown';
    return this.#complete ? 'valid' : this.#ask(this.#store, key, nowMs);
  }

  names(key: NamedKey, nowMs: number): boolean {
    return this.#size > 0 && this.#about(key).some((revocation) => revokes(revocation, key, nowMs));
  }

  /** When a key stops working, in milliseconds since the epoch; `undefined` if it is not revoked. */
  endOf(key: NamedKey): number | undefined {
    const ends = this.#about(key).flatMap((revocation) =>
      revokes(revocation, key, Number.POSITIVE_INFINITY) ? [revocation.effectiveAtMs] : [],
    );
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  #about(key: NamedKey): Revocation[] {
    return [this.#held.get(nameOf(key)), this.#ofAgents.get(key.agent)].flatMap((revocation) => revocation ?? []);
  }

  add(revocations: readonly Revocation[], nowMs: number): void {
    for (const revocation of revocations) this.#hold(revocation, nowMs, MAX_HELD);
  }

  #isNew(nowMs: number): boolean {
    return Math.abs(nowMs - this.#asOfMs) <= MAX_AGE_MS;
  }

  async #renewed(store: RevocationStore, nowMs: number, defer: (work: Promise<unknown>) => void): Promise<void> {
    const underWay = this.#reading !== undefined && Math.abs(nowMs - this.#reading.sinceMs) < GIVEN_UP_MS ? this.#reading : undefined;
    if (underWay === undefined && Math.abs(nowMs - this.#failedAtMs) < BACK_OFF_MS) return;
    // A request never waits longer than the one that started the read.
    if (underWay !== undefined && Math.abs(nowMs - underWay.sinceMs) >= MAX_WAIT_MS) return;
    const { over } = underWay ?? this.#begin(store, nowMs, defer);
    const waiting = this.#timers.wait(MAX_WAIT_MS);
    await Promise.race([over, waiting.over]);
    waiting.cancel();
  }

  /** Starts a read that continues after its request's response and never fails: a failure is recorded. */
  #begin(store: RevocationStore, nowMs: number, defer: (work: Promise<unknown>) => void): { readonly over: Promise<void> } {
    const read = this.#read(store, nowMs);
    defer(read);
    const finish = async (): Promise<void> => {
      const [{ status }] = await Promise.allSettled([read]);
      if (status === 'fulfilled') this.#asOfMs = nowMs;
      else this.#failedAtMs = nowMs;
      if (this.#reading === reading) this.#reading = undefined;
    };
    const reading = { over: finish(), sinceMs: nowMs };
    this.#reading = reading;
    return reading;
  }

  async #read(store: RevocationStore, nowMs: number): Promise<void> {
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

  async #ask(store: RevocationStore, key: NamedKey, nowMs: number): Promise<'revoked' | 'valid' | 'unknown'> {
    const waiting = this.#timers.wait(MAX_WAIT_MS);
    const answered = store.status(key).then(
      ({ revocations }) => (revocations.some((revocation) => revokes(revocation, key, nowMs)) ? 'revoked' : 'valid'),
      () => 'unknown' as const,
    );
    const judgement = await Promise.race([answered, waiting.over.then(() => 'unknown' as const)]);
    waiting.cancel();
    return judgement;
  }

  /** Adds a revocation. Of two for the same keys, the broader or earlier one stays. */
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
