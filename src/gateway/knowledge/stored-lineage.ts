import type { CapsuleMetadata } from '../../schemas/capsule.ts';
import { type Lineage, lineageNode } from '../../schemas/lineage.ts';

/**
 * A lineage as it is stored. Its graph says where other capsules stand and nothing else about them: what they are called and
 * which text they have is on their own pages, so that a change of one capsule does not rewrite the lineages around it.
 */
export interface StoredLineage extends Omit<Lineage, 'graph'> {
  readonly graph: Omit<Lineage['graph'], 'nodes'> & {
    /** Ids and distances, in the order of the published graph. */
    readonly nodes: readonly (readonly [id: string, distance: number])[];
  };
}

/** Takes out of a lineage what the pages of the capsules around it say. */
export function storedLineage({ graph, ...rest }: Lineage): StoredLineage {
  return { ...rest, graph: { ...graph, nodes: graph.nodes.map(({ capsule_id, distance }) => [capsule_id, distance] as const) } };
}

/**
 * The exact text of the lineage that {@link storedLineage} was given.
 *
 * @param metadata The newest versions of the capsules of the graph, in its order.
 */
export function lineageText(stored: StoredLineage, metadata: readonly CapsuleMetadata[]): string {
  const nodes = stored.graph.nodes.flatMap(([, distance], at) => {
    const capsule = metadata[at];
    return capsule === undefined ? [] : [lineageNode(capsule, distance)];
  });
  return JSON.stringify({ ...stored, graph: { ...stored.graph, nodes } } satisfies Lineage);
}
