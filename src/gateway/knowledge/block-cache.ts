/**
 * Decoded blocks in the memory of one isolate, the most recently used ones first, within a bound on their encoded bytes.
 * Blocks never change, so what is cached never changes an answer. A load that fails is not kept.
 */
export class BlockCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { readonly value: Promise<unknown>; bytes: number }>();
  #bytes = 0;

  /** @param maxBytes Most encoded bytes that are kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The value under `key`, loaded once even when asked for many times at once. */
  get<T>(key: string, load: () => Promise<{ value: T; bytes: number }>): Promise<T> {
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value as Promise<T>;
    }
    const loaded = load();
    const entry = { value: loaded.then(({ value }) => value), bytes: 0 };
    this.#entries.set(key, entry);
    loaded.then(
      ({ bytes }) => {
        if (this.#entries.get(key) !== entry) return;
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#evict(key);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.value;
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
