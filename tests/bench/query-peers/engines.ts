const PEERS = 'tests/eval/peers/node_modules';

export const ENGINES = [
  { key: 'product', label: 'this index', worker: 'product', packages: { kernel: 'src/search/scoring-wasm/kernel.wasm' } },
  {
    key: 'minisearch',
    label: 'MiniSearch',
    worker: 'minisearch',
    packages: { minisearch: `${PEERS}/minisearch/dist/es/index.js`, stemmer: `${PEERS}/stemmer/index.js` },
  },
  {
    key: 'orama',
    label: 'Orama',
    worker: 'orama',
    packages: { orama: `${PEERS}/@orama/orama/dist/browser/index.js`, stemmer: `${PEERS}/stemmer/index.js` },
  },
  { key: 'd1-fts5', label: 'D1 FTS5', worker: 'd1-fts5', packages: {} },
] as const satisfies readonly Engine[];

export type EngineKey = 'product' | 'minisearch' | 'orama' | 'd1-fts5';

export interface Engine {
  readonly key: EngineKey;
  readonly label: string;
  readonly worker: string;
  /** Modules of the project that the worker is given, by the names under which it takes them. */
  readonly packages: Readonly<Record<string, string>>;
}
