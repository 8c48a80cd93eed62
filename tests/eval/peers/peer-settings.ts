import type { EvalDocument } from '../collection.ts';
import { STOP_WORDS } from '../stop-words.ts';
import type { Analyse } from './peer-analyser.ts';

/*
 * The settings of the peers that `npm run bench:query` measures too, so that both commands use the same. They gave the best mean nDCG@10 over
 * five judged collections, of several that were tried.
 */

export interface PeerDocument {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** A document with two fields: the body contains all other members. */
export function peerDocument({ id, title, headings, tags, summary, text }: EvalDocument): PeerDocument {
  return { id, title, body: [summary, ...headings, ...tags, text].filter((part) => part !== '').join('\n') };
}

/** Options of a MiniSearch index, new or stored: terms joined by OR, neither prefixes nor fuzzy terms. */
export function miniSearchOptions(analyse: Analyse): object {
  return {
    fields: ['title', 'body'],
    tokenize: analyse,
    processTerm: (term: string) => term,
    searchOptions: { boost: { title: 3 }, bm25: { k: 2, b: 0.7, d: 0 } },
  };
}

/** Options of an Orama database. Each term ends with a mark, because Orama matches prefixes. */
export function oramaOptions(analyse: Analyse): object {
  const tokenize = (text: string): string[] => analyse(text).map((term) => `${term}$`);
  return {
    schema: { title: 'string', body: 'string' },
    components: { tokenizer: { language: 'english', normalizationCache: new Map(), tokenize } },
  };
}

/** A query of an Orama database: terms joined by OR (`threshold: 1`). */
export function oramaQuery(query: string, limit: number): object {
  return { term: query, limit, threshold: 1, boost: { title: 1 }, relevance: { k: 1.2, b: 0.65, d: 2 } };
}

/** Weight of the title in FTS5. */
export const FTS5_TITLE_WEIGHT = 2;

/** Creates the table of an FTS5 index without texts, analysed by `porter`. */
export const CREATE_FTS5 = "CREATE VIRTUAL TABLE docs USING fts5(title, body, content='', tokenize='porter unicode61 remove_diacritics 2')";

/** The same for terms of any three characters, which languages without spaces need. */
export const CREATE_FTS5_TRIGRAM = "CREATE VIRTUAL TABLE docs USING fts5(title, body, content='', tokenize='trigram remove_diacritics 1')";

/** The FTS5 form of a query: its words without stop words, joined by OR; `undefined` if no word remains. */
export function fts5Match(query: string, stopWords = STOP_WORDS): string | undefined {
  return anyOf((query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter((word) => !stopWords.has(word.toLowerCase())));
}

/** {@link fts5Match} for {@link CREATE_FTS5_TRIGRAM}: every three characters of these words. */
export function fts5TrigramMatch(query: string, stopWords = STOP_WORDS): string | undefined {
  const words = (query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter((word) => !stopWords.has(word.toLowerCase()));
  return anyOf(words.map((word) => [...word]).flatMap((word) => word.slice(2).map((last, at) => `${word[at]}${word[at + 1]}${last}`)));
}

function anyOf(content: readonly string[]): string | undefined {
  return content.length === 0 ? undefined : content.map((word) => `"${word}"`).join(' OR ');
}
