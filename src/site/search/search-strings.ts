import type { ENGLISH } from '../../publication/strings/interface-strings.ts';

/** The sentences that the search without functions shows from its script: readers download these and no others. */
export function searchStrings(search: (typeof ENGLISH)['search']) {
  const { titleOfQuery, found, nothingFound } = search;
  return { titleOfQuery, found, nothingFound } as const;
}
