import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { type OramaSettings, oramaOptions, oramaQuery } from './orama-options.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { type PeerDocument, peerDocument } from './peer-document.ts';

interface Orama {
  create(options: object): object;
  insertMultiple(database: object, documents: readonly PeerDocument[], batchSize: number): Promise<unknown> | unknown;
  search(database: object, query: object): Promise<OramaFound> | OramaFound;
}

interface OramaFound {
  readonly hits: readonly { readonly id: string }[];
}

/** orama: BM25 by field, terms joined by OR (`threshold: 1`). */
export function orama(name: string, settings: OramaSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const peer = await loadPeer<Orama>('@orama/orama');
      const database = peer.create(oramaOptions(settings, await peerAnalyser(settings)));
      await peer.insertMultiple(database, documents.map(peerDocument), 1_000);
      return {
        name,
        rank: async (query, depth) => {
          const { hits } = await peer.search(database, oramaQuery(settings, query, depth));
          return hits.map(({ id }) => id);
        },
      };
    },
  };
}
