import { analyserWith } from '../../../eval/peers/peer-analyser.ts';
import { miniSearchOptions } from '../../../eval/peers/peer-settings.ts';
import { serveStored } from './stored-parts.ts';

export interface MiniSearchPackages {
  readonly minisearch: {
    readonly default: { loadJSON(json: string, options: object): { search(query: string): { readonly id: string }[] } };
  };
  readonly stemmer: { readonly stemmer: (word: string) => string };
}

/** MiniSearch, loaded from its own JSON at the first query. */
export function engineWorker({ minisearch, stemmer }: MiniSearchPackages) {
  const options = miniSearchOptions(analyserWith(stemmer.stemmer));
  return serveStored(
    (stored) => minisearch.default.loadJSON(stored, options),
    async (index, query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
  );
}
