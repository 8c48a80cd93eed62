// A file without imports: the search of a site without functions loads it, and not the analysis of texts.

/** Results that stay before a named one: readers see it, and do not read it first. */
const BEFORE_NAMED = 2;

/** Moves retracted results that the query names by title or id behind the first two others: readers learn of them, and first read what holds. */
export function placeNamed<T extends { readonly isNamed: boolean }>(ranked: readonly T[]): T[] {
  const others = ranked.filter(({ isNamed }) => !isNamed);
  return [...others.slice(0, BEFORE_NAMED), ...ranked.filter(({ isNamed }) => isNamed), ...others.slice(BEFORE_NAMED)];
}
