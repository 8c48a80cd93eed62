import { analyserWith } from '../../../eval/peers/peer-analyser.ts';
import { miniSearchOptions } from '../../../eval/peers/peer-settings.ts';
import { type EngineWorker, once, serveEngine } from './serve-engine.ts';
import { type StoredIndexBindings, StoredParts } from './stored-parts.ts';

export interface MiniSearchPackages {
  readonly minisearch: {
    readonly default: { loadJSON(json: string, options: object): { search(query: string): { readonly id: string }[] } };
  };
  readonly stemmer: { readonly stemmer: (word: string) => string };
}

/** MiniSearch, loaded from its own JSON at the first query. */
export function engineWorker({ minisearch, stemmer }: MiniSearchPackages): EngineWorker<StoredIndexBindings> {
  return serveEngine((bindings) => {
    const parts = new StoredParts(bindings);
    const options = miniSearchOptions(analyserWith(stemmer.stemmer));
    const load = once(async () => minisearch.default.loadJSON(await parts.read(), options));
    return {
      search: async (query, limit) =>
        (await load())
          .search(query)
          .slice(0, limit)
          .map(({ id }) => id),
      touchStore: () => parts.touch(),
      storeReads: () => parts.reads,
    };
  });
}
