/** A growing array of bytes. Varints have seven bits a byte, lowest first, as in LEB128. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** @throws {RangeError} If the value is not an integer from 0 to 2^32 - 1. */
  writeVarint(value: number): void {
    if (!(Number.isInteger(value) && value >= 0 && value <= 0xffffffff)) {
      throw new RangeError(`Cannot write a varint: ${value} is not an unsigned 32-bit integer`);
    }
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** @param value 0 to 255. */
  writeByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Writes u32, little-endian. */
  writeWords(words: ArrayLike<number>): void {
    this.writeNumbers(words, 4);
  }

  /** Writes unsigned numbers of `width` bytes each, little-endian. */
  writeNumbers(numbers: ArrayLike<number>, width: 1 | 2 | 4): void {
    this.#reserve(numbers.length * width);
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at];
      for (let byte = 0; byte < width; byte++) this.#bytes[this.#length++] = number >>> (8 * byte);
    }
  }

  /** Pads with zeros to a multiple of four bytes. */
  alignToWord(): void {
    while (this.#length % 4 !== 0) this.writeByte(0);
  }

  writeBytes(bytes: ArrayLike<number>): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A copy of the written bytes. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
