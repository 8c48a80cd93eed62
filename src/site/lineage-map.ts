import { lineage, terms } from 'virtual:strings';
import { statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import type { Lineage } from '../schemas/knowledge/lineage.ts';
import type { DrawnEdge, DrawnLayer, LayeredDrawing } from './diagram-layout.ts';
import { STATE_WORDS, text } from './format-strings.ts';

type Graph = Lineage['graph'];

type Relation = Graph['edges'][number]['relation'];

/** A line between two neighbouring layers: `upper` rests on `lower`, which is in the layer with the smaller distance. */
interface MapEdge extends DrawnEdge {
  readonly kind: Relation;
}

/** Most capsules in a layer one step from the centre, and in one further away. */
const LIMITS = { near: 8, far: 4 } as const;

/** Strongest first. The line between two capsules shows their strongest relation. */
const RELATION_ORDER: readonly Relation[] = ['supersedes', 'derived_from', 'cites'];

/**
 * The map of a lineage. Each layer holds the capsules at one distance from the centre: those that the centre rests on at the left, those
 * that rest on it at the right. Only lines between neighbouring layers are drawn, so that few lines cross. Near capsules are ordered by the
 * strength of their relation, far ones by the position of the near ones that they are related to. The same graph gives the same map.
 */
export function lineageMap(graph: Graph): LayeredDrawing {
  const distances = new Map(graph.nodes.map(({ capsule_id, distance }) => [capsule_id, distance]));
  const lines = linesBetweenLayers(graph, distances);
  const layers = new Map<number, DrawnLayer>();
  for (const distance of [...new Set(distances.values())].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)) {
    const inner = layers.get(distance - Math.sign(distance))?.nodes.map(({ id }) => id) ?? [];
    const nodes = graph.nodes
      .filter((node) => node.distance === distance)
      .map((node) => {
        const links = lines.flatMap(({ lower, upper, kind }) => {
          const position = lower === node.capsule_id ? inner.indexOf(upper) : upper === node.capsule_id ? inner.indexOf(lower) : -1;
          return position < 0 ? [] : [{ rank: RELATION_ORDER.indexOf(kind), position }];
        });
        const strongest = Math.min(...links.map(({ rank }) => rank));
        const meanPosition = links.reduce((sum, { position }) => sum + position, 0) / links.length;
        return { ...mapNode(node), links: links.length, strongest, meanPosition };
      });
    const kept = nodes
      .filter(({ links }) => distance === 0 || links > 0)
      .sort((a, b) => a.strongest - b.strongest || b.links - a.links || compare(a.id, b.id))
      .slice(0, Math.abs(distance) <= 1 ? LIMITS.near : LIMITS.far);
    if (Math.abs(distance) > 1) kept.sort((a, b) => a.meanPosition - b.meanPosition || compare(a.id, b.id));
    const omitted = nodes.length - kept.length;
    layers.set(distance, {
      heading: layerHeading(distance),
      nodes: kept.map(({ id, title, status, uri }) => ({
        id,
        uri,
        label: statedTitle({ title, status }, STATE_WORDS),
        isCentre: distance === 0,
        ...(status === 'current' ? {} : { tone: status }),
      })),
      ...(omitted > 0 ? { more: text(lineage.moreBelow, { count: omitted }) } : {}),
    });
  }
  const shown = new Set([...layers.values()].flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  return {
    layers: [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer),
    edges: lines.filter(({ lower, upper }) => shown.has(lower) && shown.has(upper)),
  };
}

function layerHeading(distance: number): string {
  if (distance === 0) return lineage.thisCapsule;
  if (distance === -1) return lineage.buildsOnOrCites;
  if (distance === 1) return lineage.basisOfOrCitedBy;
  return distance < 0 ? text(lineage.buildsOnInSteps, { count: -distance }) : text(lineage.basisOfInSteps, { count: distance });
}

function mapNode({ capsule_id, title, status, uri }: Graph['nodes'][number]) {
  return { id: capsule_id, title, status, uri };
}

function linesBetweenLayers(graph: Graph, distances: ReadonlyMap<string, number>): MapEdge[] {
  const lines = new Map<string, MapEdge>();
  const pairs = new Set(graph.edges.map(({ from, to }) => `${from} ${to}`));
  for (const { from: upper, to: lower, relation } of graph.edges) {
    if ((distances.get(upper) ?? 0) - (distances.get(lower) ?? 0) !== 1) continue;
    const known = lines.get(`${upper} ${lower}`);
    if (known !== undefined && RELATION_ORDER.indexOf(relation) >= RELATION_ORDER.indexOf(known.kind)) continue;
    lines.set(`${upper} ${lower}`, { lower, upper, kind: relation, isMutual: pairs.has(`${lower} ${upper}`) });
  }
  return [...lines.values()];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The relations of the capsule `id` as lists: all that its map shows, and what the map has no room for. `foundations` is what the capsule
 * builds on in several steps, `dependants` what builds on it, each `through` the capsules between.
 */
export function describeRelations(graph: Graph, id: string) {
  const nodes = new Map(graph.nodes.map((node) => [node.capsule_id, node]));
  const edges = graph.edges.toSorted((a, b) => RELATION_ORDER.indexOf(a.relation) - RELATION_ORDER.indexOf(b.relation));
  const words = new Map<string, string[]>();
  const add = (other: string, word: string): void => void words.set(other, [...(words.get(other) ?? []), word]);
  for (const { from, to, relation } of edges) if (from === id) add(to, terms[relation]);
  for (const { from, to, relation } of edges) if (to === id) add(from, terms[`${relation}_reverse`]);
  const direct = [...words].flatMap(([other, list]) => {
    const node = nodes.get(other);
    return node === undefined
      ? []
      : [{ ...mapNode(node), words: list.reduce((first, second) => text(lineage.relationAnd, { first, second })) }];
  });
  const distant = (direction: -1 | 1) =>
    graph.nodes
      .filter(({ distance }) => distance * direction > 1)
      .map((node) => {
        const [near, far] = direction < 0 ? (['from', 'to'] as const) : (['to', 'from'] as const);
        const neighbours = graph.edges
          .filter((edge) => edge[far] === node.capsule_id && edge.relation !== 'cites')
          .map((edge) => edge[near]);
        const isBetween = (neighbour: string): boolean => nodes.get(neighbour)?.distance === node.distance - direction;
        return { ...mapNode(node), through: [...new Set(neighbours)].filter(isBetween) };
      });
  return { direct, foundations: distant(-1), dependants: distant(1) };
}
