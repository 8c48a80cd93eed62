import { STOP_WORDS } from '../stop-words.ts';

/** Settings of FTS5. */
export interface Fts5Settings {
  readonly titleWeight: number;
}

/** Makes the table of an FTS5 index that holds no texts; its analysis is `porter`. */
export const CREATE_FTS5 = "CREATE VIRTUAL TABLE docs USING fts5(title, body, content='', tokenize='porter unicode61 remove_diacritics 2')";

/** What FTS5 is asked for a query: its words without stop words, joined by OR; `undefined` if no word is left. */
export function fts5Match(query: string): string | undefined {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const content = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return content.length === 0 ? undefined : content.map((word) => `"${word}"`).join(' OR ');
}
