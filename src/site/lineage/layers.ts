import type { CapsuleStatus } from '../../schemas/knowledge/capsule.ts';
import type { Lineage } from '../../schemas/knowledge/lineage.ts';

type Graph = Lineage['graph'];

/** Kind of a relation between two capsules. */
export type Relation = Graph['edges'][number]['relation'];

/** A capsule of the graph. */
export interface MapNode {
  readonly id: string;
  readonly title: string;
  readonly status: CapsuleStatus;
  readonly uri: string;
}

/** Capsules at one distance from the centre: below 0 what it rests on, above 0 what rests on it. */
export interface MapLayer {
  readonly distance: number;
  readonly nodes: readonly MapNode[];
  /** Number of capsules at this distance that are not on the map. */
  readonly omitted: number;
}

/** A line between two neighbouring layers: `upper` rests on `lower`, which is in the layer with the smaller distance. */
export interface MapEdge {
  readonly lower: string;
  readonly upper: string;
  readonly relation: Relation;
  /** Whether `lower` also has a relation to `upper`. */
  readonly isMutual: boolean;
  /** Whether the line touches the centre. */
  readonly isNear: boolean;
}

/** The part of a lineage graph that can be drawn without crossing everything with everything. */
export interface LayeredMap {
  /** In ascending order of distance; the layer 0 holds the centre alone. */
  readonly layers: readonly MapLayer[];
  readonly edges: readonly MapEdge[];
}

/** Strongest first. The line between two capsules shows their strongest relation. */
export const RELATION_ORDER: readonly Relation[] = ['supersedes', 'derived_from', 'cites'];

/**
 * Selects and orders the capsules of a map. It has only lines between neighbouring layers. Near capsules are ordered by the strength of
 * their relation, far ones by the position of the near ones that they are related to. The same graph gives the same map.
 *
 * @param limits Most capsules in a layer one step from the centre, and in one further away.
 */
export function layerGraph(graph: Graph, limits: { readonly near: number; readonly far: number }): LayeredMap {
  const distances = new Map(graph.nodes.map(({ capsule_id, distance }) => [capsule_id, distance]));
  const lines = linesBetweenLayers(graph, distances);
  const layers = new Map<number, MapLayer>();
  const ordered = [...new Set(distances.values())].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b);
  for (const distance of ordered) {
    const inner = layers.get(distance - Math.sign(distance))?.nodes.map(({ id }) => id) ?? [];
    const nodes = graph.nodes.filter((node) => node.distance === distance).map(mapNode);
    const linksOf = (id: string): Link[] => lines.flatMap((line) => linkFrom(line, id, inner));
    const kept = nodes
      .filter(({ id }) => distance === 0 || linksOf(id).length > 0)
      .sort((a, b) => rankOf(linksOf(a.id)) - rankOf(linksOf(b.id)) || linksOf(b.id).length - linksOf(a.id).length || compare(a.id, b.id))
      .slice(0, Math.abs(distance) <= 1 ? limits.near : limits.far);
    if (Math.abs(distance) > 1) kept.sort((a, b) => meanPosition(linksOf(a.id)) - meanPosition(linksOf(b.id)) || compare(a.id, b.id));
    layers.set(distance, { distance, nodes: kept, omitted: nodes.length - kept.length });
  }
  const shown = new Set([...layers.values()].flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  return {
    layers: [...layers.values()].sort((a, b) => a.distance - b.distance),
    edges: lines.filter(({ lower, upper }) => shown.has(lower) && shown.has(upper)),
  };
}

/** The members of a graph node that pages show. */
export function mapNode({ capsule_id, title, status, uri }: Graph['nodes'][number]): MapNode {
  return { id: capsule_id, title, status, uri };
}

/** A line seen from one end: its relation and the position of the other end in the layer nearer to the centre. */
interface Link {
  readonly relation: Relation;
  readonly position: number;
}

function linesBetweenLayers(graph: Graph, distances: ReadonlyMap<string, number>): MapEdge[] {
  const lines = new Map<string, MapEdge>();
  const pairs = new Set(graph.edges.map(({ from, to }) => `${from} ${to}`));
  for (const { from: upper, to: lower, relation } of graph.edges) {
    if ((distances.get(upper) ?? 0) - (distances.get(lower) ?? 0) !== 1) continue;
    const known = lines.get(`${upper} ${lower}`);
    const isStronger = known === undefined || RELATION_ORDER.indexOf(relation) < RELATION_ORDER.indexOf(known.relation);
    if (!isStronger) continue;
    const isNear = distances.get(lower) === 0 || distances.get(upper) === 0;
    lines.set(`${upper} ${lower}`, { lower, upper, relation, isMutual: pairs.has(`${lower} ${upper}`), isNear });
  }
  return [...lines.values()];
}

function linkFrom({ lower, upper, relation }: MapEdge, id: string, inner: readonly string[]): Link[] {
  const other = lower === id ? upper : upper === id ? lower : undefined;
  const position = other === undefined ? -1 : inner.indexOf(other);
  return position < 0 ? [] : [{ relation, position }];
}

function rankOf(links: readonly Link[]): number {
  return Math.min(...links.map(({ relation }) => RELATION_ORDER.indexOf(relation)));
}

function meanPosition(links: readonly Link[]): number {
  return links.reduce((sum, { position }) => sum + position, 0) / links.length;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
