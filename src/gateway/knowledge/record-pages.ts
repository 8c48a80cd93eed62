import type { PageReference } from '../../schemas/knowledge/generation-manifest.ts';
import type { MaybeRead } from '../../search/query/index-reader.ts';
import type { LruCache } from '../memory-caches.ts';
import type { BlockLoader } from './load-block.ts';

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

  get ids(): readonly string[] {
    return this.#ids;
  }

  find(id: string): T | undefined {
    return this.at(this.position(id));
  }

  position(id: string): number {
    return this.#ids.indexOf(id);
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

export interface PagePlace<R> {
  readonly reference: R;
  readonly start: number;
}

type Places<R> = (PagePlace<R> | undefined)[];

interface Listed<R> {
  readonly references: readonly R[];
  readonly starts: readonly number[];
}

type Choose<R, T> = (listed: Listed<R>, start: number, target: T) => number;

/** The pages of one kind of record, in the manifest or in lists, which are read when they are needed. */
export class PageDirectory<R extends PageReference> {
  readonly size: number;
  readonly #top: Listed<R>;
  readonly #itemsOf: (reference: R) => number;
  readonly #loader: BlockLoader;

  /** @param itemsOf Items on a page, or on all pages of a list. */
  constructor(references: readonly R[], loader: BlockLoader, itemsOf: (reference: R) => number) {
    this.#itemsOf = itemsOf;
    this.#loader = loader;
    this.#top = this.#listed(references);
    this.size = references.reduce((sum, reference) => sum + itemsOf(reference), 0);
  }

  /** The pages with the items at these positions, in the same order. All lists of a level are read at once. */
  at(positions: readonly number[]): MaybeRead<Places<R>> {
    return this.#find(positions, ({ starts }, start, position) => lastNotAbove(starts.length, (at) => start + (starts[at] ?? 0), position));
  }

  /** The only pages that can contain the items with these keys, which ascend; `undefined` for a key before the first one. */
  holding<K>(keys: readonly K[], firstKeyOf: (reference: R) => K): MaybeRead<Places<R>> {
    return this.#find(keys, ({ references }, _start, key) => lastNotAbove(references.length, (at) => firstKeyOf(references[at] as R), key));
  }

  /** The pages with any item from position `start` up to before `end`; by default all. */
  async overlapping(start = 0, end = this.size): Promise<R[]> {
    const within = (places: readonly PagePlace<R>[]): PagePlace<R>[] =>
      places.filter((place) => place.start < end && place.start + this.#itemsOf(place.reference) > start);
    let places = within(placesIn(this.#top, 0));
    while (places.some(({ reference }) => isList(reference))) {
      const lists = await this.#read(places);
      places = places.flatMap((place) => {
        const list = lists.get(place.reference.sha256);
        return list === undefined ? [place] : within(placesIn(list, place.start));
      });
    }
    return places.map(({ reference }) => reference);
  }

  #find<T>(targets: readonly T[], choose: Choose<R, T>): MaybeRead<Places<R>> {
    const places: Places<R> = [];
    let hasLists = false;
    for (const target of targets) {
      const place = placeIn(this.#top, 0, choose(this.#top, 0, target));
      places.push(place);
      hasLists ||= place !== undefined && isList(place.reference);
    }
    return hasLists ? this.#findInLists(targets, choose, places) : places;
  }

  async #findInLists<T>(targets: readonly T[], choose: Choose<R, T>, chosen: Readonly<Places<R>>): Promise<Places<R>> {
    let places = [...chosen];
    while (places.some((place) => place !== undefined && isList(place.reference))) {
      const lists = await this.#read(places.filter((place) => place !== undefined));
      places = places.map((place, at) => {
        const list = place && lists.get(place.reference.sha256);
        const start = place?.start ?? 0;
        return list === undefined ? place : placeIn(list, start, choose(list, start, targets[at] as T));
      });
    }
    return places;
  }

  async #read(places: readonly PagePlace<R>[]): Promise<ReadonlyMap<string, Listed<R>>> {
    const lists = new Map(places.flatMap(({ reference }) => (isList(reference) ? [[reference.sha256, reference] as const] : [])));
    const read = await this.#loader.loadTexts([...lists.values()], (bytes) => this.#listed(readPageList<R>(bytes)));
    return new Map([...lists.keys()].map((sha256, at) => [sha256, read[at] as Listed<R>]));
  }

  #listed(references: readonly R[]): Listed<R> {
    let start = 0;
    const starts = references.map((reference) => {
      const own = start;
      start += this.#itemsOf(reference);
      return own;
    });
    return { references, starts };
  }
}

export function isList({ pages }: PageReference): boolean {
  return pages !== undefined;
}

/** The references in a list of pages. @throws {SyntaxError} If the bytes are not a list. */
export function readPageList<R extends PageReference>(bytes: Uint8Array): R[] {
  const references: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(references)) throw new SyntaxError('a list of pages is not an array');
  return references as R[];
}

function placesIn<R>({ references, starts }: Listed<R>, start: number): PagePlace<R>[] {
  return references.map((reference, at) => ({ reference, start: start + (starts[at] ?? 0) }));
}

function placeIn<R>({ references, starts }: Listed<R>, start: number, at: number): PagePlace<R> | undefined {
  const reference = references[at];
  return reference && { reference, start: start + (starts[at] ?? 0) };
}

/** The page of a capsule, by linear hashing (Litwin 1980): a change of one capsule changes one page, one page more divides one. */
export function pageOf(capsuleId: string, pages: number): number {
  const hash = hashOfId(capsuleId);
  const divided = 2 ** Math.floor(Math.log2(pages));
  const page = hash % (2 * divided);
  return page < pages ? page : page - divided;
}

/** A 32-bit hash of an id: FNV-1a (draft-eastlake-fnv), folded. */
export function hashOfId(capsuleId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < capsuleId.length; index += 1) {
    hash = Math.imul(hash ^ capsuleId.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) >>> 0;
}
