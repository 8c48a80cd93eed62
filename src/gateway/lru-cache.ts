interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

/**
 * Values in the memory of one isolate, the most recently used ones, within a bound on their sizes together. For what follows from its
 * key alone, so that what is kept never changes an answer.
 */
export class LruCache<K, V> {
  readonly #maxSize: number;
  readonly #entries = new Map<K, Entry<V>>();
  #size = 0;

  /** @param maxSize Most that the sizes of all values come to, in whatever unit they are given. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** The value under a key, which counts as used; `undefined` if it is not here. */
  get(key: K): V | undefined {
    const known = this.#entries.get(key);
    if (known === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known.value;
  }

  /** Keeps a value in the place of what was under its key. One that is larger than the bound is not kept. */
  set(key: K, value: V, size: number): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
    if (size > this.#maxSize) return;
    this.#size += size;
    this.#entries.set(key, { value, size });
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#maxSize) return;
      this.#entries.delete(oldest);
      this.#size -= entry.size;
    }
  }
}
