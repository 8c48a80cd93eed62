/** Kind of an edge between two items; `from` rests on, replaces or refers to `to`. */
export type RelationKind = 'derived_from' | 'supersedes' | 'cites';

/** One directed edge. */
export interface RelationEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: RelationKind;
}

/** Part of the graph around one item. */
export interface Neighbourhood {
  /** Ids with the signed distance from the centre: below 0 what it rests on or cites, above 0 what rests on it or cites it. Nearest first, then by id. */
  readonly nodes: readonly { readonly id: string; readonly distance: number }[];
  /** Edges between the nodes, by `from`, `to` and kind. */
  readonly edges: readonly RelationEdge[];
  /** True when nodes within `maxDepth` were left out because of `maxNodes`. */
  readonly truncated: boolean;
}

/** A run of the nodes of a neighbourhood, with the edges that lead from it to itself and to the nodes before it. */
export interface NeighbourhoodPage extends Neighbourhood {
  /** Number of nodes of all pages. */
  readonly total: number;
}

/** Nodes `start` to `start + size` of a neighbourhood: the edges of all pages together are all edges, each once. */
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

/** All edges, ready to be walked both ways. */
export class RelationGraph {
  readonly #outgoing = new Map<string, RelationEdge[]>();
  readonly #incoming = new Map<string, RelationEdge[]>();

  constructor(edges: readonly RelationEdge[]) {
    for (const edge of edges) {
      append(this.#outgoing, edge.from, edge);
      append(this.#incoming, edge.to, edge);
    }
  }

  /** Item that replaced `id`, if any, with the edge that says so. */
  supersededBy(id: string): string | undefined {
    return this.#incoming.get(id)?.find(({ relation }) => relation === 'supersedes')?.from;
  }

  /** Number of edges that touch an item. */
  degree(id: string): number {
    return (this.#outgoing.get(id)?.length ?? 0) + (this.#incoming.get(id)?.length ?? 0);
  }

  /**
   * Everything up to `maxDepth` steps up (what `centre` rests on) and down (what rests on it) by derivation and
   * replacement, without turning round on the way, and what `centre` cites (one step up) or what cites it (one step down).
   * A mention is no derivation: it counts only where there is none, and nothing is followed beyond it.
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
        place(
          frontier.flatMap((id) => this.#neighbours(id, direction, (relation) => relation !== 'cites')),
          depth * direction,
          true,
        );
      }
      if (depth > 1) continue;
      for (const direction of [-1, 1])
        place(
          this.#neighbours(centre, direction, (relation) => relation === 'cites'),
          direction,
          false,
        );
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

  /** Items one edge away: up (-1) what `id` refers to, down (1) what refers to it. */
  #neighbours(id: string, direction: number, accepts: (relation: RelationKind) => boolean): string[] {
    const edges = (direction < 0 ? this.#outgoing : this.#incoming).get(id) ?? [];
    return edges.filter(({ relation }) => accepts(relation)).map(({ from, to }) => (direction < 0 ? to : from));
  }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
