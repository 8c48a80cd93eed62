import type { ListDirectory, ListEntry, ListFacets } from '../../../schemas/knowledge/capsule-lists.ts';
import { BlockBrokenError } from '../load-block.ts';
import { lastNotAbove, type RecordPage } from '../record-pages.ts';

export interface ListFacts {
  /** Positions of the values in `values` of the directory. */
  readonly type: Uint8Array;
  readonly evidence: Uint8Array;
  readonly language: Uint16Array;
}

export interface ListStore {
  readonly directory: () => Promise<ListDirectory>;
  /** Day of the last change of every entry, counted from 1970-01-01. */
  readonly days: () => Promise<Uint16Array>;
  readonly facts: () => Promise<ListFacts>;
  readonly entries: (positions: readonly number[]) => Promise<{ readonly id: string; readonly entry: ListEntry }[]>;
}

/** The facets that conditions select in, in their published order. */
export const FACETS = ['type', 'evidence', 'language', 'changed'] as const satisfies readonly (keyof ListFacets)[];

/** Bytes of facts: types, evidence, then languages as little-endian numbers of two bytes. */
export function encodeFacts({ type, evidence, language }: ListFacts): Uint8Array {
  const bytes = new Uint8Array(4 * type.length);
  bytes.set(type);
  bytes.set(evidence, type.length);
  bytes.set(encodeDays(language), 2 * type.length);
  return bytes;
}

function decodeFacts(bytes: Uint8Array): ListFacts {
  const entries = bytes.length / 4;
  return {
    type: bytes.subarray(0, entries),
    evidence: bytes.subarray(entries, 2 * entries),
    language: decodeDays(bytes.subarray(2 * entries)),
  };
}

/** Numbers of two bytes, little-endian as workerd and Node keep them. */
export function encodeDays(days: Uint16Array): Uint8Array {
  return new Uint8Array(days.buffer, days.byteOffset, days.byteLength);
}

function decodeDays(bytes: Uint8Array): Uint16Array {
  // A view needs an even offset.
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}

interface ListBlockReader {
  /** Decodes the directory (0), the days (1) or the facts (2). */
  readonly read: <T>(block: 0 | 1 | 2, decode: (bytes: Uint8Array) => T) => Promise<T>;
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
        const [id, entry] = [page?.ids[place], page?.at(place)];
        if (id === undefined || entry === undefined) throw new BlockBrokenError('the lists of the generation do not match');
        return { id, entry };
      });
    },
  };
}
