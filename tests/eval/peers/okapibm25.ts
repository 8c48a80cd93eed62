import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { peerDocument } from './peer-document.ts';

type Okapi = (documents: readonly string[], terms: readonly string[], constants: { readonly k1: number; readonly b: number }) => number[];

/** Settings of okapibm25. */
export interface OkapiSettings {
  /** How often the title stands before the text. */
  readonly titleCopies: number;
  readonly identifiers: boolean;
  readonly k1: number;
  readonly b: number;
}

/** okapibm25: BM25 over the texts themselves, read anew for every query. Terms are found inside words, so each is marked off. */
export function okapibm25(name: string, { titleCopies, identifiers, k1, b }: OkapiSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const loaded = await loadPeer<Okapi | { readonly default: Okapi }>('okapibm25');
      const okapi = typeof loaded === 'function' ? loaded : loaded.default;
      const analyse = await peerAnalyser({ identifiers });
      const mark = (term: string): string => `_${term}_`;
      const texts = documents.map(peerDocument).map(({ title, body }) =>
        analyse(`${`${title}\n`.repeat(titleCopies)}${body}`)
          .map(mark)
          .join(' '),
      );
      return {
        name,
        rank: async (query, depth) => {
          const terms = analyse(query).map(mark);
          if (terms.length === 0) return [];
          return okapi(texts, terms, { k1, b })
            .map((score, number) => ({ score, id: documents[number]?.id ?? '' }))
            .filter(({ score }) => score > 0)
            .sort((a, c) => c.score - a.score)
            .slice(0, depth)
            .map(({ id }) => id);
        },
      };
    },
  };
}
