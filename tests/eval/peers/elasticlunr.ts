import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { type PeerDocument, peerDocument } from './peer-document.ts';

interface ElasticlunrIndex {
  readonly pipeline: { reset(): void };
  setRef(name: string): void;
  addField(name: string): void;
  saveDocument(save: boolean): void;
  addDoc(document: PeerDocument): void;
  search(query: string, options: object): { readonly ref: string }[];
}

/** Settings of elasticlunr. */
export interface ElasticlunrSettings {
  readonly titleBoost: number;
  readonly identifiers: boolean;
}

/** elasticlunr: tf-idf by field, terms joined by OR. It gets analysed words with blanks between, which it splits again. */
export function elasticlunr(name: string, { titleBoost, identifiers }: ElasticlunrSettings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const makeIndex = await loadPeer<(configure: () => void) => ElasticlunrIndex>('elasticlunr');
      const analyse = await peerAnalyser({ identifiers });
      const words = (text: string): string => analyse(text).join(' ');
      const index = makeIndex(() => undefined);
      index.pipeline.reset();
      index.setRef('id');
      index.addField('title');
      index.addField('body');
      index.saveDocument(false);
      for (const { id, title, body } of documents.map(peerDocument)) index.addDoc({ id, title: words(title), body: words(body) });
      const options = { fields: { title: { boost: titleBoost }, body: { boost: 1 } }, bool: 'OR', expand: false };
      return {
        name,
        rank: async (query, depth) =>
          index
            .search(words(query), options)
            .slice(0, depth)
            .map(({ ref }) => ref),
      };
    },
  };
}
