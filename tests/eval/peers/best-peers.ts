import { DatabaseSync } from 'node:sqlite';
import type { Ranker, RankerFactory } from '../ranker.ts';
import { loadPeer, peerAnalyser, stopWordsOf } from './peer-analyser.ts';
import {
  CREATE_FTS5,
  CREATE_FTS5_TRIGRAM,
  FTS5_TITLE_WEIGHT,
  fts5Match,
  fts5TrigramMatch,
  miniSearchOptions,
  oramaOptions,
  oramaQuery,
  type PeerDocument,
  peerDocument,
} from './peer-settings.ts';

/** Indexes documents of a language, an ISO 639-1 code, and returns the function that ranks them. */
type MakePeer = (documents: readonly PeerDocument[], language: string) => Promise<Ranker['rank']>;

/** lunr: BM25 weights compared as vectors, terms joined by OR. The analysis replaces its pipeline. */
const lunr: MakePeer = async (documents, language) => {
  const { Builder, Token } = await loadPeer<{
    readonly Builder: new () => {
      tokenizer: (text: string | null | undefined) => object[];
      ref(name: string): void;
      field(name: string, attributes?: { readonly boost: number }): void;
      b(value: number): void;
      k1(value: number): void;
      add(document: PeerDocument): void;
      build(): { query(build: (query: { term(term: string, options: object): void }) => void): { readonly ref: string }[] };
    };
    readonly Token: new (text: string, metadata: object) => object;
  }>('lunr');
  const analyse = await peerAnalyser(language);
  const builder = new Builder();
  builder.tokenizer = (text) => analyse(text ?? '').map((term) => new Token(term, {}));
  builder.ref('id');
  builder.field('title', { boost: 2 });
  builder.field('body');
  builder.b(0.65);
  builder.k1(1.2);
  for (const document of documents) builder.add(document);
  const index = builder.build();
  return async (query, depth) => {
    const hits = index.query((clauses) => {
      for (const term of analyse(query)) clauses.term(term, { usePipeline: false });
    });
    return hits.slice(0, depth).map(({ ref }) => ref);
  };
};

/** wink-bm25-text-search: BM25F with field weights, terms joined by OR. */
const winkBm25: MakePeer = async (documents, language) => {
  const makeIndex =
    await loadPeer<
      () => {
        defineConfig(config: object): void;
        definePrepTasks(tasks: readonly ((text: string) => string[])[]): void;
        addDoc(document: object, id: string): void;
        consolidate(precision: number): void;
        search(query: string, limit: number): [id: string, score: number][];
      }
    >('wink-bm25-text-search');
  const index = makeIndex();
  index.defineConfig({ fldWeights: { title: 4, body: 1 }, bm25Params: { k1: 1.2, b: 0.65, k: 1 } });
  index.definePrepTasks([await peerAnalyser(language)]);
  for (const { id, ...fields } of documents) index.addDoc(fields, id);
  index.consolidate(9);
  return async (query, depth) => index.search(query, depth).map(([id]) => id);
};

type Okapi = (documents: readonly string[], terms: readonly string[], constants: { readonly k1: number; readonly b: number }) => number[];

