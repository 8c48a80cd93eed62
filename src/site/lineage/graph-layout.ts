import { lineage } from 'virtual:strings';
import { text } from '../strings.ts';
import type { LayeredMap, MapEdge, MapLayer, MapNode } from './layers.ts';

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

/** Heading of a layer. */
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
