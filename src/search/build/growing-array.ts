/**
 * Unsigned integers that grow at the end; a plain array of a hundred million numbers would not fit into memory.
 *
 * @typeParam Values `Uint32Array` or `Uint8Array`.
 */
export class GrowingArray<Values extends Uint32Array | Uint8Array> {
  readonly #allocate: new (
    length: number,
  ) => Values;
  #values: Values;
  #length = 0;

  /** @param allocate The constructor of `Values`. */
  constructor(allocate: new (length: number) => Values) {
    this.#allocate = allocate;
    this.#values = new allocate(1024);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.#reserve(this.#length + 1);
    this.#values[this.#length++] = value;
  }

  append(values: ArrayLike<number>): void {
    this.#reserve(this.#length + values.length);
    this.#values.set(values, this.#length);
    this.#length += values.length;
  }

  /** What was added so far, as a view. */
  values(): Values {
    return this.#values.subarray(0, this.#length) as Values;
  }

  #reserve(length: number): void {
    if (length <= this.#values.length) return;
    const grown = new this.#allocate(Math.max(length, Math.ceil(this.#values.length * 1.6)));
    grown.set(this.values());
    this.#values = grown;
  }
}