/** okapibm25: BM25 over the texts themselves for every query, the title three times. It matches inside words, so terms are delimited. */
const okapibm25: MakePeer = async (documents, language) => {
  const loaded = await loadPeer<Okapi | { readonly default: Okapi }>('okapibm25');
  const okapi = typeof loaded === 'function' ? loaded : loaded.default;
  const analyse = await peerAnalyser(language);
  const termsOf = (text: string): string[] => analyse(text).map((term) => `_${term}_`);
  const texts = documents.map(({ title, body }) => termsOf(`${`${title}\n`.repeat(3)}${body}`).join(' '));
  return async (query, depth) => {
    const terms = termsOf(query);
    if (terms.length === 0) return [];
    return okapi(texts, terms, { k1: 1.2, b: 0.65 })
      .map((score, number) => ({ score, id: documents[number]?.id ?? '' }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, depth)
      .map(({ id }) => id);
  };
};

/** elasticlunr: tf-idf by field, terms joined by OR. It splits the analysed words again. */
const elasticlunr: MakePeer = async (documents, language) => {
  const makeIndex =
    await loadPeer<
      (configure: () => void) => {
        readonly pipeline: { reset(): void };
        setRef(name: string): void;
        addField(name: string): void;
        saveDocument(save: boolean): void;
        addDoc(document: PeerDocument): void;
        search(query: string, options: object): { readonly ref: string }[];
      }
    >('elasticlunr');
  const analyse = await peerAnalyser(language);
  const words = (text: string): string => analyse(text).join(' ');
  const index = makeIndex(() => undefined);
  index.pipeline.reset();
  index.setRef('id');
  index.addField('title');
  index.addField('body');
  index.saveDocument(false);
  for (const { id, title, body } of documents) index.addDoc({ id, title: words(title), body: words(body) });
  const options = { fields: { title: { boost: 0.5 }, body: { boost: 1 } }, bool: 'OR', expand: false };
  return async (query, depth) =>
    index
      .search(words(query), options)
      .slice(0, depth)
      .map(({ ref }) => ref);
};

/** FTS5 of the SQLite in Node: `porter` analysis for English, whole words otherwise, or any three characters; and its own `bm25()`. */
function sqliteFts5(terms: 'words' | 'trigrams'): MakePeer {
  return async (documents, language) => {
    const database = new DatabaseSync(':memory:');
    database.exec(terms === 'trigrams' ? CREATE_FTS5_TRIGRAM : language === 'en' ? CREATE_FTS5 : CREATE_FTS5.replace('porter ', ''));
    const matchOf = terms === 'trigrams' ? fts5TrigramMatch : fts5Match;
    const stopWords = await stopWordsOf(language);
    const insert = database.prepare('INSERT INTO docs (rowid, title, body) VALUES (?, ?, ?)');
    database.exec('BEGIN');
    for (const [number, { title, body }] of documents.entries()) insert.run(number, title, body);
    database.exec('COMMIT');
    const select = database.prepare('SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, ?, 1.0), rowid LIMIT ?');
    return async (query, depth) => {
      const match = matchOf(query, stopWords);
      if (match === undefined) return [];
      return select.all(match, FTS5_TITLE_WEIGHT, depth).flatMap(({ rowid }) => documents[Number(rowid)]?.id ?? []);
    };
  };
}

/** MiniSearch: BM25+ by field. Prefixes and fuzzy terms would match more and rank worse. */
const minisearch: MakePeer = async (documents, language) => {
  const Peer =
    await loadPeer<
      new (
        options: object,
      ) => { addAll(documents: readonly PeerDocument[]): void; search(query: string): { readonly id: string }[] }
    >('minisearch');
  const index = new Peer(miniSearchOptions(await peerAnalyser(language)));
  index.addAll(documents);
  return async (query, depth) =>
    index
      .search(query)
      .slice(0, depth)
      .map(({ id }) => id);
};

/** Orama: BM25 by field. */
const orama: MakePeer = async (documents, language) => {
  const peer = await loadPeer<{
    create(options: object): object;
    insertMultiple(database: object, documents: readonly PeerDocument[], batchSize: number): unknown;
    search(database: object, query: object): Promise<{ readonly hits: readonly { readonly id: string }[] }>;
  }>('@orama/orama');
  const database = peer.create(oramaOptions(await peerAnalyser(language)));
  await peer.insertMultiple(database, documents, 1_000);
  return async (query, depth) => (await peer.search(database, oramaQuery(query, depth))).hits.map(({ id }) => id);
};

const flexsearch: MakePeer = async (documents, language) => {
  const { Index } = await loadPeer<{
    Index: new (options: object) => { add(id: number, text: string): void; search(query: string, options: object): number[] };
  }>('flexsearch');
  const index = new Index({ tokenize: 'strict', resolution: 100, context: false, encode: await peerAnalyser(language) });
  for (const [number, { title, body }] of documents.entries()) index.add(number, `${title}\n${body}`);
  return async (query, depth) => index.search(query, { limit: depth, suggest: true }).flatMap((number) => documents[number]?.id ?? []);
};

/**
 * Every peer with the settings that gave the best mean nDCG@10 over five judged collections, of several that were tried: title weight, parts
 * of names as terms, the constants of BM25. They are tuned on the collections they are measured on, in their favour. In other languages than
 * English they have the stemmer, the stop words and the segmentation of that language, as Orama's language packages do.
 *
 * Packages are loaded when a ranker is made; they are installed first.
 */
export const BEST_PEERS: readonly RankerFactory[] = Object.entries({
  lunr,
  'wink-bm25': winkBm25,
  okapibm25,
  elasticlunr,
  'sqlite-fts5': sqliteFts5('words'),
  'fts5-trigram': sqliteFts5('trigrams'),
  minisearch,
  orama,
  flexsearch,
}).map(([name, make]) => ({
  name,
  make: async (documents) => ({ name, rank: await make(documents.map(peerDocument), documents[0]?.language ?? 'en') }),
}));
