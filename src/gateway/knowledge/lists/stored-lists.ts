import type { ListDirectory, ListEntry } from '../../../schemas/knowledge/capsule-lists.ts';
import { BlockBrokenError } from '../load-block.ts';
import { lastNotAbove, type RecordPage } from '../paged-records.ts';
import { decodeDays, decodeFacts, type ListStore } from './list-store.ts';

/** Access to the blocks of lists in a generation. */
export interface ListBlockReader {
  /** Decodes the directory (0), the days (1) or the facts (2). */
  readonly read: <T>(block: 0 | 1 | 2, decode: (bytes: Uint8Array) => T) => Promise<T>;
  /** Pages of entries by number, all read at once. */
  readonly pages: (numbers: readonly number[]) => Promise<RecordPage<ListEntry>[]>;
}

/** Lists that are read from the blocks of a generation. Entries of consecutive positions are on one or two pages. */
export function storedLists({ read, pages }: ListBlockReader): ListStore {
  const directory = (): Promise<ListDirectory> => read(0, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ListDirectory);
  return {
    directory,
    days: () => read(1, decodeDays),
    facts: () => read(2, decodeFacts),
    entries: async (positions) => {
      const { pageStarts } = await directory();
      const places = positions.map((position) => lastNotAbove(pageStarts.length, (page) => pageStarts[page] ?? 0, position));
      const numbers = [...new Set(places)];
      const loaded = new Map((await pages(numbers)).map((page, at) => [numbers[at], page]));
      return positions.map((position, at) => {
        const number = places[at] ?? 0;
        const page = loaded.get(number);
        const place = position - (pageStarts[number] ?? 0);
        const [id, entry] = [page?.idAt(place), page?.at(place)];
        if (id === undefined || entry === undefined) throw new BlockBrokenError('the lists of the generation do not match');
        return { id, entry };
      });
    },
  };
}
