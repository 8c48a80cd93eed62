/** Results of reading and checking single files, kept while a process reads the same publication again and again. */
export class ReadingMemo {
  readonly #results = new Map<string, Map<string, { readonly from: readonly unknown[]; readonly result: unknown }>>();

  /**
   * What `make` returned for this step and file when it was last called with the same inputs, or a new result.
   *
   * @param from Everything that the result depends on, to be compared by identity; texts and numbers by value.
   */
  of<T>(step: string, path: string, from: readonly unknown[], make: () => T): T {
    const known = this.get<T>(step, path, from);
    if (known !== undefined) return known;
    const result = make();
    this.set(step, path, from, result);
    return result;
  }

  /** The result of a step for a file with these inputs; `undefined` if there is none. */
  get<T>(step: string, path: string, from: readonly unknown[]): T | undefined {
    const known = this.#results.get(path)?.get(step);
    const isSame = known?.from.length === from.length && known.from.every((value, index) => value === from[index]);
    return isSame ? (known.result as T) : undefined;
  }

  set(step: string, path: string, from: readonly unknown[], result: unknown): void {
    const ofFile = this.#results.get(path) ?? new Map<string, { from: readonly unknown[]; result: unknown }>();
    this.#results.set(path, ofFile);
    ofFile.set(step, { from, result });
  }

  /** The result of a step for a file; `undefined` if there is none. */
  known(step: string, path: string): unknown {
    return this.#results.get(path)?.get(step)?.result;
  }

  /** Forgets files, and what is below folders, because they changed. */
  forget(paths: readonly string[]): void {
    for (const path of paths) this.#results.delete(path);
    const folders = paths.map((path) => `${path}/`);
    if (folders.length > 0)
      for (const known of this.#results.keys()) if (folders.some((folder) => known.startsWith(folder))) this.#results.delete(known);
  }
}

/** Calls `make` if there is no memo. */
export function remembered<T>(memo: ReadingMemo | undefined, step: string, path: string, from: readonly unknown[], make: () => T): T {
  return memo === undefined ? make() : memo.of(step, path, from, make);
}
