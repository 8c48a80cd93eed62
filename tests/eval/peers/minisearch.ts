import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { type MiniSearchSettings, miniSearchOptions } from './minisearch-options.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { type PeerDocument, peerDocument } from './peer-document.ts';

interface MiniSearch {
  addAll(documents: readonly PeerDocument[]): void;
  search(query: string): { readonly id: string }[];
}

/** minisearch: BM25+ by field, terms joined by OR; neither prefixes nor fuzzy terms, which find more and rank worse. */
export function minisearch(name: string, settings: MiniSearchSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const Peer = await loadPeer<new (options: object) => MiniSearch>('minisearch');
      const index = new Peer(miniSearchOptions(settings, await peerAnalyser(settings)));
      index.addAll(documents.map(peerDocument));
      return {
        name,
        rank: async (query, depth) =>
          index
            .search(query)
            .slice(0, depth)
            .map(({ id }) => id),
      };
    },
  };
}
