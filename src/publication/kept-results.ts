import { hash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isLeftover, nameText, type PackPlace, ResultPack, ResultPackWriter } from './result-pack.ts';

/** With so many packs, all but the largest become one. */
const PACKS_MAX = 8;

/** Ending of the file of a pack. */
const ENDING = '.pack';

/**
 * Results of earlier builds on disk, each under everything that it was made from, so that a build makes again only what changed. They are
 * always optional: a result that is missing, damaged or of other code is made anew, and a folder that cannot be written stays as it is.
 *
 * Each run appends what it made to the folder as one pack, under a temporary name until it is whole, so that neither a build that is
 * killed nor two builds at once leave anything wrong.
 */
export class KeptResults {
  readonly #folder: string;
  readonly #madeBy: string;
  readonly #shelves = new Map<string, Shelf<unknown>>();

  private constructor(folder: string, madeBy: string) {
    this.#folder = folder;
    this.#madeBy = hash('sha256', madeBy).slice(0, 16);
  }

  /**
   * The results in a folder, which may be missing.
   *
   * @param madeBy Everything that decides what the same inputs give, such as a digest of the code; results of others are not used.
   */
  static open(folder: string, madeBy: string): KeptResults {
    return new KeptResults(folder, madeBy);
  }

  /**
   * The results of one kind.
   *
   * @param name A name for a folder, such as `texts`. Results of one name have one type.
   */
  shelf<T>(name: string): Shelf<T> {
    const known = this.#shelves.get(name) ?? new Shelf<unknown>(join(this.#folder, this.#madeBy, name));
    this.#shelves.set(name, known);
    return known as Shelf<T>;
  }

  /**
   * Keeps what was set, and drops from each shelf of which something was asked for what nobody asked for, once that is more than the rest.
   * To be called when everything was done that asks for results of the shelves that were opened.
   */
  save(): void {
    for (const shelf of this.#shelves.values()) shelf.save();
    for (const name of namesIn(this.#folder)) if (name !== this.#madeBy) removeFolder(join(this.#folder, name));
  }

  /** Closes the files and forgets what was not saved. */
  close(): void {
    for (const shelf of this.#shelves.values()) shelf.close();
    this.#shelves.clear();
  }
}

/** Kept results of one kind. */
export class Shelf<T> {
  readonly #folder: string;
  readonly #places = new Map<string, PackPlace>();
  readonly #asked = new Set<string>();
  /** Results that are not in a pack yet; `undefined` once they cannot be written. */
  #writer: ResultPackWriter | undefined;
  #canWrite = true;
  #packs: ResultPack[] = [];
  /** Files that are no whole packs. */
  #damaged: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      const pack = name.endsWith(ENDING) ? ResultPack.open(file) : undefined;
      if (pack !== undefined) this.#add(pack);
      else if (name.endsWith(ENDING) || isLeftover(file)) this.#damaged.push(file);
    }
  }

  /**
   * The result that was made from this; `undefined` if it is not there.
   *
   * @param from Everything that the result depends on, such as the texts or their digests in a fixed order; see {@link digestOf}.
   */
  get(from: string): T | undefined {
    const name = nameOf(from);
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    this.#asked.add(name);
    const bytes = place.pack.read(place);
    try {
      if (bytes !== undefined) return deserialize(bytes) as T;
    } catch {
      // As damaged as bytes that differ from their checksum.
    }
    this.#drop(place.pack);
    return undefined;
  }

  /** Whether there is a result that was made from this, which then counts as asked for. It is not read. */
  has(from: string): boolean {
    const name = nameOf(from);
    if (!this.#places.has(name)) return false;
    this.#asked.add(name);
    return true;
  }

  /** Keeps a result: plain data, as `structuredClone` copies it. {@link get} returns it after the next {@link KeptResults.save}. */
  set(from: string, value: T): void {
    if (!this.#canWrite) return;
    try {
      this.#writer ??= this.#newPack();
      this.#writer.append(nameOf(from), serialize(value));
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      this.#stopWriting();
    }
  }

  /** See {@link KeptResults.save}. */
  save(): void {
    try {
      this.#tidy();
      const pack = this.#writer?.finish();
      this.#writer = undefined;
      if (pack !== undefined) for (const name of this.#add(pack)) this.#asked.add(name);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      this.#stopWriting();
    }
    for (const file of this.#damaged) rmSync(file, { force: true });
    this.#damaged = [];
  }

  /** See {@link KeptResults.close}. */
  close(): void {
    for (const pack of this.#packs) pack.close();
    if (this.#writer !== undefined) this.#stopWriting();
  }

  /** Writes what is still wanted of packs that are to go into the new one, and deletes them. */
  #tidy(): void {
    const wanted = new Map<ResultPack, PackPlace[]>(this.#packs.map((pack) => [pack, []]));
    const names = new Map<PackPlace, string>();
    // A run that only adds results does not know which others are wanted.
    for (const name of this.#asked.size > 0 ? this.#asked : this.#places.keys()) {
      const place = this.#places.get(name);
      if (place === undefined) continue;
      wanted.get(place.pack)?.push(place);
      names.set(place, name);
    }
    const bytesOf = (places: readonly PackPlace[]): number => places.reduce((sum, { start, end }) => sum + end - start, 0);
    const stored = this.#packs.reduce((sum, pack) => sum + pack.bytes, 0);
    const isMostlyDropped = bytesOf([...wanted.values()].flat()) < stored / 2;
    const bySize = [...this.#packs].sort((a, b) => b.bytes - a.bytes);
    const going = isMostlyDropped ? bySize : bySize.length >= PACKS_MAX ? bySize.slice(1) : [];
    for (const pack of going)
      for (const place of (wanted.get(pack) ?? []).sort((a, b) => a.start - b.start)) {
        const bytes = pack.read(place);
        if (bytes === undefined) continue;
        this.#writer ??= this.#newPack();
        this.#writer.append(names.get(place) ?? '', bytes);
      }
    // What another process still reads of them, it makes again.
    for (const pack of going) this.#drop(pack);
  }

  /** Adds a pack; returns the names of its results. */
  #add(pack: ResultPack): string[] {
    this.#packs.push(pack);
    const added: string[] = [];
    for (const [name, place] of pack.places()) {
      this.#places.set(name, place);
      added.push(name);
    }
    return added;
  }

  #drop(pack: ResultPack): void {
    this.#packs = this.#packs.filter((other) => other !== pack);
    for (const [name, place] of this.#places) if (place.pack === pack) this.#places.delete(name);
    pack.close();
    this.#damaged.push(pack.file);
  }

  #newPack(): ResultPackWriter {
    const file = join(this.#folder, `${randomBytes(8).toString('hex')}${ENDING}`);
    return new ResultPackWriter(file, `${file}.${process.pid}.tmp`);
  }

  #stopWriting(): void {
    this.#canWrite = false;
    try {
      this.#writer?.discard();
    } catch {
      // It is already closed, or its folder is gone.
    }
    this.#writer = undefined;
  }
}

/** A digest of parts, for {@link Shelf.get}: other parts give another one, also where only their boundaries differ. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  return hash('sha256', parts.map((part) => hash('sha256', part, 'base64url')).join(' '), 'base64url');
}

function nameOf(from: string): string {
  return nameText(hash('sha256', from, 'buffer'));
}

/** Whether a failure is that of the file system: no room, no permission. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another process is using it.
  }
}
