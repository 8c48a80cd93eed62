import type { Analyse } from './peer-analyser.ts';

/** Settings of minisearch. */
export interface MiniSearchSettings {
  readonly titleBoost: number;
  readonly identifiers: boolean;
  readonly bm25: { readonly k: number; readonly b: number; readonly d: number };
}

/** Options of a minisearch index, to make one or to load a stored one: terms joined by OR, neither prefixes nor fuzzy terms. */
export function miniSearchOptions({ titleBoost, bm25 }: MiniSearchSettings, analyse: Analyse): object {
  return {
    fields: ['title', 'body'],
    tokenize: analyse,
    processTerm: (term: string) => term,
    searchOptions: { boost: { title: titleBoost }, bm25 },
  };
}
