import { lineage } from 'virtual:strings';
import type { CapsuleStatus } from '../../schemas/knowledge/capsule.ts';
import type { Lineage } from '../../schemas/knowledge/lineage.ts';
import { text } from '../format-strings.ts';

/** A capsule with its position: the line below its label begins at `x`, `y`. */
interface PlacedNode extends MapNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The id, broken at hyphens where it is too long for one line. */
  readonly lines: readonly string[];
  readonly isCentre: boolean;
}

/** A line with its SVG path data. It begins at `lower`. */
interface PlacedEdge extends MapEdge {
  readonly path: string;
  /** Beginning of the line, with a dot if the relation is mutual. */
  readonly start: { readonly x: number; readonly y: number };
}

/** Other text: the heading of a layer, or the number of capsules that are only in the list. */
interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly isHeading: boolean;
}

/** A map with all coordinates in user units of its SVG. */
export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly texts: readonly PlacedText[];
}

/** Longest line of a label in characters, and in pixels: a shelf and a little of the gap beside it. Widths of characters are those of Inter at 13 px. */
const LABEL_LENGTH = 27;
const LABEL_WIDTH = 176;
const WIDE = 'mw';
const NARROW = 'fijlrt1-';
const ACROSS = { shelf: 172, gap: 76, heading: 30, row: 38, extraLine: 16, labelLine: 22 } as const;
const DOWN = { width: 350, gutter: 72, heading: 34, row: 34, extraLine: 16, labelLine: 22, layerGap: 14 } as const;

/** A cubic curve reaches three quarters of the way to its two control points. */
const BEND = 4 / 3;

function layerHeading(distance: number): string {
  if (distance === 0) return lineage.thisCapsule;
  if (distance === -1) return lineage.buildsOnOrCites;
  if (distance === 1) return lineage.basisOfOrCitedBy;
  return distance < 0 ? text(lineage.buildsOnInSteps, { count: -distance }) : text(lineage.basisOfInSteps, { count: distance });
}

/** Breaks an id at its hyphens into lines that fit on a shelf; at most two, the second cut with an ellipsis. */
export function labelLines(id: string): string[] {
  const fitting = fittingLength(id);
  if (fitting === id.length) return [id];
  const cut = id.lastIndexOf('-', fitting - 1);
  const at = cut > 0 ? cut + 1 : fitting;
  const rest = id.slice(at);
  const ofRest = fittingLength(rest);
  return [id.slice(0, at), ofRest === rest.length ? rest : `${rest.slice(0, ofRest - 1)}…`];
}

/** Number of characters from the beginning of an id that fit on one line. */
function fittingLength(id: string): number {
  let width = 0;
  for (let length = 0; length < Math.min(id.length, LABEL_LENGTH); length += 1) {
    const character = id.charAt(length);
    width += WIDE.includes(character) ? 12 : NARROW.includes(character) ? 4.5 : 7.3;
    if (width > LABEL_WIDTH) return length;
  }
  return Math.min(id.length, LABEL_LENGTH);
}

/** Lays the layers out as columns, foundations at the left, each centred on the tallest column. */
export function layoutAcross(map: LayeredMap): MapLayout {
  const heightOf = (layer: MapLayer): number =>
    layer.nodes.reduce((sum, { id }) => sum + nodeHeight(id, ACROSS), 0) + (layer.omitted > 0 ? ACROSS.row : 0);
  const tallest = Math.max(...map.layers.map(heightOf));
  const nodes: PlacedNode[] = [];
  const texts: PlacedText[] = [];
  for (const [column, layer] of map.layers.entries()) {
    const x = column * (ACROSS.shelf + ACROSS.gap);
    texts.push({ x, y: 14, text: layerHeading(layer.distance), isHeading: true });
    let y = ACROSS.heading + (tallest - heightOf(layer)) / 2;
    for (const node of layer.nodes) {
      y += nodeHeight(node.id, ACROSS);
      nodes.push(place(node, x, y - 4, ACROSS.shelf, layer));
    }
    if (layer.omitted > 0) texts.push(moreText(layer, x, y + ACROSS.labelLine));
  }
  const edges = map.edges.map((edge): PlacedEdge => acrossEdge(edge, find(nodes, edge.lower), find(nodes, edge.upper)));
  const columns = map.layers.length;
  return {
    width: columns * ACROSS.shelf + (columns - 1) * ACROSS.gap,
    height: Math.ceil(ACROSS.heading + tallest + 8),
    nodes,
    edges,
    texts,
  };
}

