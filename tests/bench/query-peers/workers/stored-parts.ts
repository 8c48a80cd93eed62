import { type EngineWorker, once, type ServedEngine, serveEngine } from './serve-engine.ts';

interface StoredIndexBindings {
  readonly STORE: { get(key: string, options: { type: 'text'; cacheTtl: number }): Promise<string | null> };
  /** Values that the index is divided into, because one holds 25 MiB at most. */
  readonly PARTS: number;
}

export const partKey = (part: number): string => `part-${part}`;

/** Serves an engine whose index is stored as one text, which is read and loaded whole at the first query. */
export function serveStored<Index>(
  load: (stored: string) => Index,
  search: (index: Index, ...asked: Parameters<ServedEngine['search']>) => ReturnType<ServedEngine['search']>,
): EngineWorker<StoredIndexBindings> {
  return serveEngine(({ STORE, PARTS }) => {
    let bytes = 0;
    let reads = 0;
    const readPart = async (part: number): Promise<string> => {
      const text = await STORE.get(partKey(part), { type: 'text', cacheTtl: 86_400 });
      if (text === null) throw new Error('a part of the index is missing');
      reads += 1;
      // What peers store is ASCII, so that characters are bytes.
      bytes += text.length;
      return text;
    };
    const loaded = once(async () => load((await Promise.all(Array.from({ length: PARTS }, (_, part) => readPart(part)))).join('')));
    return {
      search: async (query, limit) => search(await loaded(), query, limit),
      touchStore: () => STORE.get('none', { type: 'text', cacheTtl: 60 }),
      storeReads: () => ({ reads, bytes }),
    };
  });
}
