import type { RankerFactory } from '../ranker.ts';
import { BEST_SETTINGS } from './best-settings.ts';
import { elasticlunr } from './elasticlunr.ts';
import { flexsearch } from './flexsearch.ts';
import { lunr } from './lunr.ts';
import { minisearch } from './minisearch.ts';
import { okapibm25 } from './okapibm25.ts';
import { orama } from './orama.ts';
import { sqliteFts5 } from './sqlite-fts5.ts';
import { winkBm25 } from './wink-bm25.ts';

/**
 * Every peer with the settings that gave the best mean nDCG@10 over five judged collections, of several that were tried: weights
 * of the title, parts of names as terms, the constants of BM25. They are tuned on what they are measured on, in their favour.
 *
 * Packages are loaded when a ranker is made: `installPeers` comes first.
 */
export const BEST_PEERS: readonly RankerFactory[] = [
  lunr('lunr', { titleBoost: 2, identifiers: true, k1: 1.2, b: 0.65 }),
  winkBm25('wink-bm25', { titleWeight: 4, identifiers: true, bm25: { k1: 1.2, b: 0.65, k: 1 } }),
  okapibm25('okapibm25', { titleCopies: 3, identifiers: true, k1: 1.2, b: 0.65 }),
  elasticlunr('elasticlunr', { titleBoost: 0.5, identifiers: true }),
  sqliteFts5('sqlite-fts5', BEST_SETTINGS.sqliteFts5),
  minisearch('minisearch', BEST_SETTINGS.minisearch),
  orama('orama', BEST_SETTINGS.orama),
  flexsearch('flexsearch', { identifiers: true, resolution: 100, context: false }),
];
