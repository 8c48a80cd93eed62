import { analyse, type Token } from './analyse.ts';

/** A token of a text whose term a query has too. */
export interface Hit extends Token {
  /** The word that the token is, or is a part of: a passage holds all of it or none. */
  readonly wordStart: number;
  readonly wordEnd: number;
}

/** The tokens of a text that a query asks for, in the order of {@link analyse}. */
export function findHits(text: string, query: string, language: string): Hit[] {
  const wanted = new Set(analyse(query, language).map(({ term }) => term));
  const hits: Hit[] = [];
  if (wanted.size === 0) return hits;
  let wordStart = 0;
  let wordEnd = 0;
  for (const token of analyse(text, language)) {
    if (token.start >= wordEnd) ({ start: wordStart, end: wordEnd } = token);
    if (wanted.has(token.term)) hits.push({ ...token, wordStart, wordEnd });
  }
  return hits;
}
