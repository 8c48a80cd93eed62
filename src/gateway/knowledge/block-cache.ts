import type { Timers } from '../ports.ts';

/**
 * How long a caller waits for what another is loading, in milliseconds, before it loads the same itself: about as long as a store may
 * take (`src/platform/deadline.ts`). On Cloudflare whatever a request began is never over once its client went away.
 */
const PATIENCE_MS = 2_000;

interface Entry {
  readonly value: Promise<unknown>;
  /** Encoded length; 0 until it is loaded. */
  bytes: number;
  isLoaded: boolean;
}

/**
 * Decoded blocks in the memory of one isolate, the most recently used ones first, within a bound on their encoded bytes.
 * Blocks never change, so what is cached never changes an answer. A load that fails is not kept.
 */
export class BlockCache {
  readonly #maxBytes: number;
  readonly #timers: Timers | undefined;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /**
   * @param maxBytes Most encoded bytes that are kept.
   * @param timers Bound the time for which one caller waits for another; without them it waits for ever.
   */
  constructor(maxBytes: number, timers?: Timers) {
    this.#maxBytes = maxBytes;
    this.#timers = timers;
  }

  /** The value under `key`, loaded once even when asked for many times at once. */
  get<T>(key: string, load: () => Promise<{ value: T; bytes: number }>): Promise<T> {
    const known = this.#entries.get(key);
    if (known === undefined) return this.#load(key, load);
    this.#entries.delete(key);
    this.#entries.set(key, known);
    const value = known.value as Promise<T>;
    return known.isLoaded || this.#timers === undefined ? value : this.#inTime(key, known, value, load, this.#timers);
  }

  /** The value under `key` if it is here, whole. */
  async loaded(key: string): Promise<unknown> {
    const known = this.#entries.get(key);
    return known?.isLoaded ? known.value : undefined;
  }

  /** Forgets what is under `key`, so that it is loaded anew. */
  drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #load<T>(key: string, load: () => Promise<{ value: T; bytes: number }>): Promise<T> {
    const loaded = load();
    const value = loaded.then((found) => found.value);
    const entry: Entry = { value, bytes: 0, isLoaded: false };
    this.#entries.set(key, entry);
    loaded.then(
      ({ bytes }) => {
        if (this.#entries.get(key) !== entry) return;
        entry.bytes = bytes;
        entry.isLoaded = true;
        this.#bytes += bytes;
        this.#evict(key);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  /** What another caller is loading, or the same loaded anew if that takes too long. */
  async #inTime<T>(
    key: string,
    entry: Entry,
    value: Promise<T>,
    load: () => Promise<{ value: T; bytes: number }>,
    timers: Timers,
  ): Promise<T> {
    const waiting = timers.wait(PATIENCE_MS);
    try {
      const found = await Promise.race([value.then((loaded) => ({ loaded })), waiting.over]);
      if (found !== undefined) return found.loaded;
    } finally {
      waiting.cancel();
    }
    // Whoever gives up first loads it; the others wait for that.
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    return this.get(key, load);
  }

  #evict(keep: string): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (key === keep || entry.bytes === 0) continue;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}