/** Lays the layers out one below the other for narrow screens, with lines as arcs in a gutter at the left. */
export function layoutDown(map: LayeredMap): MapLayout {
  const nodes: PlacedNode[] = [];
  const texts: PlacedText[] = [];
  let y = 0;
  for (const layer of map.layers) {
    texts.push({ x: DOWN.gutter, y: y + 16, text: layerHeading(layer.distance), isHeading: true });
    y += DOWN.heading - 10;
    for (const node of layer.nodes) {
      y += nodeHeight(node.id, DOWN);
      nodes.push(place(node, DOWN.gutter, y - 4, DOWN.width - DOWN.gutter, layer));
    }
    if (layer.omitted > 0) {
      texts.push(moreText(layer, DOWN.gutter, y + DOWN.labelLine));
      y += DOWN.row - 6;
    }
    y += DOWN.layerGap;
  }
  const edges = map.edges.map((edge): PlacedEdge => arcEdge(edge, find(nodes, edge.lower), find(nodes, edge.upper), y));
  return { width: DOWN.width, height: Math.ceil(y), nodes, edges, texts };
}

function nodeHeight(id: string, { row, extraLine }: { readonly row: number; readonly extraLine: number }): number {
  return row + (labelLines(id).length - 1) * extraLine;
}

function place(node: MapNode, x: number, y: number, width: number, layer: MapLayer): PlacedNode {
  return { ...node, x, y: round(y), width, lines: labelLines(node.id), isCentre: layer.distance === 0 };
}

function moreText(layer: MapLayer, x: number, y: number): PlacedText {
  return { x, y: round(y), text: text(lineage.moreBelow, { count: layer.omitted }), isHeading: false };
}

function find(nodes: readonly PlacedNode[], id: string): PlacedNode {
  const node = nodes.find((candidate) => candidate.id === id);
  if (node === undefined) throw new RangeError(`the map has a line to "${id}", which is not on it`);
  return node;
}

function acrossEdge(edge: MapEdge, left: PlacedNode, right: PlacedNode): PlacedEdge {
  const start = { x: left.x + left.width, y: left.y };
  const middle = round((start.x + right.x) / 2);
  return { ...edge, start, path: `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${right.y} ${right.x} ${right.y}` };
}

/** An arc at the left of the labels; the longer, the further out. */
function arcEdge(edge: MapEdge, above: PlacedNode, below: PlacedNode, height: number): PlacedEdge {
  const reach = Math.sqrt((below.y - above.y) / height);
  const bend = round(above.x - (DOWN.gutter - 4) * Math.min(1, 1.3 * reach) * BEND);
  return {
    ...edge,
    start: { x: above.x, y: above.y },
    path: `M${above.x} ${above.y}C${bend} ${above.y} ${bend} ${below.y} ${below.x} ${below.y}`,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

type Graph = Lineage['graph'];

type Relation = Graph['edges'][number]['relation'];

export interface MapNode {
  readonly id: string;
  readonly title: string;
  readonly status: CapsuleStatus;
  readonly uri: string;
}

/** Capsules at one distance from the centre: below 0 what it rests on, above 0 what rests on it. */
interface MapLayer {
  readonly distance: number;
  readonly nodes: readonly MapNode[];
  /** Number of capsules at this distance that are not on the map. */
  readonly omitted: number;
}

/** A line between two neighbouring layers: `upper` rests on `lower`, which is in the layer with the smaller distance. */
interface MapEdge {
  readonly lower: string;
  readonly upper: string;
  readonly relation: Relation;
  /** Whether `lower` also has a relation to `upper`. */
  readonly isMutual: boolean;
  /** Whether the line touches the centre. */
  readonly isNear: boolean;
}

/** The part of a lineage graph that can be drawn without crossing everything with everything. */
interface LayeredMap {
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
