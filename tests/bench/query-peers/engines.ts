const PEERS = 'tests/eval/peers/node_modules';
const STEMMER = `${PEERS}/stemmer/index.js`;

/** Engines, each with a worker of its name and the modules of the project that this is given, by the names under which it takes them. */
export const ENGINES = [
  { key: 'product', label: 'this index', packages: { kernel: 'src/search/scoring-wasm/kernel.wasm' } },
  { key: 'minisearch', label: 'MiniSearch', packages: { minisearch: `${PEERS}/minisearch/dist/es/index.js`, stemmer: STEMMER } },
  { key: 'orama', label: 'Orama', packages: { orama: `${PEERS}/@orama/orama/dist/browser/index.js`, stemmer: STEMMER } },
  { key: 'd1-fts5', label: 'D1 FTS5', packages: {} },
] as const;

export type Engine = (typeof ENGINES)[number];
export type EngineKey = Engine['key'];
