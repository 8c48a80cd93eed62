/** Kind of an edge between two capsules: `from` is derived from, supersedes or cites `to`. */
export type RelationKind = 'derived_from' | 'supersedes' | 'cites';

export interface RelationEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: RelationKind;
}

export interface Neighbourhood {
  /** Ids with their distance from the centre: negative for its sources, positive for its dependents. Nearest first, then by id. */
  readonly nodes: readonly { readonly id: string; readonly distance: number }[];
  readonly edges: readonly RelationEdge[];
  /** Whether nodes within `maxDepth` were left out because of `maxNodes`. */
  readonly truncated: boolean;
}

/** A page of nodes of a neighbourhood, with the edges among them and to nodes of earlier pages. */
export interface NeighbourhoodPage extends Neighbourhood {
  readonly total: number;
}

/** Nodes `start` to `start + size` of a neighbourhood. Each edge is on exactly one page. */
export function pageOfNeighbourhood({ nodes, edges }: Neighbourhood, start: number, size: number): NeighbourhoodPage {
  const end = start + size;
  const places = new Map(nodes.slice(0, end).map(({ id }, place) => [id, place]));
  return {
    nodes: nodes.slice(start, end),
    edges: edges.filter(
      ({ from, to }) =>
        Math.max(places.get(from) ?? end, places.get(to) ?? end) < end && Math.max(places.get(from) ?? 0, places.get(to) ?? 0) >= start,
    ),
    total: nodes.length,
    truncated: nodes.length > end,
  };
}

export class RelationGraph {
  readonly #outgoing: ReadonlyMap<string, readonly RelationEdge[]>;
  readonly #incoming: ReadonlyMap<string, readonly RelationEdge[]>;

  constructor(edges: readonly RelationEdge[]) {
    this.#outgoing = Map.groupBy(edges, ({ from }) => from);
    this.#incoming = Map.groupBy(edges, ({ to }) => to);
  }

  supersededBy(id: string): string | undefined {
    return this.#incoming.get(id)?.find(({ relation }) => relation === 'supersedes')?.from;
  }

  degree(id: string): number {
    return (this.#outgoing.get(id)?.length ?? 0) + (this.#incoming.get(id)?.length ?? 0);
  }

  /**
   * The sources and dependents of `centre`: up to `maxDepth` steps in one direction along derivations and supersessions, and one step along
   * citations. A citation counts only between capsules without another relation, and is not followed further.
   */
  around(centre: string, maxDepth: number, maxNodes: number): Neighbourhood {
    const distances = new Map<string, number>([[centre, 0]]);
    const derived = new Set([centre]);
    let truncated = false;
    const place = (ids: readonly string[], distance: number, isDerived: boolean): void => {
      for (const id of [...ids].sort()) {
        if (distances.has(id)) continue;
        if (distances.size >= maxNodes) {
          truncated = true;
          continue;
        }
        distances.set(id, distance);
        if (isDerived) derived.add(id);
      }
    };
    for (let depth = 1; depth <= maxDepth; depth += 1) {
      for (const direction of [-1, 1]) {
        const frontier = [...derived].filter((id) => distances.get(id) === (depth - 1) * direction);
        const next = frontier.flatMap((id) => this.#neighbours(id, direction, 'derivations'));
        place(next, depth * direction, true);
      }
      if (depth > 1) continue;
      for (const direction of [-1, 1]) place(this.#neighbours(centre, direction, 'citations'), direction, false);
    }
    const nodes = [...distances]
      .map(([id, distance]) => ({ id, distance }))
      .sort((a, b) => Math.abs(a.distance) - Math.abs(b.distance) || compare(a.id, b.id));
    const edges = nodes
      .flatMap(({ id }) => this.#outgoing.get(id) ?? [])
      .filter(({ to }) => distances.has(to))
      .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to) || compare(a.relation, b.relation));
    return { nodes, edges, truncated };
  }

  /** Capsules one edge away, along citations or along all other relations: those that `id` refers to (-1), or that refer to it (1). */
  #neighbours(id: string, direction: number, along: 'citations' | 'derivations'): string[] {
    const edges = (direction < 0 ? this.#outgoing : this.#incoming).get(id) ?? [];
    const follows = ({ relation }: RelationEdge): boolean => (relation === 'cites') === (along === 'citations');
    return edges.filter(follows).map(({ from, to }) => (direction < 0 ? to : from));
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
