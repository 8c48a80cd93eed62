import { analyse, type Token } from './analyse.ts';

/**
 * The tokens of a query as each of some languages reads it, English first where it is one of them.
 *
 * English stop words then count in no other reading either, unless the query has no other words: a German document that
 * quotes "what is the" would win every question otherwise.
 *
 * @param languages As `collectionStatistics` gives them.
 */
export function readQuery(query: string, languages: readonly string[]): Token[][] {
  const readings = languages.map((language) => analyse(query, language));
  const [english, other] = readings;
  if (english === undefined || other === undefined || english.length === 0) return readings;
  const content = new Set(english.map(rangeKey));
  return [english, other.filter((token) => content.has(rangeKey(token)))];
}

/** Tells the tokens of one reading apart, and finds the same place in another. */
export function rangeKey({ start, end }: Token): string {
  return `${start} ${end}`;
}
