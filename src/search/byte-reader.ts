import { IndexFormatError } from './index-format.ts';

/** Reads what `ByteWriter` wrote, and refuses with an {@link IndexFormatError} whatever it cannot have written. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  /** An integer from 0 to 2^32 - 1 in its shortest form, so that one value has one encoding. */
  readVarint(): number {
    const first = this.#next();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#next();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (byte === 0 || value > 0xffffffff) throw new IndexFormatError('Cannot read the index: number not in range');
        return value;
      }
      if (scale >= 0x80 ** 4) throw new IndexFormatError('Cannot read the index: number too long');
    }
  }

  /**
   * A number of things that follow, each of at least `bytesEach` bytes: nothing needs to be allocated for a count that
   * the rest of the bytes cannot hold.
   */
  readCount(bytesEach: number): number {
    const count = this.readVarint();
    if (count * bytesEach > this.remaining) throw new IndexFormatError('Cannot read the index: it is cut short');
    return count;
  }

  /** The next bytes as a view, not a copy. */
  readBytes(length: number): Uint8Array {
    if (length > this.remaining) throw new IndexFormatError('Cannot read the index: it is cut short');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #next(): number {
    if (this.#at >= this.#end) throw new IndexFormatError('Cannot read the index: it is cut short');
    return this.#bytes[this.#at++] as number;
  }
}
