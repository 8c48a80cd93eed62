import type { RankerFactory } from '../ranker.ts';
import { loadPeer } from './load-peer.ts';
import { peerAnalyser } from './peer-analyser.ts';
import { peerDocument } from './peer-document.ts';

interface WinkBm25 {
  defineConfig(config: object): void;
  definePrepTasks(tasks: readonly ((text: string) => string[])[]): void;
  addDoc(document: object, id: string): void;
  consolidate(precision: number): void;
  search(query: string, limit: number): [id: string, score: number][];
}

/** Settings of wink-bm25-text-search. */
export interface WinkBm25Settings {
  readonly titleWeight: number;
  readonly identifiers: boolean;
  readonly bm25: { readonly k1: number; readonly b: number; readonly k: number };
}

/** wink-bm25-text-search: BM25F with weights of fields, terms joined by OR. */
export function winkBm25(name: string, { titleWeight, identifiers, bm25 }: WinkBm25Settings): RankerFactory {
  return {
    name,
    make: async (documents) => {
      const index = (await loadPeer<() => WinkBm25>('wink-bm25-text-search'))();
      index.defineConfig({ fldWeights: { title: titleWeight, body: 1 }, bm25Params: bm25 });
      index.definePrepTasks([await peerAnalyser({ identifiers })]);
      for (const { id, ...fields } of documents.map(peerDocument)) index.addDoc(fields, id);
      index.consolidate(9);
      return { name, rank: async (query, depth) => index.search(query, depth).map(([id]) => id) };
    },
  };
}
