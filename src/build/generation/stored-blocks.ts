import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockCollection } from './generation.ts';

/** The blocks of a generation that is being built, in a folder with those of earlier ones instead of in memory. */
export class StoredBlocks implements BlockCollection {
  readonly folder: string;
  readonly #names = new Set<string>();

  /** @param folder Holds blocks under their digests. */
  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get size(): number {
    return this.#names.size;
  }

  has(sha256: string): boolean {
    return this.#names.has(sha256);
  }

  get(sha256: string): Uint8Array | undefined {
    return this.#names.has(sha256) ? this.#read(sha256) : undefined;
  }

  /** Writes a block, unless it is there. */
  set(sha256: string, bytes: Uint8Array): this {
    this.#names.add(sha256);
    const present = this.#read(sha256);
    if (present !== undefined && Buffer.compare(present, bytes) === 0) return this;
    // A rename is atomic: under its name a block is never partial.
    const path = join(this.folder, sha256);
    const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
    writeFileSync(temporary, bytes);
    renameSync(temporary, path);
    return this;
  }

  reuse(sha256: string): boolean {
    const bytes = this.#read(sha256);
    if (bytes === undefined || hash('sha256', bytes) !== sha256) return false;
    this.#names.add(sha256);
    return true;
  }

  keys(): SetIterator<string> {
    return this.#names.values();
  }

  *values(): MapIterator<Uint8Array> {
    for (const [, bytes] of this) yield bytes;
  }

  *entries(): MapIterator<[string, Uint8Array]> {
    for (const name of this.#names) {
      const bytes = this.#read(name);
      if (bytes !== undefined) yield [name, bytes];
    }
  }

  [Symbol.iterator](): MapIterator<[string, Uint8Array]> {
    return this.entries();
  }

  forEach(visit: (bytes: Uint8Array, sha256: string, map: ReadonlyMap<string, Uint8Array>) => void): void {
    for (const [name, bytes] of this) visit(bytes, name, this);
  }

  #read(sha256: string): Uint8Array | undefined {
    try {
      const bytes = readFileSync(join(this.folder, sha256));
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch {
      return undefined;
    }
  }
}
