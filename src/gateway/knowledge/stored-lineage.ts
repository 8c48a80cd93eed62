import { type Neighbourhood, type NeighbourhoodPage, pageOfNeighbourhood } from '../../provenance/relation-graph.ts';
import type { Lineage, LineageProof } from '../../schemas/knowledge/lineage.ts';
import { LIMITS } from '../../schemas/limits.ts';

/** The capsules around one as they are stored: where they stand, and nothing else about them. */
export interface StoredGraph extends Omit<NeighbourhoodPage, 'nodes'> {
  /** Ids and distances, in the order of the published graph. */
  readonly nodes: readonly (readonly [id: string, distance: number])[];
}

/**
 * A lineage as it is stored, with the first page of its graph. What the capsules around are called and which text they have is on
 * their own pages, so that a change of one capsule does not rewrite the lineages around it.
 */
export interface StoredLineage {
  readonly proof: LineageProof;
  readonly graph: StoredGraph;
}

/** Takes a lineage apart for storing. */
export function storedLineage({ id, versions, head }: Lineage, relatives: Neighbourhood): StoredLineage {
  return { proof: { id, versions, head }, graph: graphPage(relatives, 0) };
}

/** Name under which a page of a graph beyond the first is stored; no id of a capsule holds a space. */
export const graphPageName = (id: string, start: number): string => `${id} ${start}`;

/** The pages of a graph beyond the first, each under the number of its first node. */
export function furtherPages(relatives: Neighbourhood): { readonly start: number; readonly page: StoredGraph }[] {
  const count = Math.ceil(relatives.nodes.length / LIMITS.lineageMaxNodes) - 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const start = (at + 1) * LIMITS.lineageMaxNodes;
    return { start, page: graphPage(relatives, start) };
  });
}

function graphPage(relatives: Neighbourhood, start: number): StoredGraph {
  const page = pageOfNeighbourhood(relatives, start, LIMITS.lineageMaxNodes);
  return {
    nodes: page.nodes.map(({ id, distance }) => [id, distance] as const),
    edges: page.edges,
    total: page.total,
    // Where the relatives were cut, the last page says so: there are more than are listed anywhere.
    truncated: page.truncated || relatives.truncated,
  };
}
