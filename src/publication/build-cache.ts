import { hash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { hasEnded } from './process-table.ts';

/** With so many packs, all but the largest become one. */
const PACKS_MAX = 8;

const ENDING = '.pack';

/**
 * Results of earlier builds on disk, each under everything that it was made from, so that a build makes again only what changed. They are
 * always optional: a result that is missing, damaged or of other code is made anew, and a folder that cannot be written stays as it is.
 *
 * Each run appends what it made to the folder as one pack, under a temporary name until it is whole, so that neither a build that is
 * killed nor two builds at once leave anything wrong.
 */
export class BuildCache {
  readonly #folder: string;
  readonly #madeBy: string;
  readonly #kinds = new Map<string, CachedResults<unknown>>();

  /** @param madeBy Everything that decides what the same inputs give, such as a digest of the code; results of others are not used. */
  constructor(folder: string, madeBy: string) {
    this.#folder = folder;
    this.#madeBy = hash('sha256', madeBy).slice(0, 16);
  }

  results<T>(name: string): CachedResults<T> {
    const known = this.#kinds.get(name) ?? new CachedResults<unknown>(join(this.#folder, this.#madeBy, name));
    this.#kinds.set(name, known);
    return known as CachedResults<T>;
  }

  /** Stores what was set; call it last. Where results of a kind were read, the unread ones go once they outnumber the rest. */
  save(): void {
    for (const results of this.#kinds.values()) results.save();
    for (const name of namesIn(this.#folder)) if (name !== this.#madeBy) removeFolder(join(this.#folder, name));
  }

  close(): void {
    for (const results of this.#kinds.values()) results.close();
    this.#kinds.clear();
  }
}

export class CachedResults<T> {
  readonly #folder: string;
  readonly #places = new Map<string, Place>();
  readonly #used = new Set<string>();
  /** Results that are not in a pack yet; `undefined` once they cannot be written. */
  #writer: PackWriter | undefined;
  #canWrite = true;
  #packs: Pack[] = [];
  #obsolete: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      const pack = name.endsWith(ENDING) ? openPack(file) : undefined;
      if (pack !== undefined) this.#add(pack);
      else if (name.endsWith(ENDING) || isOfEndedProcess(name)) this.#obsolete.push(file);
    }
  }

  /** @param from Everything that the result depends on, such as texts or their digests in a fixed order; see {@link digestOf}. */
  get(from: string): T | undefined {
    const name = nameOf(from);
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    this.#used.add(name);
    const bytes = place.pack.read(place);
    try {
      if (bytes !== undefined) return deserialize(bytes) as T;
    } catch {
      // As damaged as bytes that differ from their checksum.
    }
    this.#drop(place.pack);
    return undefined;
  }

  /** Whether there is a result that was made from this, which then counts as read. */
  has(from: string): boolean {
    const name = nameOf(from);
    if (!this.#places.has(name)) return false;
    this.#used.add(name);
    return true;
  }

  /** Stores a result: plain data, as `structuredClone` copies it. {@link get} returns it after the next {@link BuildCache.save}. */
  set(from: string, value: T): void {
    if (this.#canWrite) this.#unlessFull(() => this.#write(nameOf(from), serialize(value)));
  }

  save(): void {
    this.#unlessFull(() => {
      this.#compact();
      const pack = this.#writer?.finish();
      this.#writer = undefined;
      if (pack === undefined) return;
      this.#add(pack);
      for (const name of pack.index.keys()) this.#used.add(name);
    });
    for (const file of this.#obsolete) rmSync(file, { force: true });
    this.#obsolete = [];
  }

  close(): void {
    for (const pack of this.#packs) pack.close();
    if (this.#writer !== undefined) this.#stopWriting();
  }

  #compact(): void {
    // A run that only adds results does not know which others are wanted.
    const wanted = this.#used.size > 0 ? this.#used : new Set(this.#places.keys());
    const bytesOf = (places: Iterable<Place>): number => [...places].reduce((sum, { start, end }) => sum + end - start, 0);
    const stored = this.#packs.reduce((sum, pack) => sum + pack.bytes, 0);
    const isMostlyDropped = bytesOf([...this.#places].flatMap(([name, place]) => (wanted.has(name) ? [place] : []))) < stored / 2;
    const bySize = [...this.#packs].sort((a, b) => b.bytes - a.bytes);
    const going = isMostlyDropped ? bySize : bySize.length >= PACKS_MAX ? bySize.slice(1) : [];
    for (const pack of going) {
      for (const name of pack.index.keys()) {
        const place = this.#places.get(name);
        const bytes = place?.pack === pack && wanted.has(name) ? pack.read(place) : undefined;
        if (bytes !== undefined) this.#write(name, bytes);
      }
    }
    // What another process still reads of them, it makes again.
    for (const pack of going) this.#drop(pack);
  }

  #write(name: string, bytes: Uint8Array): void {
    this.#writer ??= new PackWriter(join(this.#folder, `${randomBytes(8).toString('hex')}${ENDING}`));
    this.#writer.append(name, bytes);
  }

  #add(pack: Pack): void {
    this.#packs.push(pack);
    for (const [name, [start, end, checksum]] of pack.index) this.#places.set(name, { pack, start, end, checksum });
  }

  #drop(pack: Pack): void {
    this.#packs = this.#packs.filter((other) => other !== pack);
    for (const name of pack.index.keys()) if (this.#places.get(name)?.pack === pack) this.#places.delete(name);
    pack.close();
    this.#obsolete.push(pack.file);
  }

  /** Writes; where the file system refuses, as for lack of room or permission, nothing is stored from then on. */
  #unlessFull(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      this.#stopWriting();
    }
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

/** A digest of parts, for {@link CachedResults.get}: other parts give another one, also where only their boundaries differ. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  return hash('sha256', parts.map((part) => hash('sha256', part, 'base64url')).join(' '), 'base64url');
}

function nameOf(from: string): string {
  return hash('sha256', from, 'buffer').toString('base64url', 0, 16);
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

/** Ends the file of a pack. The number is that of its format. */
const MAGIC = Buffer.from('AKGKEPT2', 'latin1');

/** After the index: its CRC-32, its length, and {@link MAGIC}. */
const FOOTER_BYTES = 8 + MAGIC.length;

/** Where each result of a pack begins and ends in the file, and the CRC-32 of its bytes, in the order of the file. */
type PackIndex = Map<string, readonly [start: number, end: number, checksum: number]>;

interface Place {
  readonly pack: Pack;
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

function openPack(file: string): Pack | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { size } = statSync(file);
    const footer = readBytes(descriptor, size - FOOTER_BYTES, FOOTER_BYTES);
    const length = footer.readUInt32LE(4);
    const bytes = readBytes(descriptor, size - FOOTER_BYTES - length, length);
    if (!footer.subarray(8).equals(MAGIC) || crc32(bytes) !== footer.readUInt32LE(0)) throw new Error('damaged');
    return new Pack(file, descriptor, deserialize(bytes) as PackIndex, size - FOOTER_BYTES - length);
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  if (position < 0) throw new RangeError('outside of the file');
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(descriptor, bytes, 0, length, position) !== length) throw new RangeError('outside of the file');
  return bytes;
}

class Pack {
  readonly file: string;
  readonly bytes: number;
  readonly index: PackIndex;
  #descriptor: number | undefined;

  constructor(file: string, descriptor: number, index: PackIndex, bytes: number) {
    this.file = file;
    this.#descriptor = descriptor;
    this.index = index;
    this.bytes = bytes;
  }

  /** The bytes of a result, in memory of their own; `undefined` if they are damaged. */
  read({ start, end, checksum }: Place): Buffer | undefined {
    try {
      this.#descriptor ??= openSync(this.file, 'r');
      const bytes = readBytes(this.#descriptor, start, end - start);
      return crc32(bytes) === checksum ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

class PackWriter {
  readonly #file: string;
  readonly #temporary: string;
  readonly #descriptor: number;
  readonly #index: PackIndex = new Map();
  #end = 0;

  constructor(file: string) {
    this.#file = file;
    this.#temporary = `${file}.${process.pid}.tmp`;
    mkdirSync(dirname(file), { recursive: true });
    this.#descriptor = openSync(this.#temporary, 'wx');
  }

  append(name: string, bytes: Uint8Array): void {
    this.#index.set(name, [this.#end, this.#end + bytes.length, crc32(bytes)]);
    this.#end += bytes.length;
    writeFileSync(this.#descriptor, bytes);
  }

  finish(): Pack | undefined {
    const bytes = serialize(this.#index);
    const footer = Buffer.alloc(8);
    footer.writeUInt32LE(crc32(bytes), 0);
    footer.writeUInt32LE(bytes.length, 4);
    writeFileSync(this.#descriptor, Buffer.concat([bytes, footer, MAGIC]));
    closeSync(this.#descriptor);
    renameSync(this.#temporary, this.#file);
    return openPack(this.#file);
  }

  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}

function isOfEndedProcess(file: string): boolean {
  const pid = Number(/\.(\d+)\.tmp$/.exec(basename(file))?.[1] ?? Number.NaN);
  return !Number.isNaN(pid) && pid !== process.pid && hasEnded(pid);
}

/** Results of reading and checking single files, in the memory of a process that reads the same publication again and again. */
export class MemoryCache {
  readonly #files = new Map<string, Map<string, { readonly from: readonly unknown[]; readonly result: unknown }>>();

  /** @param from Everything that the result depends on, to be compared by identity. Any inputs by default. */
  get<T>(step: string, path: string, from?: readonly unknown[]): T | undefined {
    const known = this.#files.get(path)?.get(step);
    if (from === undefined) return known?.result as T | undefined;
    const isSame = known?.from.length === from.length && known.from.every((value, index) => value === from[index]);
    return isSame ? (known.result as T) : undefined;
  }

  set(step: string, path: string, from: readonly unknown[], result: unknown): void {
    const ofFile = this.#files.get(path) ?? new Map<string, { from: readonly unknown[]; result: unknown }>();
    this.#files.set(path, ofFile);
    ofFile.set(step, { from, result });
  }

  /** Forgets files, and what is below folders, because they changed. */
  forget(paths: readonly string[]): void {
    for (const path of paths) this.#files.delete(path);
    const folders = paths.map((path) => `${path}/`);
    if (folders.length > 0)
      for (const known of this.#files.keys()) if (folders.some((folder) => known.startsWith(folder))) this.#files.delete(known);
  }
}

export function fromMemory<T>(memory: MemoryCache | undefined, step: string, path: string, from: readonly unknown[], make: () => T): T {
  const known = memory?.get<T>(step, path, from);
  if (known !== undefined) return known;
  const result = make();
  memory?.set(step, path, from, result);
  return result;
}
