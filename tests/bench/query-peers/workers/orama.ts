import { analyserWith } from '../../../eval/peers/peer-analyser.ts';
import { oramaOptions, oramaQuery } from '../../../eval/peers/peer-settings.ts';
import { type EngineWorker, once, serveEngine } from './serve-engine.ts';
import { type StoredIndexBindings, StoredParts } from './stored-parts.ts';

export interface OramaPackages {
  readonly orama: {
    create(options: object): object;
    load(database: object, stored: unknown): void;
    search(database: object, query: object): Promise<OramaFound> | OramaFound;
  };
  readonly stemmer: { readonly stemmer: (word: string) => string };
}

interface OramaFound {
  readonly hits: readonly { readonly id: string }[];
}

/** Orama, loaded from what its `save` gave at the first query. */
export function engineWorker({ orama, stemmer }: OramaPackages): EngineWorker<StoredIndexBindings> {
  return serveEngine((bindings) => {
    const parts = new StoredParts(bindings);
    const load = once(async () => {
      const database = orama.create(oramaOptions(analyserWith(stemmer.stemmer)));
      orama.load(database, JSON.parse(await parts.read()));
      return database;
    });
    return {
      search: async (query, limit) => {
        const { hits } = await orama.search(await load(), oramaQuery(query, limit));
        return hits.map(({ id }) => id);
      },
      touchStore: () => parts.touch(),
      storeReads: () => parts.reads,
    };
  });
}
