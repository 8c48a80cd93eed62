// A file without imports: the search of a site without functions loads it, and not the analysis of texts.

/** Results before one that the query names and that would be last otherwise: it is among those that everybody reads, and not the first. */
const BEFORE_NAMED = 2;

/**
 * Moves the results that the query names, and that would be last because they do not hold any more, after the first two others: who asks for a
 * retracted claim by its title learns of it, and reads first what holds.
 */
export function placeNamed<T extends { readonly isNamed: boolean }>(ranked: readonly T[]): T[] {
  const others = ranked.filter(({ isNamed }) => !isNamed);
  return [...others.slice(0, BEFORE_NAMED), ...ranked.filter(({ isNamed }) => isNamed), ...others.slice(BEFORE_NAMED)];
}
