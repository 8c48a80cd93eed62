import type { PageReference } from '../../schemas/knowledge/generation.ts';
import type { BlockLoader } from './load-block.ts';
import { lastNotAbove } from './paged-records.ts';

/** A page, and the position of its first item among those of all pages. */
export interface PagePlace<R> {
  readonly reference: R;
  readonly start: number;
}

/** References in a manifest or in a list, with the position of the first item of each, counted from the first one. */
interface Listed<R> {
  readonly references: readonly R[];
  readonly starts: readonly number[];
}

/** The pages of one kind of record, in the manifest or in lists, which are read when they are needed. */
export class PageDirectory<R extends PageReference> {
  /** Number of items on all pages. */
  readonly size: number;
  readonly #top: Listed<R>;
  readonly #itemsOf: (reference: R) => number;
  readonly #loader: BlockLoader;

  /**
   * @param references As the manifest has them.
   * @param itemsOf Items on a page, or on all pages of a list.
   */
  constructor(references: readonly R[], loader: BlockLoader, itemsOf: (reference: R) => number) {
    this.#itemsOf = itemsOf;
    this.#loader = loader;
    this.#top = this.#listed(references);
    this.size = references.reduce((sum, reference) => sum + itemsOf(reference), 0);
  }

  /** The pages with the items at these positions, in the same order. All lists of a level are read at once. */
  at(positions: readonly number[]): Promise<(PagePlace<R> | undefined)[]> {
    return this.#find(positions, ({ starts }, start, position) => lastNotAbove(starts.length, (at) => start + (starts[at] ?? 0), position));
  }

  /** The only pages that can contain the items with these keys, which ascend; `undefined` for a key before the first one. */
  holding<K>(keys: readonly K[], firstKeyOf: (reference: R) => K): Promise<(PagePlace<R> | undefined)[]> {
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

  async #find<T>(
    targets: readonly T[],
    choose: (listed: Listed<R>, start: number, target: T) => number,
  ): Promise<(PagePlace<R> | undefined)[]> {
    const chosen = (listed: Listed<R>, start: number, target: T): PagePlace<R> | undefined =>
      placeIn(listed, start, choose(listed, start, target));
    let places = targets.map((target) => chosen(this.#top, 0, target));
    while (places.some((place) => place !== undefined && isList(place.reference))) {
      const lists = await this.#read(places.filter((place) => place !== undefined));
      places = places.map((place, at) => {
        const list = place && lists.get(place.reference.sha256);
        return list === undefined ? place : chosen(list, place?.start ?? 0, targets[at] as T);
      });
    }
    return places;
  }

  /** The lists among some places, by digest. */
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

/** Whether a reference is to a list of pages. */
export function isList({ pages }: PageReference): boolean {
  return pages !== undefined;
}

/**
 * The references in a list of pages.
 *
 * @throws {SyntaxError} If the bytes are not a list.
 */
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
