import { LIMITS } from '../../schemas/limits.ts';
import { FACET_NAMES, type FacetName, type Facets } from '../../schemas/knowledge/query-details.ts';
import type { Columns } from '../../search/format/columns.ts';

/** Values counted, and which facets have more of them than are listed. */
export interface CountedFacets {
  readonly counted: Facets;
  readonly cut: FacetName[];
}

/**
 * Counts the values of some columns over the documents of a list, most frequent first, then in order.
 *
 * @param wanted In any order; the answer has the published one.
 */
export function countFacets(wanted: readonly FacetName[], columns: Columns, documents: Uint32Array): CountedFacets {
  const counted: Facets = {};
  const cut: FacetName[] = [];
  for (const name of FACET_NAMES) {
    if (!wanted.includes(name)) continue;
    const values = columns.count(name, documents);
    counted[name] = values.slice(0, LIMITS.facetValuesMax);
    if (values.length > LIMITS.facetValuesMax) cut.push(name);
  }
  return { counted, cut };
}
