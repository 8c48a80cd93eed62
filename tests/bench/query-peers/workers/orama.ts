import { analyserWith } from '../../../eval/peers/peer-analyser.ts';
import { oramaOptions, oramaQuery } from '../../../eval/peers/peer-settings.ts';
import { serveStored } from './stored-parts.ts';

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
export function engineWorker({ orama, stemmer }: OramaPackages) {
  const options = oramaOptions(analyserWith(stemmer.stemmer));
  return serveStored(
    (stored) => {
      const database = orama.create(options);
      orama.load(database, JSON.parse(stored));
      return database;
    },
    async (database, query, limit) => (await orama.search(database, oramaQuery(query, limit))).hits.map(({ id }) => id),
  );
}
