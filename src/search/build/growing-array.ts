/** Unsigned 32-bit integers that grow at the end; a plain array of a hundred million numbers would not fit into memory. */
export class GrowingUint32 {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow(this.#length + 1);
    this.#values[this.#length++] = value;
  }

  append(values: Uint32Array): void {
    if (this.#length + values.length > this.#values.length) this.#grow(this.#length + values.length);
    this.#values.set(values, this.#length);
    this.#length += values.length;
  }

  /** What was added so far, as a view. */
  values(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const grown = new Uint32Array(Math.max(needed, Math.ceil(this.#values.length * 1.6)));
    grown.set(this.#values.subarray(0, this.#length));
    this.#values = grown;
  }
}

/** Bytes that grow at the end. */
export class GrowingBytes {
  #values = new Uint8Array(1024);
  #length = 0;

  append(values: Uint8Array): void {
    const needed = this.#length + values.length;
    if (needed > this.#values.length) {
      const grown = new Uint8Array(Math.max(needed, Math.ceil(this.#values.length * 1.6)));
      grown.set(this.#values.subarray(0, this.#length));
      this.#values = grown;
    }
    this.#values.set(values, this.#length);
    this.#length = needed;
  }

  /** What was added so far, as a view. */
  values(): Uint8Array {
    return this.#values.subarray(0, this.#length);
  }
}
