const LINE_FEED = 10;

/**
 * Writes records as one page: a line of JSON with their ids, then a line of JSON for each. A reader parses only the lines that
 * it needs.
 */
export function encodeRecordPage(records: readonly { readonly id: string; readonly value: unknown }[]): Uint8Array {
  const lines = [records.map(({ id }) => id), ...records.map(({ value }) => value)].map((line) => JSON.stringify(line));
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** A page of records, read line by line. It keeps bytes alone, so that a page takes as much memory as it is long. */
export class RecordPage<T> {
  readonly #bytes: Uint8Array;
  readonly #ids: readonly string[];
  /** Where each line ends. */
  readonly #ends: readonly number[];

  /** @throws {SyntaxError} If the bytes are not a page. */
  constructor(bytes: Uint8Array) {
    const ends: number[] = [];
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) ends.push(at);
    this.#bytes = bytes;
    this.#ends = ends;
    this.#ids = this.#line(0) as string[];
    if (!Array.isArray(this.#ids) || ends.length !== this.#ids.length + 1 || ends.at(-1) !== bytes.length - 1)
      throw new SyntaxError('a page of records is cut short');
  }

  /** The record with this id. */
  find(id: string): T | undefined {
    return this.at(this.position(id));
  }

  /** Where the record with this id is, counted from 0; -1 if it is not here. */
  position(id: string): number {
    return this.#ids.indexOf(id);
  }

  /** The record at a position, counted from 0. */
  at(position: number): T | undefined {
    return position < 0 || position >= this.#ids.length ? undefined : (this.#line(position + 1) as T);
  }

  #line(number: number): unknown {
    const line = this.#bytes.subarray(number === 0 ? 0 : (this.#ends[number - 1] ?? 0) + 1, this.#ends[number] ?? 0);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  }
}

/** The position of the last of some ascending values that is not above `value`; -1 if all are. */
export function lastNotAbove<T>(count: number, valueAt: (position: number) => T, value: T): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
