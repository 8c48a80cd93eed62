import type { StoreReads } from './serve-engine.ts';

export interface TextReads {
  get(key: string, options: { type: 'text'; cacheTtl: number }): Promise<string | null>;
}

export interface StoredIndexBindings {
  readonly STORE: TextReads;
  /** Values that the index is divided into, because one holds 25 MiB at most. */
  readonly PARTS: number;
}

export const partKey = (part: number): string => `part-${part}`;

export class StoredParts {
  readonly #bindings: StoredIndexBindings;
  #reads = 0;
  #bytes = 0;

  constructor(bindings: StoredIndexBindings) {
    this.#bindings = bindings;
  }

  async read(): Promise<string> {
    const { PARTS, STORE } = this.#bindings;
    const parts = await Promise.all(
      Array.from({ length: PARTS }, (_, part) => STORE.get(partKey(part), { type: 'text', cacheTtl: 86_400 })),
    );
    return parts
      .map((part) => {
        if (part === null) throw new Error('a part of the index is missing');
        this.#reads += 1;
        // What peers store is ASCII, so that characters are bytes.
        this.#bytes += part.length;
        return part;
      })
      .join('');
  }

  async touch(): Promise<void> {
    await this.#bindings.STORE.get('none', { type: 'text', cacheTtl: 60 });
  }

  get reads(): StoreReads {
    return { reads: this.#reads, bytes: this.#bytes };
  }
}
