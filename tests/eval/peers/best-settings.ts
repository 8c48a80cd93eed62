import type { Fts5Settings } from './fts5-query.ts';
import type { MiniSearchSettings } from './minisearch-options.ts';
import type { OramaSettings } from './orama-options.ts';

/** The best settings of the peers that `npm run bench:query` measures as well, so that both commands ask the same of them. */
export const BEST_SETTINGS = {
  sqliteFts5: { titleWeight: 2 } satisfies Fts5Settings,
  minisearch: { titleBoost: 3, identifiers: true, bm25: { k: 2, b: 0.7, d: 0 } } satisfies MiniSearchSettings,
  orama: { titleBoost: 1, identifiers: true, relevance: { k: 1.2, b: 0.65, d: 2 }, wholeTerms: true } satisfies OramaSettings,
} as const;
