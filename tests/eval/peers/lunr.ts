import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { type PeerDocument, peerDocument } from './peer-document.ts';

interface LunrBuilder {
  tokenizer: (text: string | null | undefined) => object[];
  ref(name: string): void;
  field(name: string, attributes?: { readonly boost: number }): void;
  b(value: number): void;
  k1(value: number): void;
  add(document: PeerDocument): void;
  build(): LunrIndex;
}

interface LunrIndex {
  query(build: (query: { term(term: string, options: object): void }) => void): { readonly ref: string }[];
}

interface Lunr {
  readonly Builder: new () => LunrBuilder;
  readonly Token: new (text: string, metadata: object) => object;
}

/** Settings of lunr. */
export interface LunrSettings {
  readonly titleBoost: number;
  readonly identifiers: boolean;
  readonly b: number;
  readonly k1: number;
}

/** lunr: BM25 weights compared as vectors, terms joined by OR. Its own pipeline is left empty; the analysis replaces it. */
export function lunr(name: string, { titleBoost, identifiers, b, k1 }: LunrSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const { Builder, Token } = await loadPeer<Lunr>('lunr');
      const analyse = await peerAnalyser({ identifiers });
      const builder = new Builder();
      builder.tokenizer = (text) => analyse(text ?? '').map((term) => new Token(term, {}));
      builder.ref('id');
      builder.field('title', { boost: titleBoost });
      builder.field('body');
      builder.b(b);
      builder.k1(k1);
      for (const document of documents) builder.add(peerDocument(document));
      const index = builder.build();
      return {
        name,
        rank: async (query, depth) => {
          const found = index.query((clauses) => {
            for (const term of analyse(query)) clauses.term(term, { usePipeline: false });
          });
          return found.slice(0, depth).map(({ ref }) => ref);
        },
      };
    },
  };
}
