import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';

/** Begins and ends the file of a pack. The number is that of its format. */
const MAGIC = Buffer.from('AKGKEPT1', 'latin1');

/** After the index: its CRC-32, its length, and {@link MAGIC}. */
const FOOTER_BYTES = 8 + MAGIC.length;

/** Bytes of the name of a result. */
const NAME_BYTES = 16;

/** Bytes that are written at once. */
const WRITE_BYTES = 1024 * 1024;

/** Bytes that are read at once while results are asked for nearly in the order in which they were written. */
const READ_BYTES = 256 * 1024;

/** What the index of a pack says about its results, which follow each other. */
interface PackIndex {
  /** {@link NAME_BYTES} of each. */
  readonly names: Uint8Array;
  /** Where each ends in the file. */
  readonly ends: Float64Array;
  /** CRC-32 of the bytes of each. */
  readonly checksums: Uint32Array;
}

/** Where a result is. */
export interface PackPlace {
  readonly pack: ResultPack;
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

/** Results in one file, which never changes. */
export class ResultPack {
  readonly file: string;
  /** Bytes of all its results. */
  readonly bytes: number;
  readonly #index: PackIndex;
  #descriptor: number | undefined;
  #window = Buffer.alloc(0);
  #windowStart = 0;
  #lastEnd = 0;

  private constructor(file: string, descriptor: number, index: PackIndex) {
    this.file = file;
    this.#descriptor = descriptor;
    this.#index = index;
    this.bytes = (index.ends.at(-1) ?? MAGIC.length) - MAGIC.length;
  }

  /** Opens a file; `undefined` if it is no whole pack. */
  static open(file: string): ResultPack | undefined {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, 'r');
      const { size } = statSync(file);
      const footer = readBytes(descriptor, size - FOOTER_BYTES, FOOTER_BYTES);
      const length = footer.readUInt32LE(4);
      const bytes = readBytes(descriptor, size - FOOTER_BYTES - length, length);
      if (!footer.subarray(8).equals(MAGIC) || crc32(bytes) !== footer.readUInt32LE(0)) throw new Error('damaged');
      return new ResultPack(file, descriptor, deserialize(bytes) as PackIndex);
    } catch {
      if (descriptor !== undefined) closeSync(descriptor);
      return undefined;
    }
  }

  /** Its results by name. */
  *places(): Generator<readonly [name: string, place: PackPlace]> {
    const { names, ends, checksums } = this.#index;
    const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength);
    let start = MAGIC.length;
    for (const [at, end] of ends.entries()) {
      yield [nameText(bytes, at * NAME_BYTES), { pack: this, start, end, checksum: checksums[at] ?? 0 }];
      start = end;
    }
  }

  /** The bytes of a result, in memory of their own; `undefined` if they are damaged. */
  read({ start, end, checksum }: PackPlace): Buffer | undefined {
    const bytes = Buffer.allocUnsafeSlow(end - start);
    try {
      if (start < this.#windowStart || end > this.#windowStart + this.#window.length) {
        this.#descriptor ??= openSync(this.file, 'r');
        const isNext = Math.abs(start - this.#lastEnd) < READ_BYTES;
        const window = Buffer.allocUnsafeSlow(isNext ? Math.max(READ_BYTES, bytes.length) : bytes.length);
        this.#window = window.subarray(0, readSync(this.#descriptor, window, 0, window.length, start));
        this.#windowStart = start;
      }
    } catch {
      return undefined;
    }
    this.#lastEnd = end;
    const copied = this.#window.copy(bytes, 0, start - this.#windowStart, end - this.#windowStart);
    return copied === bytes.length && crc32(bytes) === checksum ? bytes : undefined;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#window = Buffer.alloc(0);
  }

  /** Closes and deletes the file. */
  delete(): void {
    this.close();
    rmSync(this.file, { force: true });
  }
}

/** A pack that is being written, under a temporary name. */
export class ResultPackWriter {
  readonly #temporary: string;
  readonly #file: string;
  readonly #descriptor: number;
  readonly #names: Buffer[] = [];
  readonly #ends: number[] = [];
  readonly #checksums: number[] = [];
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #end = MAGIC.length;

  /** @param temporary Where it is written, in the folder of `file`. */
  constructor(file: string, temporary: string) {
    this.#file = file;
    this.#temporary = temporary;
    mkdirSync(dirname(file), { recursive: true });
    this.#descriptor = openSync(temporary, 'wx');
    this.#buffered.push(MAGIC);
  }

  append(name: string, bytes: Uint8Array): void {
    this.#names.push(Buffer.from(name, 'base64url'));
    this.#checksums.push(crc32(bytes));
    this.#end += bytes.length;
    this.#ends.push(this.#end);
    this.#write(bytes);
  }

  /** Writes the rest, and gives the file its name. */
  finish(): ResultPack | undefined {
    const index: PackIndex = {
      names: new Uint8Array(Buffer.concat(this.#names)),
      ends: new Float64Array(this.#ends),
      checksums: new Uint32Array(this.#checksums),
    };
    const bytes = serialize(index);
    const footer = Buffer.alloc(8);
    footer.writeUInt32LE(crc32(bytes), 0);
    footer.writeUInt32LE(bytes.length, 4);
    for (const part of [bytes, footer, MAGIC]) this.#write(part);
    this.#flush();
    closeSync(this.#descriptor);
    renameSync(this.#temporary, this.#file);
    return ResultPack.open(this.#file);
  }

  /** Deletes what was written. */
  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }

  #write(bytes: Uint8Array): void {
    this.#buffered.push(bytes);
    this.#bufferedBytes += bytes.length;
    if (this.#bufferedBytes >= WRITE_BYTES) this.#flush();
  }

  #flush(): void {
    const all = Buffer.concat(this.#buffered);
    for (let written = 0; written < all.length; ) written += writeSync(this.#descriptor, all, written);
    this.#buffered = [];
    this.#bufferedBytes = 0;
  }
}

/** Text of the name at an offset. */
export function nameText(bytes: Buffer, offset = 0): string {
  return bytes.toString('base64url', offset, offset + NAME_BYTES);
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  if (position < 0) throw new RangeError('outside of the file');
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(descriptor, bytes, 0, length, position) !== length) throw new RangeError('outside of the file');
  return bytes;
}

/** Whether a file is the temporary one of a process that has ended. */
export function isLeftover(file: string): boolean {
  const pid = Number(/\.(\d+)\.tmp$/.exec(basename(file))?.[1] ?? Number.NaN);
  if (Number.isNaN(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
