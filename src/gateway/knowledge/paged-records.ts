import type { LruCache } from '../lru-cache.ts';

const LINE_FEED = 10;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes records as a page: a line of JSON with their ids, then one line of JSON each, so that a reader parses only what it needs. */
export function encodeRecordPage(records: readonly { readonly id: string; readonly value: unknown }[]): Uint8Array {
  const lines = [records.map(({ id }) => id), ...records.map(({ value }) => value)].map((line) => JSON.stringify(line));
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** Decoded records, by {@link RecordPage} and position, weighted by encoded bytes. They must not be changed. */
export type RecentRecords = LruCache<number, unknown>;

const KEYS_OF_PAGE = 2 ** 20;

/** Number of pages read in this isolate, which gives each page keys of its own. */
let pagesRead = 0;

/** A page of records, decoded line by line. It holds only the bytes; decoded records are cached by the caller. */
export class RecordPage<T> {
  readonly #recent: RecentRecords | undefined;
  readonly #firstKey = KEYS_OF_PAGE * pagesRead++;
  readonly #bytes: Uint8Array;
  readonly #ids: readonly string[];
  readonly #ends: readonly number[];

  /** @throws {SyntaxError} If the bytes are not a page. */
  constructor(bytes: Uint8Array, recent?: RecentRecords) {
    this.#recent = recent;
    const ends: number[] = [];
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) ends.push(at);
    this.#bytes = bytes;
    this.#ends = ends;
    this.#ids = parse(this.#line(0)) as string[];
    if (!Array.isArray(this.#ids) || ends.length !== this.#ids.length + 1 || ends.at(-1) !== bytes.length - 1)
      throw new SyntaxError('a page of records is truncated');
  }

  /** Ids of all records, in their order. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  find(id: string): T | undefined {
    return this.at(this.position(id));
  }

  /** Position of the record with an id, from 0; -1 if it is not here. */
  position(id: string): number {
    return this.#ids.indexOf(id);
  }

  /** Id of the record at a position. */
  idAt(position: number): string | undefined {
    return this.#ids[position];
  }

  at(position: number): T | undefined {
    if (position < 0 || position >= this.#ids.length) return undefined;
    const key = this.#firstKey + position;
    const known = this.#recent?.get(key);
    if (known !== undefined) return known as T;
    const line = this.#line(position + 1);
    const record = parse(line);
    this.#recent?.set(key, record, line.length);
    return record as T;
  }

  #line(number: number): Uint8Array {
    return this.#bytes.subarray(number === 0 ? 0 : (this.#ends[number - 1] ?? 0) + 1, this.#ends[number] ?? 0);
  }
}

function parse(line: Uint8Array): unknown {
  return JSON.parse(UTF8.decode(line));
}

/** The position of the last ascending value that is not above `value`; -1 if all are. */
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
