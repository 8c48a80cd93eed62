import type { Analyse } from './peer-analyser.ts';

/** Settings of orama. */
export interface OramaSettings {
  readonly titleBoost: number;
  readonly identifiers: boolean;
  readonly relevance: { readonly k: number; readonly b: number; readonly d: number };
  /** Whether each term ends in a mark, because orama finds every word that a term begins. */
  readonly wholeTerms: boolean;
}

/** Options of an orama database, empty or to be loaded. */
export function oramaOptions({ wholeTerms }: OramaSettings, analyse: Analyse): object {
  const tokenize = (text: string): string[] => (wholeTerms ? analyse(text).map((term) => `${term}$`) : analyse(text));
  return {
    schema: { title: 'string', body: 'string' },
    components: { tokenizer: { language: 'english', normalizationCache: new Map(), tokenize } },
  };
}

/** A query of an orama database: terms joined by OR (`threshold: 1`). */
export function oramaQuery({ titleBoost, relevance }: OramaSettings, query: string, limit: number): object {
  return { term: query, limit, threshold: 1, boost: { title: titleBoost }, relevance };
}
