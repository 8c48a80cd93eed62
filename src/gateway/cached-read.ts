import type { Clock } from './platform-ports.ts';

/** How long other requests get the old value while one request reads, in milliseconds: longer than a read may take. */
const READING_MS = 5_000;

/** A value that each isolate reads again after a while. Meanwhile others get the previous one: no request waits for the work of another. */
export class CachedRead<T> {
  readonly #read: (nowMs: number) => Promise<T>;
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  #cached: { readonly atMs: number; readonly lifetimeMs: number; readonly value: T } | undefined;

  /** @param read Must not fail. */
  constructor(read: (nowMs: number) => Promise<T>, lifetimeMs: number, clock: Clock) {
    this.#read = read;
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
  }

  async read(): Promise<T> {
    const nowMs = this.#clock.nowMs();
    const cached = this.#cached;
    if (cached !== undefined && nowMs >= cached.atMs && nowMs - cached.atMs < cached.lifetimeMs) return cached.value;
    if (cached !== undefined) this.#cached = { ...cached, atMs: nowMs, lifetimeMs: READING_MS };
    const value = await this.#read(nowMs);
    this.#cached = { atMs: nowMs, lifetimeMs: this.#lifetimeMs, value };
    return value;
  }
}
