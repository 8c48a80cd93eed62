import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { peerDocument } from './peer-document.ts';

interface FlexSearchIndex {
  add(id: number, text: string): void;
  search(query: string, options: object): number[];
}

/** Settings of flexsearch. */
export interface FlexSearchSettings {
  readonly identifiers: boolean;
  readonly resolution: number;
  /** Whether neighbours of words are indexed too. */
  readonly context: boolean;
}

/** flexsearch: position of a term in title and text; `suggest` is its OR. */
export function flexsearch(name: string, { identifiers, resolution, context }: FlexSearchSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const { Index } = await loadPeer<{ Index: new (options: object) => FlexSearchIndex }>('flexsearch');
      const index = new Index({ tokenize: 'strict', resolution, context, encode: await peerAnalyser({ identifiers }) });
      documents.map(peerDocument).forEach(({ title, body }, number) => {
        index.add(number, `${title}\n${body}`);
      });
      return {
        name,
        rank: async (query, depth) => index.search(query, { limit: depth, suggest: true }).flatMap((number) => documents[number]?.id ?? []),
      };
    },
  };
}
